"""The result of a search for no-drop rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.records import plain
from linecard.result import Result
from linecard.tables import Table

if TYPE_CHECKING:
    from linecard.explore.execute import Counts


LATENCY_SHARES = (0.1, 0.5, 0.9)
# The limit if no part is always busy, and if it is the wires.
SEVERAL, LINE = "no single part", "line rate"


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a trial at one offered load.

    Attributes:
        load_mpps: Offered load in 10^6 frames per second, summed over all ports.
        load_gbps: Offered load in 10^9 bits per second, counting only the bits of frames.
        packets: Number of packets that were sent or dropped, for the seed with the lowest number.
        lost: Fraction of the packets that were dropped or accumulated inside the chip, averaged over the seeds.
        dropped: Fraction of the packets that were dropped by the chip.
        by_program: Fraction of the packets that the program dropped, such as by a step ``drop`` or for a missing route.
        forwarded_mpps: Throughput in 10^6 packets per second.
        inside_mean: Mean number of packets inside the chip.
        grew: Increase of the number of packets inside the chip during the trial, averaged over the seeds.
        grew_error: Standard error of ``grew``; an increase of at most this size can be random.
    """

    load_mpps: float
    load_gbps: float
    packets: int
    lost: float
    dropped: float
    by_program: float
    forwarded_mpps: float
    inside_mean: float
    grew: float
    grew_error: float


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
    """The rates of one frame size or mix.

    Attributes:
        traffic: Frame size in bytes as text, the name of the mix, or ``capture``.
        size_bytes: Mean frame size, including the frame check sequence.
        line_mpps: Total line rate of all ports in 10^6 frames per second, which is the highest load that the search
            tries.
        ndr_mpps: Highest rate without loss, in 10^6 frames per second; the lower bound of ``interval``.
        pdr_mpps: Highest rate with a loss of at most 0.5 %, in 10^6 frames per second; the lower bound of ``interval``.
        ndr_gbps: No-drop rate in 10^9 bits per second, counting only the bits of frames.
        pdr_gbps: Partial-drop rate in 10^9 bits per second, counting only the bits of frames.
        interval: The highest load that passed its trial and the lowest load that failed, for each of ``ndr_mpps`` and
            ``pdr_mpps``. If no load failed, both entries are the line rate.
        limit: Cause that limits the no-drop rate: ``line rate``, or the part of the chip that is always busy at the
            lowest failed load. ``no single part`` means that bursts or waiting times cause the loss; see ``linecard
            why``.
        busiest: The part of the chip with the highest utilisation at the lowest failed load.
        busiest_share: Utilisation of the busiest part.
        confirmed_packets: Number of packets per seed in the trial that confirmed the no-drop rate; 0 if no trial
            confirmed this rate.
        confirmed: Whether the trial that confirms the no-drop rate is conclusive. At a load that exceeds the capacity
            by one ``width``, packets accumulate inside the chip at a known rate. In a conclusive trial, packets
            accumulate at no more than half of this known rate. Half of the known rate must also be larger than random
            variation, both at the highest passed load and at the lowest failed load.
        trials: Number of trials, including the trials that confirm a rate.
        tried: All trials, in the order of the search.
        latency: Latency at 10 %, 50 % and 90 % of the PDR; empty if no PDR was found.
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
        """Whether the result is conclusive: the no-drop rate is confirmed, or only a partial-drop rate exists."""
        return self.confirmed or (self.ndr_mpps == 0 and self.pdr_mpps > 0)

    @property
    def _lowest(self) -> Trial:
        return min(self.tried, key=lambda trial: trial.load_mpps)

    @property
    def _is_lost_by_program(self) -> bool:
        """Whether no rate is loss-free because the program drops packets by choice."""
        return self.confirmed_packets == 0 and self._lowest.by_program > self._lowest.lost / 2

    def limited_by(self) -> str:
        """Return a text that describes what limits the no-drop rate: the line rate, a part, or the program."""
        busy = f"{self.busiest} is busy for {self.busiest_share * 100:.1f} % of the time"
        if self.limit == LINE:
            return "the line rate"
        if self.limit == SEVERAL and self._is_lost_by_program:
            return "the program, which drops packets at every load"
        several = f"no part is always busy ({busy}); `linecard why` finds the bottleneck"
        return busy if self.limit != SEVERAL else several

    def doubt(self) -> str:
        """Return the reason why the no-drop rate is not confirmed, with advice; empty if the rate is confirmed."""
        if self.confirmed:
            return ""
        if self.confirmed_packets == 0:
            start = f"no rate is loss-free: at the lowest load, {self._lowest.load_mpps:,.3g} Mpps, the"
            if self._is_lost_by_program:
                share = f"{self._lowest.by_program * 100:.2f} %"
                return (
                    f"{start} program drops {share} of the packets by choice, which count as lost; search with a "
                    "program or with traffic without such drops"
                )
            return f"{start} chip lost {self._lowest.lost * 100:.2f} % of the packets; enlarge its buffers"
        return (
            f"not confirmed: of {self.confirmed_packets:,} packets, none was lost, "
            "but packets inside the chip may hide a loss; "
            "limit the buffer sizes, or simulate more --packets"
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NdrResult(Result):
    """No-drop and partial-drop rates of a chip.

    Attributes:
        chip: The chip.
        rows: One row per frame size or mix, in the requested order.
        packets: Number of packets per seed in each trial of the search; the warm-up before a trial has half as many
            packets.
        seeds: Number of seeds of each trial.
        width: Width of the interval between the highest passed and the lowest failed load, relative to the load.
        counts: Numbers of reused and executed runs.
        asked: The request as plain data, for the manifest.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("chip", "packets", "seeds", "width")
    INPUT: ClassVar[str] = "chip"

    chip: str
    rows: tuple[RateRow, ...]
    packets: int
    seeds: int
    width: float
    counts: Counts = field(compare=False)
    asked: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the fields of the first row at the top level, and a list of all ``rows``."""
        rows = plain(list(self.rows))
        shared = {"chip": self.chip, "packets": self.packets, "seeds": self.seeds, "width": self.width}
        return {**shared, **rows[0], "rows": rows}

    def table(self) -> Table:
        """Return a table of rates, limits and latencies with one row for each frame size or mix."""
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
