"""The lines of Hasan 2003: packet buffers on the IXP1200."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from linecard.catalogue import describe
from linecard.study.compare import Sample, find_orders, is_tie, item_name, max_abs, mean_abs, quantities
from linecard.study.evidence import (
    Evidence,
    NotRunError,
    Reading,
    largest,
    mean,
    points,
    shapes_kept,
    turned,
)

if TYPE_CHECKING:
    from linecard.study.compare import Cell
    from linecard.study.limits import Lines

THROUGHPUT = ("1", "2", "3", "4", "6", "7", "8", "9", "10", "11")
TIE_PERCENT = 2.0
SEEDS = range(1, 9)
# Presets whose tables of parameters belong to the programs, not to the machine.
APPLICATIONS = ("program", "nat", "firewall")
# Parts that these designs do not have, or that no packet of these runs uses.
ABSENT = (
    "buffer.rx",
    "core",
    "host",
    "memory.fifo",
    "memory.transfers",
    "pci",
    "traffic",
    "unit.cache",
    "unit.queues",
    "vrp",
)
# Words by which a preset marks a value that no document states, and a value that was chosen to fit.
UNSTATED = re.compile(r"\bnot stated\b")
CHOSEN = re.compile(r"\b(calibrated|chosen) (on|with)\b")


def _turned_by_a_seed(evidence: Evidence) -> Reading:
    """Pairs that any of the seeds reverses, if each table is ranked by the numbers of that seed alone."""
    found: dict[tuple[str, str, str, str], set[int]] = {}
    pairs: set[tuple[str, str, str, str]] = set()
    for name in THROUGHPUT:
        table = evidence.table(name)
        seeds = evidence.study.spec.full.seeds
        fewer = [len(cell.sample.values) < len(SEEDS) for cell in table.cells]
        if not set(SEEDS) <= set(seeds) or all(fewer):
            raise NotRunError(f"{name} with seeds {SEEDS[0]} to {SEEDS[-1]}")
        if any(fewer):
            return Reading(None, f"a run of {item_name(name)} failed with one of the seeds {SEEDS[0]} to {SEEDS[-1]}")
        for seed in SEEDS:
            for order in find_orders([_alone(cell, seeds.index(seed)) for cell in table.cells], table.spec.rank):
                if is_tie(order, TIE_PERCENT):
                    continue
                group = " ".join(str(value) for value in order.group.values())
                pair = (item_name(name), group, str(order.first), str(order.second))
                pairs.add(pair)
                if order.agrees is False:
                    found.setdefault(pair, set()).add(seed)
    named = "; ".join(
        f"{table}, {group}: {first} over {second} (seeds {', '.join(map(str, sorted(seeds)))})"
        for (table, group, first, second), seeds in found.items()
    )
    return Reading(len(found), f"of {len(pairs)} pairs" + (f"; {named}" if named else ""))


def _alone(cell: Cell, seed: int) -> Cell:
    return replace(cell, sample=Sample((cell.sample.values[seed],)))


def _figure_5(evidence: Evidence) -> Reading:
    """The two statements of section 6.4 about the sweep over k, each judged by the points alone."""
    throughput = evidence.curve("figure5", "4 banks", "throughput_gbps")
    reads = evidence.curve("figure5", "4 banks", "observed_batch_read")
    writes = evidence.curve("figure5", "4 banks", "observed_batch_write")
    if throughput is None or reads is None or writes is None:
        return Reading(None, "a run failed", of=2)
    ordered = [throughput[k] for k in (1, 2, 4, 8, 16)]
    rises = all(later > earlier for earlier, later in pairwise(ordered[:3]))
    drops = all(later < ordered[2] for later in ordered[3:])
    apart = all(writes[k] > reads[k] for k in (8, 16))
    said = ", ".join(f"{k}: {value:.3f}" for k, value in throughput.items())
    batches = ", ".join(f"{k}: {writes[k]:.2f} against {reads[k]:.2f}" for k in (8, 16))
    return Reading((rises and drops) + apart, f"throughput {said}; batches of writes against reads {batches}", of=2)


def _gains(evidence: Evidence) -> Reading:
    gains = [gain for gain in evidence.gains(*THROUGHPUT) if not gain.calibrated]
    if any(gain.difference_points is None for gain in gains):
        return Reading(None, "a run failed")
    off = [gain.difference_points for gain in gains]
    return Reading(mean_abs(off), f"over {len(gains)} gains; largest {max_abs(off):.1f}")


def _free_choices(evidence: Evidence) -> Reading:
    """Values of the machine that no document states and that were chosen, as declared in the study or by a preset.

    Values that were taken from a documented part because no document states them are listed beside them.
    """
    spec = evidence.study.spec
    chosen = {key for calibration in spec.calibrations for key in calibration.keys}
    taken_over = set()
    presets = {change.preset for column in spec.columns.values() for change in column.values.values()}
    for preset in sorted(name for name in presets if name):
        for parameter in describe(preset).parameters:
            if CHOSEN.search(parameter.source):
                chosen.add(parameter.key)
            elif UNSTATED.search(parameter.source) and parameter.value != "0":
                taken_over.add(parameter.key)

    def machine(keys: set[str]) -> list[str]:
        beyond = tuple(f"{part}." for part in (*APPLICATIONS, *ABSENT))
        return sorted(key for key in keys if not key.startswith(beyond))

    found, beside = machine(chosen), machine(taken_over - chosen)
    said = f"; not stated either, taken over from other parts: {', '.join(beside)}" if beside else ""
    return Reading(len(found), ", ".join(found) + said)


LINES: Lines = {
    "H1": ("fraction", lambda evidence: mean(evidence.cells(*THROUGHPUT))),
    "H2": ("fraction", lambda evidence: largest(quantities(evidence.cells(*THROUGHPUT)))),
    "H3": ("count", lambda evidence: turned(evidence.orders(*THROUGHPUT), TIE_PERCENT)),
    "H4": ("count", _turned_by_a_seed),
    "H5": ("fraction", lambda evidence: largest(evidence.cells("5"))),
    "H6": ("points", lambda evidence: largest(evidence.cells("section5.3"), points)),
    "H7": ("count", _figure_5),
    "H8": ("count", lambda evidence: shapes_kept(evidence.shapes("figure6"))),
    "H9": ("points", _gains),
    "H10": ("count", _free_choices),
}
