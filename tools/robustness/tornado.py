"""The tornado chart of a study's mean error: a bar for the seeds, then a bar for each calibrated value, longest first.

The chart is drawn as SVG without a library, so that equal results produce equal bytes. A text in the picture and the
table beside it state the same numbers.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tools.robustness.result import error_text

if TYPE_CHECKING:
    from tools.robustness.result import Robustness

WIDTH, LABELS, RIGHT = 860, 310, 90
TOP, ROW, BAR, BOTTOM = 46, 26, 14, 34
# Both are readable on white and on black, and distinct for colour-blind readers.
STYLE = (
    "text{font:13px system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif;fill:#1f2328}"
    ".note{fill:#57606a}.cut{font-size:8px}.axis{stroke:#57606a;stroke-width:1}.base{stroke:#1f2328;stroke-width:1.5}"
    ".seeds{fill:#8b949e}.down{fill:#b9631a}.up{fill:#1f5fa8}"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.note{fill:#9da7b1}.axis{stroke:#9da7b1}.base{stroke:#e6edf3}"
    ".down{fill:#e08a3c}.up{fill:#5ea1ec}}"
)
LONGEST_LABEL = 44
MOST_TICKS = 7
# A bar more than this number of times as long as the next is cut and labelled with its value, so that the others stay
# visible.
FAR = 4


def tornado_text(found: Robustness) -> str:
    """The contents of the picture in words."""
    seeds = [outcome.error for outcome in found.by_seed.values() if outcome.error is not None]
    said = f"Tornado of {found.study}: mean error {error_text(found.base.error)} as chosen"
    if len(seeds) > 1:
        said += f", {error_text(min(seeds))} to {error_text(max(seeds))} over {len(seeds)} seeds"
    rows = [
        f"{each.key} {each.value:g}: {error_text(each.down.error)} with {each.low:g}, "
        f"{error_text(each.up.error)} with {each.high:g}"
        for each in found.variations
    ]
    return "; ".join([said, *rows]) + "."


def tornado(found: Robustness) -> str:
    """The picture as an SVG document."""
    base = found.base.error or 0.0
    seeds = [outcome.error for outcome in found.by_seed.values() if outcome.error is not None]
    errors = [base, *seeds]
    for each in found.variations:
        errors += [outcome.error for outcome in (each.down, each.up) if outcome.error is not None]
    low, high = _bounds(errors, base)
    height = TOP + ROW * (len(found.variations) + 1) + BOTTOM

    def place(error: float) -> float:
        return LABELS + (error - low) / (high - low) * (WIDTH - LABELS - RIGHT)

    def bar(row: int, kind: str, ends: tuple[float, float], top: float, thick: float, title: str) -> str:
        first, last = (place(min(max(end, low), high)) for end in sorted(ends))
        y = TOP + ROW * row + top
        cut = ""
        if max(ends) > high:
            cut = f'<text class="cut" x="{last + 4:.1f}" y="{y + thick:.1f}">{error_text(max(ends))}</text>'
        return (
            f'<rect class="{kind}" x="{first:.1f}" y="{y:.1f}" width="{max(last - first, 1):.1f}" '
            f'height="{thick:g}"><title>{escape(title)}</title></rect>{cut}'
        )

    def label(row: int, text: str) -> str:
        short = text if len(text) <= LONGEST_LABEL else "…" + text[1 - LONGEST_LABEL :]
        return f'<text x="{LABELS - 10}" y="{TOP + ROW * row + BAR - 2}" text-anchor="end">{escape(short)}</text>'

    drawn = [_key()]
    for tick in _ticks(low, high):
        x = place(tick)
        drawn.append(
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{height - BOTTOM}" y2="{height - BOTTOM + 5}"/>'
            f'<text class="note" x="{x:.1f}" y="{height - 10}" text-anchor="middle">{f"{tick * 100:g} %"}</text>'
        )
    drawn.append(
        f'<line class="axis" x1="{LABELS}" x2="{WIDTH - RIGHT}" y1="{height - BOTTOM}" y2="{height - BOTTOM}"/>'
    )
    first, last = next(iter(found.by_seed)), list(found.by_seed)[-1]
    drawn.append(label(0, f"seeds {first} to {last}" if first != last else f"seed {first} alone"))
    if seeds:
        title = f"{error_text(min(seeds))} to {error_text(max(seeds))}"
        drawn.append(bar(0, "seeds", (min(seeds), max(seeds)), 0, BAR, title))
    for row, each in enumerate(found.variations, start=1):
        drawn.append(label(row, f"{each.key} = {each.value:g}"))
        for kind, value, outcome, top in (("down", each.low, each.down, 0.0), ("up", each.high, each.up, BAR / 2)):
            if outcome.error is not None:
                title = f"{each.key} = {value:g}: {error_text(outcome.error)}"
                drawn.append(bar(row, kind, (base, outcome.error), top, BAR / 2, title))
    drawn.append(
        f'<line class="base" x1="{place(base):.1f}" x2="{place(base):.1f}" y1="{TOP - 6}" y2="{height - BOTTOM}"/>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-labelledby="title-{found.study} says-{found.study}">\n'
        f'<title id="title-{found.study}">Mean error of {escape(found.study)}, and what moves it</title>\n'
        f'<desc id="says-{found.study}">{escape(tornado_text(found))}</desc>\n<style>{STYLE}</style>\n'
        + "\n".join(drawn)
        + "\n</svg>\n"
    )


def _key() -> str:
    items = (("seeds", "lowest to highest of the seeds"), ("down", "a tenth down"), ("up", "a tenth up"))
    drawn, x = [], LABELS
    for kind, text in items:
        drawn.append(
            f'<rect class="{kind}" x="{x}" y="10" width="12" height="12"/><text x="{x + 17}" y="21">{text}</text>'
        )
        x += 34 + 7 * len(text)
    return "".join(drawn) + f'<text class="note" x="{LABELS - 10}" y="21" text-anchor="end">mean error</text>'


def _bounds(errors: list[float], base: float) -> tuple[float, float]:
    """The range of the axis: all errors except far outliers, and a margin on both sides."""
    kept = sorted(errors, key=lambda error: abs(error - base))
    while len(kept) > 2 and 0 < FAR * abs(kept[-2] - base) < abs(kept[-1] - base):
        kept.pop()
    low, high = min(kept), max(kept)
    # If nothing moves, the range is a tenth of the error.
    room = max((high - low) * 0.05, 0.05 * high, 1e-6)
    return max(low - room, 0.0), high + room


def _ticks(low: float, high: float) -> list[float]:
    """Round percentages between two errors, at most ``MOST_TICKS``."""
    # Hundredths of a percent are the smallest steps that are written.
    steps = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
    step = next((each for each in steps if (high - low) / each <= MOST_TICKS), 1.0)
    first = int(low / step) + 1
    return [round(number * step, 10) for number in range(first, int(high / step) + 1)]
