"""The plot of `linecard ndr`: rates over frame sizes beside the line rate, and the loss of every trial."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from linecard.errors import MissingExtraError
from linecard.files import write_file
from linecard.plot.style import kind_of

if TYPE_CHECKING:
    from linecard.explore.ndr_result import NdrResult

_LINE, _NDR, _PDR = "#c9ced6", "#2f6db5", "#8fb4dd"
_MARKS = "osD^vPX*"
# Where a loss of zero stands on an axis of logarithms.
_NONE = 1e-3


def write_rates(result: NdrResult, path: str | Path) -> Path:
    """Draw rates and losses as PNG or SVG, as the name ends.

    Raises:
        ConfigError: The name ends in neither, or the file cannot be written.
        MissingExtraError: The extra ``plot`` is not installed.
    """
    path, kind = Path(path), kind_of(path)
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("a plot", "plot") from error
    with rc_context({"svg.hashsalt": "linecard", "font.size": 9}):
        figure = Figure(figsize=(11, 4), layout="constrained")
        rates, losses = figure.subplots(1, 2, width_ratios=(1, 1))
        rows = result.rows
        places = range(len(rows))
        rates.bar(places, [row.line_mpps for row in rows], color=_LINE, width=0.8, label="wires carry")
        for shift, name, colour in ((-0.17, "ndr_mpps", _NDR), (0.17, "pdr_mpps", _PDR)):
            values = [getattr(row, name) for row in rows]
            rates.bar([place + shift for place in places], values, color=colour, width=0.34, label=name[:3].upper())
        rates.set_xticks(list(places), [row.traffic for row in rows])
        rates.set_xlabel("frames")
        rates.set_ylabel("Mpps, all ports together")
        rates.set_title(f"{result.chip}: rates", loc="left", fontsize=10)
        rates.legend(fontsize=8, frameon=False)
        for number, row in enumerate(rows):
            tried = sorted(row.tried, key=lambda trial: trial.load_mpps)
            shares = [trial.load_mpps / row.line_mpps * 100 for trial in tried]
            lost = [max(trial.lost * 100, _NONE) for trial in tried]
            mark = _MARKS[number % len(_MARKS)]
            losses.plot(shares, lost, marker=mark, ms=4, lw=0.8, label=row.traffic)
        losses.set_yscale("log")
        losses.axhline(0.5, color="#c4722e", lw=0.8)
        losses.text(0.01, 0.5, "PDR", color="#c4722e", fontsize=8, va="bottom", transform=losses.get_yaxis_transform())
        ticks = [_NONE, 0.01, 0.1, 1, 10, 100]
        losses.set_yticks(ticks, ["none", "0.01", "0.1", "1", "10", "100"])
        losses.set_xlim(left=0)
        losses.set_xlabel("load, % of the wires")
        losses.set_ylabel("lost, %")
        losses.set_title("Trials", loc="left", fontsize=10)
        losses.legend(fontsize=8, frameon=False)
        for axes in (rates, losses):
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
        metadata = {"Software": None} if kind == "png" else {"Date": None}
        return write_file(path, lambda file: figure.savefig(file, format=kind, dpi=120, metadata=metadata))
