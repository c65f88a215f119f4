"""Values of tables in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linecard.explore.compare_result import Moved


def change_text(moved: Moved) -> str:
    """A change for people."""
    return "–" if moved.change is None else f"{moved.change:+.2%}"


def noise_text(moved: Moved) -> str:
    """Whether a change is beyond noise, for people."""
    return {True: "yes", False: "no", None: "not known"}[moved.beyond_noise]


def unsteady_text(unsteady: int, points: int) -> str:
    """How many points were not steady, and what to do about it; empty where all were."""
    if not unsteady:
        return ""
    return f"not steady: {unsteady:,} of {points:,} points; give more packets, or less traffic"


def cell_text(value: Any) -> str:
    """A value of the table for people."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return str(value)


# What `linecard why` offered, in words.
LOADS = {
    "as given": "traffic as given",
    "saturated": "a packet always waits",
    "full wires": "as much as its wires carry",
}
