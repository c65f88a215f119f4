"""Where axes begin: at zero if the picture allows it, else with the mark of an axis that is cut."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from linecard.plot.style import INK, MUTED

if TYPE_CHECKING:
    from collections.abc import Iterable

# An axis begins at zero unless what varies would take less than this share of it.
LEAST_SHARE = 0.25
HEADROOM = 0.08


def begin(axes: Any, values: Iterable[float], *, along: str = "y", least_share: float = LEAST_SHARE) -> bool:
    """Begin an axis at zero, or cut it and mark that; says whether it is cut.

    Args:
        axes: Axes of matplotlib.
        values: Everything that is drawn along it, ends of error bars included.
        along: ``y`` or ``x``.
        least_share: Share of the axis that values must take for it to begin at zero.
    """
    finite = [value for value in values if not math.isnan(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    limits = axes.set_ylim if along == "y" else axes.set_xlim
    room = (high - min(low, 0.0)) * HEADROOM or 1.0
    if low <= 0.0 or low == high or (high - low) / high >= least_share:
        limits(low - room if low < 0.0 else 0.0, high + room)
        return False
    room = (high - low) * 2 * HEADROOM
    limits(low - room, high + room)
    mark_cut(axes, along)
    return True


def mark_cut(axes: Any, along: str = "y") -> None:
    """Two strokes through the foot of an axis that does not begin at zero, and a word."""
    y = along == "y"
    for at in (0.012, 0.036):
        # Strokes keep their size whatever the axis shows.
        axes.plot(
            *((0, at) if y else (at, 0)),
            transform=axes.transAxes,
            clip_on=False,
            linestyle="none",
            marker=[(-1, -0.5), (1, 0.5)] if y else [(-0.5, -1), (0.5, 1)],
            markersize=9,
            color=INK,
            markeredgewidth=1.1,
            label="_cut",
            zorder=10,
        )
    axes.annotate(
        "axis cut: does not begin at 0",
        (0, 0) if y else (1, 0),
        xycoords="axes fraction",
        xytext=(6, 3) if y else (-4, 3),
        textcoords="offset points",
        ha="left" if y else "right",
        va="bottom",
        fontsize=7,
        color=MUTED,
        gid="cut axis",
    )
