"""The budget of an extension over packet rates, as a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.plot.style import LINES, MARKS, draw
from linecard.words import parts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from linecard.vrp.budget import VrpBudget


def write_budgets(budgets: Sequence[VrpBudget], path: str | Path) -> Path:
    """Draw cycles and transfers over the packet rate, as PNG or SVG (extra ``plot``)."""
    return draw(path, lambda pyplot: _figure(pyplot, budgets))


def _figure(pyplot: Any, budgets: Sequence[VrpBudget]) -> Any:
    figure, (cycles, transfers) = pyplot.subplots(1, 2, figsize=(8.6, 3.2))
    rates = [budget.rate_pps / 1e3 for budget in budgets]
    cycles.plot(rates, [budget["cycles"].budget for budget in budgets], marker=MARKS[0], ms=4, color=LINES[0])
    cycles.set_ylabel("cycles for each packet")
    cycles.set_title("Cycles", fontweight="normal")
    for number, name in enumerate(("dram_reads", "dram_writes", "sram_transfers")):
        counts = [budget[name].budget for budget in budgets]
        # Open marks of falling size: equal budgets lie on each other.
        look = {"marker": MARKS[number], "ms": 10 - 3 * number, "mfc": "none", "color": LINES[number]}
        transfers.plot(rates, counts, **look, label=parts(name)[0])
    transfers.set_ylabel("transfers of 32 bytes for each packet")
    transfers.set_title("Transfers", fontweight="normal")
    transfers.legend()
    for axes in (cycles, transfers):
        axes.set_xlabel("packets of 64 bytes (kpps)")
        axes.set_ylim(bottom=0)
    words = f"Budget of an extension on {budgets[0].preset}"
    figure.suptitle(words, x=0.01, ha="left", fontsize=10, fontweight="bold")
    return figure
