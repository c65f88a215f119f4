"""The result of a run of a chip: frozen, typed records.

Every class here is plain data. The screen, the JSON, the CSV and the notebook show these objects and compute nothing,
so that they agree.
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
    """Bounds of a 95 % confidence interval.

    Attributes:
        low: Lower end.
        high: Upper end.
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Intervals:
    """Confidence intervals of the main numbers, from batch means of one run.

    Attributes:
        throughput_gbps: Interval of the throughput, Gbit/s.
        loss_fraction: Interval of the loss, as a fraction.
        latency_mean_ns: Interval of the mean latency, ns.
    """

    throughput_gbps: Interval
    loss_fraction: Interval
    latency_mean_ns: Interval


@dataclass(frozen=True, slots=True)
class Summary:
    """The main numbers of a run.

    Attributes:
        throughput_gbps: Throughput: bits of packets that left, in Gbit/s of simulated time.
        throughput_mpps: Throughput: packets that left, in Mpps of simulated time.
        offered_gbps: Offered load: bits of packets that arrived, in Gbit/s of simulated time.
        packets_in: Packets that arrived while statistics were on.
        packets_out: Packets that left while statistics were on.
        packets_dropped: Packets dropped for any reason except by choice (``not_ip``).
        loss_fraction: Packets dropped, divided by packets that left or were dropped; packets still inside count in
            neither.
        latency_ns: Latency of the packets that left.
        simulated_seconds: Simulated time with statistics on.
        steady: Whether the run is steady: long enough, past its warm-up, and without packets that pile up; ``None`` if
            not judged.
        intervals: Confidence intervals; ``None`` if the run is too short, or not judged.
        packets_inside: Packets still inside at the end; ``None`` if not counted.
        not_ip: Frames that are not IP, by outcome; ``None`` without any.
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
    """One part of the mean latency of a packet, in nanoseconds, and its fraction.

    Attributes:
        part: The part, such as ``compute`` or ``wait dram``.
        mean_ns: The mean.
        share: Its fraction of the sum of all parts, 0 to 1.
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
    """The gain of a run with one part improved.

    Attributes:
        change: The change, such as ``twice the threads in island``.
        gain: Relative change of the throughput.
    """

    change: str
    gain: float


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The request, except the fields that the report itself repeats.

    Attributes:
        overrides: Changes to the preset, each ``key.path=value``.
        packets: Requested packets that leave or are dropped while statistics are on.
        warmup_packets: Packets that leave or are dropped before statistics start; ``None`` if the run finds its warm-up
            itself.
        map_addresses: Whether addresses without a route were moved into routed space.
        input_hash: SHA-256 of the capture's bytes as stored; ``None`` for generated traffic.
        program_hash: SHA-256 of an executed program with its inputs, or of a file of steps; else ``None``.
    """

    overrides: tuple[str, ...]
    packets: int
    warmup_packets: int | None
    map_addresses: bool
    input_hash: str | None
    program_hash: str | None = None


@dataclass(frozen=True, slots=True)
class ValueRange:
    """A value of the chip's file whose sources state an interval, in the unit of its key.

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
    """The band of a run over the intervals of the chip's values.

    Each interval runs at both ends. Then one run combines all ends that lower the number, and one all that raise it.

    Attributes:
        low: Main numbers of the run with the lowest number.
        high: Main numbers of the run with the highest number.
        metric: The number: ``throughput_mpps``, or ``latency_mean_ns`` if no interval moves the throughput by 0.1 %.
        widths: The effect of each interval alone, the largest first.
    """

    low: Summary
    high: Summary
    metric: str
    widths: tuple[Width, ...]

    @property
    def made_by(self) -> str:
        """The two intervals with the largest effects, in words; empty if none moves the number by 0.1 %."""
        scale, unit = (1e-3, "µs mean latency") if self.metric == "latency_mean_ns" else (1.0, "Mpps")
        most = [
            f"{each.key} {each.low * scale:.4g} to {each.high * scale:.4g} {unit} alone"
            for each in self.widths[:2]
            if each.width > STILL * each.high
        ]
        return f"mostly {', '.join(most)}" if most else ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RunResult(Result):
    """The result of a run. Two runs of the same request are equal, on any machine.

    Attributes:
        preset: The chip.
        app: The program.
        traffic: The traffic.
        seed: Seed of all random draws.
        version: Version of Linecard.
        config_hash: SHA-256 of the resolved configuration.
        warnings: Warnings about this run.
        capture_damage: Damaged records of the capture that were skipped, counted in each pass.
        summary: The main numbers.
        bottleneck: The bottleneck of the run.
        resources: Utilisation of each resource.
        dram: Use of the time of the DRAM data bus.
        packet_time: Parts of the mean latency.
        drops: Packets dropped, by reason.
        metrics: Every measurement; the other fields show a part of them.
        request: The request, except the fields that are here.
        run_id: Name of the run in tables; equal requests have equal ids.
        wall_seconds: Real time. Only this field differs between equal runs: it is not compared and not part of
            :meth:`to_dict`.
        programs: Results of executed programs, one per kind of cluster that has one.
        ranges: Values of the chip's file whose sources state an interval.
        band: The band over those intervals, if requested.
        what_if: Gains of the runs that found the bottleneck, the largest first; not part of :meth:`to_dict`.
        breakdown: Packets by port, class and queue, each only if there are several.
        latency_bins: The histogram of the latency: (upper edge in ns, packets) of each bin that is not empty, 64 bins
            per octave. Not part of :meth:`to_dict`.
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
            KeyError: The measurement does not exist; the text names the nearest ones.
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
        """Plain data, ready for JSON: everything except the real time."""
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
        """The histogram of the latency as a polars data frame, a row per bin (extra ``frames``)."""
        return frame(COLUMNS, latency_rows(self.latency_bins))

    def write_latency(self, path: str | Path) -> Path:
        """Write the percentiles of the latency, in ns, in the text format of HdrHistogram (``.hgrm``)."""
        from linecard.files import write_text

        return write_text(path, percentile_text(self.latency_bins, self.summary.latency_ns.mean))

    def __repr__(self) -> str:
        first = self.summary
        return (
            f"<RunResult {self.preset} {self.app}: {first.throughput_gbps:.3f} Gbit/s, "
            f"{first.throughput_mpps:.3f} Mpps, limited by {self.bottleneck.component}>"
        )
