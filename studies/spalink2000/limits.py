"""The lines of Spalink 2000: forwarding on the IXP1200, and the virtual router processor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.study.evidence import Evidence, Reading, largest, points, published
from linecard.study.limits import Contradiction

if TYPE_CHECKING:
    from linecard.study.compare import Cell
    from linecard.study.limits import Contradictions, Lines
    from linecard.study.spec import Study


def _rates(evidence: Evidence) -> Reading:
    """The rates of a context, of which the forwarding rates are multiples, and the only gain."""
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


def _bandwidths_above_the_bus(study: Study, limit: float) -> Contradiction:
    """S2: an access has a fixed time and its bytes at the speed of the bus; the time is fitted to one bandwidth.

    No document states that time. Fitted to one bandwidth, it leaves the other to be judged.
    """
    bits, mhz = (published(study, "section2_1_peaks.csv", column, memory="DRAM") for column in ("bits", "mhz"))
    peak = bits * mhz / 1e3
    measured = {
        size: published(study, "section3_2_dram.csv", "gbps", dram_transfer_bytes=f"{size}") for size in (64, 32)
    }
    took = {size: size * 8 / gbps for size, gbps in measured.items()}
    between = 32 * 8 / (took[64] - took[32])
    off = {}
    for chosen, judged in ((64, 32), (32, 64)):
        ns = took[chosen] + (judged - chosen) * 8 / peak
        off[judged] = judged * 8 / ns / measured[judged] - 1
    text = (
        f"{measured[64]:g} Gbit/s of 64 bytes and {measured[32]:g} of 32 move the 32 bytes between them at "
        f"{between:.2f}, above the {peak:.2f} of the bus; an access that meets 64 bytes is {off[32]:+.1%} off at 32, "
        f"and one that meets 32 {off[64]:+.1%} at 64, where {limit:.0%} are allowed"
    )
    return Contradiction(between > peak and min(map(abs, off.values())) > limit, text)


CONTRADICTIONS: Contradictions = {"S2": _bandwidths_above_the_bus}

LINES: Lines = {
    "S1": ("fraction", _rates),
    "S2": ("fraction", _dram),
    "S3": ("fraction", lambda evidence: largest(evidence.cells("1"))),
    "S4": ("fraction", lambda evidence: largest(evidence.cells("section4.2 set"), _lost)),
    "S5": ("points", lambda evidence: largest(evidence.cells("5"), points)),
    "S6": ("fraction", lambda evidence: largest(evidence.cells("4", columns=["cycles"]))),
}
