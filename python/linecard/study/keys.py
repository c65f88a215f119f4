"""The keys of ``study.toml`` and ``deviations.toml``."""

from __future__ import annotations

from typing import Literal

import msgspec

Value = str | int | float
Where = dict[str, Value]

# How a published value is meant: as it stands, or as a bound that the measured value keeps.
RELATIONS = ("=", "<", ">")

# What carries out the runs of an item that names nothing else: `linecard.run`.
MACHINE = "machine"


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of everything read from TOML: an unknown key is an error that names it."""


class Change(_Strict, frozen=True):
    """The meaning of one value of a column: a change to the run, or the measure that the cell shows.

    Every text may contain ``{value}``, the column's value.

    Attributes:
        preset: Preset to run instead.
        program: Program.
        trace: Capture, or described link.
        map_addresses: Whether addresses move into routed space.
        set: Changes of keys, ``KEY=VALUE`` each.
        measure: The measure that the cell shows.
    """

    preset: str | None = None
    program: str | None = None
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
    """The length of each run: seeds, packets with statistics on, packets of the warm-up.

    Attributes:
        seeds: Seeds of each run.
        packets: Packets with statistics on.
        warmup_packets: Packets of the warm-up.
    """

    seeds: tuple[int, ...]
    packets: int
    warmup_packets: int


class Measure(_Strict, frozen=True):
    """A number read from a run's metrics: component, metric, unit, and the words for axes and tables.

    Attributes:
        component: Component of the metric.
        metric: Name.
        unit: Unit.
        label: Name on axes and in tables.
        decimals: Decimals that tables show.
    """

    component: str
    metric: str
    unit: str
    label: str
    decimals: int = 2


class Curve(_Strict, frozen=True):
    """The curves of a table: one over a key column for each combination of values of others.

    Attributes:
        over: The key column on the horizontal axis; its values are numbers.
        by: The key columns that distinguish curves.
        axis: Label of the axis.
    """

    over: str
    by: tuple[str, ...]
    axis: str


Rung = Literal["latency", "bandwidth", "one program", "mixes"]
RUNGS: tuple[Rung, ...] = ("latency", "bandwidth", "one program", "mixes")


class TableSpec(_Strict, frozen=True):
    """A published table: a CSV file whose key columns select the run and whose cell columns hold measures.

    Attributes:
        id: Name for ``--table``.
        title: Title, one line.
        file: The CSV file, relative to the folder of the study.
        cells: Published column → measure. The change of a key column names the measure for ``"*"``.
        where: Key columns that the file omits because they are the same for every row.
        rank: The key column whose values the document ranks; rows that agree in all other keys are compared.
        headline: Whether the cells count in the main numbers of the study. Cells do not count if they follow by
            arithmetic from inputs, restate inputs, or are printed in no document. They are listed separately.
        restates: The measure of other tables that these cells repeat in another unit; they are not separate quantities.
        runner: Runner of the runs, a name in :mod:`linecard.study.runners`.
        relation: The column with the relation of a published value: ``=``, ``<`` or ``>``. A bound that holds has no
            error.
        tolerance: Tolerance: the largest relative error of a cell, as a fraction.
        tolerance_points: Tolerance in the unit of the measure, for percentages; replaces ``tolerance``.
        packets: Packets per run, if different from the number of the study.
        warmup_packets: Packets of the warm-up, if different from the number of the study.
        quick: Length of its runs in the quick study, if shorter than ``packets`` and ``warmup_packets``.
        note: Note for readers.
        origin: Position of the numbers in the document, which the page of correlations names for every point.
        reading: Uncertainty of a published number, in the unit of the number: half its last digit, or the error of
            reading a plot.
        predicted: The commit at which the cells were predicted, before the authors of the model had seen a number.
        rung: Level of the measurement, from a part to whole programs, on the page of correlations; each level uses only
            values that lower levels determine.
        curve: Curves of its rows, if any.
        grouped_by: The key column whose values the page of correlations judges separately.
        named_by: The key columns that identify the rows; all if left out. The page of correlations names points by
            these columns.
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
    origin: str = ""
    reading: float | None = None
    predicted: str = ""
    rung: Rung | None = None
    curve: Curve | None = None
    grouped_by: str | None = None
    named_by: tuple[str, ...] = ()

    @property
    def columns_by_key(self) -> list[tuple[str, str]]:
        """The named key columns, each with its key."""
        single = (("rank", self.rank), ("grouped_by", self.grouped_by))
        found = [(key, column) for key, column in single if column is not None]
        if self.curve is not None:
            found += [("curve", column) for column in (self.curve.over, *self.curve.by)]
        return [*found, *(("named_by", column) for column in self.named_by)]


class Pair(_Strict, frozen=True):
    """Two configurations: ``of`` is compared with ``over``."""

    of: Where
    over: Where


class GainSpec(_Strict, frozen=True):
    """An improvement that the document states in percent: of one pair, or the mean of several.

    Attributes:
        table: Table of the cells.
        section: Position of the statement in the document.
        text: Quotation from the document.
        percent: The improvement, in percent.
        measure: Measure.
        pairs: The pairs of which the improvement is the mean.
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
        label: Name in the legend.
        where: Key columns that select the runs.
    """

    label: str
    where: Where


class Panel(_Strict, frozen=True):
    """One part of a figure: these measures over the sweep, as lines or as bars.

    Attributes:
        label: Axis.
        measures: Measures that the part shows.
        kind: How.
    """

    label: str
    measures: tuple[str, ...]
    kind: Literal["line", "bars"] = "line"


class ShapeCheck(_Strict, frozen=True, rename={"from_": "from"}):
    """A statement of the text about a curve.

    ``peak_at``: the largest value is at ``at``. ``levels_off_at``: the step after ``at`` is smaller than the step
    before it and at most ``within`` of the value. ``rises``: never decreases up to ``at``, or from ``from`` on;
    ``falls``: never increases there. ``above``: this series lies above ``than`` by more than ``margin``, a fraction, at
    every swept value from ``at`` on; ``measure_than`` compares two measures.

    Attributes:
        id: Name.
        kind: Kind of the statement, see above.
        measure: Measure.
        series: Label of the line.
        text: Quotation from the document.
        at: Position on the swept axis.
        from_: First position, on the swept axis.
        within: Fraction within which a curve counts as level.
        margin: Fraction by which the line must be above the other.
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

    ``packets`` and ``warmup_packets`` have the same meaning as for a table.

    Attributes:
        id: Name for ``--table``.
        title: Title, one line.
        sweep: The column that is swept.
        values: Values.
        axis: Label of its axis.
        series: Lines.
        panels: Parts of the figure.
        where: Key columns that are the same for all runs.
        checks: Statements of the text about the curves.
        runner: Runner of the runs, as for a table.
        packets: Packets per run, if different from the number of the study.
        warmup_packets: Packets of the warm-up, if different from the number of the study.
        note: Note for readers.
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
    """A limit of the study, on the cells, orders or gains of these tables.

    A missed limit is not removed: ``deviations.toml`` explains it under ``limit: `` and its id, and ``--check`` fails.

    Attributes:
        id: Name.
        kind: The measured quantity.
        tables: Tables.
        limit: Maximum.
        tie_percent: Published values that differ by at most this much count as tied.
    """

    id: str
    kind: Literal[
        "mean_abs_error", "max_abs_error", "max_abs_points", "order_violations", "max_gain_points", "max_gain_error"
    ]
    tables: tuple[str, ...]
    limit: float
    tie_percent: float | None = None


class Varied(_Strict, frozen=True):
    """A calibrated number in the ``program`` of runs instead of a preset, and how ``--robustness`` varies it.

    Attributes:
        name: Name of the number.
        value: The chosen number. A number with a decimal point is not rounded when it is varied by a tenth.
        runner: Runner of the runs with this number.
        program: The ``program`` of the runs, with ``{value}`` for the number.
        of: Name of that ``program`` in the study, if any.
    """

    name: str
    value: int | float
    runner: str
    program: str
    of: str = ""


class Calibration(_Strict, frozen=True):
    """A parameter that no document statesand that was chosen on cells; these cells do not count as reproduced.

    Its value is read from the preset, under these keys. If no preset has the value, ``value`` states it, and ``vary``
    lists the numbers in it that can be varied.

    Attributes:
        parameter: The chosen parameter.
        reason: Reason and method of the choice.
        cells: Key columns and values of the cells on which the parameter was chosen.
        preset: Preset with the value.
        keys: Keys of the value.
        value: The value, if no preset has it.
        vary: Numbers in the value that can be varied, if no preset has it.
    """

    parameter: str
    reason: str
    cells: tuple[Where, ...]
    preset: str = ""
    keys: tuple[str, ...] = ()
    value: str = ""
    vary: tuple[Varied, ...] = ()


class Assumption(_Strict, frozen=True):
    """An interpretation that the document does not state.

    Attributes:
        what: The interpretation.
        reason: Why.
    """

    what: str
    reason: str


class At(_Strict, frozen=True):
    """Changes at a point of an input, for the runs with one value of a key column.

    Attributes:
        column: The key column.
        value: Value.
        set: Changes of keys, ``KEY=VALUE`` each.
    """

    column: str
    value: Value
    set: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.column} {self.value}: {', '.join(self.set)}"


class Input(_Strict, frozen=True):
    """An unpublished input on which a line of ``targets.csv`` depends, with a point at which the line is met.

    The defaults do not change. The scorecard also runs the point and states whether the line is met there.

    Attributes:
        line: Name of the line.
        input: The unpublished input.
        range: Plausible values of the input.
        reason: Reason why these values are plausible.
        set: Values of the point: changes of keys, ``KEY=VALUE`` each, of every run that has the key.
        values: Values of the point that differ by a key column.
        items: The tables and figures whose runs use the point; all if none is named.
    """

    line: str
    input: str
    range: str
    reason: str
    set: tuple[str, ...] = ()
    values: tuple[At, ...] = ()
    items: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse an input without a point."""
        if not self.set and not self.values:
            raise ValueError("expected a point: `set`, `values` or both")

    @property
    def point(self) -> str:
        """The point in words."""
        return "; ".join([", ".join(self.set)] * bool(self.set) + [str(each) for each in self.values])


class StudySpec(_Strict, frozen=True):
    """The content of ``study.toml``.

    Attributes:
        id: Name of the folder.
        title: Title, one line.
        document: Authors, title, venue, year.
        summary: Subject of the study.
        full: Length of the runs.
        quick: Length of the runs with ``--quick``.
        columns: Meaning of the values of each key column.
        measures: Measures that are read from a run.
        held_equal: Settings of all runs.
        tables: Published tables.
        figures: Figures.
        gains: Improvements that the text states.
        checks: Limits.
        calibrations: Parameters chosen on cells.
        assumptions: Interpretations that the document does not state.
        device: The chip whose measured rates the study contains; the page of correlations has a section for each chip.
        inputs: Unpublished inputs on which limits depend.
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
    device: str = ""
    inputs: tuple[Input, ...] = ()

    @property
    def items(self) -> list[TableSpec | FigureSpec]:
        """The tables and figures, in the order of the document."""
        return [*self.tables, *self.figures]


class KnownDeviation(_Strict, frozen=True):
    """A known deviation: its name, its reason, and the attempts to remove it.

    Attributes:
        id: Name of the deviation, as ``--check`` prints it.
        reason: Why.
        tried: Attempts to remove it.
    """

    id: str
    reason: str
    tried: str = ""


class Deviations(_Strict, frozen=True):
    """The content of ``deviations.toml``.

    Attributes:
        deviations: Known deviations.
    """

    deviations: tuple[KnownDeviation, ...] = ()
