"""Simulates queue managers with a workload or a capture: `queueing_run`, `queueing_design`.

The queue managers come from Kumar and Crowley (2006): no cache (``nc``), a data cache (``dc``), a software-controlled
cache (``sqc``) and a queuing cache (``qc``). ``qarray`` is the variant of ``sqc`` on the IXP2800.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from typing import Any

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.errors import ConfigError, ConfigProblem
from linecard.queueing.result import QueueDesignResult, QueueingResult
from linecard.queueing.settings import MACHINE, changes_of
from linecard.request import name_of

# The managers of the publication, in its order.
MANAGERS = ("qc", "sqc", "dc", "nc")
OPERATIONS = 200_000
WARMUP = 20_000
_U64_MAX = 2**64 - 1


@plain
def queueing_run(
    workload: str | PathLike[str],
    managers: str | Iterable[str] = MANAGERS,
    set: Mapping[str, object] | Iterable[str] | str | None = None,  # the same word as --set
    *,
    machine: str | PathLike[str] = MACHINE,
    trace: bool = False,
    operations: int | None = None,
    warmup: int = WARMUP,
    seed: int = 1,
    strict: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> QueueingResult:
    """Simulate one or several queue managers with one workload.

    Args:
        workload: Workload in the notation of Kumar and Crowley (2006), such as ``"R"``, ``"U"``, ``"L1.1"``,
            ``"SD16_90"`` or ``"SD1_30"``; also ``"edge"``, ``"core"`` and ``"MIXt_k_m_s"``. If ``trace`` is set,
            ``workload`` is a capture or a link profile (``"edge"``, ``"core"``, or a ``.toml`` file in the format of
            ``presets/traffic``). A hash of the five-tuple maps each packet of a capture to a queue.
        managers: Names of queue managers: ``qc``, ``sqc``, ``dc``, ``nc``, ``qarray``.
        set: Changes to settings, such as ``threads=16``. A mapping of keys to values has the form ``{"threads": 16}``;
            `queueing_settings` lists the keys.
        machine: Name of a shipped machine (presets of the kind ``queueing``), or path of a TOML file.
        trace: If true, ``workload`` is a capture or a link profile; if false, ``workload`` is a notation such as
            ``"R"``.
        operations: Number of measured operations; the default is 200,000 for a workload, and two per packet (at least
            20,000) for a capture. If a capture contains too few packets, the capture is repeated.
        warmup: Number of warm-up operations before the measurement.
        seed: Seed of the workload.
        strict: Whether to stop at the first damaged record of the capture.
        progress: Function that is called repeatedly with the number of completed operations and the total number.

    Returns:
        One row of simulated and predicted results for each queue manager. The result also contains the distribution of
        the distances between arrivals in the same queue.

    Raises:
        ConfigError: The request is invalid; the error lists every problem.
        TrafficError: The capture cannot be read, or has no packet with an IP header.

    Example:
        >>> import linecard
        >>> result = linecard.queueing_run("SD1_100", "qc,nc", operations=20_000)
        >>> round(result.ratio("qc", "nc"), 1)
        2.7
    """
    names = _words(managers)
    if not names:
        raise ConfigError.at("managers", "", "found none, expected at least one, such as qc")
    arguments = _arguments(workload, set, machine, trace, operations, warmup, seed, strict)
    if all(name == "qarray" for name in names) and "entries" in _keys(arguments):
        raise ConfigError.at("set", "entries", "has no effect on qarray, whose Q_array has 16 entries; omit it")
    plain_result = _core.queueing_run(arguments, managers=names, progress=progress)
    extra = {name: arguments[name] for name in ("machine", "settings", "warmup", "seed")}
    return convert({**plain_result, **extra}, QueueingResult)


@plain
def queueing_design(
    workload: str | PathLike[str],
    target_mops: float,
    set: Mapping[str, object] | Iterable[str] | str | None = None,  # the same word as --set
    *,
    machine: str | PathLike[str] = MACHINE,
    trace: bool = False,
    operations: int = 30_000,
    warmup: int = 5_000,
    seed: int = 1,
    strict: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> QueueDesignResult:
    """Find the smallest queuing cache (entries × engines × threads) that reaches a target throughput for a workload.

    Args:
        workload: Workload, capture or link profile, in the same forms as for `queueing_run`.
        target_mops: Target throughput in million operations per second.
        set: New values for settings. The search overrides the numbers of entries, engines and threads, and the size of
            the request buffer.
        machine: Name of a shipped machine (presets of the kind ``queueing``), or path of a TOML file.
        trace: If true, ``workload`` is a capture or a link profile; if false, ``workload`` is a notation such as
            ``"R"``.
        operations: Number of measured operations for each cache size.
        warmup: Number of warm-up operations before the measurement.
        seed: Seed of the workload.
        strict: Whether to stop at the first damaged record of the capture.
        progress: Function that is called repeatedly with the number of simulated cache sizes and the total number.

    Returns:
        Every simulated cache size, and the smallest size that reaches the target.

    Raises:
        ConfigError: The request is invalid; the error lists every problem.
        TrafficError: The capture cannot be read, or has no packet with an IP header.

    Example:
        >>> import linecard
        >>> linecard.queueing_design("SD16_90", 60, operations=5_000).smallest.engines
        8
    """
    arguments = _arguments(workload, set, machine, trace, operations, warmup, seed, strict)
    searched = dict.fromkeys(("entries", "engines", "threads"), "is set by the search; omit it")
    searched["requests"] = "is set by the search to the number of threads; omit it"
    problems = [ConfigProblem("set", key, searched[key]) for key in _keys(arguments) if key in searched]
    ConfigError.check(problems)
    plain_result = _core.queueing_design(arguments, target_mops=float(target_mops), progress=progress)
    extra = {name: arguments[name] for name in ("machine", "settings", "warmup", "seed")}
    return convert({**plain_result, **extra}, QueueDesignResult)


def _arguments(
    workload: str | PathLike[str],
    changes: Mapping[str, object] | Iterable[str] | str | None,
    machine: str | PathLike[str],
    trace: bool,
    operations: int | None,
    warmup: int,
    seed: int,
    strict: bool,
) -> dict[str, Any]:
    """The arguments that both requests pass to the core.

    Raises:
        ConfigError: A number is out of range.
    """
    count = operations if operations is not None else 0 if trace else OPERATIONS
    problems = [
        ConfigProblem(name, "", f"found {value!r}, expected {least} to {_U64_MAX}")
        for name, value, least in (
            ("operations", count, 0 if trace and operations is None else 1),
            ("warmup", warmup, 0),
            ("seed", seed, 0),
        )
        if not (isinstance(value, int) and least <= value <= _U64_MAX)
    ]
    ConfigError.check(problems)
    return {
        "workload": fspath(workload),
        "capture": trace,
        "machine": name_of("machine", machine),
        "settings": changes_of(changes),
        "operations": count,
        "warmup": warmup,
        "seed": seed,
        "strict": strict,
    }


def _keys(arguments: dict[str, Any]) -> list[str]:
    """The keys of the settings that the request changes."""
    return [change.split("=", 1)[0].strip() for change in arguments["settings"]]


def _words(names: str | Iterable[str]) -> list[str]:
    several = names.split(",") if isinstance(names, str) else list(names)
    return [name.strip().lower() for name in several if name.strip()]
