"""The budget of an extension over packet rates, as a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.plot.style import LINES, STYLE, finish, load_pyplot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from linecard.vrp.budget import VrpBudget


def write_budgets(budgets: Sequence[VrpBudget], path: str | Path) -> Path:
    """Draw cycles and transfers over the packet rate, as PNG or SVG (extra ``plot``)."""
    pyplot = load_pyplot()
    with pyplot.rc_context(STYLE):
        figure, (cycles, transfers) = pyplot.subplots(1, 2, figsize=(8.6, 3.1))
        rates = [budget.rate_pps / 1e3 for budget in budgets]
        cycles.plot(rates, [budget["cycles"].budget for budget in budgets], marker="o", ms=4, color=LINES[0])
        cycles.set_title("Cycles", fontweight="normal")
        for number, name in enumerate(("dram_reads", "dram_writes", "sram_transfers")):
            counts = [budget[name].budget for budget in budgets]
            label = name.replace("_", " ")
            transfers.plot(rates, counts, marker="o", ms=4, color=LINES[number], label=label)
        transfers.set_title("Transfers of 32 bytes", fontweight="normal")
        transfers.legend(fontsize=8)
        for axes in (cycles, transfers):
            axes.set_xlabel("packets of 64 bytes (kpps)")
            axes.set_ylim(bottom=0)
        figure.suptitle(
            f"Budget of an extension on {budgets[0].preset}", x=0.01, ha="left", fontsize=10, fontweight="bold"
        )
        drawing = finish(pyplot, figure)
    return drawing.write(path)
