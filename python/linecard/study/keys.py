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
    """The effect of a value in a key column: it changes a row's runs, or selects the measure of the row's cells.

    Every text of a change may contain ``{value}``, which Linecard replaces with the value in the column.

    Attributes:
        preset: Preset for the runs of all rows that contain the value in the key column.
        program: Program.
        trace: Capture or link profile from which the runs take their packets.
        map_addresses: Whether each address that has no route is replaced with an address in a routed prefix.
        set: Changes to the settings of the runs, each as ``KEY=VALUE``.
        measure: Measure of the cells in all rows that contain the value in the key column.
    """

    preset: str | None = None
    program: str | None = None
    trace: str | None = None
    map_addresses: bool | None = None
    set: tuple[str, ...] = ()
    measure: str | None = None


class Column(Change, frozen=True):
    """The changes that a key column makes to runs: one change for all values, or one change for each listed value.

    Attributes:
        values: The change for each listed value of the column.
    """

    values: dict[str, Change] = {}


class Effort(_Strict, frozen=True):
    """The seeds of the runs, the number of measured packets in each run, and the number of warm-up packets.

    Attributes:
        seeds: Seeds of the random draws; each configuration is simulated once with each seed.
        packets: Number of measured packets.
        warmup_packets: Number of warm-up packets.
    """

    seeds: tuple[int, ...]
    packets: int
    warmup_packets: int


class Measure(_Strict, frozen=True):
    """A number that a study reads from the results of a run: its component, metric, unit and label.

    Attributes:
        component: Component of the run's results that contains the metric.
        metric: Name.
        unit: Unit.
        label: Name of the measure on axes and in tables.
        decimals: Number of decimal places in tables.
    """

    component: str
    metric: str
    unit: str
    label: str
    decimals: int = 2


class Curve(_Strict, frozen=True):
    """Curves that are drawn from the rows of a table.

    One key column is the horizontal axis; other key columns distinguish the curves.

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
    """A published table: a CSV file whose key columns select the runs and whose cell columns contain published values.

    Attributes:
        id: Name that selects the table or figure in the option ``--table``.
        title: Title on one line.
        file: Path of the CSV file, relative to the study folder.
        cells: Names of the published columns, each with its measure. If the measure is ``"*"``, the values of a key
            column select the measure of each row.
        where: Key columns that have the same value in every row; the CSV file omits these columns.
        rank: The key column whose values the document ranks; a comparison requires two rows with equal values in all
            other key columns.
        headline: Whether the main numbers of the study include the cells of this table. Main numbers exclude cells that
            follow arithmetically from inputs, repeat inputs, or appear in no document. Reports list the excluded cells
            separately.
        restates: Measure in other tables; this table repeats the values of the measure in another unit. The repeated
            cells do not count as separate quantities.
        runner: Name of the runner that executes the runs; see :mod:`linecard.study.runners`.
        relation: Name of the column that distinguishes published values (``=``) from bounds (``<`` or ``>``). If the
            measured value meets a published bound, the error of the cell is 0.
        tolerance: Largest allowed relative error of a cell, as a fraction.
        tolerance_points: Absolute tolerance of a cell in percentage points, for measures in percent; it replaces the
            relative ``tolerance``.
        packets: Number of packets per run, if it differs from the study's number of packets.
        warmup_packets: Number of warm-up packets, if it differs from the study's number of warm-up packets.
        quick: Smaller numbers of measured and warm-up packets for ``--quick``; they replace ``packets`` and
            ``warmup_packets``.
        note: Note for readers of the report.
        origin: Page or section of the document that contains the numbers; the correlation page shows this text for
            every point.
        reading: Uncertainty of a published number, in the number's unit: half a step of the last digit, or the error of
            reading a plot.
        predicted: Commit of the model that predicted the cells before the model's authors had seen a published number.
        rung: Level of the measurement on the correlation page; the levels range from a single component to complete
            programs. The simulations of a level use only parameter values that were determined at lower levels.
        curve: Curves that the correlation page draws from the rows of the table, if any.
        grouped_by: The key column by which the correlation page groups the rows; each group is assessed separately.
        named_by: Key columns that identify the rows; by default, all key columns. On the correlation page, the
            values of these key columns form the name of each point.
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
        """The key columns to which TOML keys of the table refer, as pairs (TOML key, column)."""
        single = (("rank", self.rank), ("grouped_by", self.grouped_by))
        found = [(key, column) for key, column in single if column is not None]
        if self.curve is not None:
            found += [("curve", column) for column in (self.curve.over, *self.curve.by)]
        return [*found, *(("named_by", column) for column in self.named_by)]


class Pair(_Strict, frozen=True):
    """Two configurations: ``of`` is compared with the baseline ``over``."""

    of: Where
    over: Where


class GainSpec(_Strict, frozen=True):
    """An improvement that the published document states in percent, for one pair or as the mean of several pairs.

    Attributes:
        table: Table that contains the cells of the compared configurations.
        section: Section of the document that contains the statement.
        text: Quotation of the statement from the document.
        percent: The published improvement in percent.
        measure: Measure.
        pairs: The pairs of configurations over which the improvement is averaged.
    """

    table: str
    section: str
    text: str
    percent: float
    measure: str
    pairs: tuple[Pair, ...]


class Series(_Strict, frozen=True):
    """One line (a data series) of a figure.

    Attributes:
        label: Name of the line in the legend.
        where: Values of key columns that select the runs of the line.
    """

    label: str
    where: Where


class Panel(_Strict, frozen=True):
    """One panel of a figure; the panel plots measures against the swept column, as lines or as bars.

    Attributes:
        label: Axis.
        measures: Measures that the panel shows.
        kind: How.
    """

    label: str
    measures: tuple[str, ...]
    kind: Literal["line", "bars"] = "line"


class ShapeCheck(_Strict, frozen=True, rename={"from_": "from"}):
    """A statement of the published document about the shape of a curve.

    ``peak_at``: the curve has its largest value at the swept value ``at``. ``levels_off_at``: the change after ``at``
    is smaller than the change before ``at``, and at most the fraction ``within`` of the value at ``at``. ``rises``: the
    values never decrease between ``from`` and ``at``; by default, ``from`` is the first and ``at`` the last swept
    value. ``falls``: the values never increase between ``from`` and ``at``. ``above``: at every swept value from ``at``
    on, the line ``series`` exceeds the line ``than`` by more than the fraction ``margin``.

    Attributes:
        id: Name.
        kind: Kind of the statement: ``peak_at``, ``levels_off_at``, ``rises``, ``falls`` or ``above``.
        measure: Measure.
        series: Label of the line to which the statement refers.
        text: Quotation of the statement from the document.
        at: Swept value to which the statement refers.
        from_: Smallest swept value for which the statement must be true.
        within: For ``levels_off_at``: maximum change after ``at``, as a fraction of the value at ``at``.
        margin: Fraction by which the line ``series`` must exceed the line ``than``.
        than: Label of the line with which ``series`` is compared.
        measure_than: Measure of the line ``than``; by default, ``measure``.
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
    """A published figure without printed numbers; the study reproduces the figure by a sweep over one column.

    The keys ``packets`` and ``warmup_packets`` have the same meaning as for tables.

    Attributes:
        id: Name that selects the table or figure in the option ``--table``.
        title: Title on one line.
        sweep: Name of the swept column.
        values: Values.
        axis: Label of the swept axis.
        series: Lines.
        panels: Panels of the figure.
        where: Key columns that have the same value in all runs, each with its value.
        checks: Statements of the published document about the curves of the figure.
        runner: Name of the runner that executes the runs of the figure.
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
    """A limit that the study must meet: a maximum error of values or gains, or a maximum number of reversed orders.

    An unmet limit remains in force and makes ``--check`` fail; ``deviations.toml`` explains the unmet limit under the
    name ``limit: ID``.

    Attributes:
        id: Name.
        kind: The quantity to which the limit applies.
        tables: Tables to which the limit applies.
        limit: Maximum.
        tie_percent: Two published values that differ by at most ``tie_percent`` percent count as a tie.
    """

    id: str
    kind: Literal[
        "mean_abs_error", "max_abs_error", "max_abs_points", "order_violations", "max_gain_points", "max_gain_error"
    ]
    tables: tuple[str, ...]
    limit: float
    tie_percent: float | None = None


class Varied(_Strict, frozen=True):
    """A calibrated number that is part of a run's ``program`` and not of a preset; ``--robustness`` varies this number.

    Attributes:
        name: Name of the calibrated number.
        value: The calibrated value of the number. ``--robustness`` changes the value by 10 %, and rounds the result
            only if the value has no decimal point.
        runner: Name of the runner that executes the runs with varied numbers.
        program: The ``program`` of the runs, as text; the calibrated number replaces ``{value}`` in this text.
        of: Name of the study's ``program`` that contains the calibrated number, if any.
    """

    name: str
    value: int | float
    runner: str
    program: str
    of: str = ""


class Calibration(_Strict, frozen=True):
    """A parameter whose value no document states; cells that were used to choose the value do not count as reproduced.

    ``keys`` names the keys of the preset that contain the calibrated value. If no preset contains the calibrated value,
    ``value`` states this value, and ``vary`` lists the numbers that ``--robustness`` can vary.

    Attributes:
        parameter: The parameter whose value was chosen.
        reason: Reason for choosing the value, and method of choosing it.
        cells: The cells that were used to choose the value; key columns and their values identify each cell.
        preset: Preset that contains the calibrated value, if any.
        keys: Keys in the preset that contain the parameter's value.
        value: The chosen value of the parameter, if no preset contains this value.
        vary: Numbers that ``--robustness`` can vary, if no preset contains the calibrated value.
    """

    parameter: str
    reason: str
    cells: tuple[Where, ...]
    preset: str = ""
    keys: tuple[str, ...] = ()
    value: str = ""
    vary: tuple[Varied, ...] = ()


class Assumption(_Strict, frozen=True):
    """An assumption about a fact that the published document does not state.

    Attributes:
        what: The assumption, as text.
        reason: Why.
    """

    what: str
    reason: str


class At(_Strict, frozen=True):
    """Changes that set an unpublished input only in runs for which the key column ``column`` has the value ``value``.

    Attributes:
        column: Name of the key column.
        value: Value.
        set: Changes to the settings of the runs, each as ``KEY=VALUE``.
    """

    column: str
    value: Value
    set: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.column} {self.value}: {', '.join(self.set)}"


class Input(_Strict, frozen=True):
    """An unpublished input, and a value of the input at which the limit of a scorecard line is met.

    The study itself uses the default value of the input. The scorecard also runs the study with the input value in
    ``set`` or ``values``, and states whether the limit is then met.

    Attributes:
        line: Name of the line in ``targets.csv``.
        input: Description of the input, which the published document does not state.
        range: Range of plausible values of the input.
        reason: Reason why the values in the range are plausible.
        set: Settings ``KEY=VALUE`` for the input, which apply to every run in which the key exists.
        values: Changes that set the input only in runs for which a named key column has a given value.
        items: The tables and figures to run again with this value of the input; by default, all tables and figures.
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
            raise ValueError("found neither `set` nor `values`, expected at least one of the two")

    @property
    def point(self) -> str:
        """The settings that apply the value of the input, as text."""
        return "; ".join([", ".join(self.set)] * bool(self.set) + [str(each) for each in self.values])


class StudySpec(_Strict, frozen=True):
    """The contents of ``study.toml``.

    Attributes:
        id: Name of the study folder.
        title: Title on one line.
        document: Authors, title, venue and year of the published document.
        summary: Subject of the study.
        full: Seeds and length of the runs without ``--quick``.
        quick: Seeds and length of the runs with ``--quick``.
        columns: The key columns, each with the effect of its values on the runs.
        measures: Measures that the study reads from the results of runs.
        held_equal: Settings that all runs share.
        tables: Published tables to reproduce.
        figures: Figures.
        gains: Improvements that the published document states.
        checks: Limits.
        calibrations: Parameters whose values no document states; the values were chosen to reproduce published cells.
        assumptions: Assumptions about facts that the published document does not state.
        device: The chip on which the published rates were measured; the correlation page has one section per chip.
        inputs: Unpublished inputs whose values decide whether limits are met.
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
    """A known deviation: name, reason, and attempts to remove the deviation.

    Attributes:
        id: Name of the deviation, as ``--check`` prints it.
        reason: Why.
        tried: Changes that were tried in order to remove the deviation.
    """

    id: str
    reason: str
    tried: str = ""


class Deviations(_Strict, frozen=True):
    """The contents of ``deviations.toml``.

    Attributes:
        deviations: The known deviations.
    """

    deviations: tuple[KnownDeviation, ...] = ()
