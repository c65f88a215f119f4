"""The result of a search for no-drop rates."""

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
# The limit if no part is always busy, and if it is the wires.
SEVERAL, LINE = "no single part", "line rate"


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial at one load.

    Attributes:
        load_mpps: Offered load, 10^6 frames per second, summed over all ports.
        load_gbps: Offered load, 10^9 bits of frames per second.
        packets: Sent and dropped packets, per seed.
        lost: Fraction of the packets that were lost or accumulated inside; the mean over seeds.
        dropped: Fraction of the packets that were dropped.
        forwarded_mpps: Throughput, 10^6 packets per second.
        inside_mean: Mean number of packets inside.
        grew: Growth of the number of packets inside, per seed.
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
    """Latency at a fraction of the PDR, in nanoseconds."""

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
        line_mpps: Line rate of all ports, 10^6 frames per second: the largest load.
        ndr_mpps: Highest rate without loss, 10^6 frames per second: the lower bound of its interval.
        pdr_mpps: Highest rate with a loss of at most 0.5 %, 10^6 frames per second: the lower bound of its interval.
        ndr_gbps: NDR, 10^9 bits of frames per second.
        pdr_gbps: PDR, 10^9 bits of frames per second.
        interval: Bounds of ``ndr_mpps`` and ``pdr_mpps``: the highest load that passed and the lowest load that failed.
            If the line rate passed, both bounds are the line rate.
        limit: The limit of the no-drop rate: the part that is always busy at the lowest failed load, ``line rate``, or
            ``no single part`` (bursts or waits, see `linecard why`).
        busiest: The busiest part at that load.
        busiest_share: Utilisation of that part.
        confirmed_packets: Packets of the trial that confirmed the no-drop rate, per seed; 0 if none did.
        confirmed: Whether that trial is conclusive. A load that is one ``width`` too high would accumulate packets
            inside. The growth was less than half of that number, and half of it exceeds chance.
        trials: Number of trials, including confirming ones.
        tried: The trials, in the order of the search.
        latency: Latency at 10, 50 and 90 % of PDR; empty if PDR was not found.
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
        """Whether a rate is reliable: a confirmed no-drop rate, or a partial-drop rate if every load has loss."""
        return self.confirmed or (self.ndr_mpps == 0 and self.pdr_mpps > 0)

    def limited_by(self) -> str:
        """The limit of the no-drop rate, in words."""
        busy = f"{self.busiest} is busy for {self.busiest_share * 100:.1f} % of the time"
        if self.limit == LINE:
            return "the line rate"
        return busy if self.limit != SEVERAL else f"no part is always busy ({busy}); `linecard why` finds the limit"

    def doubt(self) -> str:
        """Reason why the no-drop rate is not confirmed, with advice; empty if it is confirmed."""
        if self.confirmed:
            return ""
        if self.confirmed_packets == 0:
            lowest = min(self.tried, key=lambda trial: trial.load_mpps)
            return (
                f"no rate is loss-free: at the lowest load, {lowest.load_mpps:,.3g} Mpps, the chip lost "
                f"{lowest.lost * 100:.2f} % of the packets; enlarge its buffers"
            )
        return (
            f"not confirmed: of {self.confirmed_packets:,} packets, none was lost, "
            "but packets still inside may hide a loss; "
            "bound the buffers, or simulate more --packets"
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NdrResult(Result):
    """No-drop and partial-drop rates of a chip.

    Attributes:
        chip: The chip.
        rows: One row per kind of frames, in the requested order.
        packets: Packets per seed of each search trial; its warm-up has half as many.
        seeds: Seeds of each trial.
        width: Relative width of the intervals.
        counts: Numbers of reused and executed runs.
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
        """The rates, their limit and the latency, one row per kind of frames."""
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
