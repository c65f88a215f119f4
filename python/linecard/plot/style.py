"""How every plot looks, and how one becomes a file (extra ``plot``; matplotlib is imported when the first is made).

Each plot is drawn without a display and comes out the same for the same numbers.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linecard import files
from linecard.errors import ConfigError, MissingExtraError

INK = "#1f2328"
MUTED = "#57606a"
# Width of a letter of a bar's label, on average.
LETTER_INCHES = 0.062
LINES = ("#1f5fa8", "#c2571a", "#2c7a4b", "#8250a6", "#9a6700")
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
        raise MissingExtraError("a plot", "plot") from error
    mpl.use("Agg")
    from matplotlib import pyplot

    return pyplot


def finish(pyplot: Any, figure: Any) -> Drawing:
    """Turn a figure into bytes, the same for the same figure, and close it."""
    png, svg = io.BytesIO(), io.StringIO()
    figure.savefig(png, format="png", dpi=150, metadata={"Software": None})
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    text = svg.getvalue()
    return Drawing(png.getvalue(), text[text.index("<svg") :])
