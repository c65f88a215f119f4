"""What a study folder says: ``study.toml``, the published CSV files and ``deviations.toml``, read and checked.

A study is data. ``study.toml`` names what a value of each key column means for a run (``scheme = "P_ALLOC"`` is a
preset, ``banks = 2`` is a setting), which CSV file holds which table, and what is checked. A new study of plain
tables is a new folder; nothing here knows a document.
"""

from __future__ import annotations

import csv
import difflib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from linecard._convert import convert
from linecard.errors import ConfigError, ConfigProblem
from linecard.study.runners import RUNNERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Value = str | int | float
Where = dict[str, Value]

# How a published value is meant: as it stands, or as a bound that the measured value keeps.
RELATIONS = ("=", "<", ">")

# What carries out the runs of an item that names nothing else: `linecard.run`.
MACHINE = "machine"


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of everything read from TOML: an unknown key is an error that names it."""


class Change(_Strict, frozen=True):
    """What one value of a column means: a change to the run, or the measure that the cell shows.

    Every text may contain ``{value}``, which stands for the column's value.

    Attributes:
        preset: Preset to run instead.
        app: Program.
        trace: Capture, or described link.
        map_addresses: Whether addresses move into routed space.
        set: Changes of keys, ``KEY=VALUE`` each.
        measure: The measure that the cell shows.
    """

    preset: str | None = None
    app: str | None = None
    trace: str | None = None
    map_addresses: bool | None = None
    set: tuple[str, ...] = ()
    measure: str | None = None


class Column(Change, frozen=True):
    """A key column: one change for every value, or one per listed value.

    Attributes:
        values: The change for each value, by value.
    """

    values: dict[str, Change] = {}


class Effort(_Strict, frozen=True):
    """How much is simulated per run: seeds, packets with statistics on, packets before.

    Attributes:
        seeds: Seeds of each run.
        packets: Packets with statistics on.
        warmup_packets: Packets before.
    """

    seeds: tuple[int, ...]
    packets: int
    warmup_packets: int


class Measure(_Strict, frozen=True):
    """A number read from a run's metrics: component, metric, unit, and the words for axes and tables.

    Attributes:
        component: Component of the metric.
        metric: Its name.
        unit: Its unit.
        label: What axes and tables call it.
        decimals: Decimals that tables show.
    """

    component: str
    metric: str
    unit: str
    label: str
    decimals: int = 2


class TableSpec(_Strict, frozen=True):
    """A published table: a CSV file whose key columns choose the run and whose cell columns hold measures.

    Attributes:
        id: Name that ``--table`` takes.
        title: One line.
        file: The CSV file, from the study's folder.
        cells: Published column → measure. The measure ``"*"`` is named by a key column's change.
        where: Key columns that the file leaves out, because they are the same for every row.
        rank: The key column whose values the document ranks; rows that agree in all other keys are compared.
        headline: Whether the cells count in the study's first numbers. Not those that follow from inputs by arithmetic
            alone, that restate inputs, or that no document prints: they are listed apart.
        restates: The measure whose cells of other tables these are, in another unit; they are no quantities of their
            own.
        runner: What carries out the runs, a name in :mod:`linecard.study.runners`.
        relation: The column that says how a published value is meant: ``=``, ``<`` or ``>``. A bound that is kept
            has no error.
        tolerance: Largest relative error of a cell that is no deviation, as a fraction.
        tolerance_points: The same in the measure's own unit, for percentages; replaces ``tolerance``.
        packets: Packets per run, where the study's own number does not suit.
        warmup_packets: The same for the packets before.
        quick: How much the quick study simulates of it, where that is less than ``packets`` and ``warmup_packets``.
        note: What a reader should know beside it.
    """

    id: str
    title: str
    file: str
    cells: dict[str, str]
    where: Where = {}
    rank: str | None = None
    headline: bool = True
    restates: str | None = None
    tolerance: float = 0.10
    tolerance_points: float | None = None
    runner: str = MACHINE
    relation: str | None = None
    packets: int | None = None
    warmup_packets: int | None = None
    quick: Effort | None = None
    note: str = ""


class Pair(_Strict, frozen=True):
    """Two configurations: ``of`` is compared with ``over``."""

    of: Where
    over: Where


class GainSpec(_Strict, frozen=True):
    """An improvement that the document states in percent: of one pair, or the mean of several.

    Attributes:
        table: Table whose cells it is about.
        section: Where the document states it.
        text: In which words.
        percent: How much, in percent.
        measure: Of which measure.
        pairs: The pairs that it is the mean of.
    """

    table: str
    section: str
    text: str
    percent: float
    measure: str
    pairs: tuple[Pair, ...]


class Series(_Strict, frozen=True):
    """One line of a figure.

    Attributes:
        label: Its name in the legend.
        where: Key columns that choose its runs.
    """

    label: str
    where: Where


class Panel(_Strict, frozen=True):
    """One part of a figure: these measures over the sweep, as lines or as bars.

    Attributes:
        label: Its axis.
        measures: What is drawn.
        kind: How.
    """

    label: str
    measures: tuple[str, ...]
    kind: Literal["line", "bars"] = "line"


class ShapeCheck(_Strict, frozen=True, rename={"from_": "from"}):
    """Something the text says of a curve.

    ``peak_at``: the largest value stands at ``at``. ``levels_off_at``: the step after ``at`` is smaller than the step
    before it and at most ``within`` of the value. ``rises``: never falls from left to right up to ``at``, or from
    ``from`` on; ``falls``: never rises there.
    ``above``: this series lies above ``than`` by more than ``margin``, a fraction, at every swept value from ``at``
    on; ``measure_than`` compares two measures.

    Attributes:
        id: Its name.
        kind: What is claimed, see above.
        measure: Of which measure.
        series: Of which line, by its label.
        text: In which words the document says so.
        at: Where on the swept axis.
        from_: From where on.
        within: Fraction within which a curve counts as level.
        margin: Fraction by which it lies above.
        than: The other line.
        measure_than: The other measure.
    """

    id: str
    kind: Literal["peak_at", "levels_off_at", "rises", "falls", "above"]
    measure: str
    series: str
    text: str
    at: float | None = None
    from_: float | None = None
    within: float = 0.03
    margin: float = 0.0
    than: str | None = None
    measure_than: str | None = None


class FigureSpec(_Strict, frozen=True):
    """A sweep over the values of one column, drawn as a figure; the document prints no numbers for it.

    ``packets`` and ``warmup_packets`` are as those of a table.

    Attributes:
        id: Name that ``--table`` takes.
        title: One line.
        sweep: The column that is swept.
        values: Its values.
        axis: Label of its axis.
        series: Lines.
        panels: Parts of the figure.
        where: Key columns that are the same for all.
        checks: What the text says of the curves.
        runner: What carries out the runs, as of a table.
        packets: Packets per run, where the study's own number does not suit.
        warmup_packets: The same for the packets before.
        note: What a reader should know beside it.
    """

    id: str
    title: str
    sweep: str
    values: tuple[Value, ...]
    axis: str
    series: tuple[Series, ...]
    panels: tuple[Panel, ...]
    where: Where = {}
    checks: tuple[ShapeCheck, ...] = ()
    runner: str = MACHINE
    packets: int | None = None
    warmup_packets: int | None = None
    note: str = ""


class CheckSpec(_Strict, frozen=True):
    """A limit that was set for the study, over the cells, orders or gains of these tables.

    One that is missed stays: ``deviations.toml`` says why, under ``limit: `` and its id, and ``--check`` fails.

    Attributes:
        id: Its name.
        kind: What is measured.
        tables: Over which tables.
        limit: How much it may be.
        tie_percent: Published values this close count as tied in an order.
    """

    id: str
    kind: Literal[
        "mean_abs_error", "max_abs_error", "max_abs_points", "order_violations", "max_gain_points", "max_gain_error"
    ]
    tables: tuple[str, ...]
    limit: float
    tie_percent: float | None = None


class Varied(_Strict, frozen=True):
    """A calibrated number that no preset holds but the ``app`` of runs, and how they get another (``--robustness``).

    Attributes:
        name: What the number is called.
        value: What was chosen; one with a decimal point is no whole number and takes a tenth exactly.
        runner: The runner whose runs have it.
        app: The ``app`` of the runs, with ``{value}`` where the number stands.
        of: What the study calls that ``app``, where it has a name.
    """

    name: str
    value: int | float
    runner: str
    app: str
    of: str = ""


class Calibration(_Strict, frozen=True):
    """A parameter that no document states, chosen on cells that therefore do not count as reproduced.

    Its value stands in the preset, under these keys; it is read from there and not repeated here. What no preset holds
    gives the ``value`` instead, and in ``vary`` the numbers of it that can be varied.

    Attributes:
        parameter: What was chosen.
        reason: Why, and how.
        cells: Key columns and values of the cells it was chosen on.
        preset: Where the value stands.
        keys: Under which keys.
        value: The value itself, where no preset holds it.
        vary: Numbers in it that can be varied, where no preset holds it.
    """

    parameter: str
    reason: str
    cells: tuple[Where, ...]
    preset: str = ""
    keys: tuple[str, ...] = ()
    value: str = ""
    vary: tuple[Varied, ...] = ()


class Assumption(_Strict, frozen=True):
    """A reading of the document that it does not state outright.

    Attributes:
        what: What is read so.
        reason: Why.
    """

    what: str
    reason: str


class Input(_Strict, frozen=True):
    """An input that the document does not publish, on which a line of ``targets.csv`` hangs, and a point that meets it.

    The defaults stay where they are. The scorecard runs the point beside them: the line is met there, or it is missed.

    Attributes:
        line: Name of the line.
        input: What is not published.
        range: Which values are plausible.
        reason: Why they are.
        set: Values of the point: changes of keys, ``KEY=VALUE`` each, of every run that has the key.
        items: The tables and figures whose runs take them; all when none is named.
    """

    line: str
    input: str
    range: str
    reason: str
    set: tuple[str, ...]
    items: tuple[str, ...] = ()


class StudySpec(_Strict, frozen=True):
    """The whole of ``study.toml``.

    Attributes:
        id: The folder's name.
        title: One line.
        document: Authors, title, venue, year.
        summary: What it is about.
        full: How much is simulated in full.
        quick: How much with ``--quick``.
        columns: What a value of each key column means.
        measures: What is read from a run.
        held_equal: What is the same in all runs.
        tables: Published tables.
        figures: Figures.
        gains: Improvements that the text states.
        checks: Limits.
        calibrations: Parameters chosen on cells.
        assumptions: Readings that the document does not state outright.
        inputs: Inputs that it does not publish, on which limits hang.
    """

    id: str
    title: str
    document: str
    summary: str
    full: Effort
    quick: Effort
    columns: dict[str, Column]
    measures: dict[str, Measure]
    held_equal: tuple[str, ...] = ()
    tables: tuple[TableSpec, ...] = ()
    figures: tuple[FigureSpec, ...] = ()
    gains: tuple[GainSpec, ...] = ()
    checks: tuple[CheckSpec, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    inputs: tuple[Input, ...] = ()

    @property
    def items(self) -> list[TableSpec | FigureSpec]:
        """The tables and figures, in the document's order."""
        return [*self.tables, *self.figures]


class KnownDeviation(_Strict, frozen=True):
    """A deviation that is known: which one, why, and what was tried against it.

    Attributes:
        id: Which one, as ``--check`` names it.
        reason: Why.
        tried: What was tried against it.
    """

    id: str
    reason: str
    tried: str = ""


class _Deviations(_Strict, frozen=True):
    deviations: tuple[KnownDeviation, ...] = ()


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a published CSV file: its key columns and its published values (``None`` where empty).

    ``relation`` says how the values are meant: ``=`` as they stand, ``<`` and ``>`` as bounds.
    """

    keys: Where
    published: dict[str, float | None]
    relation: str = "="


@dataclass(frozen=True, slots=True)
class Study:
    """A study folder, read and checked."""

    folder: Path
    spec: StudySpec
    rows: Mapping[str, tuple[PublishedRow, ...]]
    deviations: tuple[KnownDeviation, ...]

    @property
    def item_ids(self) -> tuple[str, ...]:
        """Ids of the tables and figures, in the document's order."""
        return item_ids(self.spec)


def item_ids(spec: StudySpec) -> tuple[str, ...]:
    """Ids of the tables and figures, in the document's order."""
    return tuple(item.id for item in spec.items)


def study_folders() -> dict[str, Path]:
    """Shipped studies by name: beside the installed package, or in the source tree."""
    here = Path(__file__).resolve().parent.parent
    places = (here / "_studies", here.parent.parent / "studies")
    found: dict[str, Path] = {}
    for place in places:
        if place.is_dir():
            for file in sorted(place.glob("*/study.toml")):
                found.setdefault(file.parent.name, file.parent)
    return found


def load_study(name: str) -> Study:
    """Read a shipped study by name, or a study folder by path.

    Raises:
        ConfigError: There is no such study, or its files are wrong; every problem after parsing is listed.
    """
    shipped = study_folders()
    folder = shipped.get(name)
    if folder is None:
        folder = Path(name)
        if not (folder / "study.toml").is_file():
            near = difflib.get_close_matches(name, shipped, n=1)
            hint = (
                f"; did you mean {near[0]}?" if near else f"; shipped studies: {', '.join(sorted(shipped)) or 'none'}"
            )
            problem = ConfigProblem(
                "reproduce", "", f"found {name!r}, expected a study or a folder with study.toml{hint}"
            )
            raise ConfigError.of([problem])
    spec = _read_toml(folder / "study.toml", StudySpec)
    deviations_file = folder / "deviations.toml"
    deviations = _read_toml(deviations_file, _Deviations).deviations if deviations_file.is_file() else ()
    rows: dict[str, tuple[PublishedRow, ...]] = {}
    problems: list[ConfigProblem] = []
    for table in spec.tables:
        try:
            rows[table.id] = _read_published(folder / table.file, table)
        except ConfigError as error:
            problems.extend(error.problems)
    problems.extend(_contradictions(folder / "study.toml", spec, rows, deviations))
    if problems:
        raise ConfigError.of(problems)
    return Study(folder=folder, spec=spec, rows=rows, deviations=deviations)


_Read = TypeVar("_Read")


def _read_toml(file: Path, shape: type[_Read]) -> _Read:
    try:
        return convert(tomllib.loads(file.read_text(encoding="utf-8")), shape)
    except OSError as error:
        problem = ConfigProblem(str(file), "", f"cannot read: {error.strerror}")
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        # Also numbers of thousands of digits, and tables nested too deep.
        problem = ConfigProblem(str(file), "", str(error))
    raise ConfigError.of([problem])


def typed(text: str) -> Value:
    """A CSV cell as a number where it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _read_published(file: Path, table: TableSpec) -> tuple[PublishedRow, ...]:
    try:
        with file.open(newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            header = list(reader.fieldnames or ())
            lines = list(reader)
    except OSError as error:
        raise ConfigError.of([ConfigProblem(str(file), "", f"cannot read: {error.strerror}")]) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigError.of([ConfigProblem(str(file), "", f"is no CSV in UTF-8: {error}")]) from error
    problems = [
        ConfigProblem(str(file), column, f"no such column; found {', '.join(header)}")
        for column in (*table.cells, *([table.relation] if table.relation else []))
        if column not in header
    ]
    rows = []
    for number, line in enumerate(lines, start=2):
        keys: Where = dict(table.where)
        published: dict[str, float | None] = {}
        relation = "="
        for column in header:
            text = (line[column] or "").strip()
            if column == table.relation:
                relation = text
                if relation not in RELATIONS:
                    expected = f"found {text!r}, expected one of {' '.join(RELATIONS)}"
                    problems.append(ConfigProblem(f"{file}, line {number}", column, expected))
            elif column in table.cells:
                value = typed(text) if text else None
                if isinstance(value, str):
                    problem = ConfigProblem(f"{file}, line {number}", column, f"found {text!r}, expected a number")
                    problems.append(problem)
                    value = None
                published[column] = value
            else:
                keys[column] = typed(text)
        rows.append(PublishedRow(keys=keys, published=published, relation=relation))
    if problems:
        raise ConfigError.of(problems)
    return tuple(rows)


def _contradictions(
    file: Path,
    spec: StudySpec,
    rows: Mapping[str, tuple[PublishedRow, ...]],
    deviations: tuple[KnownDeviation, ...],
) -> Iterator[ConfigProblem]:
    """Names that lead nowhere, in reading order."""

    def unknown(key: str, name: str, known: Iterable[str]) -> ConfigProblem:
        known = list(known)
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(known)}"
        return ConfigProblem(str(file), key, f"found {name!r}{hint}")

    def check_where(key: str, where: Where) -> Iterator[ConfigProblem]:
        for column, value in where.items():
            if column not in spec.columns:
                yield unknown(key, column, spec.columns)
            elif spec.columns[column].values and str(value) not in spec.columns[column].values:
                yield unknown(f"{key}.{column}", str(value), spec.columns[column].values)

    ids = item_ids(spec)
    for item in spec.items:
        if item.runner not in RUNNERS:
            yield unknown(f"{item.id}.runner", item.runner, RUNNERS)
    for name in sorted({name for name in ids if ids.count(name) > 1}):
        yield ConfigProblem(str(file), "tables", f"the id {name!r} is used twice")
    for table in spec.tables:
        for measure in table.cells.values():
            if measure != "*" and measure not in spec.measures:
                yield unknown(f"tables.{table.id}.cells", measure, spec.measures)
        if table.restates is not None and table.restates not in spec.measures:
            yield unknown(f"tables.{table.id}.restates", table.restates, spec.measures)
        for row in rows.get(table.id, ()):
            yield from check_where(f"tables.{table.id}", row.keys)
        if table.rank is not None and table.rank not in spec.columns:
            yield unknown(f"tables.{table.id}.rank", table.rank, spec.columns)
    for figure in spec.figures:
        if figure.sweep not in spec.columns:
            yield unknown(f"figures.{figure.id}.sweep", figure.sweep, spec.columns)
        for where in (figure.where, *(series.where for series in figure.series)):
            yield from check_where(f"figures.{figure.id}", where)
        for panel in figure.panels:
            for measure in panel.measures:
                if measure not in spec.measures:
                    yield unknown(f"figures.{figure.id}.panels", measure, spec.measures)
        labels = [series.label for series in figure.series]
        for check in figure.checks:
            for label in (check.series, check.than):
                if label is not None and label not in labels:
                    yield unknown(f"figures.{figure.id}.checks.{check.id}", label, labels)
    for gain in spec.gains:
        if gain.table not in ids:
            yield unknown("gains.table", gain.table, ids)
        if gain.measure not in spec.measures:
            yield unknown("gains.measure", gain.measure, spec.measures)
        for pair in gain.pairs:
            yield from check_where("gains.of", pair.of)
            yield from check_where("gains.over", pair.over)
    for limit in spec.checks:
        for name in limit.tables:
            if name not in ids:
                yield unknown(f"checks.{limit.id}.tables", name, ids)
    for calibration in spec.calibrations:
        for varied in calibration.vary:
            key = f"calibrations.{calibration.parameter}.vary.{varied.name}"
            if varied.runner not in RUNNERS:
                yield unknown(f"{key}.runner", varied.runner, RUNNERS)
            if "{value}" not in varied.app:
                yield ConfigProblem(str(file), key, "expected app with {value} in it")
    for name, key in [(name, f"inputs.{each.line}.items") for each in spec.inputs for name in each.items]:
        if name not in ids:
            yield unknown(key, name, ids)
    for column, change in _all_changes(spec):
        if change.measure is not None and change.measure not in spec.measures:
            yield unknown(f"columns.{column}", change.measure, spec.measures)
    seen: set[str] = set()
    for deviation in deviations:
        if deviation.id in seen:
            yield ConfigProblem(str(file.with_name("deviations.toml")), deviation.id, "listed twice")
        seen.add(deviation.id)


def _all_changes(spec: StudySpec) -> Iterator[tuple[str, Change]]:
    for name, column in spec.columns.items():
        yield name, column
        for change in column.values.values():
            yield name, change


def chapter(item: str) -> int | None:
    """The chapter of a table or figure whose number has one: 5 for ``5.1``, ``figure5.3`` and ``section5.4``."""
    found = re.match(r"[A-Za-z ]*(\d+)\.\d", item)
    return int(found[1]) if found else None


def _of_chapters(study: Study, chapters: set[int]) -> tuple[str, ...]:
    """Ids of the tables and figures of these chapters."""
    known = sorted({number for number in map(chapter, study.item_ids) if number is not None})
    if missing := sorted(chapters - set(known)):
        listed = ", ".join(map(str, known)) or "none: its tables are not numbered by chapters"
        raise ConfigError.of(
            [ConfigProblem("--chapter", "", f"found {number}; {study.spec.id} has {listed}") for number in missing]
        )
    return tuple(item for item in study.item_ids if chapter(item) in chapters)


def select_items(study: Study, wanted: Iterable[str] | None, chapters: Iterable[int] | None = None) -> tuple[str, ...]:
    """Ids of the tables and figures asked for, in the document's order; all when nothing is asked for.

    Raises:
        ConfigError: The study has no such table or chapter; lists every unknown one.
    """
    if chapters is not None:
        wanted = (*(wanted or ()), *_of_chapters(study, set(chapters)))
    if wanted is None:
        return study.item_ids
    by_fold = {name.casefold().replace(" ", ""): name for name in study.item_ids}

    def find(name: str) -> str | None:
        # A bare number means the table; where there is none, the section, then the figure.
        wanted = name.casefold().replace(" ", "")
        number = wanted.removeprefix("table")
        forms = (wanted, number, f"section{number}", f"figure{number}")
        return next((by_fold[form] for form in forms if form in by_fold), None)

    chosen: set[str] = set()
    problems = []
    for name in wanted:
        found = find(str(name))
        if found is None:
            known = ", ".join(study.item_ids)
            problems.append(ConfigProblem("--table", "", f"found {name!r}, expected one of {known}"))
        else:
            chosen.add(found)
    if problems:
        raise ConfigError.of(problems)
    return tuple(name for name in study.item_ids if name in chosen)
