"""Rates without loss, as they are told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.records import plain
from linecard.result import Result
from linecard.tables import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from linecard.explore.execute import Counts


LATENCY_SHARES = (0.1, 0.5, 0.9)
# What limits where no part is always busy, and where the wires do.
SEVERAL, LINE = "no single part", "line rate"


@dataclass(frozen=True, slots=True)
class Trial:
    """One load that was tried.

    Attributes:
        load_mpps: Frames offered, 10^6 a second, all ports together.
        load_gbps: The same in bits of frames, 10^9.
        packets: Packets that left or were dropped, a seed.
        lost: Share that was lost, what piled up inside counted; the mean over seeds.
        dropped: Share that was dropped.
        forwarded_mpps: Packets that left, 10^6 a second.
        inside_mean: Packets inside on average.
        grew: Packets by which the number inside grew, a seed.
    """

    load_mpps: float
    load_gbps: float
    packets: int
    lost: float
    dropped: float
    forwarded_mpps: float
    inside_mean: float
    grew: float


@dataclass(frozen=True, slots=True)
class LatencyAt:
    """Latency at a share of PDR, in nanoseconds."""

    share_of_pdr: float
    load_mpps: float
    p50_ns: float
    p90_ns: float
    p99_ns: float
    max_ns: float
    mean_ns: float


@dataclass(frozen=True, slots=True)
class RateRow:
    """The rates of one kind of frames.

    Attributes:
        traffic: Frame size in bytes as text, or the name of the mix, or ``capture``.
        size_bytes: Mean size of a frame, check sequence included.
        line_mpps: Frames that the wires carry, 10^6 a second: the largest load.
        ndr_mpps: Highest rate without loss: the lower bound of its interval.
        pdr_mpps: Highest rate with at most 0.5 % of loss: likewise.
        ndr_gbps: NDR in bits of frames, 10^9 a second.
        pdr_gbps: PDR likewise.
        interval: Bounds of each, 10^6 a second: ``ndr_mpps`` and ``pdr_mpps``, each the highest load that held and the
            lowest that did not (the same twice where the line rate held).
        limit: What limits the no-drop rate: the part that is always busy at the lowest load that failed, ``line rate``,
            or ``no single part`` (bursts or waits: `linecard why` tells).
        busiest: The busiest part there.
        busiest_share: Share of the time for which it was busy.
        confirmed_packets: Packets of the trial that confirmed the no-drop rate, a seed; 0 where there is none.
        confirmed: Whether that trial tells: the number inside grew by less than half of what an excess of one width
            adds, and that is beyond chance.
        trials: Trials, confirming ones included.
        tried: What each showed, in the order of the search.
        latency: At 10, 50 and 90 % of PDR; none where PDR was not found.
    """

    traffic: str
    size_bytes: float
    line_mpps: float
    ndr_mpps: float
    pdr_mpps: float
    ndr_gbps: float
    pdr_gbps: float
    interval: Mapping[str, tuple[float, float]]
    limit: str
    busiest: str
    busiest_share: float
    confirmed_packets: int
    confirmed: bool
    trials: int
    tried: tuple[Trial, ...]
    latency: tuple[LatencyAt, ...]

    @property
    def answered(self) -> bool:
        """Whether a rate can be relied on: a confirmed no-drop rate, or a partial-drop one where every load loses."""
        return self.confirmed or (self.ndr_mpps == 0 and self.pdr_mpps > 0)

    def limited_by(self) -> str:
        """What limits the no-drop rate, in words."""
        busy = f"{self.busiest} is busy for {self.busiest_share * 100:.1f} % of the time"
        if self.limit == LINE:
            return "the line rate"
        return busy if self.limit != SEVERAL else f"no part is always busy ({busy}); `linecard why` tells what limits"

    def doubt(self) -> str:
        """Why the no-drop rate is not confirmed, and what to change; empty where it is."""
        if self.confirmed:
            return ""
        if self.confirmed_packets == 0:
            lowest = min(self.tried, key=lambda trial: trial.load_mpps)
            return (
                f"no rate without loss was found: at {lowest.load_mpps:,.3g} Mpps, the lowest that was tried, "
                f"{lowest.lost * 100:.2f} % of the packets were lost; give the chip's buffers more room"
            )
        return (
            f"not confirmed: {self.confirmed_packets:,} packets lost none, but so many are inside at once that a "
            "longer trial could lose some; bound the buffers, or ask for more --packets"
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NdrResult(Result):
    """No-drop and partial-drop rates of a chip.

    Attributes:
        chip: The chip.
        rows: A row a kind of frames, in the order asked for.
        packets: Packets of each trial and seed that confirms nothing, after half as many of warm-up.
        seeds: Seeds of each trial.
        width: Relative width of the intervals.
        counts: Runs found and made.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("chip", "packets", "seeds", "width")
    INPUT: ClassVar[str] = "chip"

    chip: str
    rows: tuple[RateRow, ...]
    packets: int
    seeds: int
    width: float
    counts: Counts = field(compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: the first row's fields at the top, and all rows in ``rows``."""
        rows = plain(list(self.rows))
        shared = {"chip": self.chip, "packets": self.packets, "seeds": self.seeds, "width": self.width}
        return {**shared, **rows[0], "rows": rows}

    def table(self) -> Table:
        """The classical table."""
        names = ("traffic", "size_bytes", "line_mpps", "ndr_mpps", "ndr_gbps", "pdr_mpps", "pdr_gbps")
        columns = (*names, "trials", "limit", "confirmed_packets", "confirmed")
        latencies = [(f"{name}_ns", share) for share in LATENCY_SHARES for name in ("p50", "p90", "p99")]
        rows = []
        for row in self.rows:
            at = {each.share_of_pdr: each for each in row.latency}
            times = [getattr(at[share], name) if share in at else None for name, share in latencies]
            rows.append([*(getattr(row, name) for name in columns), *times])
        return Table((*columns, *(f"latency_{name}_at_{share:.0%}_pdr" for name, share in latencies)), rows)

    def __repr__(self) -> str:
        first = self.rows[0]
        return f"<NdrResult {self.chip}, {first.traffic}: NDR {first.ndr_mpps:.3f}, PDR {first.pdr_mpps:.3f} Mpps>"
