"""The lines of Spalink 2000: forwarding on the IXP1200, and the virtual router processor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.study.scorecard.evidence import Evidence, Reading, largest, points

if TYPE_CHECKING:
    from linecard.study.compare import Cell
    from linecard.study.scorecard import Lines


def _rates(evidence: Evidence) -> Reading:
    """The rates of a context, which the forwarding rates are multiples of, and the one gain."""
    rates = largest(evidence.cells("section3.1"))
    gains = evidence.gains("section3.1 rates")
    if rates.measured is None or any(gain.error is None for gain in gains):
        return Reading(None, "a run failed", rates.calibrated)
    worst = max(gains, key=lambda gain: abs(gain.error or 0.0))
    off = abs(worst.error or 0.0)
    if off <= rates.measured:
        return rates
    said = f"{worst.text}: {worst.published_percent:g} % published, {worst.measured_percent:.1f} % measured"
    return Reading(off, f"{said}; rates alone {rates.measured:.1%}, {rates.detail}", rates.calibrated)


def _dram(evidence: Evidence) -> Reading:
    cells = evidence.cells("section3.2")
    counted = [cell for cell in cells if not cell.calibrated]
    inside = tuple(cell for cell in cells if cell.calibrated)
    if not counted:
        return Reading(None, f"nothing is left to count: all {len(cells)} cells are calibrated", inside)
    found = largest(cells)
    return Reading(found.measured, found.detail, inside)


def _lost(cell: Cell) -> float | None:
    """Packets lost, as a fraction; the printed number is its bound."""
    return None if cell.measured is None else cell.measured / 100


LINES: Lines = {
    "S1": ("fraction", _rates),
    "S2": ("fraction", _dram),
    "S3": ("fraction", lambda evidence: largest(evidence.cells("1"))),
    "S4": ("fraction", lambda evidence: largest(evidence.cells("section4.2 set"), _lost)),
    "S5": ("points", lambda evidence: largest(evidence.cells("5"), points)),
    "S6": ("fraction", lambda evidence: largest(evidence.cells("4", columns=["cycles"]))),
}
