"""The keys of ``study.toml`` and ``deviations.toml``."""

from __future__ import annotations

from typing import Literal

import msgspec

Value = str | int | float
Where = dict[str, Value]

# The meaning of a published value: an exact value, or a bound that the measured value must keep.
RELATIONS = ("=", "<", ">")

# The default runner of an item: `linecard.run`.
MACHINE = "machine"


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of everything read from TOML: an unknown key is an error that names it."""


class Change(_Strict, frozen=True):
    """The meaning of one value of a key column: a change of the run, or the measure that the cell shows.

    Every text may contain ``{value}``, which is replaced with the value of the column.

    Attributes:
        preset: Preset for the runs with this value.
        program: Program.
        trace: Capture or link profile that the runs receive.
        map_addresses: Whether packet addresses are mapped into the routed address space.
        set: Changes of keys, each as ``KEY=VALUE``.
        measure: The measure that the cell shows.
    """

    preset: str | None = None
    program: str | None = None
    trace: str | None = None
    map_addresses: bool | None = None
    set: tuple[str, ...] = ()
    measure: str | None = None


class Column(Change, frozen=True):
    """A key column: one change that applies to every value, or one change per listed value.

    Attributes:
        values: The change for each listed value of the column.
    """

    values: dict[str, Change] = {}


class Effort(_Strict, frozen=True):
    """The length of each run: seeds, measured packets and warm-up packets.

    Attributes:
        seeds: Seeds, one run for each.
        packets: Number of measured packets.
        warmup_packets: Number of warm-up packets.
    """

    seeds: tuple[int, ...]
    packets: int
    warmup_packets: int


class Measure(_Strict, frozen=True):
    """A number that is read from the metrics of a run: component, metric, unit, and the words for axes and tables.

    Attributes:
        component: Component that has the metric.
        metric: Name.
        unit: Unit.
        label: Name of the measure on axes and in tables.
        decimals: Number of decimals that tables show.
    """

    component: str
    metric: str
    unit: str
    label: str
    decimals: int = 2


class Curve(_Strict, frozen=True):
    """The curves that the rows of a table form over one key column; other key columns distinguish the curves.

    Attributes:
        over: Key column on the horizontal axis; its values are numbers.
        by: Key columns that distinguish the curves.
        axis: Label of the horizontal axis.
    """

    over: str
    by: tuple[str, ...]
    axis: str


Rung = Literal["latency", "bandwidth", "one program", "mixes"]
RUNGS: tuple[Rung, ...] = ("latency", "bandwidth", "one program", "mixes")


class TableSpec(_Strict, frozen=True):
    """A published table: a CSV file whose key columns select the run and whose cell columns hold measures.

    Attributes:
        id: Name of the table or figure for ``--table``.
        title: Title, one line.
        file: Path of the CSV file, relative to the study folder.
        cells: Measure of each published column. For ``"*"``, the values of a key column determine the measure.
        where: Key columns that the CSV file omits because their value is the same in every row.
        rank: The key column whose values the document ranks; the comparison is between rows that agree in all other key
            columns.
        headline: Whether the cells count in the main numbers of the study. Cells do not count if they follow from
            inputs by arithmetic, restate inputs, or appear in no document. Reports list the uncounted cells separately.
        restates: Measure of other tables; the cells of this table repeat it in another unit, and do not count as
            separate quantities.
        runner: Name of the runner that executes the runs; see :mod:`linecard.study.runners`.
        relation: Name of the column that states the relation of a published value: ``=``, ``<`` or ``>``. If the
            measured value meets a bound, the error of the cell is 0.
        tolerance: Largest allowed relative error of a cell, as a fraction.
        tolerance_points: Absolute tolerance in the unit of the measure, for percentages; it replaces ``tolerance``.
        packets: Number of packets per run, if it differs from the study's number of packets.
        warmup_packets: Number of warm-up packets, if it differs from the study's number of warm-up packets.
        quick: Length of the runs with ``--quick``, if shorter than ``packets`` and ``warmup_packets``.
        note: Note for readers of the report.
        origin: Position of the numbers in the document; the correlation page shows it for every point.
        reading: Uncertainty of a published number in the unit of that number: half a unit of the last digit, or the
            error of reading a plot.
        predicted: The commit at which the cells were predicted, before the model's authors had seen a published number.
        rung: Level of the measurement on the correlation page, from a single part to complete programs; each level
            uses only values determined at lower levels.
        curve: Curves that the correlation page draws from the rows, if any.
        grouped_by: The key column whose values the correlation page assesses separately.
        named_by: Key columns that identify the rows; all key columns by default. The correlation page names each
            point by these key columns.
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
        """Pairs (key of this table, key column that the key names)."""
        single = (("rank", self.rank), ("grouped_by", self.grouped_by))
        found = [(key, column) for key, column in single if column is not None]
        if self.curve is not None:
            found += [("curve", column) for column in (self.curve.over, *self.curve.by)]
        return [*found, *(("named_by", column) for column in self.named_by)]


class Pair(_Strict, frozen=True):
    """Two configurations: ``of`` is compared with ``over``, the baseline."""

    of: Where
    over: Where


class GainSpec(_Strict, frozen=True):
    """An improvement that the document states in percent, for one pair or as the mean of several pairs.

    Attributes:
        table: Table that contains the cells.
        section: Section of the document that contains the statement.
        text: Quotation of the statement from the document.
        percent: The published improvement in percent.
        measure: Measure.
        pairs: The pairs over which the improvement is averaged.
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
        label: Name of the line in the legend.
        where: Values of key columns that select the runs.
    """

    label: str
    where: Where


class Panel(_Strict, frozen=True):
    """One panel of a figure: its measures over the sweep, as lines or as bars.

    Attributes:
        label: Axis.
        measures: Measures that the panel shows.
        kind: How.
    """

    label: str
    measures: tuple[str, ...]
    kind: Literal["line", "bars"] = "line"


class ShapeCheck(_Strict, frozen=True, rename={"from_": "from"}):
    """A statement of the document about a curve.

    ``peak_at``: the largest value is at position ``at``. ``levels_off_at``: the step after ``at`` is smaller than the
    step before it, and at most the fraction ``within`` of the value. ``rises``: the values never decrease between
    ``from`` and ``at``; without one of these bounds, the range is open on that side. ``falls``: in this range, the
    values never increase. ``above``: at every swept value from ``at`` upwards, the line exceeds the line named by
    ``than`` by more than the fraction ``margin``. ``measure_than`` selects another measure for this comparison.

    Attributes:
        id: Name.
        kind: Kind of the statement: ``peak_at``, ``levels_off_at``, ``rises``, ``falls`` or ``above``.
        measure: Measure.
        series: Label of the line that the statement is about.
        text: Quotation of the statement from the document.
        at: Position that the statement names on the swept axis.
        from_: First position on the swept axis at which the statement applies.
        within: Largest step, as a fraction of the value, at which a curve counts as level.
        margin: Fraction by which the line must exceed the other line.
        than: Label of the line to compare with.
        measure_than: Name of the measure to compare with.
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
    """A figure that prints no numbers; the study reproduces the figure by a sweep over the values of one column.

    The keys ``packets`` and ``warmup_packets`` have the same meaning as for a table.

    Attributes:
        id: Name of the table or figure for ``--table``.
        title: Title, one line.
        sweep: Name of the swept column.
        values: Values.
        axis: Label of the swept axis.
        series: Lines.
        panels: Panels of the figure.
        where: Key columns whose value is the same for all runs.
        checks: Statements of the document about the curves.
        runner: Name of the runner that executes the runs, as for a table.
        packets: Number of packets per run, if it differs from the study's number of packets.
        warmup_packets: Number of warm-up packets, if it differs from the study's number of warm-up packets.
        note: Note for readers of the report.
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
    """A limit of the study on the values, the order or the gains in the named tables.

    A limit that is not met remains in force: ``deviations.toml`` explains it under ``limit: `` and its id, and
    ``--check`` fails.

    Attributes:
        id: Name.
        kind: The measured quantity.
        tables: Tables.
        limit: Maximum.
        tie_percent: Published values that differ by at most this percentage count as tied.
    """

    id: str
    kind: Literal[
        "mean_abs_error", "max_abs_error", "max_abs_points", "order_violations", "max_gain_points", "max_gain_error"
    ]
    tables: tuple[str, ...]
    limit: float
    tie_percent: float | None = None


class Varied(_Strict, frozen=True):
    """A calibrated number in a run's ``program`` rather than in a preset; ``--robustness`` varies this number.

    Attributes:
        name: Name of the calibrated number.
        value: The chosen value of the number. ``--robustness`` changes the value by 10 %, and rounds the result only if
            the value has no decimal point.
        runner: Runner of the runs in which the number is varied.
        program: The ``program`` of the runs; the calibrated number replaces ``{value}`` in it.
        of: Name of the varied ``program`` in the study, if any.
    """

    name: str
    value: int | float
    runner: str
    program: str
    of: str = ""


class Calibration(_Strict, frozen=True):
    """A parameter that no document states; the cells that were used to choose it do not count as reproduced.

    ``keys`` names the key of the preset that has the value. If no preset has the calibrated value, ``value``
    states the value, and ``vary`` lists the numbers that can be varied.

    Attributes:
        parameter: The parameter that was chosen.
        reason: Reason and method for choosing the value.
        cells: Key columns and values of the cells that were used to choose the parameter.
        preset: Preset that contains the value.
        keys: Keys of the parameter in the preset.
        value: The chosen value of the parameter, if no preset contains it.
        vary: Numbers that ``--robustness`` can vary, if no preset has the value.
    """

    parameter: str
    reason: str
    cells: tuple[Where, ...]
    preset: str = ""
    keys: tuple[str, ...] = ()
    value: str = ""
    vary: tuple[Varied, ...] = ()


class Assumption(_Strict, frozen=True):
    """An assumption about something that the document does not state.

    Attributes:
        what: The assumption that the study makes.
        reason: Why.
    """

    what: str
    reason: str


class At(_Strict, frozen=True):
    """Changes that set an unpublished input only in runs whose key column has a given value.

    Attributes:
        column: Name of the key column.
        value: Value.
        set: Changes of keys, each as ``KEY=VALUE``.
    """

    column: str
    value: Value
    set: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.column} {self.value}: {', '.join(self.set)}"


class Input(_Strict, frozen=True):
    """An unpublished input on which a line of ``targets.csv`` depends, with a value at which the limit is met.

    The default values of the study do not change. The scorecard also runs the study with this value, and states whether
    the study then meets the limit.

    Attributes:
        line: Name of the line in ``targets.csv``.
        input: The input that the document does not publish.
        range: Range of plausible values of the input.
        reason: Reason why the values in the range are plausible.
        set: Settings ``KEY=VALUE`` that apply the value in every run that has the key.
        values: Changes that apply the value only in runs whose key column has a given value.
        items: The tables and figures that are run with the value; all by default.
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
            raise ValueError("found no value of the input, expected `set`, `values` or both")

    @property
    def point(self) -> str:
        """The settings of the input's value, as text."""
        return "; ".join([", ".join(self.set)] * bool(self.set) + [str(each) for each in self.values])


class StudySpec(_Strict, frozen=True):
    """The contents of ``study.toml``.

    Attributes:
        id: Name of the study folder.
        title: Title, one line.
        document: Authors, title, venue, year.
        summary: Subject of the study.
        full: Length of the runs without ``--quick``.
        quick: Length of the runs with ``--quick``.
        columns: The key columns, each with the meaning of its values.
        measures: Measures that the study reads from runs.
        held_equal: Settings that all runs share.
        tables: Published tables to reproduce.
        figures: Figures.
        gains: Improvements that the document states.
        checks: Limits.
        calibrations: Parameters that no document states, and that were chosen with cells of the study.
        assumptions: Assumptions about facts that the document does not state.
        device: The chip for which the study contains measured rates; the correlation page has one section per chip.
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
        """The tables and figures of the study, in document order."""
        return [*self.tables, *self.figures]


class KnownDeviation(_Strict, frozen=True):
    """A known deviation: its name, its reason, and the attempts to remove it.

    Attributes:
        id: Name of the deviation, as ``--check`` prints it.
        reason: Why.
        tried: Attempts to remove the deviation.
    """

    id: str
    reason: str
    tried: str = ""


class Deviations(_Strict, frozen=True):
    """The contents of ``deviations.toml``.

    Attributes:
        deviations: The deviations that are known.
    """

    deviations: tuple[KnownDeviation, ...] = ()
