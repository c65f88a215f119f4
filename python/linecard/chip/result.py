"""The result of a run of a chip, as immutable typed records.

Every class in this module contains only plain data. The screen, the JSON, the CSV and the notebook show these results
without further computation, so all four outputs show the same numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from linecard._convert import convert
from linecard.chip.band import STILL, Width
from linecard.chip.latency import COLUMNS, latency_rows, percentile_text
from linecard.chip.reports import LatencyNs, Part, RunReport, Summary
from linecard.records import field_names, plain
from linecard.result import ResultOfRun
from linecard.tables import METRIC_COLUMNS, Table, frame, metric_of, metric_rows

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The request of a run, without the fields that the report also contains.

    Attributes:
        overrides: Changes to the preset, each in the form ``key.path=value``.
        packets: Requested number of packets that leave or are dropped while the run collects statistics.
        warmup_packets: Number of packets that leave or are dropped before the run starts to collect statistics;
            ``None`` if the run detects the end of its warm-up.
        map_addresses: Whether addresses without a route were mapped to routed prefixes.
        input_hash: SHA-256 of the stored bytes of the capture; ``None`` for generated traffic.
        program_hash: SHA-256 of an executed program and its inputs, or of a file of steps; otherwise ``None``.
    """

    overrides: tuple[str, ...]
    packets: int
    warmup_packets: int | None
    map_addresses: bool
    input_hash: str | None
    program_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Band:
    """The band of a run: the range of one result when the chip's parameters vary over their stated intervals.

    For each parameter, two runs use the two ends of its interval. One further run combines all interval ends that lower
    the result, and another run combines all interval ends that raise the result.

    Attributes:
        low: Main results of the run with the lowest value of the metric.
        high: Main results of the run with the highest value of the metric.
        metric: Name of the metric: ``throughput_mpps``, or ``latency_mean_ns`` if no interval changes the throughput by
            more than 0.1 %.
        widths: The effect of each interval by itself, sorted from largest to smallest.
    """

    low: Summary
    high: Summary
    metric: str
    widths: tuple[Width, ...]

    @property
    def made_by(self) -> str:
        """The two intervals with the largest effects, as text; empty if every effect is at most 0.1 % of the result."""
        scale, unit = (1e-3, "µs mean latency") if self.metric == "latency_mean_ns" else (1.0, "Mpps")
        most = [
            f"{each.key} {each.low * scale:.4g} to {each.high * scale:.4g} {unit} alone"
            for each in self.widths[:2]
            if each.width > STILL * each.high
        ]
        return f"mostly {', '.join(most)}" if most else ""


class RunResult(ResultOfRun, RunReport, frozen=True, kw_only=True):
    """The complete result of a run. Two runs of the same request return identical results on any machine.

    Attributes:
        request: The fields of the request that the report does not contain.
        run_id: Name of the run in tables; runs with the same request have the same name.
        wall_seconds: Wall-clock time in seconds. Only ``wall_seconds`` can differ between two runs of the same request.
            Comparisons and :meth:`to_dict` omit the wall-clock time.
        band: The band of the run over the stated intervals of the chip's parameters, if requested.
        asked: The arguments of :func:`linecard.run` as plain data, for the manifest. The length of ``request`` can
            differ from them, if the run was lengthened.
    """

    APART: ClassVar[tuple[str, ...]] = ("wall_seconds", "what_if", "latency_bins", "asked")
    CHANCE: ClassVar[tuple[str, ...]] = ("wall_seconds", "asked")

    request: RunRequest
    run_id: str
    wall_seconds: float
    band: Band | None = None
    asked: dict[str, Any] = msgspec.field(default_factory=dict)

    @classmethod
    def from_report(
        cls,
        report: Mapping[str, Any],
        request: RunRequest,
        *,
        wall_seconds: float = 0.0,
        asked: Mapping[str, Any] | None = None,
    ) -> RunResult:
        """Build the result from the report that the compiled core returns as plain data."""
        identity = {
            "chip": report["chip"],
            "config_hash": report["config_hash"],
            "input_hash": request.input_hash,
            "map_addresses": request.map_addresses,
            "packets": request.packets,
            "program_hash": request.program_hash,
            "program": report["program"],
            "seed": report["seed"],
            "version": report["version"],
            "warmup_packets": request.warmup_packets,
        }
        run_id = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:12]
        extra = {"request": request, "run_id": run_id, "wall_seconds": wall_seconds, "asked": asked or {}}
        return convert({**report, **extra}, cls)

    def metric(self, component: str, metric: str) -> float:
        """The value of one measurement, in the unit given in the measurement's row of :attr:`metrics`.

        Raises:
            KeyError: The measurement does not exist; the message names the most similar measurements.
        """
        return metric_of(self.metrics, component, metric)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON, without wall-clock time, ``what_if`` and ``latency_bins``."""
        found = ResultOfRun.to_dict(self)
        # Fields that few runs have come last.
        last: dict[str, Any] = {
            name: found.pop(name) for name in ("programs", "ranges", "band", "breakdown") if name in found
        }
        return {**found, **last}

    def manifest(self) -> dict[str, Any]:
        """All data needed to repeat this run, and to recognise results of this run."""
        return {
            **ResultOfRun.manifest(self),
            "run_id": self.run_id,
            "chip": self.chip,
            "program": self.program,
            "traffic": self.traffic,
            "seed": self.seed,
            "config_hash": self.config_hash,
            **plain(self.request),
        }

    def table(self) -> Table:
        """All measurements as a table, with one row for each measurement."""
        return Table(METRIC_COLUMNS, metric_rows([self]))

    def breakdown_frame(self) -> polars.DataFrame:
        """One row for each :class:`Part` of :attr:`breakdown`, with latencies; requires the extra ``frames``."""
        plain, latency = ([name for name in field_names(kind) if name != "latency_ns"] for kind in (Part, LatencyNs))
        rows = [
            [
                *(getattr(part, name) for name in plain),
                *(None if part.latency_ns is None else getattr(part.latency_ns, name) for name in latency),
            ]
            for part in self.breakdown
        ]
        return frame([*plain, *(f"latency_{name}_ns" for name in latency)], rows)

    def latency_frame(self) -> polars.DataFrame:
        """The latency histogram as a polars data frame, with one row for each bin; requires the extra ``frames``."""
        return frame(COLUMNS, latency_rows(self.latency_bins))

    def write_latency(self, path: str | Path) -> Path:
        """Write the latency percentiles in nanoseconds to a file, in the text format of HdrHistogram (``.hgrm``)."""
        from linecard.files import write_text

        return write_text(path, percentile_text(self.latency_bins, self.summary.latency_ns.mean))

    def __repr__(self) -> str:
        first = self.summary
        return (
            f"<RunResult {self.chip} {self.program}: {first.throughput_gbps:.3f} Gbit/s, "
            f"{first.throughput_mpps:.3f} Mpps, limited by {self.bottleneck.component}>"
        )
