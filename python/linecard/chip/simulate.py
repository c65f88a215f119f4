"""The implementation of `linecard.run`, which simulates one design under one traffic load."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard import _core
from linecard._convert import convert
from linecard._options import options
from linecard.chip.band_runs import run_band
from linecard.chip.length import (
    CAPTURED_PACKETS,
    GENERATED_PACKETS,
    NOT_REACHED,
    Aim,
    has_ended,
    longer,
    numbers_of_summary,
    wrong_precision,
)
from linecard.chip.program import chip_program
from linecard.chip.reports import ValueRange
from linecard.chip.result import RunRequest, RunResult
from linecard.errors import ConfigError, ConfigProblem, NotWrittenError
from linecard.files import check_apart
from linecard.request import ProgressCallback, as_asked, check_counts, file_hash, name_of, settings

if TYPE_CHECKING:
    from linecard._schema import Run


def simulate(asked: Run, progress: ProgressCallback | None) -> RunResult:
    """Simulate one design under one traffic load; see :func:`linecard.run`."""
    chip, overrides, trace = name_of("chip", asked.chip), settings(asked.set), asked.trace
    _check_effects(asked)
    outputs = {"timeline": asked.timeline, "pcap_out": asked.pcap_out}
    maps = dict(asked.maps or {})
    check_apart(outputs, chip, trace, asked.program, asked.fib, asked.control, maps, overrides)
    usual = GENERATED_PACKETS if trace is None else CAPTURED_PACKETS
    packets = usual[0] if asked.packets is None else asked.packets
    warmup_packets = asked.warmup_packets
    check_counts(seed=asked.seed, packets=packets, warmup_packets=warmup_packets or 0, has_end=trace is not None)
    ConfigError.check(wrong_precision(asked.precision))
    started = time.perf_counter()
    given, of_program = ({each.name: getattr(asked, each.name) for each in options(one)} for one in ("run", "program"))
    with chip_program(of_program, chip=chip, overrides=overrides) as program:
        program_hash = _program_hash(program)
        core = {name: fspath(value) if isinstance(value, PathLike) else value for name, value in given.items()}
        core["program"] = program
        length = (packets, warmup_packets)

        def run(changes: Sequence[str], progress: ProgressCallback | None, *, whole: bool) -> dict[str, Any]:
            request = {**core, "set": [*overrides, *changes], "packets": length[0], "warmup_packets": length[1]}
            written = {} if whole else dict.fromkeys(outputs)
            return _core.run({**request, **written}, verdict=asked.verdict and whole, progress=progress)

        tried = [packets]
        # Only the run of sufficient length computes everything that was requested.
        while asked.precision is not None:
            numbers = numbers_of_summary(run((), progress, whole=False)["summary"])
            if not Aim(asked.precision).doubt([numbers]):
                break
            ended = trace is not None and has_ended(length[0], numbers)
            following = (0, warmup_packets) if ended else longer(*length, packets)
            if following is None:
                break
            length = following
            tried.append(length[0])
        report = run((), progress, whole=True)
        unwritten = report.pop("unwritten", ())
        wall_seconds = time.perf_counter() - started
        if asked.band and report.get("ranges"):
            ranges = convert(report["ranges"], list[ValueRange])
            report["band"] = run_band(
                report["summary"],
                ranges,
                lambda changes, step: run(changes, step, whole=False)["summary"],
                progress,
            )
    if asked.timeline is not None:
        report["warnings"] += _beyond_the_end(asked.timeline_from_us, report["summary"]["simulated_seconds"] * 1e6)
    if asked.precision is not None and (
        lacks := Aim(asked.precision).shortfall([numbers_of_summary(report["summary"])], tried)
    ):
        report["warnings"].append(f"{NOT_REACHED}: {lacks}")
    packets, warmup_packets = length
    request = RunRequest(
        overrides=tuple(overrides),
        packets=packets,
        warmup_packets=warmup_packets,
        map_addresses=asked.map_addresses,
        input_hash=None if trace is None or not Path(trace).is_file() else file_hash(trace),
        program_hash=program_hash,
    )
    result = RunResult.from_report(
        report,
        request,
        wall_seconds=wall_seconds,
        asked=as_asked({each.name: getattr(asked, each.name) for each in fields(asked)}),
    )
    if unwritten:
        raise NotWrittenError("\n".join(unwritten), result)
    return result


def _check_effects(asked: Run) -> None:
    """Refuse a window without a timeline, and mapped addresses without a capture."""
    problems = []
    if asked.timeline is None:
        given = (
            ("timeline_from_us (--timeline-from)", asked.timeline_from_us != 0.0),
            ("timeline_for_us (--timeline-for)", asked.timeline_for_us is not None),
        )
        message = "has no effect without a timeline; add timeline= (--timeline)"
        problems += [ConfigProblem(name, "", message) for name, is_given in given if is_given]
    if asked.trace is None and asked.map_addresses:
        message = "has no effect without a capture; add --trace, or omit --map-addresses"
        problems.append(ConfigProblem("--map-addresses", "", message))
    ConfigError.check(problems)


def _beyond_the_end(from_us: float, measured_us: float) -> list[str]:
    """The warning about a timeline that begins after the end of the run."""
    if from_us < measured_us:
        return []
    return [
        f"the timeline is empty: it begins {from_us:,.3f} us after the start of the measurement, which lasts "
        f"{measured_us:,.3f} us; set an earlier start with --timeline-from"
    ]


def _program_hash(program: str | Mapping[str, Any] | None) -> str | None:
    """SHA-256 of a file of steps, or of a program's file with its input files and its options."""
    if program is None:
        return None
    if isinstance(program, str):
        return file_hash(program) if program.endswith(".toml") and Path(program).is_file() else None
    files = [program["path"], program["fib"], program["control"], *(file for _, file in program["maps"])]
    contents = [None if file is None else file_hash(file) for file in files]
    asked = [program["section"], program["cpus"], [name for name, _ in program["maps"]]]
    if program["entry"] is not None:
        asked.append(program["entry"])
    return hashlib.sha256(json.dumps([contents, asked]).encode()).hexdigest()
