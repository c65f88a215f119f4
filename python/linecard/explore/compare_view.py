"""The view of a comparison: the settings that differ, and the metrics that changed beyond noise."""

from __future__ import annotations

from collections.abc import Sequence

from linecard.explore.compare_result import CompareResult, LineMoved, Moved, MovedAtPoints
from linecard.explore.wording import cell_text
from linecard.numbers import several
from linecard.view import BAR, Bar, Cell, Fact, Facts, Notes, Part, Table, Title, text, view, wide
from linecard.words import label

KEYS_SHOWN, MOVED_SHOWN, LINES_SHOWN = 30, 12, 20
# Whether a change is beyond noise.
NOISE = {True: "yes", False: "no", None: "not known"}
# Longer source lines are cut.
LONGEST_LINE = 400


@view.register
def _(result: CompareResult) -> list[Part]:
    beyond = sum(each.beyond_noise is True for each in result.shown)
    facts = [
        Fact("Keys that differ", f"{len(result.configuration):,}"),
        Fact("Numbers that moved", f"{beyond:,} of {len(result.shown):,}", "beyond noise"),
    ]
    if result.limits is not None:
        facts += [
            Fact(f"Limit of {side}", limit, "", "strong") for side, limit in zip(("a", "b"), result.limits, strict=True)
        ]
    keys = [(each.key, cell_text(each.a), cell_text(each.b), each.unit) for each in result.configuration]
    columns = (text("key"), text("a"), text("b"), text("unit"))
    return [
        Title(f"{result.a}  and  {result.b}", f"comparison of two {result.kind}"),
        Facts(facts),
        Table("Keys that differ", columns, keys or [("none", "", "", "")], shown=KEYS_SHOWN),
        _moved("Numbers", result.shown, f"{result.basis}; bold: beyond noise", of_points=result.kind == "sweeps"),
        _moved("Parts that moved", result.measurements, f"{result.basis}; the largest change first", MOVED_SHOWN),
        _lines(result.lines),
        Notes(result.notes),
    ]


def _moved(title: str, rows: Sequence[Moved], said: str, shown: int | None = None, *, of_points: bool = False) -> Table:
    between = "difference at points" if of_points else "95 % of the difference"
    columns = (text("number"), BAR, "a", "b", "change", text("beyond noise"), text(between))
    marked = [at for at, each in enumerate(rows) if each.beyond_noise]
    return Table(title, columns, [_row(each) for each in rows], said, shown, marked)


def _row(each: Moved) -> tuple[Cell, ...]:
    """A number on both sides; a change of 100 % up or down fills the bar."""
    between, noise = "", NOISE[each.beyond_noise]
    bounds: tuple[float | None, float | None] = (None, None)
    if isinstance(each, MovedAtPoints):
        between = f"{cell_text(each.least_difference)} to {cell_text(each.most_difference)}"
        noise = _noise_at_points(each)
    if each.low is not None and each.high is not None:
        between = f"{cell_text(each.low)} to {cell_text(each.high)}"
        bounds = (each.low / abs(each.a), each.high / abs(each.a)) if each.a else bounds
    return (
        _readable(each.name),
        Bar(each.change or 0.0, "", *bounds, signed=True),
        cell_text(each.a),
        cell_text(each.b),
        "–" if each.change is None else f"{each.change:+.2%}",
        noise,
        between,
    )


def _noise_at_points(each: MovedAtPoints) -> str:
    """State at how many points a metric changed beyond noise, and in which direction."""
    if not each.beyond_noise:
        return NOISE[each.beyond_noise]
    ways = (("up", each.rose), ("down", each.fell))
    return f"{', '.join(f'{way} at {count:,}' for way, count in ways if count)} of {several(each.points, 'point')}"


def _readable(name: str) -> str:
    """Return a metric in words, with its part before the colon."""
    part, colon, metric = name.rpartition(": ")
    return f"{part}{colon}{label(metric)}"


def _lines(lines: Sequence[LineMoved]) -> Table:
    """Source lines of two programs, the largest change first."""
    rows = [
        (line.text[:LONGEST_LINE], line.a or "–", line.b or "–", *map(_both, line.costs), NOISE[line.beyond_noise])
        for line in lines
    ]
    columns = (wide("source"), text("a"), text("b"), "cycles", "stall", "instructions", text("beyond noise"))
    marked = [at for at, line in enumerate(lines) if line.beyond_noise]
    said = "values per packet; sorted by the change in cycles and stalls"
    return Table("Lines of the programs", columns, rows, said, LINES_SHOWN, marked)


def _both(moved: Moved) -> str:
    a, b = cell_text(moved.a), cell_text(moved.b)
    return a if a == b else f"{a} → {b}"
