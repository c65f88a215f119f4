"""Results of flow caches for the same traffic: a row for each cache, and the best policy for each size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from linecard.flowcache.reports import CacheRow, FlowCacheReport
from linecard.records import plain
from linecard.result import Result
from linecard.traffic.flow_view import TrafficView  # noqa: TC001 # msgspec reads the annotations
from linecard.view import Fact

# Policies that are an upper bound for all others with the same sets, in order of preference.
UPPER_BOUNDS = ("OPT", "OPT_BYPASS")


@dataclass(frozen=True, slots=True)
class BestPolicy:
    """The policy with the most hits at one cache size, among policies that hardware can implement.

    Attributes:
        entries: Number of entries in the cache.
        ways: Number of entries per set.
        policy: Name of the policy.
        hits: Hits.
        hit_rate: Number of hits, divided by the number of packets.
        bound: Name of the oracle with which the policy is compared; ``None`` if no oracle was simulated.
        percent_of_bound_hits: Number of hits of the policy, in percent of the oracle's number of hits. A policy that
            leaves some flows out of the cache can have more hits than an oracle that inserts every flow.
        percent_of_lru_gap: Percentage of the gap between LRU's hits and the oracle's hits that the policy closes;
            ``None`` if LRU was not simulated.
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
    """The best of the rows of one size; the first of equal ones."""
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


class FlowCacheResult(Result, FlowCacheReport, frozen=True, kw_only=True):
    """Results of every cache for the same traffic, in the order of the requested sizes, ways and policies.

    Attributes:
        traffic: Statistics of the flows, if requested.
    """

    TABLE: ClassVar[str] = "rows"
    INPUT: ClassVar[str] = "input"

    traffic: TrafficView | None

    @property
    def best(self) -> tuple[BestPolicy, ...]:
        """The best policy that hardware can implement, for each cache size."""
        sizes: dict[tuple[int, int], list[CacheRow]] = {}
        for row in self.rows:
            sizes.setdefault((row.entries, row.ways), []).append(row)
        return tuple(best for best in map(_best, sizes.values()) if best is not None)

    def row(self, policy: str, entries: int, ways: int) -> CacheRow:
        """Return the results of one cache; the policy name is not case-sensitive.

        Raises:
            KeyError: The cache was not simulated; the message lists the simulated caches.
        """
        for row in self.rows:
            if (row.policy, row.entries, row.ways) == (policy.upper(), entries, ways):
                return row
        known = ", ".join(f"{row.policy} {row.entries} {row.ways}" for row in self.rows)
        raise KeyError(f"no row for {policy} with {entries} entries and {ways} ways; expected one of: {known}")

    def facts(self) -> list[Fact]:
        """Description of the input as text."""
        packing = "" if self.compression in {"", "none"} else f"in {self.compression}"
        left_out = (
            f"{self.packets_without_flow:,} packets without a flow are excluded" if self.packets_without_flow else ""
        )
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
        """Return the result as plain data for JSON: all fields of the result, and the best policies (``best``)."""
        result: dict[str, Any] = plain(self)
        return {"rows": result.pop("rows"), "best": plain(self.best), **result}

    def manifest(self) -> dict[str, Any]:
        """All data that are required to identify this result and to repeat the simulation."""
        found = {"rows", "best", "diagnostics", "curves", "traffic"}
        asked = {name: value for name, value in self.to_dict().items() if name not in found}
        return {**Result.manifest(self), **asked}

    def __repr__(self) -> str:
        return f"<FlowCacheResult {self.input}: {len(self.rows)} caches over {self.packets:,} packets>"
