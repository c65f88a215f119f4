"""The parts of a result; the same parts are shown on the terminal, on pages, in notebooks and in pictures.

For each class of results, one function converts a result to parts. For a class in a module `…result`, the function is
in the corresponding module `…view`, such as `linecard.chip.view` for `linecard.chip.result`. For any other class, the
function is in the module that defines the class, such as `linecard.terms`. A decorator registers the function::

    @view.register
    def _(result: MemoryResult) -> list[Part]: ...
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from linecard.numbers import number, percent
from linecard.records import rows_shown

if TYPE_CHECKING:
    from linecard.result import Result

# A share that would read 0.0 % has no row.
SHOWN_SHARE = 0.0005


class Said(NamedTuple):
    """A text with a tone: ``strong``, ``good``, ``warn``, ``bad``, ``best`` or ``dim``."""

    text: str
    tone: str = "strong"


class Bar(NamedTuple):
    """A bar that represents a fraction from 0 to 1, or from -1 to 1 if ``signed`` is set; the number is beside the bar.

    Attributes:
        share: Length of the bar as a fraction.
        tone: Colour of the bar: ``good``, ``warn``, ``bad``, ``dim``, or the default.
        low: Lower bound of the fraction, if known.
        high: Upper bound of the fraction, if known.
        signed: Whether zero is in the middle of the bar.
    """

    share: float
    tone: str = ""
    low: float | None = None
    high: float | None = None
    signed: bool = False


class Lines(NamedTuple):
    """A line of text with a line of smaller text below it."""

    first: str
    then: str


Cell = str | int | float | None | Said | Lines | Bar


class Column(NamedTuple):
    """A column of numbers (``r``), short text (``l``), sentences (``w``), code (``c``), or page-only text (``p``)."""

    name: str
    side: str = "r"


# A column of bars.
BAR = Column("", "b")


class Title(NamedTuple):
    """The title of a result: the action and its subject."""

    name: str
    said: str = ""


class Verdict(NamedTuple):
    """The verdict on a result, with the reason for the verdict."""

    head: str
    why: str = ""
    tone: str = "strong"


class Fact(NamedTuple):
    """A named value with a remark."""

    name: str
    value: str
    more: str = ""
    tone: str = ""


def facts_shown(record: Any) -> list[Fact]:
    """Those numbers of a report that have a separate row on the terminal, each with its unit."""
    return [Fact(each.row, f"{number(value)} {each.unit}".rstrip()) for each, value in rows_shown(record)]


class Facts(NamedTuple):
    """The main values of a result, or a group of values with a title."""

    rows: Sequence[Fact | tuple[str, ...]]
    title: str = ""
    said: str = ""


class Table(NamedTuple):
    """A table with named columns; a column that is declared by its name alone contains numbers.

    Attributes:
        title: Heading.
        columns: Columns.
        rows: Rows of cells (texts, numbers or bars); a text in place of a row is shown as a heading.
        said: Text beside the table's heading.
        shown: Maximum number of rows on a terminal and in a notebook; pages and files contain all rows.
        marked: Indices of the highlighted rows.
        below: Text below the table.
        folded: Whether the table is shown only on pages, in collapsed form.
    """

    title: str
    columns: Sequence[Column | str]
    rows: Sequence[Sequence[Cell] | str]
    said: str = ""
    shown: int | None = None
    marked: Iterable[int] = ()
    below: Sequence[Said] = ()
    folded: bool = False


class Series(NamedTuple):
    """A named series of points, joined by a line if ``line`` is set; ``ranges`` contains the ends of the error bars."""

    name: str
    points: Sequence[tuple[float, float]]
    line: bool = True
    ranges: Sequence[tuple[float, float]] = ()


class Axis(NamedTuple):
    """An axis of a chart.

    Attributes:
        name: Quantity of the axis, with its unit.
        logarithmic: Whether the scale is logarithmic.
        zero: Whether the axis begins at zero. If ``zero`` is ``None``, the axis begins at zero only if the data would
            then cover at least a quarter of the axis.
        low: Lower end of the axis, if it differs from the minimum of the data.
        high: Upper end of the axis, if it differs from the maximum of the data.
        names: Labels that replace the numbers at the positions 0, 1, 2 and so on.
    """

    name: str
    logarithmic: bool = False
    zero: bool | None = False
    low: float | None = None
    high: float | None = None
    names: Sequence[str] = ()


class Chart(NamedTuple):
    """A chart of series along a numeric axis, for pages, notebooks and pictures; a table contains the chart's numbers.

    ``level`` contains the name and the value of a horizontal line in the chart.
    """

    title: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    said: str = ""
    level: tuple[str, float] | None = None


class Stacked(NamedTuple):
    """A chart with one stacked bar per row, which replaces a table of fractions on pages and in pictures."""

    title: str
    names: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float]]]
    said: str = ""
    unit: str = "%"
    most: float = 100


class Grouped(NamedTuple):
    """A chart with several named bars in each row, for pages, notebooks and pictures; all bars have the same scale.

    Attributes:
        title: Heading.
        scale: Quantity of the bars, with its unit.
        names: Names of the bars in each row.
        rows: Rows. Each row consists of a label, a list of values, a remark, and the half-width of the last bar's error
            bar. The list contains the value of each bar in ``names``, or ``None`` for a missing bar. A text in place of
            a row is shown as a heading.
        pale: Whether the first bar is the reference with which the other bars are compared.
    """

    title: str
    scale: str
    names: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float | None], str, float] | str]
    said: str = ""
    pale: bool = False


class Paragraphs(NamedTuple):
    """Paragraphs, each with a tone."""

    texts: Sequence[Said]


class Notes(NamedTuple):
    """A list of warnings, one sentence each."""

    texts: Sequence[str]


class Picture(NamedTuple):
    """A drawing for pages, as SVG with a description for screen readers."""

    title: str
    svg: str
    words: str
    said: str = ""


class Beside(NamedTuple):
    """Parts that a page shows side by side, if the page is wide enough."""

    parts: Sequence[Part]


Part = Title | Verdict | Facts | Table | Chart | Stacked | Grouped | Paragraphs | Notes | Picture | Beside


@singledispatch
def view(result: object) -> list[Part]:
    """The parts of a result, in display order.

    Raises:
        NotImplementedError: No view is registered for the class of the result.
    """
    raise NotImplementedError(f"no view for {type(result).__name__}; register one beside the class")


def view_of(result: Result) -> list[Part]:
    """Import the module that contains the view of a result, and return the parts of the result."""
    module = type(result).__module__
    if module.endswith("result"):
        import_module(module.removesuffix("result") + "view")
    return view(result)


def text(name: str) -> Column:
    """A text column."""
    return Column(name, "l")


def wide(name: str) -> Column:
    """A column of sentences, which are wrapped."""
    return Column(name, "w")


def bars(title: str, shares: Iterable[tuple[str, float, *tuple[Cell, ...]]], said: str = "", tone: str = "") -> Table:
    """A table of fractions from 0 to 1 with name, bar and percentage; fractions below `SHOWN_SHARE` are omitted."""
    rows = [(name, Bar(share, tone), percent(share), *more) for name, share, *more in shares if share >= SHOWN_SHARE]
    return Table(title, (text(""), BAR, *("" for _ in (rows[0][2:] if rows else ()))), rows, said)


def load_tone(share: float) -> str:
    """The tone for a utilisation: ``good`` if it is low, ``warn`` if it is high, and ``bad`` if it is very high."""
    return "bad" if share >= 0.9 else "warn" if share >= 0.7 else "good"
