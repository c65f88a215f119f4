"""The part of a run's screen that tells classes and ports apart, where there are several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from linecard.cli.pieces import BIT_RATES, DIM, heading, lined, percent, section, si_time, unit_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from linecard.chip.breakdown import Part

# Kinds on the screen, what several of them are called, and how many have a row of their own.
_SHOWN = {"class": ("classes", 8), "output": ("ports, outward", 4), "input": ("ports, inward", 4)}
_COLUMNS = ("offered", "throughput", "loss", "inside", "p50", "p99")


def breakdown(parts: Sequence[Part]) -> list[RenderableType]:
    """A table of classes and ports, if there are several."""
    table = lined(("", "l"), *((name, "r") for name in _COLUMNS))
    shown = False
    for kind, (several, most) in _SHOWN.items():
        found = [part for part in parts if part.of == kind]
        if not found:
            continue
        shown = True
        if len(found) > most:
            table.add_row(Text(f"{len(found)} {several}", style=DIM), *_cells(found))
            continue
        for part in found:
            table.add_row(Text.assemble((f"{kind} ", DIM), part.name), *_cells([part]))
    return [section(heading("Classes and ports", "inside: packets there at the end"), table)] if shown else []


def _cells(parts: Sequence[Part]) -> tuple[str, ...]:
    """Rates, loss and latency of a part, or from the lowest to the highest of several."""
    offered = [part.offered_gbps or 0.0 for part in parts]
    throughput = [part.throughput_gbps or 0.0 for part in parts]
    loss = [part.loss_fraction for part in parts]
    inside = [part.packets_inside for part in parts]
    latency = [part.latency_ns for part in parts if part.latency_ns is not None]
    scaled, unit = unit_for(max(*offered, *throughput), BIT_RATES)
    rates = ((f"{min(each) * scaled:.3f}", f"{max(each) * scaled:.3f}") for each in (offered, throughput))
    times = ([each.p50 for each in latency], [each.p99 for each in latency])
    between = (
        (percent(min(loss), 2), percent(max(loss), 2)),
        (f"{min(inside):,}", f"{max(inside):,}"),
        *((si_time(min(each)), si_time(max(each))) if each else ("-", "-") for each in times),
    )
    return (*(f"{_range(*each)} {unit}" for each in rates), *(_range(*each) for each in between))


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"
