"""The lines of Mudigonda 2007: threads against cache, and cores that adapt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.study.evidence import Evidence, Reading, cell_name, largest, points

if TYPE_CHECKING:
    from linecard.study.compare import Cell
    from linecard.study.limits import Lines

NEAR_TH_EQ = 2.0


def _best_splits(evidence: Evidence) -> Reading:
    """Programs of the text whose best split is close to the printed one: a number, or both ends of a range."""
    cells = evidence.cells("figure2a")
    programs: dict[str, list[Cell]] = {}
    for cell in cells:
        programs.setdefault(str(cell.keys["application"]), []).append(cell)
    inside = tuple(cell for cell in cells if cell.calibrated)
    if any(cell.measured is None for cell in cells):
        return Reading(None, "a run failed", inside, of=len(programs))
    far = {
        name: max(abs(cell.difference or 0.0) for cell in each)
        for name, each in programs.items()
        if any(abs(cell.difference or 0.0) > NEAR_TH_EQ for cell in each)
    }
    named = ", ".join(f"{name} {programs[name][0].measured:.0f} ({away:.0f} away)" for name, away in far.items())
    return Reading(len(programs) - len(far), f"further away: {named}" if far else "", inside, of=len(programs))


def _against(evidence: Evidence, against: str) -> Reading:
    return largest(evidence.cells("figure3", where={"against": against}), points)


def _missed(cell: Cell) -> float | None:
    """Registers missed, as a fraction; the printed number is its bound."""
    return None if cell.measured is None else cell.measured / 100


def _adapted(evidence: Evidence) -> Reading:
    """The program whose adapting core is furthest below its best number of threads."""
    cells = evidence.cells("adaptation")
    found = [(cell.measured, cell) for cell in cells if cell.measured is not None]
    if len(found) < len(cells):
        return Reading(None, "a run failed")
    least, cell = min(found, key=lambda pair: pair[0])
    return Reading(least / 100, f"least of {len(cells)}: {cell_name(cell)}")


LINES: Lines = {
    "M1": ("count", _best_splits),
    "M2": ("th-eq", lambda evidence: largest(evidence.cells("figure2b"), points)),
    "M3": ("points", lambda evidence: _against(evidence, "ixp2800")),
    "M4": ("points", lambda evidence: _against(evidence, "optimal fixed")),
    "M5": ("points", lambda evidence: largest(evidence.cells("figure8"), points)),
    "M6": ("points", lambda evidence: largest(evidence.cells("figure8b"), points)),
    "M7": ("fraction", lambda evidence: largest(evidence.cells("figure6"), _missed)),
    "M8": ("fraction", lambda evidence: largest(evidence.cells("section4.2: bandwidth"))),
    "M9": ("points", lambda evidence: largest(evidence.cells("section7"), points)),
    "M10": ("fraction", _adapted),
    "M11": ("points", lambda evidence: largest(evidence.cells("termination"), points)),
}
