"""Comparison of two models of the IXP2400: an event-driven model (``np``) and a coloured Petri net (``petri``).

The two models read the same preset and report the same metrics: throughput and the utilisation of each resource.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from linecard._arguments import plain
from linecard.chip.run import run as run_chip
from linecard.errors import ConfigError, ConfigProblem
from linecard.petri.ixp2400 import run as run_net
from linecard.result import Result
from linecard.view import BAR, Bar, Cell, Part, Said, Table, Title, Verdict, text, view

if TYPE_CHECKING:
    Values = dict[tuple[str, str], float]

# The preset of the hardware for both models.
PRESET = "ixp2400"
# The compared numbers: component, metric, unit, and the largest difference, relative for throughput and in points for
# others.
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

# The default grid of `compare-models`: saturating traffic of chapter 3.
THREADS = ("1x4", "1x8", "2x8", "4x4", "4x8")
TRAFFIC = ("64", "AMP", "FRG", "PSC")
SCHEMES = ("BASE", "HB", "FCB", "FCB+TB")
PACKETS = 30_000
MOST_COUNT = (1 << 53) - 1
WARMUP_PACKETS = 3_000


@dataclass(frozen=True, slots=True)
class Difference:
    """The values that the two models have for one metric at one grid point.

    Attributes:
        threads: Numbers of engines and of threads per engine, such as ``4x4``.
        traffic: Traffic.
        scheme: Buffering scheme.
        component: Part of the chip to which the metric refers, such as ``dram``; ``total`` for the whole chip.
        metric: Name.
        np: Value of the metric in the event-driven model.
        petri: Value of the metric in the Petri net.
        difference: Difference between the models: for throughput, in percent of ``np``; for utilisations, in percentage
            points.
        limit: Largest difference at which the models still count as equal.
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
        """Whether the difference between the two models is at most ``limit``."""
        return abs(self.difference) <= self.limit


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """The comparison of the two models over a grid.

    Attributes:
        rows: One row for each metric at each grid point.
        seed: Seed of the random numbers in both models.
        packets: Number of packets in each run.
    """

    TABLE: ClassVar[str] = "rows"
    ASKED: ClassVar[tuple[str, ...]] = ("seed", "packets")

    rows: tuple[Difference, ...]
    seed: int
    packets: int

    @property
    def passed(self) -> bool:
        """Whether the models agree in every metric at all points."""
        return all(row.passed for row in self.rows)

    def worst(self) -> dict[tuple[str, str], Difference]:
        """Return the row with the largest difference for each metric."""
        found: dict[tuple[str, str], Difference] = {}
        for row in self.rows:
            key = row.component, row.metric
            if key not in found or abs(row.difference) > abs(found[key].difference):
                found[key] = row
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data, identical to the output of ``compare-models --json``."""
        names = ("threads", "traffic", "scheme", "component", "metric", "np", "petri", "difference", "limit", "passed")
        return {
            "passed": self.passed,
            "seed": self.seed,
            "packets": self.packets,
            "rows": [{name: getattr(row, name) for name in names} for row in self.rows],
        }


def _np(changes: Sequence[str], seed: int, packets: int) -> Values:
    """The metrics of the event-driven model, by component and name."""
    result = run_chip(PRESET, set=changes, seed=seed, packets=packets, warmup_packets=WARMUP_PACKETS)
    return {(row.component, row.metric): row.value for row in result.metrics}


def _petri(changes: Sequence[str], seed: int, packets: int) -> Values:
    """The metrics of the Petri net, by component and name."""
    return run_net(PRESET, changes, seed, packets, WARMUP_PACKETS)


def point_settings(threads: str, traffic: str, scheme: str) -> tuple[str, ...]:
    """Return the changes that define one grid point: threads (``4x4``), traffic (``64`` bytes or a mix), and a scheme.

    Raises:
        ConfigError: The value of ``threads`` does not have the form ENGINESxTHREADS.
    """
    engines, cross, each = threads.partition("x")
    if not (cross and engines.isdigit() and each.isdigit()):
        raise ConfigError.at("--threads", "", f"found {threads!r}, expected engines x threads per engine, such as 4x4")
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
    """Simulate two models of the IXP2400 at every grid point, and compute the difference between their metrics.

    Args:
        threads: Numbers of engines and of threads per engine, such as ``4x4``.
        traffic: Packet sizes in bytes, or traffic mixes of the preset (AMP, FRG, PSC).
        schemes: Buffering schemes to run.
        set: New values for parameters of the preset, for every point.
        seed: Seed of every random stream of both models.
        packets: Number of packets in each run.
        progress: Function that is called with the number of completed points and the total number of points.

    Raises:
        ConfigError: A name or value is invalid, or a change enables a feature that the net does not model.
    """
    problems = [
        ConfigProblem(name, "", f"found {value}, expected {least} to {MOST_COUNT}")
        for name, value, least in (("seed", seed, 0), ("packets", packets, 1))
        if not least <= value <= MOST_COUNT
    ]
    ConfigError.check(problems)
    points = [(t, k, s) for t in threads for k in traffic for s in schemes]
    changes = tuple(set)
    rows: list[Difference] = []
    for done, (count, kind, scheme) in enumerate(points):
        if progress is not None:
            progress(done, len(points))
        point = (*point_settings(count, kind, scheme), *changes)
        # The net runs first: it refuses unknown settings before anything long runs.
        petri, events = _petri(point, seed, packets), _np(point, seed, packets)
        for component, metric in COMPARED:
            of_np, of_petri = events[component, metric], petri[component, metric]
            is_rate = metric == "throughput_mbps"
            difference = of_petri - of_np
            if is_rate:
                difference = difference / of_np * 100 if of_np else 0.0
            limit = THROUGHPUT_PERCENT if is_rate else UTILIZATION_POINTS
            rows.append(Difference(count, kind, scheme, component, metric, of_np, of_petri, difference, limit))
    if progress is not None:
        progress(len(points), len(points))
    return Comparison(tuple(rows), seed, packets)


@view.register
def _(result: Comparison) -> list[Part]:
    points = [row for row in result.rows if row.np or row.petri]
    worst = [row for row in result.worst().values() if row.np or row.petri]
    verdict = ("The models agree at every point", "", "best") if result.passed else ("The models differ", "", "bad")
    return [
        Title("Two models of the IXP2400", "event-driven model (np) and Petri net, compared in every metric"),
        Verdict(*verdict),
        Table(
            "Every point",
            (*map(text, ("threads", "traffic", "scheme", "metric")), "np", "petri", "difference"),
            [(row.threads, row.traffic, row.scheme, *_metric(row)) for row in points],
        ),
        Table(
            "Largest differences",
            (text(""), BAR, "", text("")),
            [
                (
                    row.component,
                    Bar(abs(row.difference) / row.limit, "good" if row.passed else "bad"),
                    _difference(row),
                    f"{row.threads} {row.traffic} {row.scheme}, at most {row.limit:g}",
                )
                for row in worst
            ],
        ),
    ]


def _metric(row: Difference) -> tuple[Cell, ...]:
    name = "throughput, Mbit/s" if row.metric == "throughput_mbps" else f"{row.component}, %"
    return name, f"{row.np:,.1f}", f"{row.petri:,.1f}", _difference(row)


def _difference(row: Difference) -> Said:
    unit = "%" if row.metric == "throughput_mbps" else "points"
    return Said(f"{row.difference:+.2f} {unit}", "good" if row.passed else "bad")
