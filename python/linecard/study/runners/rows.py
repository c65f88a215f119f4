"""Schedules the instructions of an XDP program into rows of parallel instructions, with `linecard.xdp_rows`.

The field ``program`` names a shipped program or a program in the study folder; ``lanes`` is the maximum number of
instructions per row. The component ``program`` has the metrics ``rows``, ``instructions`` (each 64-bit constant counts
as one instruction) and ``instructions_per_row``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from linecard.executed.xdp import LANES, xdp_rows
from linecard.study.runners import PlainRun, settings

if TYPE_CHECKING:
    from linecard.study.plan import RunSpec

KEYS = ("lanes",)


def run(spec: RunSpec, progress: Callable[[int, int], object]) -> PlainRun:
    """Schedule the instructions of ``program`` into rows."""
    lanes = int(settings(spec, KEYS).get("lanes", LANES))
    file = Path(spec.folder) / spec.program
    found = xdp_rows(file if file.is_file() else spec.program, lanes=lanes)
    progress(spec.packets, spec.packets)
    values: dict[tuple[str, str], float] = {
        ("program", "rows"): found.lanes[-1].rows,
        ("program", "instructions"): found.instructions,
        ("program", "instructions_per_row"): found.lanes[-1].instructions_per_row,
    }
    return PlainRun(spec, values, {"rows": "rows", "instructions": "instructions"})
