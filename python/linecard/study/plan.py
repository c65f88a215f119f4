"""Plans a study: lists the simulations that are necessary for the study's cells. Several cells can use the same run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from linecard.errors import ConfigError
from linecard.study.keys import MACHINE, TableSpec

if TYPE_CHECKING:
    from linecard.study.keys import Effort, FigureSpec, StudySpec, Where
    from linecard.study.spec import Study


@dataclass(frozen=True, slots=True, order=True)
class RunSpec:
    """One simulation with all inputs that determine its result; ``runner`` is the name of a module in `runners`.

    ``folder`` is the study folder, which contains the files that the runner reads.
    """

    runner: str
    preset: str
    program: str
    trace: str
    map_addresses: bool
    overrides: tuple[str, ...]
    seed: int
    packets: int
    warmup_packets: int
    folder: str = field(default="", compare=False)

    def __str__(self) -> str:
        parts = [self.preset, self.program, *self.overrides, f"seed {self.seed}"]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class CellPlan:
    """The runs of one cell, one per seed, and the measure of the cell."""

    runs: tuple[RunSpec, ...]
    measure: str


def plan_cell(
    spec: StudySpec, effort: Effort, keys: Where, measure: str, folder: str = "", runner: str = MACHINE
) -> CellPlan:
    """Determine the runs and the measure of a cell from the key columns of its row.

    Raises:
        ConfigError: The runner requires a preset, but no key column specifies a preset; or ``measure`` is ``"*"``, but
            no key column specifies a measure.
    """
    preset = program = trace = ""
    map_addresses = False
    settings: dict[str, str] = {}
    named_measure = measure
    for column, value in keys.items():
        definition = spec.columns[column]
        for change in (definition, definition.values.get(str(value))):
            if change is None:
                continue
            preset = _fill(change.preset, value) or preset
            program = _fill(change.program, value) or program
            trace = _fill(change.trace, value) or trace
            if change.map_addresses is not None:
                map_addresses = change.map_addresses
            for setting in change.set:
                key, _, text = setting.replace("{value}", str(value)).partition("=")
                settings[key] = text
            if change.measure is not None and measure == "*":
                named_measure = change.measure
    where = ", ".join(f"{column}={value}" for column, value in keys.items())
    if runner == MACHINE and not preset:
        raise ConfigError.at(spec.id, where, "no column of this row specifies a preset")
    if named_measure == "*":
        raise ConfigError.at(spec.id, where, "no column of this row specifies a measure")
    overrides = tuple(f"{key}={text}" for key, text in sorted(settings.items()))
    if trace and folder:
        trace = f"{folder}/{trace}"
    runs = tuple(
        RunSpec(
            runner=runner,
            preset=preset,
            program=program,
            trace=trace,
            map_addresses=map_addresses,
            overrides=overrides,
            seed=seed,
            packets=effort.packets,
            warmup_packets=effort.warmup_packets,
            folder=folder,
        )
        for seed in effort.seeds
    )
    return CellPlan(runs=runs, measure=named_measure)


def _effort_of(item: TableSpec | FigureSpec, effort: Effort, *, quick: bool) -> Effort:
    """The study's effort, with the number of packets that the item states."""
    if quick and isinstance(item, TableSpec) and item.quick is not None:
        return msgspec.structs.replace(item.quick, seeds=effort.seeds)
    packets = effort.packets if item.packets is None else item.packets
    warmup_packets = effort.warmup_packets if item.warmup_packets is None else item.warmup_packets
    return msgspec.structs.replace(effort, packets=packets, warmup_packets=warmup_packets)


def _fill(template: str | None, value: object) -> str:
    return "" if template is None else template.replace("{value}", str(value))


@dataclass(frozen=True, slots=True)
class Plan:
    """All cells of the chosen tables, figures and gains, and the runs of these cells, without duplicates."""

    cells: dict[tuple[str, int, str], CellPlan]
    points: dict[tuple[str, str, int, str], CellPlan]
    gains: dict[tuple[int, int], tuple[CellPlan, CellPlan]]

    @property
    def runs(self) -> tuple[RunSpec, ...]:
        """All runs without duplicates, in a fixed order."""
        plans = [*self.cells.values(), *self.points.values()]
        for of, over in self.gains.values():
            plans.extend((of, over))
        return tuple(dict.fromkeys(run for cell in plans for run in cell.runs))


def make_plan(study: Study, items: tuple[str, ...], effort: Effort, *, quick: bool = False) -> Plan:
    """Plan the runs of the named tables and figures, and of the gains that the document states for these tables."""
    spec = study.spec
    folder = str(study.folder)
    runners = {item.id: item.runner for item in spec.items}
    efforts = {item.id: _effort_of(item, effort, quick=quick) for item in spec.items}
    cells: dict[tuple[str, int, str], CellPlan] = {}
    points: dict[tuple[str, str, int, str], CellPlan] = {}
    gains: dict[tuple[int, int], tuple[CellPlan, CellPlan]] = {}
    for table in spec.tables:
        if table.id not in items:
            continue
        for number, row in enumerate(study.rows[table.id]):
            for column, measure in table.cells.items():
                if row.published[column] is not None:
                    cells[table.id, number, column] = plan_cell(
                        spec, efforts[table.id], row.keys, measure, folder, table.runner
                    )
    for figure in spec.figures:
        if figure.id not in items:
            continue
        measures = list(dict.fromkeys(measure for panel in figure.panels for measure in panel.measures))
        for series in figure.series:
            for number, value in enumerate(figure.values):
                keys = {**figure.where, **series.where, figure.sweep: value}
                for measure in measures:
                    points[figure.id, series.label, number, measure] = plan_cell(
                        spec, efforts[figure.id], keys, measure, folder, figure.runner
                    )
    for number, gain in enumerate(spec.gains):
        if gain.table in items:
            runner = runners[gain.table]
            for index, pair in enumerate(gain.pairs):
                gains[number, index] = (
                    plan_cell(spec, efforts[gain.table], pair.of, gain.measure, folder, runner),
                    plan_cell(spec, efforts[gain.table], pair.over, gain.measure, folder, runner),
                )
    return Plan(cells=cells, points=points, gains=gains)
