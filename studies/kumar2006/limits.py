"""The lines of Kumar 2006: queue managers and the queuing cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.study.evidence import Evidence, Reading, largest, mean, published, turned
from linecard.study.limits import Contradiction

if TYPE_CHECKING:
    from linecard.study.limits import Contradictions, Lines
    from linecard.study.spec import Study

# Numbers of section 4. Table 5 follows from Table 1 by arithmetic, Table 6 is of section 5.
SECTION_4 = ("throughput", "ratios", "threads", "weights", "sets")
MANAGERS = ("qc", "sqc", "dc", "nc")
FIGURES = ("figure5", "figure6a", "figure6b", "figure7a", "figure8a", "figure8b", "figure9a", "figure9b")
THREADS = 32


def _orders(evidence: Evidence) -> Reading:
    """Pairs of managers that a table ranks, and pairs that the text ranks in a figure."""
    ranked = turned(evidence.orders(*SECTION_4))
    shapes = [
        (figure, shape)
        for figure in FIGURES
        for shape in evidence.shapes(figure)
        if {word for word in MANAGERS if word in shape.id.split()}
    ]
    if ranked.measured is None or any(shape.holds is None for _, shape in shapes):
        return Reading(None, "a run failed")
    wrong = [f"{figure}, {shape.id}" for figure, shape in shapes if not shape.holds]
    said = f"{ranked.detail}; {len(shapes)} orders in figures" + "".join(f"; {name}" for name in wrong)
    return Reading(ranked.measured + len(wrong), said)


def _resembles(evidence: Evidence) -> Reading:
    """The ratio of the queuing cache to each other manager, for edge traffic and for exponential weights of 1.1."""
    ratios: dict[str, dict[str, float]] = {}
    for figure, series in (("figure9a", "edge"), ("figure8a", "L1.1")):
        curves = {manager: evidence.curve(figure, series, f"{manager}_mops") for manager in MANAGERS}
        rates = {manager: None if curve is None else curve[THREADS] for manager, curve in curves.items()}
        if not all(rates.values()):
            return Reading(None, "a run failed")
        own = rates["qc"] or 0.0
        ratios[series] = {manager: own / rate for manager, rate in rates.items() if rate and manager != "qc"}
    apart = {manager: abs(ratios["edge"][manager] / value - 1) for manager, value in ratios["L1.1"].items()}
    said = ", ".join(f"qc over {name}: {ratios['edge'][name]:.2f} and {ratios['L1.1'][name]:.2f}" for name in apart)
    return Reading(max(apart.values()), f"edge and L1.1, {THREADS} threads: {said}")


def _hardware(evidence: Evidence) -> Reading:
    """Operations for which the RTL responded as the model, over the runs that `make rtl` recorded."""
    cells = evidence.cells("rtl")
    if any(cell.measured is None for cell in cells):
        return Reading(None, "the recorded runs cannot be read")
    operations = sum(int(cell.measured or 0) for cell in cells if cell.column == "operations")
    mismatches = sum(int(cell.measured or 0) for cell in cells if cell.column == "mismatches")
    spoiled = f"{mismatches} mismatches" if mismatches else ""
    return Reading(operations, f"{operations:,} operations, {mismatches} mismatches", spoiled=spoiled)


def _weights_and_worst_cases(study: Study, limit: float) -> Contradiction:
    """K3: where locality no longer helps, the heaviest queue gets its share of the peak, which is the worst case.

    dc and sqc have the same peak, so that the ratio of their weights is that of their worst cases.
    """
    weights = {manager: published(study, "weights.csv", "weight_percent", manager=manager) for manager in ("sqc", "dc")}
    over = {name: published(study, "ratios.csv", "ratio", workload="SD1_100", over=name) for name in ("sqc", "dc")}
    peaks = {
        name: published(study, "throughput.csv", "throughput_mops", workload="core", manager=name)
        for name in ("sqc", "dc")
    }
    worst_cases = over["dc"] / over["sqc"] * peaks["dc"] / peaks["sqc"]
    most = weights["sqc"] * (1 + limit) / (weights["dc"] * (1 - limit))
    text = (
        f"worst cases of {over['sqc']:g} and {over['dc']:g} (qc over sqc and dc) and equal peaks of {peaks['sqc']:g} M "
        f"put the weight of sqc at {worst_cases:.2f} times that of dc; both within {limit:.0%} of {weights['sqc']:g} "
        f"and {weights['dc']:g} % leave {most:.2f} at most"
    )
    return Contradiction(worst_cases > most, text)


CONTRADICTIONS: Contradictions = {"K3": _weights_and_worst_cases}

LINES: Lines = {
    "K1": ("fraction", lambda evidence: mean(evidence.cells(*SECTION_4))),
    "K2": ("fraction", lambda evidence: largest(evidence.cells(*SECTION_4))),
    "K3": ("fraction", lambda evidence: largest(evidence.cells("weights"))),
    "K4": ("fraction", lambda evidence: largest(evidence.cells("sets"))),
    "K5": ("count", _orders),
    "K6": ("fraction", lambda evidence: largest(evidence.cells("5"))),
    "K7": ("fraction", _resembles),
    "K8": ("count", _hardware),
}
