"""Runs a substitute for a program of which only the numbers of cycles and memory accesses are published.

The field ``preset`` names the chip. Settings that begin with ``count.`` state the number of cycles and accesses per
packet. The accesses are evenly spread over the cycles. These cycles and accesses replace the step in which the chip
executes a program (``op = "run"``). The settings are:

- ``count.cycles``: number of instruction cycles, including the cycles that issue accesses. The key ``percent`` in the
  chip's table of eBPF instructions scales ``count.cycles``.
- ``count.ROLE.OP``: number of accesses of type OP to the memory with the role ROLE; all accesses are to the same 4
  bytes. The thread waits for reads (``read``), while writes and additions (``write``, ``add``) are posted.

Every other setting changes a parameter of the chip.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from linecard.catalogue import describe
from linecard.errors import ConfigError
from linecard.study.runners.machine import run_as

if TYPE_CHECKING:
    from linecard.chip.result import RunResult
    from linecard.description import Description
    from linecard.study.plan import RunSpec

COUNT = "count."
CYCLES = "cycles"
PROGRAM = "program"
POSTED = {"read": False, "write": True, "add": True}


def run(spec: RunSpec, progress: Callable[[int, int], object]) -> RunResult:
    """Run the chip ``preset`` with a program that consists of the given cycles and accesses."""
    return run_as(spec, changes(spec), progress)


def options(spec: RunSpec) -> list[str]:
    """The ``linecard run`` options that repeat the run."""
    return [word for change in changes(spec) for word in ("--set", change)]


def changes(spec: RunSpec) -> list[str]:
    """Changes, in the form of ``linecard run --set``, that make the chip execute the given cycles and accesses.

    Raises:
        ConfigError: A count is unknown or is not an integer, the cycles are too few to issue the accesses, or
            the chip executes no program.
    """
    counts: dict[str, int] = {}
    rest = []
    for override in spec.overrides:
        key, _, text = override.partition("=")
        if key.startswith(COUNT):
            counts[key.removeprefix(COUNT)] = _whole(key, text)
        else:
            rest.append(override)
    chip = describe(spec.preset, set=rest)
    step, cluster = _where_it_runs(spec.preset, chip)
    cycles = counts.pop(CYCLES, 0)
    accesses = []
    issuing = 0
    for key, times in counts.items():
        role, _, op = key.rpartition(".")
        if not role or op not in POSTED:
            expected = f"{COUNT}{CYCLES} or {COUNT}ROLE.OP with OP one of {', '.join(POSTED)}"
            raise ConfigError.at("set", COUNT + key, f"expected {expected}")
        if times:
            posted = "true" if POSTED[op] else "false"
            accesses.append(
                f'{{ op = "{op}", at = "{role}", bytes = 4, address = "same", posted = {posted}, times = {times} }}'
            )
            issuing += times * _number(chip, f"{cluster}.{'post' if POSTED[op] else 'issue'}_cycles")
    if cycles < issuing:
        message = f"found {cycles}, expected at least {issuing} cycles, the time to issue the accesses"
        raise ConfigError.at("set", COUNT + CYCLES, message)
    own = _number(chip, f"{step}.cycles")
    # The program's cycles take the percentage of the table of eBPF instructions, not that of the steps around it.
    work = (cycles * _percent(chip, f"{cluster}.ebpf") / 100 - issuing) * 100 / _percent(chip, PROGRAM)
    done = [f"{step}.op=compute"]
    if accesses:
        done = [f"{step}.op=spread", f"{step}.accesses=[{', '.join(accesses)}]"]
    others = [override for override in rest if not override.startswith(f"{step}.cycles=")]
    return [*others, *done, f"{step}.cycles={own + round(work)}"]


def _whole(key: str, text: str) -> int:
    if text.isascii() and text.isdigit():
        return int(text)
    raise ConfigError.at("set", key, f"found {text!r}, expected a whole number of at least 0")


def _number(chip: Description, key: str) -> int:
    return int(float(chip[key].text))


def _percent(chip: Description, table: str) -> float:
    """The percentage that the cycles of a table stand for."""
    return next((float(each.text) for each in chip.parameters if each.key == f"{table}.percent"), 100.0)


def _where_it_runs(preset: str, chip: Description) -> tuple[str, str]:
    """The step at which the chip executes a program, and the cluster whose engines execute it."""
    steps = [
        each.key.removesuffix(".op") for each in chip.parameters if each.key.endswith(".op") and each.value == "run"
    ]
    clusters = [
        each.key.removesuffix(".issue_cycles")
        for each in chip.parameters
        if each.key.startswith("cluster.") and each.key.endswith(".issue_cycles")
    ]
    if len(steps) != 1 or len(clusters) != 1:
        found = f'found {len(steps)} steps with op = "run" and {len(clusters)} clusters, expected one of each'
        raise ConfigError.at(preset, "program", found)
    return steps[0], clusters[0]
