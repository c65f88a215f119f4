"""The functions behind ``import linecard`` and behind the commands: one request in, one typed result out."""

from __future__ import annotations

import difflib
import hashlib
import json
import operator
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from linecard import _core
from linecard._convert import convert
from linecard.cachecurves import FlowMixTraffic, TrafficView
from linecard.cachestats import FlowCacheResult
from linecard.errors import ConfigError, ConfigProblem, NotWrittenError
from linecard.executed import executed
from linecard.flowstats import FlowStatistics
from linecard.memstats import MemoryResult
from linecard.results import Description, PresetInfo, RunRequest, RunResult, need_polars
from linecard.steps import Program, application

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from linecard.study import StudyResult
    from linecard.study.scorecard.card import Scorecard

# What `dram` runs when nothing is said.
DRAM_POLICY = "frfcfs_open"
DRAM_REQUESTS = 100_000

Settings = Mapping[str, object] | Iterable[str]
ProgressCallback = Callable[[int, int], object]

# A generator has no end: (packets, warm-up). A capture is run to its end.
GENERATED_PACKETS = (100_000, 10_000)
CAPTURED_PACKETS = (0, 1_000)
_U64_MAX = 2**64 - 1
_U32_MAX = 2**32 - 1
_CACHE_ENTRIES_MAX = 2**24
_RESULT_BITS_MAX = 2**16
_THREADS_MAX = 2**10
_TIME_OUT_MAX_SECONDS = 10**9

# What `flowcache` runs when nothing is said: the sizes of Girish 2008, chapter 5, its policy between the usual one
# and the best possible one.
CACHE_ENTRIES = (512, 1024, 2048)
CACHE_WAYS = (4,)
# Flows that `flows` counts at most, unless told otherwise: about 4 GB of memory.
MOST_FLOWS = 20_000_000
CACHE_POLICIES = ("LRU", "SP", "OPT")
CACHE_KEY = "5-tuple"
CACHE_HASH = "md5"
_DIGESTS, _CAPTURE = "u32le", "capture"
_DIGEST_ENDINGS = (".u32le", ".u32le.gz")


def run(
    preset: str,
    *,
    app: str | Program | None = None,
    program: str | PathLike[str] | None = None,
    section: str | None = None,
    entry: str | None = None,
    maps: Mapping[str, str | PathLike[str]] | None = None,
    defines: Sequence[str] = (),
    fib: str | PathLike[str] | None = None,
    control: str | PathLike[str] | None = None,
    cpus: int = 1,
    budget: int | None = None,
    trace: str | PathLike[str] | None = None,
    set: Settings | None = None,
    band: bool = False,
    seed: int = 1,
    packets: int | None = None,
    warmup_packets: int | None = None,
    map_addresses: bool = False,
    strict: bool = False,
    timeline: str | PathLike[str] | None = None,
    timeline_from_us: float = 0.0,
    timeline_for_us: float | None = None,
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
        trace: Capture to replay; ``None`` takes the traffic generator that the preset names.
        set: Changes to the preset: ``{"dram.banks": 2}`` or ``["dram.banks=2"]``.
        band: Run with the lower and with the upper ends of the intervals, too, that sources give values of the chip's
            file: three runs instead of one, where it has any.
        seed: Seed of every random stream. The same request with the same seed gives an equal result.
        packets: Packets that must leave or be dropped while statistics are on; 0 runs a capture to its end, once.
            ``None`` takes 0 with a capture and 100,000 with generated traffic.
        warmup_packets: Packets that leave before statistics start. ``None`` finds out when the chip is steady.
        map_addresses: Move addresses that match no route into routed space, as anonymised captures need.
        strict: Stop at the first damaged record of the capture.
        timeline: Write a timeline that Perfetto opens to this file; compressed if its name ends in ``.gz``.
        timeline_from_us: Of a chip: where the timeline begins, microseconds after the start of the measured time.
        timeline_for_us: Of a chip: how long it is; as much as fits if left out.
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
    overrides = settings(set)
    usual = GENERATED_PACKETS if trace is None else CAPTURED_PACKETS
    packets = usual[0] if packets is None else packets
    check_counts(seed=seed, packets=packets, warmup_packets=warmup_packets or 0, has_end=trace is not None)
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
        ) as executable,
    ):
        program_hash = _program_hash(named, executable)

        def simulate(bound: Literal["low", "stated", "high"]) -> dict[str, Any]:
            whole = bound == "stated"
            return _core.run(
                preset,
                app=named,
                program=executable,
                trace=None if trace is None else fspath(trace),
                overrides=overrides,
                seed=seed,
                packets=packets,
                warmup_packets=warmup_packets,
                map_addresses=map_addresses,
                strict=strict,
                timeline=None if timeline is None or not whole else fspath(timeline),
                timeline_from_us=timeline_from_us,
                timeline_for_us=timeline_for_us,
                verdict=verdict and whole,
                progress=progress,
                bound=bound,
            )

        report = simulate("stated")
        wall_seconds = time.perf_counter() - started
        if band and report.get("ranges"):
            report["band"] = {"low": simulate("low")["summary"], "high": simulate("high")["summary"]}
    if warmup_packets is None and report["summary"].get("steady") is None:
        warmup_packets = usual[1]
    request = RunRequest(
        overrides=tuple(overrides),
        packets=packets,
        warmup_packets=warmup_packets,
        map_addresses=map_addresses,
        input_hash=None if trace is None else file_hash(trace),
        program_hash=program_hash,
    )
    result = RunResult.from_report(report, request, wall_seconds=wall_seconds)
    missing = [warning for warning in result.warnings if warning.startswith("the timeline is missing: ")]
    if missing:
        raise NotWrittenError(missing[0], result)
    return result


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


def flows(
    path: str | PathLike[str],
    *,
    strict: bool = False,
    most_flows: int = MOST_FLOWS,
    progress: ProgressCallback | None = None,
) -> FlowStatistics:
    """Count the packets and flows of a capture.

    Args:
        path: The capture: pcap, pcapng, ERF, TSH or CSV, plain or inside gzip, zstd or bzip2.
        strict: Stop at the first damaged record.
        most_flows: Flows at which counting stops with an error; each takes up to 220 bytes of memory.
        progress: Called now and then with (bytes read, bytes in all).

    Returns:
        Packets, bytes, duration, sizes, flows, and what was skipped and why.

    Raises:
        TrafficError: The capture cannot be opened or is of no known format; with ``strict``, it is damaged; it
            has more than ``most_flows`` flows.
    """
    plain = _core.flows(fspath(path), strict=strict, most_flows=most_flows, progress=progress)
    return convert(plain, FlowStatistics)


def flowcache(
    source: str | PathLike[str] | Buffer,
    entries: int | Iterable[int] = CACHE_ENTRIES,
    ways: int | str | Iterable[int | str] = CACHE_WAYS,
    policy: str | Iterable[str] = CACHE_POLICIES,
    *,
    format: str | None = None,  # noqa: A002 # the same word as --format
    key: str | None = None,
    hash: str | None = None,  # noqa: A002 # the same word as --hash
    width: int = 32,
    result_bits: int = 8,
    cold_window_packets: int = 10_000,
    foresight_packets: int = 10_000,
    seed: int = 1,
    threads: int | None = None,
    false_hits: bool = False,
    curves: bool = False,
    time_out_seconds: float | None = None,
    strict: bool = False,
    progress: ProgressCallback | None = None,
) -> FlowCacheResult:
    """Run flow caches of every size, number of ways and policy over one traffic.

    The caches run on all cores in compiled code and release the GIL. Ctrl-C stops them. Rows come in the order asked
    for and do not depend on the number of threads.

    Args:
        source: A capture; a file of digests, one little-endian u32 per packet, plain or (``.gz``) inside gzip; or an
            array of digests, such as a NumPy array of ``uint32``. An array is read where it is, without a copy: no
            other thread may write to it meanwhile.
        entries: Sizes.
        ways: Entries of a set; ``"full"`` for one set of all.
        policy: Names in any case, such as ``"lru"``, ``"BIP32"``, ``"SECOND16+SP"``.
        format: ``"u32le"`` for a file of digests, ``"capture"`` for a capture. ``None`` takes names that end in
            ``.u32le`` or ``.u32le.gz`` for files of digests.
        key: What makes a flow: ``"5-tuple"`` (``None``), ``"2-tuple"``, or a list of fields such as
            ``"dst/24,protocol"``. Only with a capture.
        hash: Hash of the digest: ``"md5"`` (``None``), ``"crc32c"``, ``"xxhash"`` or ``"h3"``. Only with a capture.
        width: Bits of a digest, 1 to 32: the low ones.
        result_bits: Bits of a result, for the cost of an entry.
        cold_window_packets: A miss is cold if its digest does not occur in so many packets before.
        foresight_packets: How far ``PRED`` looks ahead.
        seed: Seed of the policies that draw, and of the hash ``h3``.
        threads: Caches run at the same time; ``None`` takes one per core.
        false_hits: Count packets that get the result of another flow, because both have one digest. Only with a
            capture.
        curves: Add LRU of all sizes and ways, the miss-ratio curve and the reuse distances, from one pass.
        time_out_seconds: Add what the flows are like; a flow ends after this silence (1 second in Girish 2008). Only
            with a capture.
        strict: Stop at the first damaged record of the capture.
        progress: Called now and then with (done, in all): bytes while the input is read, then packets of all caches.

    Returns:
        One row per cache, and the best policy of each size.

    Raises:
        ConfigError: Something asked for is wrong; every problem is listed.
        TrafficError: The input cannot be read, or holds no packet with a flow.

    Example:
        >>> import array, linecard
        >>> result = linecard.flowcache(array.array("I", [7, 8, 7, 9, 7, 8]), entries=2, ways=2, policy="sp")
        >>> result.rows[0].hits
        2
    """
    sizes, shapes, policies = _listed(entries), _listed(ways), _listed(policy)
    problems = [
        ConfigProblem(name, "", f"found none, expected at least one, such as {example}")
        for name, values, example in (("entries", sizes, 1024), ("ways", shapes, 4), ("policy", policies, "lru"))
        if not values
    ]
    ranges = [("entries", each, 1, _CACHE_ENTRIES_MAX) for each in sizes]
    ranges += [("ways", each, 1, _CACHE_ENTRIES_MAX) for each in shapes if each != "full"]
    ranges += [
        ("digest width", width, 1, 32),
        ("result bits", result_bits, 0, _RESULT_BITS_MAX),
        ("cold window", cold_window_packets, 0, _U32_MAX),
        ("foresight", foresight_packets, 0, _U32_MAX),
        ("seed", seed, 0, _U64_MAX),
        ("threads", 1 if threads is None else threads, 1, _THREADS_MAX),
    ]
    if time_out_seconds is not None and not 0 < time_out_seconds <= _TIME_OUT_MAX_SECONDS:
        expected = f"expected more than 0, at most {_TIME_OUT_MAX_SECONDS}"
        problems.append(ConfigProblem("time-out", "", f"found {time_out_seconds!r} seconds, {expected}"))
    for name, value, least, most in ranges:
        # What the core can hold, it judges: then all problems come at once.
        core_judges = name in {"entries", "ways", "digest width"} and value in range(_U32_MAX + 1)
        if not core_judges and not (isinstance(value, int) and least <= value <= most):
            other = ', or "full"' if name == "ways" else ""
            problems.append(ConfigProblem(name, "", f"found {value!r}, expected {least} to {most}{other}"))
    path = fspath(source) if isinstance(source, (str, PathLike)) else None
    digests = path is None or _holds_digests(path, format, problems)
    if digests:
        asked = {"key": key is not None, "hash": hash is not None, "false hits": false_hits}
        asked["time-out"] = time_out_seconds is not None
        problems += [
            ConfigProblem(name, "", "found with an input of digests, expected a capture; leave it out")
            for name, is_asked in asked.items()
            if is_asked
        ]
    if problems:
        raise ConfigError.of(problems)
    if path is not None:
        path.encode()  # The core would take a name that is not UTF-8 for an array.
    try:
        plain = _core.flowcache(
            source if path is None else path,
            entries=sizes,
            ways=[None if each == "full" else each for each in shapes],
            policies=policies,
            key=None if digests else key or CACHE_KEY,
            hash=None if digests else hash or CACHE_HASH,
            width_bits=width,
            result_bits=result_bits,
            cold_window_packets=cold_window_packets,
            foresight_packets=foresight_packets,
            seed=seed,
            threads=threads or 0,
            strict=strict,
            false_hits=false_hits,
            curves=curves,
            time_out_ns=None if time_out_seconds is None else round(time_out_seconds * 1e9),
            progress=progress,
        )
    except (BufferError, TypeError) as error:
        if path is not None:
            raise
        found = f"{type(source).__name__} of {getattr(source, 'dtype', getattr(source, 'format', 'unknown type'))}"
        expected = "a contiguous array of uint32 with one dimension: numpy.ascontiguousarray(digests, numpy.uint32)"
        raise ConfigError.of([ConfigProblem("source", "", f"found {found} ({error}), expected {expected}")]) from error
    return convert(plain, FlowCacheResult)


def flow_mix(
    packets: int,
    *,
    single_flows_percent: float,
    packets_in_single_flows_percent: float,
    large_flows_percent: float,
    packets_in_large_flows_percent: float,
    concurrent_flows: float,
    largest_flow_packets: int = 40_000,
    time_out_seconds: float = 1.0,
    rate_pps: float = 20_000.0,
    seed: int = 1,
) -> FlowMixTraffic:
    """Make traffic to stated flow statistics, for caches and for anything else that lives on flows.

    Flows with one packet, and large ones with more than 1000, get the shares asked for; the rest have 2 to 1000
    packets. Sizes follow bounded Pareto laws, gaps are log-normal and differ from flow to flow, and are scaled so that
    as many flows are active on average over the time as asked for (``view`` averages over packets, and a traffic begins
    and ends with fewer: some percent apart). No gap of a flow reaches the time-out.

    Args:
        packets: Packets in all.
        single_flows_percent: Flows with one packet, of all flows.
        packets_in_single_flows_percent: Packets in them, of all packets. The two decide how many flows there are.
        large_flows_percent: Flows with more than 1000 packets, of all flows.
        packets_in_large_flows_percent: Packets in them, of all packets.
        concurrent_flows: Flows active at once; a flow is active until it has been silent for the time-out.
        largest_flow_packets: Packets of the largest flow at most.
        time_out_seconds: Silence that ends a flow (1 second in Girish 2008, section 5.3.1).
        rate_pps: Packets per second.
        seed: Equal seeds give equal traffic.

    Raises:
        ConfigError: No traffic has these numbers; the text says which one does not fit, and what would.

    Example:
        >>> import linecard
        >>> mix = linecard.flow_mix(200_000, single_flows_percent=58, packets_in_single_flows_percent=5.5,
        ...     large_flows_percent=0.15, packets_in_large_flows_percent=50, concurrent_flows=4000)
        >>> linecard.flowcache(mix.digests, 1024, policy=["lru", "sp"]).best[0].policy
        'SP'
    """
    ranges = [
        ("packets", packets, _U64_MAX),
        ("largest flow", largest_flow_packets, _U64_MAX),
        ("seed", seed, _U64_MAX),
        ("time-out", time_out_seconds, _TIME_OUT_MAX_SECONDS),
    ]
    problems = [
        ConfigProblem(name, "", f"found {value!r}, expected 0 to {most}")
        for name, value, most in ranges
        if not 0 <= value <= most
    ]
    if problems:
        raise ConfigError.of(problems)
    plain = _core.flow_mix(
        packets=packets,
        single_flows_percent=single_flows_percent,
        packets_in_single_flows_percent=packets_in_single_flows_percent,
        large_flows_percent=large_flows_percent,
        packets_in_large_flows_percent=packets_in_large_flows_percent,
        largest_flow_packets=largest_flow_packets,
        concurrent_flows=concurrent_flows,
        time_out_ns=round(time_out_seconds * 1e9),
        rate_pps=rate_pps,
        seed=seed,
    )
    digests, times = memoryview(plain["digests"]).cast("I"), memoryview(plain["times_ns"]).cast("Q")
    return FlowMixTraffic(digests, times, convert(plain["view"], TrafficView))


def _listed(values: Any) -> list[Any]:
    """One value or several as a list; whole numbers of any kind as such."""
    several = values if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    return [operator.index(each) if hasattr(each, "__index__") else each for each in several]


def _holds_digests(path: str, format_name: str | None, problems: list[ConfigProblem]) -> bool:
    """Whether a file holds digests and no packets."""
    if format_name is None:
        return path.lower().endswith(_DIGEST_ENDINGS)
    known = (_DIGESTS, _CAPTURE)
    name = format_name.lower()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
        expected = f"expected {_DIGESTS} or {_CAPTURE}; did you mean {near}?"
        problems.append(ConfigProblem("format", "", f"found {format_name!r}, {expected}"))
    return name == _DIGESTS


def dram(
    device: str,
    policy: str = DRAM_POLICY,
    *,
    trace: str | PathLike[str] | None = None,
    format: str | None = None,  # noqa: A002 # the same word as --format
    pattern: str | None = None,
    count: int | None = None,
    spacing: int | None = None,
    reads: float | None = None,
    narrow: float | None = None,
    seed: int = 1,
    in_flight: int | None = None,
    set: Settings | None = None,
    requests: str | PathLike[str] | None = None,
    commands: str | PathLike[str] | None = None,
    frames: bool = False,
    progress: ProgressCallback | None = None,
) -> MemoryResult:
    """Run a DRAM part alone under a trace or a pattern.

    Args:
        device: Name of a DRAM part (``presets()`` of kind ``dram``), or path of a TOML file.
        policy: Name of a controller's policy (``presets()`` of kind ``policies``), or path of a TOML file.
        trace: File of requests, plain or gzip.
        format: ``"csv"`` (columns ``arrival,op,address`` and, if wanted, ``bytes``), ``"dramsim3"``
            (``address OP clock``) or ``"ramulator"`` (``LD address``); ``None`` finds it out from the first line.
        pattern: ``"stream"``, ``"random"``, ``"bank_conflicts"`` or ``"packet_cells"``, instead of a trace.
        count: Requests of the pattern; ``None`` stands for 100,000.
        spacing: Clocks between requests of the pattern; 0 and ``None`` for as fast as they are accepted.
        reads: Share of reads of the pattern; ``None`` takes 1 (``random``: 2/3).
        narrow: Share of accesses of the pattern that move half as many bytes.
        seed: Seed of the pattern.
        in_flight: Requests accepted and not yet completed, at most.
        set: Changes to part and policy: ``{"timing.tRCD": "15 ns", "policy.page": "closed"}``.
        requests: Write what became of each request to this CSV file.
        commands: Write every command to this CSV file.
        frames: Keep requests and commands as polars data frames in the result (extra ``frames``).
        progress: Called now and then with (requests done, requests in all or 0).

    Raises:
        ConfigError: A preset, a key or an option is wrong; every problem is listed.
        TrafficError: The trace cannot be used; the text has its line and what was expected.

    Example:
        >>> import linecard
        >>> linecard.dram("ddr4_2400", pattern="stream", count=1000).reads
        1000
    """
    problems = []
    if (trace is None) == (pattern is None):
        found = "neither" if trace is None else "both"
        problems.append(ConfigProblem("input", "", f"found {found}, expected a trace or a pattern"))
    asked = {"count": count, "spacing": spacing, "reads": reads, "narrow": narrow}
    if trace is not None:
        problems += [
            ConfigProblem(name, "", "has no effect with a trace; leave it out")
            for name, value in asked.items()
            if value is not None
        ]
    elif format is not None:
        problems.append(ConfigProblem("format", "", "has no effect with a pattern; leave it out"))
    ranges = {"count": count or 0, "spacing": spacing or 0, "seed": seed, "in flight": in_flight or 0}
    problems += [
        ConfigProblem(name, "", f"found {value!r}, expected 0 to {_U64_MAX}")
        for name, value in ranges.items()
        if not 0 <= value <= _U64_MAX
    ]
    if requests is not None and requests == commands:
        problems.append(ConfigProblem("commands", "", "found the file of the requests, expected another"))
    if problems:
        raise ConfigError.of(problems)
    if frames:
        need_polars()
    with tempfile.TemporaryDirectory() if frames else nullcontext("") as folder:
        paths = {
            name: fspath(given) if given is not None else str(Path(folder) / name) if frames else None
            for name, given in (("requests", requests), ("commands", commands))
        }
        plain = _core.dram(
            device,
            policy,
            overrides=settings(set),
            trace=None if trace is None else fspath(trace),
            format=format,
            pattern=pattern or "",
            count=DRAM_REQUESTS if count is None else count,
            spacing=spacing or 0,
            reads=reads,
            narrow=narrow or 0.0,
            seed=seed,
            in_flight=in_flight,
            requests=paths["requests"],
            commands=paths["commands"],
            progress=progress,
        )
        unwritten = plain.pop("unwritten", ())
        result = convert(plain, MemoryResult)
        if unwritten:
            raise NotWrittenError("\n".join(unwritten), result)
        if frames:
            read_csv = need_polars().read_csv
            result = replace(
                result, requests_frame=read_csv(paths["requests"]), commands_frame=read_csv(paths["commands"])
            )
    return result


def presets() -> list[PresetInfo]:
    """List the shipped presets, sorted by kind and name."""
    return convert(_core.presets(), list[PresetInfo])


def describe(preset: str, set: Settings | None = None) -> Description:
    """Every parameter of a preset with unit and source, after these changes.

    Raises:
        ConfigError: The preset, a key or a value is wrong; every problem is listed.
    """
    return convert(_core.describe(preset, settings(set)), Description)


def reproduce(
    study: str = "hasan2003",
    tables: Iterable[str | int] | None = None,
    chapters: Iterable[int] | None = None,
    quick: bool = False,
    jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> StudyResult:
    """Run a study of a published document and compare every number with the published one.

    Args:
        study: Name of a shipped study, or path of a study folder.
        tables: Only these tables or figures, such as ``[1, "figure5"]``; ``None`` takes all.
        chapters: All tables and figures of these chapters, such as ``[5]``, beside ``tables``.
        quick: One seed and fewer packets, for a first look.
        jobs: Runs at the same time; ``None`` takes one per core. The result does not depend on it.
        progress: Called now and then with (packets done, packets in all).

    Returns:
        Measured beside published numbers, orders, gains, checks and deviations.

    Raises:
        ConfigError: There is no such study or table, or the study's files contradict each other.
    """
    from linecard.study import reproduce as reproduce_study

    names = None if tables is None else [str(table) for table in tables]
    return reproduce_study(study, tables=names, chapters=chapters, quick=quick, jobs=jobs, progress=progress)


def scorecard(
    studies: Iterable[str] | None = None,
    jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> Scorecard:
    """Run whole studies and hold them against every limit that was set for them (``studies/targets.csv``).

    Args:
        studies: Names of shipped studies; ``None`` takes all five that have limits, which is many minutes.
        jobs: Runs at the same time; ``None`` takes one per core. The result does not depend on it.
        progress: Called now and then with (steps done, steps in all).

    Returns:
        Each limit, what came out, whether it is kept, and why it is not.

    Raises:
        ConfigError: There is no such study, or a study's files contradict each other.
    """
    from linecard.study.scorecard.card import make_scorecard

    return make_scorecard(studies, jobs=jobs, progress=progress)


def check_counts(*, seed: int, packets: int, warmup_packets: int, has_end: bool) -> None:
    """Refuse numbers of packets and seeds that no run has.

    Raises:
        ConfigError: One is out of range, or generated traffic is to be run to its end.
    """
    problems = [
        ConfigProblem(name, "", f"found {value}, expected 0 to {_U64_MAX}")
        for name, value in (("seed", seed), ("packets", packets), ("warmup", warmup_packets))
        if not 0 <= value <= _U64_MAX
    ]
    if packets == 0 and not has_end:
        expected = "expected 1 or more; only a capture can be run to its end with 0"
        problems.append(ConfigProblem("packets", "", f"found 0, {expected}"))
    if problems:
        raise ConfigError.of(problems)


def settings(changes: Settings | None) -> list[str]:
    """Changes in the form ``key.path=value``; a mapping's values are written as TOML.

    Raises:
        ConfigError: A change has no ``=``, or a value has no TOML form.
    """
    if changes is None:
        return []
    if isinstance(changes, str):
        changes = [changes]
    if isinstance(changes, Mapping):
        return [f"{key}={toml_value(key, value)}" for key, value in changes.items()]
    texts = list(changes)
    problems = [
        ConfigProblem("--set", "", f"found {text!r}, expected key.path=value, such as dram.banks=2")
        for text in texts
        if text.find("=") < 1
    ]
    if problems:
        raise ConfigError.of(problems)
    return texts


def toml_value(key: str, value: object) -> str:
    """One value as TOML text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(key, each) for each in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {toml_value(key, each)}" for name, each in value.items()) + "}"
    problem = ConfigProblem(
        "set", key, f"found a {type(value).__name__}, expected a number, text, bool, list or mapping"
    )
    raise ConfigError.of([problem])


def file_hash(path: str | PathLike[str]) -> str:
    """SHA-256 of a file's bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def plain_problems(error: ConfigError) -> list[dict[str, Any]]:
    """An error's problems as plain data."""
    return [{"place": problem.place, "key": problem.key, "message": problem.message} for problem in error.problems]
