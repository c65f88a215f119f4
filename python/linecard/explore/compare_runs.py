"""Compares two finished runs by their own confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from linecard import _core
from linecard.chip.length import Aim
from linecard.errors import LinecardError
from linecard.explore.compare_result import CompareResult
from linecard.explore.moved import (
    differences,
    known,
    limit_of,
    moved_apart,
    own_interval,
    parameters,
    plain_numbers,
)
from linecard.explore.subjects.run import outcome_of_report

if TYPE_CHECKING:
    from linecard.explore.compare_result import Setting

# Facts of a run that its result contains.
_FACTS = ("chip", "program", "traffic", "seed", "version")


def compared_runs(names: tuple[str, str], a: Mapping[str, Any], b: Mapping[str, Any]) -> CompareResult:
    """Compare the results of two runs, in the form of ``run --json``."""
    runs = (a, b)
    own = [outcome_of_report(run).numbers for run in runs]
    doubts = [Aim().doubt([numbers]) for numbers in own]
    configuration, notes = _configuration(names, runs)
    same_design = a.get("config_hash") == b.get("config_hash")
    if same_design and a.get("seed") != b.get("seed"):
        notes.append("only the seeds differ, so the difference is noise")
    if not same_design and not configuration:
        notes.append("the two runs have different settings (config_hash), but the results do not contain their values")
    for letter, name, run, numbers in zip("ab", names, runs, own, strict=True):
        if shortfall := Aim().shortfall([numbers], [run["request"].get("packets") or 0]):
            notes.append(f"{letter}, {name}: {shortfall}")
    shared = [name for name in plain_numbers(own[0]) if name in plain_numbers(own[1])]
    moved = (moved_apart(name, *(own_interval(numbers, name) for numbers in own)) for name in shared)
    return CompareResult(
        a=names[0],
        b=names[1],
        kind="runs",
        answered=not any(doubts),
        basis="a metric changed if the 95 % intervals of the two runs do not overlap",
        limits=(limit_of(own[0]), limit_of(own[1])),
        configuration=configuration,
        metrics=tuple(known(each, doubts) for each in moved),
        notes=tuple(notes),
    )


def _configuration(names: Sequence[str], runs: Sequence[Mapping[str, Any]]) -> tuple[tuple[Setting, ...], list[str]]:
    """Return the keys that differ, and remarks.

    A result contains only the changed keys of its chip; the chip file has the others, as long as it is that of the run.
    """
    described = []
    for run in runs:
        keys = {key: (run.get(key), "") for key in _FACTS}
        described.append(keys | {key: (value, "") for key, value in run["request"].items() if key != "overrides"})
    of_chips, notes = [], []
    for name, run in zip(names, runs, strict=True):
        try:
            of_chips.append(parameters(run["chip"], list(run["request"]["overrides"])))
            problem = "has changed since the run" if _has_changed(run) else ""
        except LinecardError:
            problem = "is missing or invalid"
        if problem:
            notes.append(f"{name}: the chip file {run['chip']!r} {problem}")
    if notes:
        notes.append("the keys that differ are only those in the results, and not those of the chip files")
        of_chips = [_overrides(run) for run in runs]
    return differences(*(facts | keys for facts, keys in zip(described, of_chips, strict=True))), notes


def _overrides(run: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """The changed keys of a run as they were given; the last change of a key counts."""
    pairs = (each.partition("=") for each in run["request"]["overrides"])
    return {key: (value, "") for key, _, value in pairs}


def _has_changed(run: Mapping[str, Any]) -> bool:
    """Whether a run of the chip file would now have another configuration; an unknown one counts as the same."""
    if run["request"].get("program_hash") is not None:
        # The options of an executed program are not in the result.
        return False
    # The chip's own program has no name that a request accepts.
    for program in (None, run.get("program")):
        asked = {"chip": run["chip"], "program": program, "set": list(run["request"]["overrides"])}
        with suppress(LinecardError):
            now = _core.run({**asked, "packets": 1, "warmup_packets": 0}, verdict=False, progress=None)
            if now["program"] == run.get("program"):
                return bool(now["config_hash"] != run.get("config_hash"))
    return False
