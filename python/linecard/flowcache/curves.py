"""One pass over traffic for every LRU cache: misses of all sizes and ways, and reuse distances."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LruRow:
    """LRU misses of one size, exact.

    Attributes:
        sets: Sets; one makes the cache fully associative.
        ways: Entries of a set.
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


@dataclass(frozen=True, slots=True)
class ReuseRow:
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


@dataclass(frozen=True, slots=True)
class CacheCurves:
    """LRU of all sizes from stack distances (Mattson et al., 1970), in one pass.

    Attributes:
        lru: Caches with 1 to 16 ways and numbers of sets in powers of two; fully associative ones come first.
        curve: Fully associative caches whose sizes rise by a factor of 2^(1/8), up to the last that matters.
        reuse: Reuse distances in powers of two.
    """

    lru: tuple[LruRow, ...]
    curve: tuple[LruRow, ...]
    reuse: tuple[ReuseRow, ...]

    def row(self, sets: int, ways: int) -> LruRow:
        """The LRU row of one shape.

        Raises:
            KeyError: The pass did not cover this shape; the text lists the shapes that it covers.
        """
        for row in (*self.lru, *(self.curve if sets == 1 else ())):
            if (row.sets, row.ways) == (sets, ways):
                return row
        shapes = sorted({row.sets for row in self.lru})
        raise KeyError(f"no row with {sets} sets and {ways} ways; expected sets {shapes} and ways 1 to 16")
