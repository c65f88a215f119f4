"""Budgets for extensions at several packet rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.several import Several
from linecard.view import Axis, Chart, Part, Series, view, view_of
from linecard.vrp.budget import VrpBudget, vrp_budget
from linecard.words import parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from linecard.request import ProgressCallback, Settings


class VrpBudgets(Several[VrpBudget]):
    """The budgets for extensions at several packet rates."""


def budgets_over(
    chip: str,
    rates: Iterable[str | float],
    *,
    set: Settings | None = None,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> VrpBudgets:
    """Compute the budgets for extensions at several packet rates."""
    found = [vrp_budget(chip, rate, set=set, seed=seed, progress=progress) for rate in rates]
    return VrpBudgets(found, "budgets", "rate_pps")


@view.register
def _(result: VrpBudgets) -> list[Part]:
    found: list[Part] = [part for each in result.results for part in view_of(each)]
    if len(result.results) == 1:
        return found
    rates = Axis("packets of 64 bytes, kpps", zero=True)

    def over(*names: str) -> list[Series]:
        return [
            Series(
                parts(name)[0] if len(names) > 1 else "",
                [(each.rate_pps / 1e3, each[name].budget) for each in result.results],
            )
            for name in names
        ]

    transfers = over("dram_reads", "dram_writes", "sram_transfers")
    return [
        *found,
        Chart("Cycles", rates, Axis("cycles per packet", zero=True), over("cycles")),
        Chart("Transfers", rates, Axis("transfers of 32 bytes per packet", zero=True), transfers),
    ]
