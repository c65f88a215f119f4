"""Results of flow caches under traffic: a row per cache, and the best of each size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from linecard.flowcache.curves import CacheCurves  # noqa: TC001 # msgspec reads the annotations
from linecard.records import plain
from linecard.result import Result
from linecard.traffic.flow_view import TrafficView  # noqa: TC001 # msgspec reads the annotations
from linecard.traffic.result import Diagnostic  # noqa: TC001 # msgspec reads the annotations
from linecard.view import Fact

# The policies that stand for what no policy of the same sets can exceed, in order of preference.
UPPER_BOUNDS = ("OPT", "OPT_BYPASS")


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRow:
    """One cache over the whole traffic. Counts are packets.

    Attributes:
        entries: Entries of the cache.
        ways: Entries of a set.
        sets: Sets; one makes the cache fully associative.
        policy: The policy's name, with its number and filter.
        oracle: Whether it uses future packets, so that hardware cannot build it.
        packets: Packets looked up.
        hits: Packets whose digest was in the cache.
        misses: Packets without a hit: ``cold``, ``capacity`` and ``conflict`` together.
        miss_ratio: Misses, divided by packets.
        cold: Misses whose digest does not occur in the window before.
        capacity: Other misses that a fully associative LRU cache of the same size has too.
        conflict: The remaining misses.
        first_ref_misses: Packets with a new digest.
        cold_but_fa_hit: Cold misses that are hits in the fully associative LRU cache.
        hit_seq_sha256: SHA-256 over one byte per packet, 1 for a hit: runs with equal values agree in every decision.
        hit_but_fa_miss: Hits that are misses in the fully associative LRU cache.
        policy_state_bits: State of the policy in addition to tags and results, in bits; ``None`` for an oracle.
        entry_bits: Bits of an entry: the stored part of the digest, and the result.
        cache_bytes: Bytes of all entries, without the state of the policy.
        false_hits: Packets that got the result of another flow; ``None`` if not counted.
        false_hit_probability: False hits, divided by packets whose flow was not in the cache.
        false_hit_probability_expected: Ways, divided by 2 to the width of the digest.
        false_hit_probability_expected_of_tags: Ways, divided by 2 to the stored bits of the digest.
    """

    entries: int
    ways: int
    sets: int
    policy: str
    oracle: bool
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
    hit_seq_sha256: str
    policy_state_bits: int | None
    entry_bits: int
    cache_bytes: int
    false_hits: int | None
    false_hit_probability: float | None
    false_hit_probability_expected: float | None
    false_hit_probability_expected_of_tags: float | None

    @property
    def hit_rate(self) -> float:
        """Hits, divided by packets."""
        return self.hits / self.packets

    @property
    def shape(self) -> str:
        """Ways in words."""
        return "full" if self.sets == 1 else f"{self.ways}-way"


@dataclass(frozen=True, slots=True)
class BestPolicy:
    """The policy with the most hits of one size, among those that hardware can build.

    Attributes:
        entries: Entries of the cache.
        ways: Entries of a set.
        policy: The policy.
        hits: Its hits.
        hit_rate: Its hits, divided by packets.
        bound: The oracle of the comparison; ``None`` if no optimal policy ran.
        percent_of_bound_hits: Its hits in percent of the oracle's. A policy that may refuse packets can exceed an
            oracle that admits every packet.
        percent_of_lru_gap: Share of the gap between LRU's hits and the oracle's that it closes; ``None`` without LRU.
    """

    entries: int
    ways: int
    policy: str
    hits: int
    hit_rate: float
    bound: str | None
    percent_of_bound_hits: float | None
    percent_of_lru_gap: float | None


def _best(rows: list[CacheRow]) -> BestPolicy | None:
    """The best of the rows of one size; of equals, the first."""
    realisable = [row for row in rows if not row.oracle]
    if not realisable:
        return None
    best = max(realisable, key=lambda row: row.hits)
    of_policy = {row.policy: row for row in rows}
    bound = next((of_policy[name] for name in UPPER_BOUNDS if name in of_policy), None)
    lru = of_policy.get("LRU")
    share = gap = None
    if bound is not None and bound.hits:
        share = 100.0 * best.hits / bound.hits
        if lru is not None and bound.hits > lru.hits:
            gap = 100.0 * (best.hits - lru.hits) / (bound.hits - lru.hits)
    name = None if bound is None else bound.policy
    return BestPolicy(best.entries, best.ways, best.policy, best.hits, best.hit_rate, name, share, gap)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FlowCacheResult(Result):
    """Every cache under one traffic, by size, then ways, then policy, each in the order of the request.

    Attributes:
        rows: One row per cache.
        input: The capture, the file of digests, or ``array``.
        format: Format of the capture, ``u32le`` or ``array``.
        compression: Compression of the file.
        packets: Packets looked up.
        packets_without_flow: Packets of the capture without a flow, which are left out.
        key: Fields that define a flow; ``None`` if the input is digests.
        hash: Hash of the digest; ``None`` if the input is digests.
        width_bits: Bits of a digest.
        result_bits: Bits of a result, for the cost of an entry.
        cold_window_packets: A miss is cold if its digest does not occur in this number of packets before.
        foresight_packets: Packets that ``PRED`` looks ahead.
        seed: Seed of random policies and of the hash ``h3``.
        damage: Findings in the capture by kind; not every finding is damage.
        damaged_records: Findings that are damage.
        diagnostics: The first findings, with file, byte offset and packet number.
        curves: LRU of all sizes, on request.
        traffic: Statistics of the flows, on request.
        time_out_ns: Silence that ends a flow there.
    """

    TABLE: ClassVar[str] = "rows"
    INPUT: ClassVar[str] = "input"

    rows: tuple[CacheRow, ...]
    input: str
    format: str
    compression: str
    packets: int
    packets_without_flow: int
    key: str | None
    hash: str | None
    width_bits: int
    result_bits: int
    cold_window_packets: int
    foresight_packets: int
    seed: int
    damage: dict[str, int]
    damaged_records: int
    diagnostics: tuple[Diagnostic, ...]
    curves: CacheCurves | None
    traffic: TrafficView | None
    time_out_ns: int | None

    @property
    def best(self) -> tuple[BestPolicy, ...]:
        """The best policy that hardware can build, for each size."""
        sizes: dict[tuple[int, int], list[CacheRow]] = {}
        for row in self.rows:
            sizes.setdefault((row.entries, row.ways), []).append(row)
        return tuple(best for best in map(_best, sizes.values()) if best is not None)

    def row(self, policy: str, entries: int, ways: int) -> CacheRow:
        """The row of one cache; the policy has the name of its row, in any case.

        Raises:
            KeyError: The row does not exist; the text lists the rows.
        """
        for row in self.rows:
            if (row.policy, row.entries, row.ways) == (policy.upper(), entries, ways):
                return row
        known = ", ".join(f"{row.policy} {row.entries} {row.ways}" for row in self.rows)
        raise KeyError(f"no row of {policy} with {entries} entries and {ways} ways; expected one of: {known}")

    def facts(self) -> list[Fact]:
        """The input in words."""
        packing = "" if self.compression in {"", "none"} else f"in {self.compression}"
        left_out = f"{self.packets_without_flow:,} packets without a flow left out" if self.packets_without_flow else ""
        digests = "" if self.key is None else f"of {self.hash} over {self.key}"
        facts = [
            Fact("Format", self.format, packing),
            Fact("Packets", f"{self.packets:,}", left_out),
            Fact("Digests", f"{self.width_bits} bits", digests),
        ]
        if self.rows:
            facts.append(Fact("Distinct", f"{self.rows[0].first_ref_misses:,}", "digests"))
        return facts

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: the fields, and ``best``."""
        result: dict[str, Any] = plain(self)
        return {"rows": result.pop("rows"), "best": plain(self.best), **result}

    def manifest(self) -> dict[str, Any]:
        """Everything needed to repeat this result and to recognise it."""
        found = {"rows", "best", "diagnostics", "curves", "traffic"}
        asked = {name: value for name, value in self.to_dict().items() if name not in found}
        return {**Result.manifest(self), **asked}

    def __repr__(self) -> str:
        return f"<FlowCacheResult {self.input}: {len(self.rows)} caches over {self.packets:,} packets>"
