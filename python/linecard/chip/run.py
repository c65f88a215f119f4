"""One design under one traffic: `run`."""

from __future__ import annotations

import hashlib
import json
import time
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard import _core
from linecard._arguments import plain
from linecard.chip.band import Range
from linecard.chip.band_runs import run_band
from linecard.chip.length import (
    CAPTURED_PACKETS,
    GENERATED_PACKETS,
    NOT_REACHED,
    Aim,
    longer,
    numbers_of_summary,
    wrong_precision,
)
from linecard.chip.result import RunRequest, RunResult
from linecard.chip.steps import Program, application
from linecard.errors import ConfigError, ConfigProblem, NotWrittenError
from linecard.executed.for_chip import executed
from linecard.files import check_apart
from linecard.request import ProgressCallback, Settings, check_counts, file_hash, name_of, settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# How the core says that a file of a sound run could not be written.
_MISSING = ("the timeline is missing: ", "the capture of what left is missing: ")


@plain
def run(
    preset: str | PathLike[str],
    *,
    app: str | PathLike[str] | Program | None = None,
    program: str | PathLike[str] | None = None,
    section: str | None = None,
    entry: str | None = None,
    maps: Mapping[str, str | PathLike[str]] | None = None,
    defines: Sequence[str] = (),
    fib: str | PathLike[str] | None = None,
    control: str | PathLike[str] | None = None,
    cpus: int = 1,
    budget: int | None = None,
    unchecked: bool = False,
    cflags: str = "",
    bits: int = 32,
    trace: str | PathLike[str] | None = None,
    set: Settings | None = None,
    band: bool = False,
    seed: int = 1,
    packets: int | None = None,
    warmup_packets: int | None = None,
    precision: float | None = None,
    map_addresses: bool = False,
    strict: bool = False,
    timeline: str | PathLike[str] | None = None,
    timeline_from_us: float = 0.0,
    timeline_for_us: float | None = None,
    pcap_out: str | PathLike[str] | None = None,
    verdict: bool = True,
    progress: ProgressCallback | None = None,
) -> RunResult:
    """Simulate one design under one traffic.

    The simulation runs in compiled code and releases the GIL, so threads run at the same time. Ctrl-C stops it.

    Args:
        preset: Name of a shipped preset (see :func:`presets`) or path of a TOML file.
        app: Application to run: a name, a file of steps, or a :class:`linecard.Program`; ``None`` takes the preset's
            own.
        program: XDP or C program to execute on the packets: name of a shipped one, a C file, an object file. ``None``
            runs the chip's own.
        section: Function or section, where an XDP object has several programs.
        entry: Function of a C program that packets go to; ``None`` takes ``app_packet``.
        maps: Maps of an XDP program by name, and the files (CSV or TOML) that fill them before the run.
        defines: Macros, ``NAME=VALUE``, for a C file or a shipped XDP program, which is then compiled anew.
        fib: Routes that ``bpf_fib_lookup`` finds, a CSV file.
        control: What ``app_init`` of a C program is given; shipped programs have theirs.
        cpus: Processors that per-processor maps have values for; packets take turns.
        budget: Instructions after which a packet's program counts as one that never ends; ``None`` takes a million for
            XDP programs and twenty million for C.
        unchecked: Let a C program touch bytes beyond its packet, beyond blocks of the heap, and of freed ones.
        cflags: Further flags of the compiler for a C file, as a shell splits them: ``"-O1 -fno-inline"``.
        bits: What a C file is compiled for: 32 (RV32IMA) or 64 (RV64IMAC).
        trace: Capture to replay, or a link described by its flows (``"edge"``, ``"core"``, a ``.toml`` file);
            ``None`` takes the traffic generator that the preset names.
        set: Changes to the preset: ``{"dram.banks": 2}`` or ``["dram.banks=2"]``.
        band: Run what the intervals leave open that sources give values of the chip's file: each at its own ends, then
            all that raise the throughput together and all that lower it, 2n + 2 runs more for n intervals, on all
            cores.
        seed: Seed of every random stream. The same request with the same seed gives an equal result.
        packets: Packets that must leave or be dropped while statistics are on; 0 runs a capture to its end, once.
            ``None`` takes 0 with a capture and 100,000 with generated traffic.
        warmup_packets: Packets that leave or are dropped before statistics start. ``None`` finds out when the chip is
            steady.
        precision: Half the 95 % interval of the throughput, at most, as a share of it: 0.01 is 1 %. The run is made
            again, four times as long, until it is steady and so precise, up to 256,000 packets (once, where 64,000 or
            more are asked for). Where that does not suffice, ``warnings`` say what was tried and what to change.
        map_addresses: Move addresses that match no route into routed space, as anonymised captures need.
        strict: Stop at the first damaged record of the capture.
        timeline: Write a timeline that Perfetto opens to this file; compressed if its name ends in ``.gz``.
        timeline_from_us: Of a chip: where the timeline begins, microseconds after the start of the measured time.
        timeline_for_us: Of a chip: how long it is; as much as fits if left out.
        pcap_out: Write the packets that leave and those that are lost to this capture (pcapng), at their times from the
            beginning of the run: an interface for each port and for each reason, and a comment on the packet that
            waited longest.
        verdict: Find out what limits the run, by re-runs with one part made better; that is several times the work of a
            short run.
        progress: Called now and then with (packets done, packets in all), from the thread that calls ``run``.

    Returns:
        Everything the run tells; see :class:`linecard.RunResult`.

    Raises:
        ConfigError: The preset, a key or a value is wrong; every problem is listed.
        TrafficError: The capture cannot be used.
        RunError: The simulation stopped without a result.

    Example:
        >>> import linecard
        >>> result = linecard.run("ixp1200", app="l3fwd16", set={"dram.banks": 2}, packets=2000, warmup_packets=500)
        >>> result.summary.throughput_gbps > 0
        True
    """
    preset, overrides = name_of("preset", preset), settings(set)
    if timeline is None:
        _check_no_window(timeline_from_us, timeline_for_us)
    check_apart(
        {"timeline": timeline, "pcap_out": pcap_out},
        preset,
        trace,
        app,
        program,
        fib,
        control,
        dict(maps or {}),
        overrides,
    )
    usual = GENERATED_PACKETS if trace is None else CAPTURED_PACKETS
    asked = usual[0] if packets is None else packets
    check_counts(seed=seed, packets=asked, warmup_packets=warmup_packets or 0, has_end=trace is not None)
    if wrong := wrong_precision(precision):
        raise ConfigError.of(wrong)
    started = time.perf_counter()
    with (
        application(app) as named,
        executed(
            program,
            preset=preset,
            overrides=overrides,
            section=section,
            entry=entry,
            maps=maps,
            defines=defines,
            fib=fib,
            control=control,
            cpus=cpus,
            budget=budget,
            unchecked=unchecked,
            cflags=cflags,
            bits=bits,
        ) as executable,
    ):
        program_hash = _program_hash(named, executable)

        length = (asked, warmup_packets)

        def simulate(changes: Sequence[str], progress: ProgressCallback | None, *, whole: bool) -> dict[str, Any]:
            return _core.run(
                preset,
                app=named,
                program=executable,
                trace=None if trace is None else fspath(trace),
                overrides=[*overrides, *changes],
                seed=seed,
                packets=length[0],
                warmup_packets=length[1],
                map_addresses=map_addresses,
                strict=strict,
                timeline=None if timeline is None or not whole else fspath(timeline),
                timeline_from_us=timeline_from_us,
                timeline_for_us=timeline_for_us,
                verdict=verdict and whole,
                progress=progress,
                pcap_out=None if pcap_out is None or not whole else fspath(pcap_out),
            )

        tried = [asked]
        # Only the length that suffices is run with all that is asked for.
        while precision is not None and Aim(precision).doubt(
            [numbers_of_summary(simulate((), progress, whole=False)["summary"])]
        ):
            following = longer(*length, asked)
            if following is None:
                break
            length = following
            tried.append(length[0])
        report = simulate((), progress, whole=True)
        wall_seconds = time.perf_counter() - started
        if band and report.get("ranges"):
            ranges = [Range(**each) for each in report["ranges"]]
            report["band"] = run_band(
                report["summary"],
                ranges,
                lambda changes, step: simulate(changes, step, whole=False)["summary"],
                progress,
            )
    if timeline is not None:
        report["warnings"] += _beyond_the_end(timeline_from_us, report["summary"]["simulated_seconds"] * 1e6)
    if precision is not None and (lacks := Aim(precision).shortfall([numbers_of_summary(report["summary"])], tried)):
        report["warnings"].append(f"{NOT_REACHED}: {lacks}")
    packets, warmup_packets = length
    if warmup_packets is None and report["summary"].get("steady") is None:
        warmup_packets = usual[1]
    request = RunRequest(
        overrides=tuple(overrides),
        packets=packets,
        warmup_packets=warmup_packets,
        map_addresses=map_addresses,
        input_hash=None if trace is None or not Path(trace).is_file() else file_hash(trace),
        program_hash=program_hash,
    )
    result = RunResult.from_report(report, request, wall_seconds=wall_seconds)
    missing = [warning for warning in result.warnings if warning.startswith(_MISSING)]
    if missing:
        raise NotWrittenError(missing[0], result)
    return result


def _check_no_window(from_us: float, for_us: float | None) -> None:
    """Refuse a window of a timeline that nobody asked for."""
    given = (
        ("timeline_from_us (--timeline-from)", from_us != 0.0),
        ("timeline_for_us (--timeline-for)", for_us is not None),
    )
    message = "has no effect without a timeline to write (timeline, --timeline)"
    problems = [ConfigProblem(name, "", message) for name, is_given in given if is_given]
    if problems:
        raise ConfigError.of(problems)


def _beyond_the_end(from_us: float, measured_us: float) -> list[str]:
    """What to know about a timeline that begins when the run has ended."""
    if from_us < measured_us:
        return []
    return [
        f"the timeline is empty: it begins {from_us:,.3f} us into the measured time, which ends after "
        f"{measured_us:,.3f} us; let it begin earlier with --timeline-from"
    ]


def _program_hash(steps: str | None, executable: Mapping[str, Any] | None) -> str | None:
    """SHA-256 of a file of steps, and of a program's file, the files that it is given and what is asked of it."""
    own = None if steps is None or not steps.endswith(".toml") or not Path(steps).is_file() else file_hash(steps)
    if executable is None:
        return own
    files = [executable["path"], executable["fib"], executable["control"], *(file for _, file in executable["maps"])]
    contents = [None if file is None else file_hash(file) for file in files]
    asked = [executable["section"], executable["cpus"], [name for name, _ in executable["maps"]]]
    if executable["entry"] is not None:
        asked.append(executable["entry"])
    identity = [contents, asked] if own is None else [contents, asked, own]
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()
