"""Simulates a chip that executes a program, with `linecard.run`.

The field ``preset`` names the chip, and ``program`` names a shipped program or a program in the study folder. The
setting ``define.NAME`` defines the macro ``NAME`` of the program. The setting ``further.NAME`` sets the value of the
macro ``NAME`` in a second run. The setting ``map.NAME`` names a file in the study folder, from which the map ``NAME``
is filled. Every other setting changes a parameter of the chip. In addition to the metrics of the run, the runner
computes the following metrics:

- ``program engine_cycles_per_packet``: total cycles of all engines between two consecutive sent or dropped packets;
- ``program engine_cycles_around``: engine cycles per packet that are not cycles of the program itself;
- ``program further_cycles``: increase of the engine cycles per packet in the second run, divided by the increase of the
  macro ``NAME``;
- ``cycles_per_access`` of every memory and accelerator: core cycles between two consecutive accesses.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard._reports import Metric
from linecard.catalogue import describe
from linecard.errors import ConfigError
from linecard.study.runners.machine import run_as

if TYPE_CHECKING:
    from linecard.chip.result import RunResult
    from linecard.study.plan import RunSpec

DEFINE, FURTHER, MAP = "define.", "further.", "map."
CLOCK, ENGINE_CYCLES = "clock.core_mhz", "engine cycles"


@dataclass(frozen=True, slots=True)
class ExecutedRun:
    """A run with derived metrics, one of which is computed from an optional second run."""

    first: RunResult
    derived: tuple[Metric, ...]
    further: RunResult | None = field(default=None)

    @property
    def run_id(self) -> str:
        """The identifier of the run; if there are two runs, a hash of their identifiers."""
        if self.further is None:
            return self.first.run_id
        return hashlib.sha256(f"{self.first.run_id} {self.further.run_id}".encode()).hexdigest()[:12]

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics of the first run, and the derived metrics."""
        return (*self.first.metrics, *self.derived)

    def metric(self, component: str, metric: str) -> float:
        """Return the value of one metric; if the metric is unknown, raise ``KeyError`` with the most similar names."""
        for row in self.derived:
            if (row.component, row.metric) == (component, metric):
                return row.value
        return self.first.metric(component, metric)

    def manifest(self) -> dict[str, Any]:
        """All information that is needed to repeat the run and, if present, the second run."""
        more = {} if self.further is None else {"further": self.further.manifest()}
        return {**self.first.manifest(), "run_id": self.run_id, **more}


def options(spec: RunSpec) -> list[str]:
    """The options of ``linecard run`` that repeat the first run; file names begin with ``studies/``."""
    name = Path(spec.folder).name
    words = [
        "--program",
        f"studies/{name}/{spec.program}" if (Path(spec.folder) / spec.program).is_file() else spec.program,
    ]
    if spec.trace:
        words += ["--trace", f"studies/{name}/{Path(spec.trace).relative_to(spec.folder).as_posix()}"]
    for override in spec.overrides:
        key, _, text = override.partition("=")
        if key.startswith(DEFINE):
            words += ["--define", f"{key.removeprefix(DEFINE)}={text}"]
        elif key.startswith(MAP):
            words += ["--map", f"{key.removeprefix(MAP)}=studies/{name}/{text}"]
        elif not key.startswith(FURTHER):
            words += ["--set", override]
    return words


def run(spec: RunSpec, progress: Callable[[int, int], object]) -> ExecutedRun:
    """Simulate the chip ``preset``, which executes ``program`` for each packet, and return the metrics."""
    settings = dict(override.split("=", 1) for override in spec.overrides)

    def taken(start: str) -> dict[str, str]:
        return {key.removeprefix(start): settings.pop(key) for key in tuple(settings) if key.startswith(start)}

    macros, further = taken(DEFINE), taken(FURTHER)
    maps = {name: Path(spec.folder) / file for name, file in taken(MAP).items()}
    if len(further) > 1 or further.keys() - macros.keys():
        message = f"found {', '.join(further)}, expected one macro, with a setting define.NAME for the same macro"
        raise ConfigError.at("set", f"{FURTHER}NAME", message)
    changes = [f"{key}={value}" for key, value in settings.items()]
    file = Path(spec.folder) / spec.program

    def execute(macros: dict[str, str]) -> RunResult:
        defines = [f"{name}={value}" for name, value in macros.items()]
        program = file if file.is_file() else spec.program
        return run_as(spec, changes, progress, program=program, defines=defines, maps=maps, trace=spec.trace or None)

    first = execute(macros)
    chip = describe(spec.preset, set=changes)
    all_engines = next(each.value for each in chip.derived if each.name == ENGINE_CYCLES)
    cycles = all_engines / first.summary.throughput_mpps
    own = sum(each.cycles_per_packet for each in first.programs)
    found = [
        Metric("program", "engine_cycles_per_packet", "engine cycles", cycles),
        Metric("program", "engine_cycles_around", "engine cycles", cycles - own),
    ]
    core_cycles = float(chip[CLOCK].text) * 1e6 * first.summary.simulated_seconds
    for row in first.metrics:
        if row.metric == "accesses" and row.value:
            found.append(Metric(row.component, "cycles_per_access", "core cycles", core_cycles / row.value))
    second = None
    for name, value in further.items():
        second = execute({**macros, name: value})
        more = all_engines / second.summary.throughput_mpps - cycles
        each = more / (float(value) - float(macros[name]))
        found.append(Metric("program", "further_cycles", "engine cycles", each))
    return ExecutedRun(first, tuple(found), second)
