"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

import msgspec

from linecard._methods import CacheCurvesMethods, CacheRowMethods
from linecard.traffic.reports import Diagnostic, TrafficViewReport


class FlowCacheReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Results of every cache for the same traffic, in the order of the requested sizes, ways and policies.

    Attributes:
        rows: One row for each cache.
        input: Name of the capture or of the digest file, or ``array``.
        format: Format of the input: ``u32le`` or ``array`` for digests, or the file format of the capture.
        compression: Compression of the input file.
        packets_without_flow: Number of packets in the capture that are ignored because they do not belong to a flow.
        damage: Number of findings in the capture, by kind; some kinds of finding do not indicate damage.
        damaged_records: Number of findings that indicate damage.
        diagnostics: Findings in the capture, with file, byte offset and packet number; of each kind, at most the first
            ten.
        packets: Number of packets that were looked up.
        key: Header fields that define a flow; ``None`` if the input consists of digests.
        hash: Hash function that computes the digests; ``None`` if the input consists of digests.
        width_bits: Width of a digest in bits.
        result_bits: Size of a result in bits; an entry contains one result.
        cold_window_packets: Number of preceding packets in which to search for a digest; a miss is cold if none of
            these packets has the digest.
        foresight_packets: Number of packets that the policy ``PRED`` looks ahead.
        seed: Seed of random policies and of the hash function ``h3``.
        curves: Hit rates of LRU caches of all sizes, if requested.
        traffic: Statistics of the flows, if requested.
        time_out_ns: Idle time of a flow in ns after which the statistics count the flow as ended.
    """

    rows: tuple[CacheRow, ...]
    input: str
    format: str
    compression: str
    packets_without_flow: int
    damage: dict[str, int]
    damaged_records: int
    diagnostics: tuple[Diagnostic, ...]
    packets: int
    key: str | None
    hash: str | None
    width_bits: int
    result_bits: int
    cold_window_packets: int
    foresight_packets: int
    seed: int
    curves: CacheCurves | None
    traffic: TrafficViewReport | None
    time_out_ns: int | None


class CacheRow(CacheRowMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """Results of one cache for all packets of the traffic. All counts are in packets.

    Attributes:
        entries: Number of entries in the cache.
        ways: Number of entries per set.
        sets: Number of sets; a cache with one set is fully associative.
        policy: Name of the policy, including its parameter and filter, such as ``SECOND16+SP``.
        packets: Number of packets that were looked up.
        hits: Packets whose digest was in the cache.
        misses: Packets that miss: the sum of ``cold``, ``capacity`` and ``conflict``.
        miss_ratio: Number of misses, divided by the number of packets.
        cold: Misses of packets whose digest is not among the digests of the preceding packets in the window.
        capacity: Misses that are not cold, and that a fully associative LRU cache of the same size would also have.
        conflict: Misses that are neither cold nor capacity misses.
        first_ref_misses: Packets whose digest occurs for the first time.
        cold_but_fa_hit: Packets that count as cold misses, although a fully associative LRU cache of the same size
            would still contain their digest.
        hit_but_fa_miss: Hits of packets that would miss in a fully associative LRU cache of the same size.
        policy_state_bits: Number of bits of policy state, excluding tags and results; ``None`` for an oracle.
        oracle: Whether the policy is an oracle, which requires knowledge of future packets and cannot be implemented in
            hardware.
        hit_seq_sha256: SHA-256 hash of one byte per packet (1 for a hit, 0 for a miss). Equal hashes mean that the same
            packets hit.
        entry_bits: Size of a cache entry in bits: the number of stored digest bits plus the size of the result.
        cache_bytes: Total size of all cache entries in bytes, without the policy state.
        false_hits: Number of false hits, which are packets that received another flow's result; ``None`` if false hits
            were not counted.
        false_hit_probability: Number of false hits, divided by the number of packets whose flow was not in the cache.
        false_hit_probability_expected: Expected probability of a false hit if all digest bits were compared: the number
            of ways, divided by 2^(digest width).
        false_hit_probability_expected_of_tags: Expected probability of a false hit in a full cache: the number of ways,
            divided by 2^(number of stored digest bits).
    """

    entries: int
    ways: int
    sets: int
    policy: str
    packets: int
    hits: int
    misses: int
    miss_ratio: float
    cold: int
    capacity: int
    conflict: int
    first_ref_misses: int
    cold_but_fa_hit: int
    hit_but_fa_miss: int
    policy_state_bits: int | None
    oracle: bool
    hit_seq_sha256: str
    entry_bits: int
    cache_bytes: int
    false_hits: int | None
    false_hit_probability: float | None
    false_hit_probability_expected: float | None
    false_hit_probability_expected_of_tags: float | None


class CacheCurves(CacheCurvesMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """Results for LRU caches of all sizes, which a single pass computes from stack distances (Mattson et al., 1970).

    Attributes:
        lru: Caches with 1 to 16 ways, whose numbers of sets are powers of two; fully associative caches come first.
        curve: Fully associative caches, each 2^(1/8) times as large as the previous cache, up to the size beyond which
            the number of misses is constant.
        reuse: Histogram of reuse distances, with bins whose bounds are powers of two.
    """

    lru: tuple[LruRow, ...]
    curve: tuple[LruRow, ...]
    reuse: tuple[ReuseRow, ...]


class LruRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """Exact number of LRU misses for one cache size.

    Attributes:
        sets: Number of sets; a cache with one set is fully associative.
        ways: Number of entries per set.
        entries: Number of entries in the cache.
        packets: Number of packets that were looked up.
        misses: Packets whose digest was not in the cache.
        miss_ratio: Number of misses, divided by the number of packets.
    """

    sets: int
    ways: int
    entries: int
    packets: int
    misses: int
    miss_ratio: float


class ReuseRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """Packets whose reuse distance is between ``distance_from`` and ``distance_to``, inclusive.

    ``cumulative_percent`` is the hit rate of a fully associative LRU cache with ``distance_to`` + 1 entries.

    Attributes:
        distance_from: Lower bound of the reuse distances in the bin.
        distance_to: Upper bound of the reuse distances in the bin.
        packets: Number of packets with a reuse distance in the bin.
        cumulative_percent: Packets with a reuse distance of at most ``distance_to``, in percent of all packets.
    """

    distance_from: int
    distance_to: int
    packets: int
    cumulative_percent: float
