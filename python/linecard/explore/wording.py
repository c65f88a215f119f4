"""Formats table values as text for screens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.chip.length import DOUBTS, NOT_CONFIRMED, NOT_PRECISE, NOT_STEADY, RATE_ONLY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linecard.explore.compare_result import LineMoved, Moved


def change_text(moved: Moved) -> str:
    """A relative change as text."""
    return "–" if moved.change is None else f"{moved.change:+.2%}"


def noise_text(moved: Moved | LineMoved) -> str:
    """A text that states whether a change is beyond noise."""
    return {True: "yes", False: "no", None: "not known"}[moved.beyond_noise]


def doubts_text(states: Sequence[str], lengths: Sequence[int], lengthened: int) -> tuple[str, ...]:
    """Return remarks on inconclusive rows, with advice, and on runs that are longer than requested.

    Args:
        states: The status of each row.
        lengths: Packet counts of the final runs, ascending.
        lengthened: Number of rows whose run is longer than requested.
    """
    to_change = {
        RATE_ONLY: "their throughput is conclusive (the same in shorter runs), loss and latency are not",
        NOT_STEADY: "simulate more packets (--packets), or lower the offered load",
        NOT_PRECISE: "simulate more packets (--packets), or request a lower precision",
        NOT_CONFIRMED: "simulate more packets (--packets), or bound the buffers",
    }
    most, of = lengths[-1] if lengths else 0, f"of {len(states):,}"
    within = f", with up to {most:,} packets per run" if most else ""
    counts = {each: states.count(each) for each in DOUBTS}
    said = [f"{each}: {n:,} {of} points{within}; {to_change[each]}" for each, n in counts.items() if n]
    if lengthened:
        said.append(f"{lengthened:,} {of} runs were lengthened until conclusive: up to {most:,} packets")
    return tuple(said)


def cell_text(value: Any) -> str:
    """Format a table value as text."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return str(value)


# Wording of the loads of `linecard why`.
LOADS = {
    "as given": "traffic as given",
    "saturated": "a packet always waits",
    "full wires": "the capacity of the wires",
}
