"""The lines of Girish 2008: packet buffers of the IXP2400, dynamic buffering, digest caches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.study.compare import mean_abs
from linecard.study.evidence import (
    Evidence,
    Reading,
    cell_name,
    largest,
    points,
    published,
    shapes_kept,
)
from linecard.study.limits import Contradiction

if TYPE_CHECKING:
    from linecard.study.compare import Cell
    from linecard.study.limits import Contradictions, Lines
    from linecard.study.spec import Study

CHAPTER_3 = ("3.3", "3.4", "3.5", "3.6")
RATES = ("throughput_mbps", "bandwidth_gbps")
UTILISATIONS = ("bus_percent", "banks_percent", "hash_percent", "me_percent")
# Columns of tables 4.3 and 4.4 by number of microengines: packets dropped and transmitted.
TRENDS = ("drops", "transmitted")
CONTRADICTION_MBPS = 7505
DYNAMIC_DROPS_PERCENT = 0.2
# Windows of DRAM buffering in which printed rates and drops belong together, by table.
STATIONARY_MBPS = {"table4_1": (4906, 5422, 5519, 5571, 5667), "table4_2": (5496, 5633, 5802)}
# The largest error of drops in tables 4.1 and 4.2 (G7, G9), in percentage points.
DROPS_POINTS = 1.0


def _of_measured(cell: Cell) -> float | None:
    """The measured difference between two models, as a fraction; the printed number is its bound."""
    return None if cell.measured is None else abs(cell.measured) / 100


def _gains(evidence: Evidence) -> Reading:
    gains = evidence.gains("section3.6")
    if any(gain.difference_points is None for gain in gains):
        return Reading(None, "a run failed")
    worst = max(gains, key=lambda gain: abs(gain.difference_points or 0.0))
    said = f"{worst.text}: {worst.published_percent:g} % published, {worst.measured_percent:.2f} % measured"
    average = mean_abs(gain.difference_points for gain in gains)
    return Reading(
        abs(worst.difference_points or 0.0), f"largest of {len(gains)} gains: {said}; mean {average:.1f} points"
    )


def _drops_of_4_1(evidence: Evidence) -> Reading:
    """Drops within points of the printed ones, and almost none with dynamic buffering."""
    cells = evidence.cells("4.1 drops")
    found = largest(cells, points)
    above = [
        cell
        for cell in cells
        if cell.keys["scheme"] == "DYNAMIC" and (cell.measured is None or cell.measured >= DYNAMIC_DROPS_PERCENT)
    ]
    spoiled = f"dynamic buffering drops {DYNAMIC_DROPS_PERCENT} % or more: {cell_name(above[0])}" if above else ""
    return Reading(found.measured, found.detail, found.calibrated, spoiled=spoiled)


def _drops_of_4_2(evidence: Evidence) -> Reading:
    cells = [cell for cell in evidence.cells("4.2 drops") if cell.keys["input_mbps"] != CONTRADICTION_MBPS]
    return largest(cells, points)


def _factor(cell: Cell) -> float | None:
    """The factor between the measured and the printed value, in either direction."""
    if not cell.measured:
        return None
    return max(cell.measured / cell.published, cell.published / cell.measured)


def _trends(evidence: Evidence) -> Reading:
    return shapes_kept(evidence.shapes("section4.5 trends", lambda name: any(word in name for word in TRENDS)))


def _rates_and_drops(study: Study, limit: float) -> Contradiction:
    """G8: bytes lost per dropped packet, relative to their fractions, are as in the other windows of DRAM buffering.

    A rate within the limit then requires more drops than are printed for this window, beyond the permitted error.
    """

    def printed(table: str, column: str, mbps: int) -> float:
        return published(study, f"{table}.csv", column, input_mbps=f"{mbps}", scheme="DRAM")

    def lost(rate: float, mbps: int) -> float:
        return 100 * (1 - rate / mbps)

    ratios = [
        lost(printed(table, "transmit_mbps", mbps), mbps) / printed(f"{table}_drops", "dropped_percent", mbps)
        for table, windows in STATIONARY_MBPS.items()
        for mbps in windows
    ]
    rate = printed("table4_2", "transmit_mbps", CONTRADICTION_MBPS)
    drops = printed("table4_2_drops", "dropped_percent", CONTRADICTION_MBPS)
    least = lost(rate * (1 + limit), CONTRADICTION_MBPS) / max(ratios)
    text = (
        f"bytes lost for each packet dropped are {min(ratios):.2f} to {max(ratios):.2f} times their share in "
        f"{len(ratios)} windows of DRAM buffering, {lost(rate, CONTRADICTION_MBPS) / drops:.2f} in that of "
        f"{CONTRADICTION_MBPS} Mbit/s: a rate within {limit:.0%} of {rate:g} means at least {least:.1f} % dropped, "
        f"where {drops:g} are printed and {DROPS_POINTS:g} point is allowed"
    )
    return Contradiction(least > drops + DROPS_POINTS, text)


CONTRADICTIONS: Contradictions = {"G8": _rates_and_drops}

LINES: Lines = {
    "G1": ("fraction", lambda evidence: largest(evidence.cells("3.2"), _of_measured)),
    "G2": ("fraction", lambda evidence: largest(evidence.cells("figure3.6"))),
    "G3": ("points", _gains),
    "G4": ("fraction", lambda evidence: largest(evidence.cells(*CHAPTER_3, columns=RATES))),
    "G5": ("points", lambda evidence: largest(evidence.cells("3.3", "3.4", "3.6", columns=UTILISATIONS), points)),
    "G6": ("fraction", lambda evidence: largest(evidence.cells("4.1", where={"scheme": "DRAM"}))),
    "G7": ("points", _drops_of_4_1),
    "G8": ("fraction", lambda evidence: largest(evidence.cells("4.2"))),
    "G9": ("points", _drops_of_4_2),
    "G10": ("factor", lambda evidence: largest(evidence.cells("4.1 in DRAM", "4.2 in DRAM"), _factor)),
    "G11": ("count", _trends),
    "G12": ("points", lambda evidence: largest(evidence.cells("4.5 drops"), points)),
    "G13": ("fraction", lambda evidence: largest(evidence.cells("4.6", "4.7", "4.7 bus"))),
    "G14": ("points", lambda evidence: largest(evidence.cells("section5.4"), points)),
    "G15": ("fraction", lambda evidence: largest(evidence.cells("5.1"))),
    "G16": ("fraction", lambda evidence: largest(evidence.cells("models"), _of_measured)),
}
