"""The runners of studies: one module for each type of run.

The modules of this package are runners; a runner that only one study uses is in the subfolder ``runners/`` of this
study.

A runner is a module with a function ``run(spec, progress)``. The :class:`~linecard.study.plan.RunSpec` contains the
inputs of the run. Each runner defines the meanings of ``preset``, ``program``, ``trace`` and ``overrides``. The runner
calls ``progress`` repeatedly with the number of completed packets and the total number, and returns a
:class:`StudyRun`. Tables and figures of a study name their runners; no other module depends on a specific runner.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from linecard._core import __version__
from linecard._reports import Metric
from linecard.errors import ConfigError, ConfigProblem, did_you_mean
from linecard.study.folders import own_runners
from linecard.tables import metric_of

if TYPE_CHECKING:
    from linecard.study.plan import RunSpec

# The inputs of a run that determine its result.
_INPUTS = ("runner", "preset", "program", "trace", "overrides", "seed", "packets", "warmup_packets")


@cache
def runners() -> dict[str, str]:
    """The modules of all runners, in this package and in the folders of shipped studies, keyed by runner name."""
    own = (file.stem for file in sorted(Path(__file__).parent.glob("[!_]*.py")))
    return {**{name: f"{__name__}.{name}" for name in own}, **own_runners()}


class StudyRun(Protocol):
    """The interface through which a study reads the results of a finished run."""

    @property
    def run_id(self) -> str:
        """Identifier of the run in tables; repetitions of the same run have the same identifier."""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics of the run."""

    def metric(self, component: str, metric: str) -> float:
        """Return the value of one metric; if the metric is unknown, raise ``KeyError`` with the most similar names."""

    def manifest(self) -> dict[str, Any]:
        """All information that is needed to repeat the run."""


def load_runner(name: str) -> Callable[[RunSpec, Callable[[int, int], object]], StudyRun]:
    """Import a runner and return its function."""
    runner: Callable[[RunSpec, Callable[[int, int], object]], StudyRun]
    runner = importlib.import_module(runners()[name]).run
    return runner


# Prefixes of settings that change no parameter of a chip.
OF_RUNNERS = ("count.", "define.", "further.", "map.")


def is_of_runner(key: str) -> bool:
    """Whether a setting belongs to the runner and not to the chip."""
    return key.startswith(OF_RUNNERS)


def chip_settings(spec: RunSpec) -> list[str]:
    """The settings of a run that change parameters of the chip."""
    return [override for override in spec.overrides if not is_of_runner(override)]


def command_of(spec: RunSpec) -> list[str]:
    """The command that repeats the run, as a list of arguments.

    Raises:
        ConfigError: The settings of the run are invalid.
    """
    runner = importlib.import_module(runners()[spec.runner])
    words: list[str] = runner.options(spec)
    effort = ["--packets", str(spec.packets), "--warmup", str(spec.warmup_packets), "--seed", str(spec.seed)]
    return ["linecard", "run", spec.preset, *words, *effort]


@dataclass(frozen=True, slots=True)
class PlainRun:
    """The result of a runner that has no result type of its own: metrics by component and name."""

    spec: RunSpec
    values: Mapping[tuple[str, str], float] = field(repr=False)
    units: Mapping[str, str] = field(repr=False)

    @property
    def run_id(self) -> str:
        """A hash of all inputs that determine the run."""
        identity = json.dumps([__version__, *(str(getattr(self.spec, name)) for name in _INPUTS)])
        return hashlib.sha256(identity.encode()).hexdigest()[:12]

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics of the run."""
        return tuple(
            Metric(component=component, metric=metric, unit=self.units.get(metric, ""), value=value)
            for (component, metric), value in self.values.items()
        )

    def metric(self, component: str, metric: str) -> float:
        """Return the value of one metric; if the metric is unknown, raise ``KeyError`` with the most similar names."""
        return metric_of(self.metrics, component, metric)

    def manifest(self) -> dict[str, Any]:
        """All information that is needed to repeat the run."""
        return {"run_id": self.run_id, **{name: getattr(self.spec, name) for name in _INPUTS}}


def settings(spec: RunSpec, known: Iterable[str]) -> dict[str, str]:
    """The overrides of a run as a dictionary of texts.

    Raises:
        ConfigError: Some settings have keys that are not in ``known``; the error lists all of these keys.
    """
    known = list(known)
    found = dict(override.split("=", 1) for override in spec.overrides)
    problems = []
    for key in found.keys() - set(known):
        hint = did_you_mean(key, known, f"known: {', '.join(known)}")
        problems.append(ConfigProblem("set", key, f"the runner {spec.runner!r} has no such setting; {hint}"))
    if problems:
        raise ConfigError.of(sorted(problems, key=lambda problem: problem.key))
    return found
