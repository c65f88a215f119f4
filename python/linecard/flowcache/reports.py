"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec

from linecard._methods import CacheCurvesMethods, CacheRowMethods
from linecard.traffic.reports import Diagnostic, TrafficViewReport


class FlowCacheReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every cache under the same traffic, ordered by size, number of ways and policy, each in the order of the request.

    Attributes:
        rows: One row per cache.
        input: The capture, the file of digests, or ``array``.
        format: Format of the capture, ``u32le`` or ``array``.
        compression: Compression of the file.
        packets_without_flow: Packets of the capture without a flow, which are left out.
        damage: Findings in the capture by kind; not every finding is damage.
        damaged_records: Findings that are damage.
        diagnostics: The first findings, with file, byte offset and packet number.
        packets: Packets looked up.
        key: Fields that define a flow; ``None`` if the input is digests.
        hash: Hash of the digest; ``None`` if the input is digests.
        width_bits: Bits of a digest.
        result_bits: Bits of a result, for the cost of an entry.
        cold_window_packets: A miss is cold if its digest does not occur in this number of preceding packets.
        foresight_packets: Packets that ``PRED`` looks ahead.
        seed: Seed of random policies and of the hash ``h3``.
        curves: LRU of all sizes, on request.
        traffic: Statistics of the flows, on request.
        time_out_ns: Silence that ends a flow there.
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
    """One cache over the whole traffic. Counts are packets.

    Attributes:
        entries: Entries of the cache.
        ways: Entries per set.
        sets: Sets; one makes the cache fully associative.
        policy: The policy's name, with its number and filter.
        packets: Packets looked up.
        hits: Packets whose digest was in the cache.
        misses: Packets without a hit: ``cold``, ``capacity`` and ``conflict`` together.
        miss_ratio: Misses divided by packets.
        cold: Misses whose digest does not occur in the window before.
        capacity: Other misses that also occur in a fully associative LRU cache of the same size.
        conflict: The remaining misses.
        first_ref_misses: Packets with a new digest.
        cold_but_fa_hit: Cold misses that are hits in the fully associative LRU cache.
        hit_but_fa_miss: Hits that are misses in the fully associative LRU cache.
        policy_state_bits: State of the policy in addition to tags and results, in bits; ``None`` for an oracle.
        oracle: Whether it uses future packets, so hardware cannot implement it.
        hit_seq_sha256: SHA-256 over one byte per packet, 1 for a hit: runs with equal values agree in every decision.
        entry_bits: Bits of an entry: the stored part of the digest, and the result.
        cache_bytes: Bytes of all entries, without the state of the policy.
        false_hits: Packets that received the result of another flow; ``None`` if not counted.
        false_hit_probability: False hits, divided by packets whose flow was not in the cache.
        false_hit_probability_expected: Ways, divided by 2 to the width of the digest.
        false_hit_probability_expected_of_tags: Ways, divided by 2 to the stored bits of the digest.
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
    """LRU of all sizes from stack distances (Mattson et al., 1970), in one pass.

    Attributes:
        lru: Caches with 1 to 16 ways and numbers of sets in powers of two; fully associative ones come first.
        curve: Fully associative caches whose sizes rise by a factor of 2^(1/8), up to the last that matters.
        reuse: Reuse distances in powers of two.
    """

    lru: tuple[LruRow, ...]
    curve: tuple[LruRow, ...]
    reuse: tuple[ReuseRow, ...]


class LruRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """LRU misses of one size, exact.

    Attributes:
        sets: Sets; one makes the cache fully associative.
        ways: Entries per set.
        entries: Entries of the cache.
        packets: Packets looked up.
        misses: Packets whose digest was not in the cache.
        miss_ratio: Misses, divided by packets.
    """

    sets: int
    ways: int
    entries: int
    packets: int
    misses: int
    miss_ratio: float


class ReuseRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """Packets whose digest recurs after ``distance_from`` to ``distance_to`` other digests.

    ``cumulative_percent`` is the hit rate of a fully associative LRU cache with one entry more than the distance.

    Attributes:
        distance_from: Smallest distance.
        distance_to: Largest distance.
        packets: Packets with a distance in between.
        cumulative_percent: Packets with this distance or less, in percent of all packets.
    """

    distance_from: int
    distance_to: int
    packets: int
    cumulative_percent: float
