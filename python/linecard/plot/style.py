"""How every plot looks, and how one becomes a file (extra ``plot``; matplotlib is imported when the first is made).

Each plot is drawn without a display and comes out the same for the same numbers.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard import files
from linecard.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable

INK = "#1f2328"
MUTED = "#57606a"
# Width of a letter of a bar's label, on average.
LETTER_INCHES = 0.062
# One palette for every plot, after Okabe and Ito (2008): no two look alike to readers without red, green or blue.
# Marks go with the colours, so that nothing depends on them alone.
LINES = ("#0072b2", "#d55e00", "#009e73", "#b65f96", "#e69f00", "#56b4e9", "#1f2328", "#7818d8")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
# What is there for comparison: published numbers, wires, points that were only tried.
PALE, SOFT = "#b9c4d0", "#8cbfe0"
ERROR_BARS = {"ecolor": INK, "elinewidth": 1.1, "capsize": 3, "capthick": 1.1}
STYLE = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#e3e7eb",
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.hashsalt": "linecard",
    "figure.constrained_layout.use": True,
}


@dataclass(frozen=True, slots=True)
class Drawing:
    """One finished plot: PNG for a file, and an SVG element to stand inside a page."""

    png: bytes
    svg: str

    def write(self, path: str | Path) -> Path:
        """Write it as PNG or SVG, by the name of the file.

        Raises:
            ConfigError: The name ends in neither.
        """
        data = self.png if kind_of(path) == "png" else f'<?xml version="1.0" encoding="utf-8"?>\n{self.svg}'.encode()
        return files.write_bytes(path, data)

    def write_both(self, folder: Path, name: str) -> list[Path]:
        """Write it into a folder as PNG and as SVG; return their paths."""
        return [self.write(folder / f"{name}.{kind}") for kind in ("png", "svg")]


def kind_of(path: str | Path) -> str:
    """``png`` or ``svg``, by the name of a file.

    Raises:
        ConfigError: The name ends in neither.
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in {"png", "svg"}:
        raise ConfigError(f"cannot draw {path}: found the ending {Path(path).suffix!r}, expected .png or .svg")
    return kind


def load_pyplot() -> Any:
    """Matplotlib, drawing without a display.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtraError("a plot of a study", "report") from error
    mpl.use("Agg")
    from matplotlib import pyplot

    return pyplot


def draw(path: str | Path, make: Callable[[Any], Any]) -> Path:
    """Make a figure with pyplot in the style of all and write it, as PNG or SVG by the name.

    Raises:
        ConfigError: The name ends in neither, or the file cannot be written.
        MissingExtraError: The extra ``plot`` is not installed.
    """
    kind_of(path)
    pyplot = load_pyplot()
    with pyplot.rc_context(STYLE):
        drawing = finish(pyplot, make(pyplot))
    return drawing.write(path)


def finish(pyplot: Any, figure: Any) -> Drawing:
    """Turn a figure into bytes, the same for the same figure, and close it."""
    png, svg = io.BytesIO(), io.StringIO()
    figure.savefig(png, format="png", dpi=150, metadata={"Software": None})
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    text = svg.getvalue()
    return Drawing(png.getvalue(), text[text.index("<svg") :])
