"""One machine, two models: the IXP2400 as events (``np``) and as a coloured Petri net (``petri``), and how they differ.

Both read the same preset and report the same metrics: throughput and the utilisation of each resource. A model is one
function from :class:`ModelRequest` to :class:`ModelRun`, named in :data:`MODELS`.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard import _html
from linecard._arguments import plain
from linecard.chip.modelled import PRESET
from linecard.chip.run import run as run_chip
from linecard.errors import ConfigError, ConfigProblem
from linecard.petri.ixp2400 import run as run_net
from linecard.tables import records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# What is compared: component, metric, unit, and the largest difference; throughput by its share, the others in points.
THROUGHPUT_PERCENT = 3.0
UTILIZATION_POINTS = 5.0
COMPARED = (
    ("total", "throughput_mbps"),
    ("dram", "utilization_percent"),
    ("dram banks", "utilization_percent"),
    ("hash", "utilization_percent"),
    ("engines of me", "utilization_percent"),
    ("sram", "utilization_percent"),
    ("scratch", "utilization_percent"),
    ("threads of me", "utilization_percent"),
)

# The grid of `compare-models` when nothing is said: saturating traffic of chapter 3.
THREADS = ("1x4", "1x8", "2x8", "4x4", "4x8")
TRAFFIC = ("64", "AMP", "FRG", "PSC")
SCHEMES = ("BASE", "HB", "FCB", "FCB+TB")
PACKETS = 30_000
MOST_COUNT = (1 << 53) - 1
WARMUP_PACKETS = 3_000


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a model is asked to run.

    Attributes:
        set: Changes to the preset :data:`PRESET`, ``key=value``.
        seed: Seed of every random stream.
        packets: Packets that must leave or be dropped while statistics are on.
        warmup_packets: Packets that leave or are dropped before.
    """

    set: tuple[str, ...] = ()
    seed: int = 1
    packets: int = PACKETS
    warmup_packets: int = WARMUP_PACKETS


@dataclass(frozen=True, slots=True)
class ModelRun:
    """What a model reports.

    Attributes:
        model: Its name.
        values: Metrics by component and name, at least those of :data:`COMPARED`.
        bottleneck: The resource that limits it.
    """

    model: str
    values: dict[tuple[str, str], float]
    bottleneck: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as ``run --model … --json`` prints it."""
        rows = [
            {"component": component, "metric": metric, "value": value}
            for (component, metric), value in self.values.items()
        ]
        return {"model": self.model, "bottleneck": self.bottleneck, "metrics": rows}


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of both models at one point of the grid.

    Attributes:
        threads: Engines and threads of the point.
        traffic: Its traffic.
        scheme: Its scheme of buffering.
        component: Component of the metric.
        metric: Its name.
        np: Of the event-driven model.
        petri: Of the Petri net.
        difference: In percent of the first for throughput, else in points.
        limit: Largest that passes.
    """

    threads: str
    traffic: str
    scheme: str
    component: str
    metric: str
    np: float
    petri: float
    difference: float
    limit: float

    @property
    def passed(self) -> bool:
        """Whether the models agree here."""
        return abs(self.difference) <= self.limit


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both models over a grid.

    Attributes:
        rows: A metric of a point each.
        seed: Seed of both.
        packets: Packets of each run.
    """

    rows: tuple[Difference, ...]
    seed: int
    packets: int

    @property
    def passed(self) -> bool:
        """Whether they agree everywhere."""
        return all(row.passed for row in self.rows)

    def worst(self) -> dict[tuple[str, str], Difference]:
        """The largest difference of each metric."""
        found: dict[tuple[str, str], Difference] = {}
        for row in self.rows:
            key = row.component, row.metric
            if key not in found or abs(row.difference) > abs(found[key].difference):
                found[key] = row
        return found

    def _repr_html_(self) -> str:
        found = records(self.rows)
        verdict = "agree everywhere" if self.passed else "differ"
        return _html.block(f"Two models that {verdict}", _html.record_table(found.columns, found.rows))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as ``compare-models --json`` prints it."""
        names = ("threads", "traffic", "scheme", "component", "metric", "np", "petri", "difference", "limit", "passed")
        return {
            "passed": self.passed,
            "seed": self.seed,
            "packets": self.packets,
            "rows": [{name: getattr(row, name) for name in names} for row in self.rows],
        }


def _np(request: ModelRequest) -> ModelRun:
    """The event-driven model."""
    result = run_chip(
        PRESET,
        set=request.set,
        seed=request.seed,
        packets=request.packets,
        warmup_packets=request.warmup_packets,
    )
    values = {(row.component, row.metric): row.value for row in result.metrics}
    return ModelRun("np", values, result.bottleneck.component)


def _petri(request: ModelRequest) -> ModelRun:
    """The Petri net."""
    values, bottleneck = run_net(PRESET, request.set, request.seed, request.packets, request.warmup_packets)
    return ModelRun("petri", values, bottleneck)


# A model is one function.
MODELS: dict[str, Callable[[ModelRequest], ModelRun]] = {"np": _np, "petri": _petri}


def run_model(model: str, request: ModelRequest) -> ModelRun:
    """Run one model.

    Raises:
        ConfigError: There is no such model, or the preset or a change is wrong.
    """
    if model not in MODELS:
        near = difflib.get_close_matches(model, MODELS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(MODELS)}"
        raise ConfigError.of([ConfigProblem("--model", "", f"no model is called {model!r}; {hint}")])
    counts = (("seed", request.seed), ("packets", request.packets), ("warmup", request.warmup_packets))
    problems = [
        ConfigProblem(name, "", f"found {value}, expected 0 to {MOST_COUNT}")
        for name, value in counts
        if not 0 <= value <= MOST_COUNT
    ]
    if request.packets == 0:
        problems.append(ConfigProblem("packets", "", "found 0, expected 1 or more"))
    if problems:
        raise ConfigError.of(problems)
    return MODELS[model](request)


def point_settings(threads: str, traffic: str, scheme: str) -> tuple[str, ...]:
    """The changes that one point of the grid means: ``4x4`` threads, ``64`` bytes or a mix, a scheme.

    Raises:
        ConfigError: The threads are not written ENGINESxTHREADS.
    """
    engines, cross, each = threads.partition("x")
    if not (cross and engines.isdigit() and each.isdigit()):
        message = f"found {threads!r}, expected engines x threads of each, such as 4x4"
        raise ConfigError.of([ConfigProblem("--threads", "", message)])
    sizes = (
        ("traffic.kind=fixed", f"traffic.packet_bytes={traffic}") if traffic.isdigit() else (f"traffic.kind={traffic}",)
    )
    return (f"me.engines={engines}", f"me.threads={each}", *sizes, f"program.scheme={scheme}")


@plain
def compare_models(
    *,
    threads: Sequence[str] = THREADS,
    traffic: Sequence[str] = TRAFFIC,
    schemes: Sequence[str] = SCHEMES,
    set: Iterable[str] = (),
    seed: int = 1,
    packets: int = PACKETS,
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """Run both models of the IXP2400 over a grid and take the difference of every metric.

    Args:
        threads: Engines x threads of each, such as ``4x4``.
        traffic: Bytes of a packet, or a mix of the preset (AMP, FRG, PSC).
        schemes: Buffering schemes.
        set: Changes to the preset that hold at every point.
        seed: Seed of every random stream of both models.
        packets: Packets of each run.
        progress: Called with (points done, points in all).

    Raises:
        ConfigError: A model is not there, or a name or value is wrong.
    """
    points = [(t, k, s) for t in threads for k in traffic for s in schemes]
    changes = tuple(set)
    rows: list[Difference] = []
    for done, (count, kind, scheme) in enumerate(points):
        if progress is not None:
            progress(done, len(points))
        request = ModelRequest((*point_settings(count, kind, scheme), *changes), seed, packets)
        # The net first: when it is not there, nothing else needs to run.
        petri, events = run_model("petri", request), run_model("np", request)
        for component, metric in COMPARED:
            of_np, of_petri = events.values[component, metric], petri.values[component, metric]
            is_rate = metric == "throughput_mbps"
            difference = of_petri - of_np
            if is_rate:
                difference = difference / of_np * 100 if of_np else 0.0
            limit = THROUGHPUT_PERCENT if is_rate else UTILIZATION_POINTS
            rows.append(Difference(count, kind, scheme, component, metric, of_np, of_petri, difference, limit))
    if progress is not None:
        progress(len(points), len(points))
    return Comparison(tuple(rows), seed, packets)
