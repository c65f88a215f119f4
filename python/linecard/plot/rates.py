"""The plot of `linecard ndr`: rates over frame sizes beside the line rate, and the loss of every trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.plot.style import INK, LINES, MARKS, PALE, SOFT, draw

if TYPE_CHECKING:
    from pathlib import Path

    from linecard.explore.ndr_result import NdrResult

# Where a loss of zero stands on an axis of logarithms.
_NONE = 1e-3


def write_rates(result: NdrResult, path: str | Path) -> Path:
    """Draw rates and losses as PNG or SVG, as the name ends.

    Raises:
        ConfigError: The name ends in neither, or the file cannot be written.
        MissingExtraError: The extra ``plot`` is not installed.
    """
    return draw(path, lambda pyplot: _figure(pyplot, result))


def _figure(pyplot: Any, result: NdrResult) -> Any:
    figure, (rates, losses) = pyplot.subplots(1, 2, figsize=(11, 4))
    rows = result.rows
    places = range(len(rows))
    rates.bar(places, [row.line_mpps for row in rows], color=PALE, width=0.8, label="what the wires carry")
    sides = ((-0.17, "ndr_mpps", LINES[0], "no-drop rate"), (0.17, "pdr_mpps", SOFT, "partial-drop rate"))
    for shift, name, colour, words in sides:
        values = [getattr(row, name) for row in rows]
        rates.bar([place + shift for place in places], values, color=colour, width=0.34, label=words)
    rates.set_xticks(list(places), [_frames(row.traffic) for row in rows])
    rates.set_xlabel("frames")
    rates.set_ylabel("rate of all ports together (Mpps)")
    rates.set_title("Rates", fontweight="normal")
    rates.legend()
    for number, row in enumerate(rows):
        tried = sorted(row.tried, key=lambda trial: trial.load_mpps)
        shares = [trial.load_mpps / row.line_mpps * 100 for trial in tried]
        lost = [max(trial.lost * 100, _NONE) for trial in tried]
        mark, colour = MARKS[number % len(MARKS)], LINES[number % len(LINES)]
        losses.plot(shares, lost, marker=mark, ms=4, lw=0.8, color=colour, label=_frames(row.traffic))
    losses.set_yscale("log")
    losses.axhline(0.5, color=INK, lw=0.8, linestyle="--")
    words = "most that a partial-drop rate loses"
    losses.text(0.01, 0.5, words, color=INK, fontsize=8, va="bottom", transform=losses.get_yaxis_transform())
    losses.set_yticks([_NONE, 0.01, 0.1, 1, 10, 100], ["none", "0.01", "0.1", "1", "10", "100"])
    losses.set_xlim(left=0)
    losses.set_xlabel("load (% of the wires)")
    losses.set_ylabel("lost (%)")
    losses.set_title("Trials", fontweight="normal")
    losses.legend()
    figure.suptitle(f"{result.chip}: rates without loss", x=0.01, ha="left", fontsize=10, fontweight="bold")
    return figure


def _frames(traffic: str) -> str:
    return f"{traffic} bytes" if traffic.isdigit() else traffic.upper() if traffic == "imix" else traffic
