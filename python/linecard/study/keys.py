"""What ``study.toml`` and ``deviations.toml`` may say, key by key."""

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


class Curve(_Strict, frozen=True):
    """How the rows of a table make curves: one over a key column for each combination of values of others.

    Attributes:
        over: The key column that a curve runs over; its values are numbers.
        by: The key columns that tell one curve from another.
        axis: What it runs over, in words.
    """

    over: str
    by: tuple[str, ...]
    axis: str


Rung = Literal["latency", "bandwidth", "one program", "mixes"]
RUNGS: tuple[Rung, ...] = ("latency", "bandwidth", "one program", "mixes")


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
        origin: Where the document states the numbers; the page of correlations names it for every point.
        reading: How far a published number may be off, in its own unit: half its last digit, or the error of reading a
            plot.
        predicted: The commit at which the cells were predicted before anybody who worked on the model had seen a
            number.
        rung: What is measured, from a part to whole programs: the page of correlations has a ladder, each rung of which
            uses only what those below fixed.
        curve: How its rows make curves, if they do.
        grouped_by: The key column whose values the page of correlations judges apart.
        named_by: The key columns that tell its rows apart; all if left out. The page of correlations names points by
            them.
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
        """The key columns that its own keys name, each with the key."""
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


class At(_Strict, frozen=True):
    """What a point of an input sets in the runs of one value of a key column.

    Attributes:
        column: The key column.
        value: Its value.
        set: Changes of keys, ``KEY=VALUE`` each.
    """

    column: str
    value: Value
    set: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.column} {self.value}: {', '.join(self.set)}"


class Input(_Strict, frozen=True):
    """An input that the document does not publish, on which a line of ``targets.csv`` hangs, and a point that meets it.

    The defaults stay where they are. The scorecard runs the point beside them: the line is met there, or it is missed.

    Attributes:
        line: Name of the line.
        input: What is not published.
        range: Which values are plausible.
        reason: Why they are.
        set: Values of the point: changes of keys, ``KEY=VALUE`` each, of every run that has the key.
        values: Values of the point that differ by a key column.
        items: The tables and figures whose runs take them; all when none is named.
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
        device: The chip whose measured rates it holds; the page of correlations has a section for each.
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
    device: str = ""
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


class Deviations(_Strict, frozen=True):
    """The whole of ``deviations.toml``.

    Attributes:
        deviations: What is known to be beyond its tolerance.
    """

    deviations: tuple[KnownDeviation, ...] = ()
