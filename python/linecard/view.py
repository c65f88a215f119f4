"""The parts of a result, declared once by its domain, for the terminal, pages, notebooks and pictures.

A domain registers a function from its result to its parts, in the module `…view` beside the module `…result`, or beside
the class itself::

    @view.register
    def _(result: MemoryResult) -> list[Part]: ...
"""

from __future__ import annotations

from functools import singledispatch
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from linecard.numbers import number, percent
from linecard.records import rows_shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from linecard.result import Result

# A share that would read 0.0 % has no row.
SHOWN_SHARE = 0.0005


class Said(NamedTuple):
    """A text with a tone: ``strong``, ``good``, ``warn``, ``bad``, ``best`` or ``dim``."""

    text: str
    tone: str = "strong"


class Bar(NamedTuple):
    """A fraction as a bar, from 0 to 1, or from -1 with ``signed``; with the number beside it.

    Attributes:
        share: Length of the bar.
        tone: Colour of the bar: ``good``, ``warn``, ``bad``, ``dim``, or the default.
        low: Lower bound, if known.
        high: Upper bound, if known.
        signed: Whether the bar starts in the middle.
    """

    share: float
    tone: str = ""
    low: float | None = None
    high: float | None = None
    signed: bool = False


class Lines(NamedTuple):
    """A text, with a smaller text below."""

    first: str
    then: str


Cell = str | int | float | None | Said | Lines | Bar


class Column(NamedTuple):
    """A column of numbers (``r``), words (``l``), sentences (``w``) or code (``c``), or for pages only (``p``)."""

    name: str
    side: str = "r"


# A column of bars.
BAR = Column("", "b")


class Title(NamedTuple):
    """The title: the action and its subject."""

    name: str
    said: str = ""


class Verdict(NamedTuple):
    """The verdict with its reason."""

    head: str
    why: str = ""
    tone: str = "strong"


class Fact(NamedTuple):
    """A value with its name and a remark."""

    name: str
    value: str
    more: str = ""
    tone: str = ""


def facts_shown(record: Any) -> list[Fact]:
    """The numbers of a report that have a separate row, with their units."""
    return [Fact(each.row, f"{number(value)} {each.unit}".rstrip()) for each, value in rows_shown(record)]


class Facts(NamedTuple):
    """The main values, or values under a title."""

    rows: Sequence[Fact | tuple[str, ...]]
    title: str = ""
    said: str = ""


class Table(NamedTuple):
    """Rows under named columns; a name without a kind is a column of numbers.

    Attributes:
        title: Heading.
        columns: Columns.
        rows: Cells: texts, numbers and bars; a text instead of a row is a heading between rows.
        said: Text beside the heading.
        shown: Rows on a terminal and in a notebook; pages and files have all rows.
        marked: Highlighted rows.
        below: Text below the rows.
        folded: Whether only pages show the table, folded.
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
    """Points of one name; ``line`` joins them, ``ranges`` holds the ends of their error bars."""

    name: str
    points: Sequence[tuple[float, float]]
    line: bool = True
    ranges: Sequence[tuple[float, float]] = ()


class Axis(NamedTuple):
    """An axis.

    Attributes:
        name: Quantity of the axis, with its unit.
        logarithmic: Whether the scale is logarithmic.
        zero: Whether the axis begins at zero; ``None`` to do so if the data then cover at least a quarter of it.
        low: Lower end of the axis, if different from the minimum of the data.
        high: Upper end of the axis, if different from the maximum of the data.
        names: Labels for the positions 0, 1, 2, ..., instead of numbers.
    """

    name: str
    logarithmic: bool = False
    zero: bool | None = False
    low: float | None = None
    high: float | None = None
    names: Sequence[str] = ()


class Chart(NamedTuple):
    """Series over a numeric axis, for pages, notebooks and pictures; a table has the same numbers.

    ``level`` is the name and the value of a horizontal line.
    """

    title: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    said: str = ""
    level: tuple[str, float] | None = None


class Stacked(NamedTuple):
    """Stacked bars, one per row, instead of a table of fractions on pages and pictures."""

    title: str
    names: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float]]]
    said: str = ""
    unit: str = "%"
    most: float = 100


class Grouped(NamedTuple):
    """Bars of several names in each row, over one scale, for pages, notebooks and pictures.

    Attributes:
        title: Heading.
        scale: Quantity of the bars, with its unit.
        names: Names of the bars of a row.
        rows: Rows of a name, a value or ``None`` for each of ``names``, a remark, and the half-width of the interval of
            the last bar. A text instead of a row is a heading.
        pale: Whether the first bar is the reference for the other bars.
    """

    title: str
    scale: str
    names: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float | None], str, float] | str]
    said: str = ""
    pale: bool = False


class Paragraphs(NamedTuple):
    """Sentences, each with a tone."""

    texts: Sequence[Said]


class Notes(NamedTuple):
    """Warnings, one sentence each."""

    texts: Sequence[str]


class Picture(NamedTuple):
    """A drawing for pages, as SVG, with a description for screen readers."""

    title: str
    svg: str
    words: str
    said: str = ""


class Beside(NamedTuple):
    """Parts side by side, if there is room."""

    parts: Sequence[Part]


Part = Title | Verdict | Facts | Table | Chart | Stacked | Grouped | Paragraphs | Notes | Picture | Beside


@singledispatch
def view(result: object) -> list[Part]:
    """The parts of a result, in reading order.

    Raises:
        NotImplementedError: No view is registered for its class.
    """
    raise NotImplementedError(f"no view of {type(result).__name__}: register one beside its class")


def view_of(result: Result) -> list[Part]:
    """The parts of a result; the module of its view is imported first."""
    module = type(result).__module__
    if module.endswith("result"):
        import_module(module.removesuffix("result") + "view")
    return view(result)


def text(name: str) -> Column:
    """A column of words."""
    return Column(name, "l")


def wide(name: str) -> Column:
    """A column of sentences, which wrap."""
    return Column(name, "w")


def bars(title: str, shares: Iterable[tuple[str, float, *tuple[Cell, ...]]], said: str = "", tone: str = "") -> Table:
    """A row per name with a fraction from 0 to 1, as a bar and in percent, and further cells; zeros are omitted."""
    rows = [(name, Bar(share, tone), percent(share), *more) for name, share, *more in shares if share >= SHOWN_SHARE]
    return Table(title, (text(""), BAR, *("" for _ in (rows[0][2:] if rows else ()))), rows, said)


def load_tone(share: float) -> str:
    """The tone of a utilisation: a warning if the resource is nearly always busy."""
    return "bad" if share >= 0.9 else "warn" if share >= 0.7 else "good"
