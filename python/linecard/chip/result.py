"""What a run of a chip tells: frozen, typed records with the same numbers everywhere.

Every class here is plain data. The screen, the JSON, the CSV and the notebook all show these objects and compute
nothing of their own, so that they cannot disagree.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from linecard._convert import convert
from linecard.chip.band import STILL, Width  # msgspec reads the annotations
from linecard.chip.breakdown import Part, part_columns, part_rows
from linecard.chip.dram_time import DramTime  # noqa: TC001 # msgspec reads the annotations
from linecard.chip.latency import COLUMNS, LatencyNs, latency_rows, percentile_text
from linecard.chip.not_ip import NotIpFrames  # noqa: TC001 # msgspec reads the annotations
from linecard.chip.usage import Bottleneck, ResourceUse  # noqa: TC001 # msgspec reads the annotations
from linecard.executed.profile import ExecutedProgram  # noqa: TC001 # msgspec reads the annotations
from linecard.records import Metric, plain_fields
from linecard.result import Result
from linecard.tables import METRIC_COLUMNS, Table, frame, metric_rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import polars


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds that hold the value with 95 % confidence.

    Attributes:
        low: Lower end.
        high: Upper end.
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Intervals:
    """Confidence in the first numbers, by batch means of one run.

    Attributes:
        throughput_gbps: Of the throughput.
        loss_fraction: Of the loss.
        latency_mean_ns: Of the mean latency.
    """

    throughput_gbps: Interval
    loss_fraction: Interval
    latency_mean_ns: Interval


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers to look at first.

    Attributes:
        throughput_gbps: Bits of packets that left, per simulated second, 10^9.
        throughput_mpps: Packets that left per simulated second, 10^6.
        offered_gbps: Bits of packets that arrived, per simulated second, 10^9.
        packets_in: Packets that arrived while statistics were on.
        packets_out: Packets that left while statistics were on.
        packets_dropped: Packets lost: dropped, for any reason but by choice (``not_ip``).
        loss_fraction: Packets dropped over packets that left or were dropped; those still inside are in neither.
        latency_ns: Latency of the packets that left.
        simulated_seconds: Simulated time with statistics on.
        steady: Whether the run was long enough, began at rest and piled nothing up; ``None`` where that is not judged.
        intervals: How sure the numbers are; ``None`` where the run is too short, or not judged.
        packets_inside: Packets still inside at the end; ``None`` where that is not counted.
        not_ip: Frames that are not IP, by what became of them; ``None`` where there was none.
    """

    throughput_gbps: float
    throughput_mpps: float
    offered_gbps: float
    packets_in: int
    packets_out: int
    packets_dropped: int
    loss_fraction: float
    latency_ns: LatencyNs
    simulated_seconds: float
    steady: bool | None = None
    intervals: Intervals | None = None
    packets_inside: int | None = None
    not_ip: NotIpFrames | None = None


@dataclass(frozen=True, slots=True)
class PacketTime:
    """Mean time that a packet spent in one way between arrival and departure, in nanoseconds, and its share.

    Attributes:
        part: The way, such as ``compute`` or ``wait dram``.
        mean_ns: The mean.
        share: The same of the mean of all parts together, 0 to 1.
    """

    part: str
    mean_ns: float
    share: float


@dataclass(frozen=True, slots=True)
class DropCount:
    """Packets dropped for one reason.

    Attributes:
        reason: The reason, as in the metrics.
        packets: How many.
    """

    reason: str
    packets: int


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What the run came to with one part made better.

    Attributes:
        change: What was done, such as ``twice the threads in island``.
        gain: How much more left, as a share.
    """

    change: str
    gain: float


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What was asked for, beside what the report itself repeats.

    Attributes:
        overrides: Changes to the preset, each ``key.path=value``.
        packets: Packets that had to leave the machine or be dropped while statistics were on.
        warmup_packets: Packets that left or were dropped before statistics started; ``None`` where the chip found
            out itself.
        map_addresses: Whether addresses without a route were moved into routed space.
        input_hash: SHA-256 of the capture's bytes as stored; ``None`` for generated traffic.
        program_hash: SHA-256 of an executed program with what it was given, and of a file of steps; else ``None``.
    """

    overrides: tuple[str, ...]
    packets: int
    warmup_packets: int | None
    map_addresses: bool
    input_hash: str | None
    program_hash: str | None = None


@dataclass(frozen=True, slots=True)
class ValueRange:
    """A value of the chip's file for which sources give an interval, in the unit of its key.

    Attributes:
        key: Its key.
        low: Lower end.
        high: Upper end.
    """

    key: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Band:
    """What a run comes to over the intervals that sources give the chip's values.

    Each interval is run at its own ends, then all that lower the number together, and all that raise it.

    Attributes:
        low: First numbers of the run in which it is lowest.
        high: First numbers of the run in which it is highest.
        metric: Which number: ``throughput_mpps``, or ``latency_mean_ns`` where no interval moves the throughput by
            0.1 %.
        widths: What each interval makes alone, the widest first.
    """

    low: Summary
    high: Summary
    metric: str
    widths: tuple[Width, ...]

    @property
    def made_by(self) -> str:
        """The two intervals that alone make most of it, in words; empty where none moves the number by 0.1 %."""
        scale, unit = (1e-3, "µs mean latency") if self.metric == "latency_mean_ns" else (1.0, "Mpps")
        most = [
            f"{each.key} {each.low * scale:.4g} to {each.high * scale:.4g} {unit} alone"
            for each in self.widths[:2]
            if each.width > STILL * each.high
        ]
        return f"mostly {', '.join(most)}" if most else ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RunResult(Result):
    """Everything a run tells. Two runs of the same request are equal, on any machine.

    Attributes:
        preset: The chip.
        app: The program.
        traffic: The traffic.
        seed: Seed of what is drawn.
        version: Version of Linecard.
        config_hash: SHA-256 of the resolved configuration.
        warnings: What to know about this run.
        capture_damage: Damaged places of the capture that were passed over, each pass counted.
        summary: The first numbers.
        bottleneck: What limits the run.
        resources: How busy each resource was.
        dram: Where the time of the DRAM data bus went.
        packet_time: Where the time of packets went.
        drops: Packets dropped, by reason.
        metrics: Every measurement; the other fields show a part of them.
        request: What was asked for beside what stands here.
        run_id: Name of the run in tables; equal requests have equal ids.
        wall_seconds: Real time. The only thing that differs between equal runs: it is not compared and not part of
            :meth:`to_dict`.
        programs: What executed programs came to, one of each kind of cluster that has one.
        ranges: Values of the chip's file for which sources give an interval.
        band: What the ends of those intervals come to, where that was asked for.
        what_if: Gains of the re-runs that found the limit, the largest first; not part of :meth:`to_dict`.
        breakdown: Packets by port, by class and by queue, of each only where there are several.
        latency_bins: Latency in full: (ns, packets) of each bin that has some, 64 bins an octave, by their upper edge.
            Not part of :meth:`to_dict`.
    """

    APART: ClassVar[tuple[str, ...]] = ("wall_seconds", "what_if", "latency_bins")

    preset: str
    app: str
    traffic: str
    seed: int
    version: str
    config_hash: str
    warnings: tuple[str, ...]
    capture_damage: int
    summary: Summary
    bottleneck: Bottleneck
    resources: tuple[ResourceUse, ...]
    dram: DramTime
    packet_time: tuple[PacketTime, ...]
    drops: tuple[DropCount, ...]
    metrics: tuple[Metric, ...]
    request: RunRequest
    run_id: str
    wall_seconds: float = field(compare=False)
    programs: tuple[ExecutedProgram, ...] = ()
    ranges: tuple[ValueRange, ...] = ()
    band: Band | None = None
    what_if: tuple[WhatIf, ...] = ()
    breakdown: tuple[Part, ...] = ()
    latency_bins: tuple[tuple[float, int], ...] = ()

    @classmethod
    def from_report(cls, report: Mapping[str, Any], request: RunRequest, *, wall_seconds: float = 0.0) -> RunResult:
        """Build the result from the plain report of the compiled core."""
        identity = {
            "app": report["app"],
            "config_hash": report["config_hash"],
            "input_hash": request.input_hash,
            "map_addresses": request.map_addresses,
            "packets": request.packets,
            "program_hash": request.program_hash,
            "preset": report["preset"],
            "seed": report["seed"],
            "version": report["version"],
            "warmup_packets": request.warmup_packets,
        }
        run_id = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:12]
        extra = {"request": request, "run_id": run_id, "wall_seconds": wall_seconds}
        return convert({**report, **extra}, cls)

    def metric(self, component: str, metric: str) -> float:
        """Value of one measurement, in the unit that its row of :attr:`metrics` names.

        Raises:
            KeyError: There is no such measurement; the text names the nearest ones.
        """
        for row in self.metrics:
            if row.component == component and row.metric == metric:
                return row.value
        known = [f"{row.component} {row.metric}" for row in self.metrics]
        near = difflib.get_close_matches(f"{component} {metric}", known, n=3, cutoff=0.5)
        raise KeyError(
            f"no metric {metric!r} of component {component!r}" + (f"; nearest: {', '.join(near)}" if near else "")
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: everything but the real time."""
        result = Result.to_dict(self)
        summary = result["summary"]
        if summary["steady"] is None:
            # Machines that do not judge it do not speak of it.
            for name in ("steady", "intervals", "packets_inside"):
                del summary[name]
        if summary["not_ip"] is None:
            del summary["not_ip"]
        if result["dram"]["spacing"] is None:
            del result["dram"]["spacing"]
        for name in ("programs", "ranges", "band", "breakdown"):
            if not result[name]:
                del result[name]
        return result

    def manifest(self) -> dict[str, Any]:
        """Everything needed to repeat this run and to recognise its results."""
        return {
            **Result.manifest(self),
            "run_id": self.run_id,
            "preset": self.preset,
            "app": self.app,
            "traffic": self.traffic,
            "seed": self.seed,
            "config_hash": self.config_hash,
            **plain_fields(self.request),
        }

    def table(self) -> Table:
        """All measurements, a row each."""
        return Table(METRIC_COLUMNS, metric_rows([self]))

    def breakdown_frame(self) -> polars.DataFrame:
        """A row for each :class:`Part` of :attr:`breakdown`, with its percentiles (extra ``frames``)."""
        return frame(part_columns(), part_rows(self.breakdown))

    def latency_frame(self) -> polars.DataFrame:
        """Latency in full as a polars data frame: latency_ns, packets, percentile; a row a bin (extra ``frames``)."""
        return frame(COLUMNS, latency_rows(self.latency_bins))

    def write_latency(self, path: str | Path) -> Path:
        """Write the latency's percentiles, in ns, as HdrHistogram's text (``.hgrm``)."""
        from linecard.files import write_text

        return write_text(path, percentile_text(self.latency_bins, self.summary.latency_ns.mean))

    def __repr__(self) -> str:
        first = self.summary
        return (
            f"<RunResult {self.preset} {self.app}: {first.throughput_gbps:.3f} Gbit/s, "
            f"{first.throughput_mpps:.3f} Mpps, limited by {self.bottleneck.component}>"
        )
