"""Uses `linecard.run` to simulate a chip under given traffic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from linecard.chip.run import run as run_chip

if TYPE_CHECKING:
    from linecard.chip.result import RunResult
    from linecard.study.plan import RunSpec


def options(spec: RunSpec) -> list[str]:
    """The ``linecard run`` options that repeat the run."""
    words = ["--program", spec.program] if spec.program else []
    words += ["--trace", spec.trace] if spec.trace else []
    words += ["--map-addresses"] if spec.map_addresses else []
    return [*words, *(word for change in spec.overrides for word in ("--set", change))]


def run(spec: RunSpec, progress: Callable[[int, int], object]) -> RunResult:
    """Simulate the chip ``preset`` with the program ``program``; ``overrides`` contains changes to parameters."""
    program, trace = spec.program or None, spec.trace or None
    return run_as(spec, spec.overrides, progress, program=program, trace=trace, map_addresses=spec.map_addresses)


def run_as(
    spec: RunSpec, changes: Sequence[str], progress: Callable[[int, int], object], **arguments: Any
) -> RunResult:
    """Simulate a chip with changed parameters; ``spec`` determines the length and the seed of the simulation."""
    return run_chip(
        spec.preset,
        set=changes,
        seed=spec.seed,
        packets=spec.packets,
        warmup_packets=spec.warmup_packets,
        verdict=False,
        progress=progress,
        **arguments,
    )
