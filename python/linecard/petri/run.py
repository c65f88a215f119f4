"""Explores, solves and simulates Petri nets, lists the parts and firings of a net, and converts nets to PNML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike, fspath
from typing import Any

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.errors import ConfigError, ConfigProblem
from linecard.petri.net import Net
from linecard.petri.reports import Firing
from linecard.petri.result import Explored, Parts, Simulated, Solved

MOST_MARKINGS = 10_000_000
MOST_REPLICATIONS = 1000
# The number of markings after which the exploration tests whether the net is unbounded, long before a limit.
FIRST_MARKINGS = 10_000
_LIMITS = (1, 2**32 - 2)
_JOBS = (1, 1024)
_U64_MAX = 2**64 - 1


def _check(*values: tuple[str, int | None, int, int]) -> None:
    """Refuse values that are out of bounds, each given as name, value, least and most; ``None`` is always accepted."""
    problems = [
        ConfigProblem(name, "", f"found {value}, expected {least} to {most}")
        for name, value, least, most in values
        if value is not None and not least <= value <= most
    ]
    ConfigError.check(problems)


def _source(net: str | PathLike[str] | Net, overrides: Sequence[str]) -> dict[str, Any]:
    path, text = (net.name, net.to_toml()) if isinstance(net, Net) else (fspath(net), None)
    return {"path": path, "text": text, "set": overrides}


@plain
def explore(
    net: str | PathLike[str] | Net,
    limit: int = MOST_MARKINGS,
    *,
    invariants: bool = False,
    jobs: int | None = None,
    overrides: Sequence[str] = (),
    progress: Callable[[int, int], object] | None = None,
) -> Explored:
    """Find the bounds, the deadlocks and all reachable markings of a net, on all CPU cores.

    `jobs` has no effect on the result. If the net is coloured, the function unfolds the net before the analysis.

    Args:
        net: A net: the path of a PNML file (``.pnml``, ``.xml``) or TOML file, or the name of a shipped net.
        limit: Number of markings at which the search stops.
        invariants: Whether to compute the P- and T-invariants, as minimal semiflows.
        jobs: Number of markings explored in parallel; by default, one per CPU core.
        overrides: New values for parameters, each in the form ``name=value``.
        progress: Function that is called repeatedly with (number of markings found, ``limit``).

    Raises:
        ConfigError: The file does not contain a net; the error lists every problem.
    """
    _check(("limit", limit, *_LIMITS), ("jobs", jobs, *_JOBS))
    found = _core.petri_explore(
        _source(net, overrides),
        most_markings=limit,
        invariants=invariants,
        threads=jobs or 0,
        progress=progress,
    )
    return convert(found, Explored)


@plain
def solve(
    net: str | PathLike[str] | Net,
    limit: int = MOST_MARKINGS,
    *,
    overrides: Sequence[str] = (),
    progress: Callable[[int, int], object] | None = None,
) -> Solved:
    """Compute the exact steady state of a net with exponential and immediate transitions.

    If the net is coloured, the function unfolds the net before the analysis.

    Args:
        net: A net: the path of a PNML file (``.pnml``, ``.xml``) or TOML file, or the name of a shipped net.
        limit: Number of markings at which the search stops.
        overrides: New values for parameters, each in the form ``name=value``.
        progress: Function that is called repeatedly with (number of markings found, ``limit``).

    Raises:
        ConfigError: The file does not contain a net, or the steady state cannot be computed; the error message states
            the reason.
    """
    _check(("limit", limit, *_LIMITS))
    source = _source(net, overrides)
    if limit > FIRST_MARKINGS:
        _check_bounded(source)
    found = _core.petri_solve(source, most_markings=limit, progress=progress)
    return convert(found, Solved)


def _check_bounded(source: dict[str, Any]) -> None:
    """Refuse a net whose first markings show that it is unbounded.

    An immediate transition fires before others, and may keep a net bounded that would be unbounded without times;
    therefore nets with immediate transitions are not judged.
    """
    first = convert(
        _core.petri_explore(source, most_markings=FIRST_MARKINGS, invariants=False, threads=1, progress=None),
        Explored,
    )
    if not first.unbounded_places:
        return
    described = convert(_core.petri_parts(source), Parts)
    if not any(each.immediate for each in described.transitions):
        places = ", ".join(first.unbounded_places)
        raise ConfigError.at(
            source["path"], "", f"the number of tokens in {places} grows without bound, expected a bounded net"
        )


@plain
def simulate(
    net: str | PathLike[str] | Net,
    time: float = 10_000.0,
    *,
    warmup: float | None = None,
    replications: int = 10,
    accuracy: float | None = None,
    of: Sequence[str] = (),
    most_replications: int = MOST_REPLICATIONS,
    seed: int = 1,
    jobs: int | None = None,
    overrides: Sequence[str] = (),
    progress: Callable[[int, int], object] | None = None,
) -> Simulated:
    """Simulate several replications of a net on all CPU cores. The result does not depend on `jobs`.

    Args:
        net: A net: PNML (``.pnml``, ``.xml``), TOML, or the name of a shipped net. Every transition must be immediate
            or have a firing time.
        time: Simulated time that each replication measures.
        warmup: Simulated time before the measurements start; by default, a tenth of ``time``.
        replications: Number of replications, each with a different seed; if ``accuracy`` is set, the minimum number of
            replications.
        accuracy: Replications are added until the half-width of each 95 % confidence interval, divided by the mean, is
            at most ``accuracy``.
        of: Places and transitions to which ``accuracy`` applies; if empty, ``accuracy`` applies to all places and
            transitions.
        most_replications: Maximum number of replications, if ``accuracy`` is set.
        seed: Seed of the first replication.
        jobs: Number of parallel replications; by default, one per CPU core.
        overrides: New values for parameters, each in the form ``name=value``.
        progress: Function that is called repeatedly with the completed and the total work, both in thousandths of a
            replication.

    Raises:
        ConfigError: The file does not contain a net, or the net cannot be simulated; the error message states the
            reason.
    """
    _check(
        ("replications", replications, 1, 1_000_000),
        ("most_replications", most_replications, 1, 1_000_000),
        ("seed", seed, 0, _U64_MAX),
        ("jobs", jobs, *_JOBS),
    )
    if accuracy is None:
        given = {"of (--of)": of, "most_replications (--most-replications)": most_replications != MOST_REPLICATIONS}
        message = "has no effect without an accuracy; add accuracy= (--accuracy)"
        ConfigError.check([ConfigProblem(name, "", message) for name, is_given in given.items() if is_given])
    request = {
        "net": _source(net, overrides),
        "warmup": time / 10 if warmup is None else warmup,
        "time": time,
        "replications": replications,
        "accuracy": None if accuracy is None else {"relative": accuracy, "most_replications": most_replications},
        "of": of,
        "seed": seed,
        "threads": jobs or 0,
    }
    return convert(_core.petri_simulate(request, progress=progress), Simulated)


@plain
def parts(net: str | PathLike[str] | Net, *, overrides: Sequence[str] = ()) -> Parts:
    """Read a net and return its parts, such as places and arcs; ``parts(net).to_svg()`` draws the net.

    Raises:
        ConfigError: The file does not contain a net; the error lists every problem.
    """
    return convert(_core.petri_parts(_source(net, overrides)), Parts)


@plain
def firings(
    net: str | PathLike[str] | Net,
    most: int = 10_000,
    *,
    first: int = 0,
    time: float = 1e300,
    seed: int = 1,
    overrides: Sequence[str] = (),
) -> list[Firing]:
    """Simulate a net, and list its firings in chronological order.

    Args:
        net: A net in which every transition is immediate or has a firing time.
        most: Maximum number of firings to return.
        first: Number of initial firings that the returned list omits.
        time: Simulated time at which the run ends.
        seed: Seed of the run.
        overrides: New values for parameters, each in the form ``name=value``.

    Raises:
        ConfigError: The file does not contain a net, or the net cannot be simulated; the error message states the
            reason.
    """
    _check(("most", most, 0, _U64_MAX), ("first", first, 0, _U64_MAX), ("seed", seed, 0, _U64_MAX))
    request = {"seed": seed, "first": first, "most": most, "time": time}
    return convert(_core.petri_firings(_source(net, overrides), request), list[Firing])


@plain
def pnml(net: str | PathLike[str] | Net, *, unfold: bool = False, overrides: Sequence[str] = ()) -> str:
    """Convert a net to PNML; if ``unfold`` is true, a coloured net is unfolded before the conversion.

    If the input is a PNML file, the PNML text retains the data that other tools stored in this file. The PNML text
    contains the firing times of a place/transition net in tool-specific blocks.

    Raises:
        ConfigError: The file does not contain a net, or the net is coloured and unfolding is disabled or impossible.
    """
    return _core.petri_pnml(_source(net, overrides), unfold=unfold)
