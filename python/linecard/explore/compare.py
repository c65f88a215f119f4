"""`linecard compare`: compare two designs, runs or sweeps, and list the metrics that changed beyond noise.

- Two designs run with the same seeds, so both receive the same packets. Each metric is compared seed by seed, and the
  change of the metric has a confidence interval (Student's t over seeds).
- If two finished runs are compared, only three metrics have confidence intervals (from batch means). A metric with
  confidence intervals counts as changed only if the intervals of the two runs do not overlap.
- If two sweeps are compared, each pair of points with equal axis values is compared by the rule for runs. Points with
  several seeds in common are compared seed by seed. Points are different designs, so no interval is computed over them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from linecard._arguments import plain
from linecard.chip.length import RATE_ONLY, Aim, wrong_precision
from linecard.errors import ConfigError
from linecard.executed.for_chip import is_program
from linecard.explore.batch import Bench, numbers_of
from linecard.explore.compare_result import CompareResult, LineMoved, Moved
from linecard.explore.compare_runs import compared_runs
from linecard.explore.compare_sweeps import compared_sweeps
from linecard.explore.lengthen import settle_together
from linecard.explore.lines import LINE, compared_lines
from linecard.explore.moved import GIVEN, as_input, differences, known, limit_of, paired, parameters, plain_numbers
from linecard.explore.program_options import program_arguments, run_arguments
from linecard.explore.store import Store
from linecard.explore.subject import Request
from linecard.explore.subjects.run import outcome_of_report
from linecard.explore.wording import length_text
from linecard.request import U64_MAX, as_asked, mapping_of, name_of, out_of_range, settings

if TYPE_CHECKING:
    from linecard._schema import ProgramOptions
    from linecard.explore.execute import Record, SweepProgress
    from linecard.request import Settings

SEEDS = 5
_LARGEST_FILE = 1 << 30


@plain
def compare(
    a: str | PathLike[str],
    b: str | PathLike[str] | None = None,
    *,
    program_b: str | PathLike[str] | None = None,
    set: Settings | None = None,
    set_a: Settings | None = None,
    set_b: Settings | None = None,
    trace: str | PathLike[str] | None = None,
    packets: int | None = None,
    precision: float | None = None,
    seeds: int = SEEDS,
    seed: int = 1,
    store: str | PathLike[str] | None = None,
    jobs: int | None = None,
    executor: str = "threads",
    progress: SweepProgress | None = None,
    **options: Unpack[ProgramOptions],
) -> CompareResult:
    """Compare two designs, programs, runs or sweeps.

    If a run of a design is not steady, all runs of both designs are repeated with four times as many packets, up to
    256,000. A run of 64,000 packets or more is repeated only once. A metric without a conclusive value never counts as
    changed. In finished runs, a metric changed if the confidence intervals of the two runs do not overlap. In sweeps,
    each common point is compared in this way, or seed by seed if the point has several seeds in common.

    Args:
        a: A design, or a file written by ``run --json`` or ``sweep --json``.
        b: The second design, or a second file of the same kind as A. If ``program`` is given, B can also be a
            second program, which design A executes. If B is omitted, A is also the second design.
        program_b: Program that the second design executes instead of ``program``, with the same options; the two
            profiles are then compared line by line.
        set: New values for parameters of both designs.
        set_a: New values for parameters of the first design only.
        set_b: New values for parameters of the second design only.
        trace: Capture to replay, or a link profile (``edge``, ``core``, a ``.toml`` file).
        packets: Number of packets in each run; an inconclusive run is repeated with more packets.
        precision: Lengthen runs until the 95 % interval of the throughput is within ± this fraction of the mean (for
            example, 1%). In Python, 0.01 means 1 %.
        seeds: Number of seeds for each design.
        seed: The first seed.
        store: Folder in which Linecard stores finished runs, for reuse. The default is no folder.
        jobs: Number of parallel runs; by default, one per CPU core. The result does not depend on this number.
        executor: Executor of the runs: ``"threads"``, ``"dask"`` or ``"dask:ADDRESS"``; Dask needs the extra ``dask``.
        progress: Function that is called repeatedly with (runs done, total runs).
        **options: Program of both designs (``program``) and its options; see :func:`linecard.run`.

    Raises:
        ConfigError: A design or a file is invalid, or A and B are of different types, such as a design and a sweep.
        RunError: A run ends without a result.
        linecard.explore.Interrupted: The user pressed Ctrl-C; finished runs are in the store.

    Example:
        >>> import linecard
        >>> found = linecard.compare("example_smartnic", "example_smartnic", set_b={"island.count": 5}, packets=500)
        >>> [setting.key for setting in found.configuration]
        ['cluster.island.count']
    """
    asked = as_asked(locals())
    if b is not None and program_b is None and options.get("program") is not None and is_program(fspath(b)):
        b, program_b = None, b
    if b is None and program_b is None and not set_a and not set_b:
        message = "is missing; specify a second design, a second program, or a change (--set-a, --set-b)"
        raise ConfigError.at("b", "", message)
    names = (name_of("a", a), name_of("a", a) if b is None else name_of("b", b))
    sides = [_read(name) for name in names]
    kinds = [kind for kind, _ in sides]
    if kinds[0] != kinds[1]:
        message = f"found a {kinds[0]} and a {kinds[1]}, expected two inputs of the same kind"
        raise ConfigError.at("compare", "", message)
    program = program_arguments(options)
    if program_b is not None and "program" not in program:
        raise ConfigError.at("program_b", "", "has no effect unless the first design has a program")
    given = {**program, "precision": precision, "set": set, "set_a": set_a, "set_b": set_b, "trace": trace}
    given["packets"] = packets
    if kinds[0] != "design" and any(given.values()):
        without = ", ".join(name for name, value in given.items() if value)
        raise ConfigError.at("compare", "", f"{without}: has no effect on finished results, only on designs; omit it")
    if kinds[0] == "run":
        return replace(compared_runs(names, sides[0][1], sides[1][1]), asked=asked)
    if kinds[0] == "sweep":
        return replace(compared_sweeps(names, sides[0][1], sides[1][1]), asked=asked)
    wrong = out_of_range({"seeds": seeds}, 1, 1000) + wrong_precision(precision)
    if packets is not None:
        wrong += out_of_range({"packets": packets}, 0, U64_MAX)
    ConfigError.check(wrong)
    shared = run_arguments(options, trace, **({} if packets is None else {"packets": packets}))
    both = mapping_of("set", set)
    changes = ({**both, **mapping_of("set_a", set_a)}, {**both, **mapping_of("set_b", set_b)})
    with Bench(None if store is None else Store(store), jobs, progress, executor=executor) as bench:
        several = [seed + number for number in range(seeds)]
        arguments = [shared, shared]
        if program_b is not None:
            shared["lines"] = True
            arguments = [shared, {**shared, "program": name_of("program_b", program_b)}]
        found = _of_designs(names, changes, arguments, several, Aim(precision), bench)
    return replace(found, asked=asked)


def _read(name: str) -> tuple[str, Any]:
    """Return the kind of a name, and the contents of the file if it is a result."""
    path = Path(name)
    if path.suffix != ".json":
        return "design", None
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise ConfigError(f"{path}: larger than {_LARGEST_FILE >> 20} MiB")
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not JSON: {error}") from error
    if isinstance(found, dict) and isinstance(found.get("rows"), list):
        # Values must be plain, because they identify the points.
        if all(isinstance(row, dict) and "status" in row and _is_plain(row.values()) for row in found["rows"]):
            return "sweep", found["rows"]
    elif isinstance(found, dict) and "summary" in found:
        with suppress(KeyError, TypeError, AttributeError, ValueError):
            outcome_of_report(found)
            request = found["request"]
            texts = isinstance(found["chip"], str) and all(isinstance(each, str) for each in request["overrides"])
            if texts and isinstance(request, dict):
                return "run", found
    raise ConfigError(f"{path}: expected the output of `linecard run --json` or `linecard sweep --json`")


def _is_plain(values: Iterable[object]) -> bool:
    return all(value is None or isinstance(value, (bool, int, float, str)) for value in values)


def _of_designs(
    names: tuple[str, str],
    changes: tuple[Mapping[str, object], Mapping[str, object]],
    arguments: Sequence[Mapping[str, Any]],
    seeds: Sequence[int],
    aim: Aim,
    bench: Bench,
) -> CompareResult:
    described = [parameters(name, settings(each)) for name, each in zip(names, changes, strict=True)]
    programs = [each.get("program") for each in arguments]
    if programs[0] != programs[1]:
        described = [{"program": (name, ""), **each} for name, each in zip(programs, described, strict=True)]
    # Only the first seed looks for the bottleneck: that takes several times the work of a run.
    of_seeds = [{"seed": seed} | ({"verdict": False} if seed != seeds[0] else {}) for seed in seeds]
    requests = [
        [Request("run", {**own, "chip": name, **each}, dict(changed)) for each in of_seeds]
        for name, changed, own in zip(names, changes, arguments, strict=True)
    ]
    sides = settle_together(requests, bench.run, aim)
    numbers = [[plain_numbers(numbers_of(record)) for record in side.records] for side in sides]
    doubts = [side.doubt for side in sides]
    metrics = [known(each, doubts) for each in paired(numbers[0], numbers[1])]
    parts = paired(*([_measurements(record) for record in side.records] for side in sides))
    if _same_load(described):
        ports = {each.name.removesuffix(_INWARD) for each in parts if each.name.endswith(_INWARD)}
        given = {*GIVEN, *(port + name for port in ports for name in (_INWARD, *_RECEIVED))}
        metrics, parts = ([as_input(each) if each.name in given else each for each in of] for of in (metrics, parts))
    moved = _said_once([each for each in (known(part, doubts) for part in parts) if each.beyond_noise])
    moved.sort(key=lambda each: (-abs(each.change or math.inf), each.name))
    notes = []
    if len(seeds) == 1:
        notes.append("noise is unknown with one seed; use more seeds")
    elif not any(doubts) and any(
        each.name in GIVEN and each.difference and each.beyond_noise is None for each in metrics
    ):
        notes.append(
            "both designs receive the same packets; the offered loads differ only because the measurements differ in "
            "duration"
        )
    for letter, name, side in zip("ab", names, sides, strict=True):
        if side.doubt:
            notes.append(f"{letter}, {name}: {side.shortfall}")
    if len(sides[0].packets) > 1:
        until = "" if {*doubts} - {"", RATE_ONLY} else " until conclusive"
        notes.append(f"runs were lengthened{until}: {length_text(sides[0].packets)}")
    lines: tuple[LineMoved, ...] = ()
    if programs[0] != programs[1]:
        lines = compared_lines([str(each) for each in programs], [side.records for side in sides], doubts)
    return CompareResult(
        a=names[0],
        b=names[1],
        kind="designs",
        answered=all(doubt in {"", RATE_ONLY} for doubt in doubts),
        basis=f"{len(seeds)} seeds, same packets for a and b",
        limits=(limit_of(numbers_of(sides[0].records[0])), limit_of(numbers_of(sides[1].records[0]))),
        configuration=differences(described[0], described[1]),
        metrics=tuple(metrics),
        measurements=tuple(moved),
        lines=lines,
        notes=tuple(notes),
        counts=bench.counts,
    )


# What the traffic determines at a port.
_INWARD, _RECEIVED = ", inward: utilization", (": packets_in", ": bytes_in", ": wire_in")


def _same_load(described: Sequence[Mapping[str, Any]]) -> bool:
    """Whether both designs receive the same packets at the same times, whatever they do with them.

    A run ends after a number of packets that leave or are dropped, so that the measured times of the designs differ.
    """
    a, b = ({key: row[0] for key, row in each.items() if key.startswith(("traffic.", "port."))} for each in described)
    return a == b and a.get("traffic.arrivals") != "saturated"


def _said_once(moved: Sequence[Moved]) -> list[Moved]:
    """Drop measurements that repeat one of the same part in another unit or under another name.

    Numbers of the whole run are among the metrics.
    """
    found: dict[tuple[str, ...], Moved] = {}
    for each in moved:
        part = each.name.partition(": ")[0]
        of_all = (f"{number / each.a if each.a else number:.6g}" for number in (each.b, each.difference))
        if part != "total":
            found.setdefault((part, *of_all), each)
    return list(found.values())


def _measurements(record: Record) -> dict[str, float]:
    rows = [row for row in record["measurements"] if row[3] is not None and not row[0].startswith(LINE)]
    return {f"{part}: {name}": value for part, name, _unit, value in rows}
