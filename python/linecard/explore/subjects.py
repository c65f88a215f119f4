"""What can be swept: everything that runs, each behind the same four things.

A subject says which arguments it takes, how they stand on the command line, and how one point is run.
What a run gives is an `Outcome`: named numbers for the table, and every measurement in rows.
"""

from __future__ import annotations

import shlex
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard import _core
from linecard.errors import ConfigError, ConfigProblem

if TYPE_CHECKING:
    from pathlib import Path

Progress = Callable[[int, int], object]
Arguments = Mapping[str, Any]

# Traced programs that are kept for the points that share them.
_MOST_TRACES = 8
# In place of an option, of an argument that the command line does not have.
NO_OPTION = "-"


@dataclass(frozen=True, slots=True)
class Request:
    """One run that is asked for.

    Attributes:
        subject: What is run: a name of `SUBJECTS`.
        arguments: Its arguments that are not left out.
        settings: Changes of keys, as ``--set`` takes them.
    """

    subject: str
    arguments: Mapping[str, Any]
    settings: Mapping[str, Any]

    def plain(self) -> dict[str, Any]:
        """Plain data; equal requests give equal data, whatever the order of their keys."""
        return {
            "subject": self.subject,
            "arguments": dict(sorted(self.arguments.items())),
            "settings": dict(sorted(self.settings.items())),
        }

    @property
    def command(self) -> str:
        """The command that repeats this run alone."""
        return SUBJECTS[self.subject].command(self)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave.

    Attributes:
        numbers: Named values for the table: numbers, switches and texts; ``None`` where a run has none.
        measurements: Every measurement: component, metric, unit, value.
    """

    numbers: Mapping[str, Any]
    measurements: list[tuple[str, str, str, float]]


def _nothing(_: Request) -> Iterable[tuple[str, Path]]:
    return ()


@dataclass(frozen=True, slots=True)
class Subject:
    """A kind of run.

    Attributes:
        name: As ``--what`` takes it.
        main: The argument that the command line gives first.
        arguments: Arguments by name, each with its option on the command line; empty for a positional one,
            ``NO_OPTION`` for one that is none there.
        defaults: Arguments that every point has, where nothing else is said.
        has_settings: Whether other keys are settings.
        command_words: How its command begins.
        run: Runs one point.
        length: The argument that says how long a run is; none where nothing does.
        carries: Files that decide a run and that its request does not name, each with a name that is the same on every
            machine.
    """

    name: str
    main: str
    arguments: Mapping[str, str]
    defaults: Mapping[str, Any]
    has_settings: bool
    command_words: str
    run: Callable[[Request, Progress], Outcome]
    length: str = ""
    carries: Callable[[Request], Iterable[tuple[str, Path]]] = _nothing

    def command(self, request: Request) -> str:
        """The command that repeats one run."""
        words = [self.command_words]
        for name in sorted(request.arguments, key=lambda each: (self.arguments[each] != "", each)):
            option, value = self.arguments[name], request.arguments[name]
            if option == NO_OPTION:
                continue
            if value is True:
                words.append(option)
            elif value is not False and value is not None:
                words += [option, shlex.quote(_word(value))] if option else [shlex.quote(_word(value))]
        for key, value in sorted(request.settings.items()):
            words += ["--set", shlex.quote(f"{key}={_word(value)}")]
        return " ".join(word for word in words if word)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(_word, value)) if isinstance(value, (list, tuple)) else str(value)


def flat(record: Any, before: str = "") -> dict[str, Any]:
    """Scalars of nested dictionaries, named by their path."""
    found: dict[str, Any] = {}
    for name, value in record.items():
        path = f"{before}{name}"
        if isinstance(value, dict):
            found.update(flat(value, f"{path}."))
        elif value is None or isinstance(value, (bool, int, float, str)):
            found[path] = value
    return found


def _measured(component: str, numbers: Mapping[str, Any]) -> list[tuple[str, str, str, float]]:
    """Numbers without a unit of their own as measurements; their names carry it."""
    return [
        (component, name, "", float(value))
        for name, value in numbers.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]


def _settings(request: Request) -> list[str]:
    from linecard.api import settings

    return settings(dict(sorted(request.settings.items())))


def _run_design(request: Request, progress: Progress) -> Outcome:
    from linecard.api import CAPTURED_PACKETS, GENERATED_PACKETS, check_counts
    from linecard.executed import executed

    asked = request.arguments
    trace = asked.get("trace")
    usual = GENERATED_PACKETS if trace is None else CAPTURED_PACKETS
    packets, warmup = asked.get("packets", usual[0]), asked.get("warmup_packets")
    seed = asked.get("seed", 1)
    check_counts(seed=seed, packets=packets, warmup_packets=warmup or 0, has_end=trace is not None)
    overrides = _settings(request)
    define = asked.get("define")
    with executed(
        asked.get("program"),
        preset=asked["preset"],
        overrides=overrides,
        section=asked.get("section"),
        defines=[] if define is None else [str(define)],
        control=asked.get("control"),
    ) as executable:
        report = _core.run(
            asked["preset"],
            app=asked.get("app"),
            program=executable,
            trace=trace,
            overrides=overrides,
            seed=seed,
            packets=packets,
            warmup_packets=warmup,
            map_addresses=asked.get("map_addresses", False),
            strict=asked.get("strict", False),
            timeline=None,
            timeline_from_us=0.0,
            timeline_for_us=None,
            verdict=asked.get("verdict", True),
            progress=progress,
        )
    return outcome_of_report(report, verdict=asked.get("verdict", True))


def _carried_program(request: Request) -> Iterable[tuple[str, Path]]:
    """What the program that a point executes is made of."""
    if request.arguments.get("program") is None:
        return ()
    from linecard.explore.programs import carried_by

    return carried_by(request)


def outcome_of_report(report: Mapping[str, Any], *, verdict: bool = True) -> Outcome:
    """What a design's report gives to the table; without a verdict there is no bottleneck in it."""
    summary = report["summary"]
    latency, intervals = summary["latency_ns"], summary.get("intervals") or {}
    numbers = {name: summary[name] for name in ("throughput_gbps", "throughput_mpps", "offered_gbps", "loss_fraction")}
    numbers |= {f"latency_{name}_ns": latency[name] for name in ("mean", "p50", "p90", "p99", "p999", "max")}
    numbers |= {name: summary[name] for name in ("packets_in", "packets_out", "packets_dropped")}
    numbers["packets_inside"] = summary.get("packets_inside")
    numbers["steady"] = summary.get("steady")
    for name in ("throughput_gbps", "loss_fraction", "latency_mean_ns"):
        for bound in ("low", "high"):
            numbers[f"{name}_{bound}"] = intervals[name][bound] if name in intervals else None
    numbers["simulated_seconds"] = summary["simulated_seconds"]
    if verdict:
        numbers["bottleneck"] = report["bottleneck"]["component"]
        numbers["bottleneck_utilization"] = report["bottleneck"]["utilization"]
    numbers["capture_damage"] = report["capture_damage"]
    rows = [(row["component"], row["metric"], row["unit"], row["value"]) for row in report["metrics"]]
    return Outcome(numbers, rows)


class _Alone:
    """The runs of a question, one after another: the points beside it have the other cores."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def run(self, requests: Sequence[Request]) -> list[Mapping[str, Any]]:
        """Run all; the records in the order of the requests."""
        from linecard.explore.execute import evaluate

        # How many trials there will be nobody knows: that it goes on is all that is told.
        return [evaluate(request, lambda _done, _total: self._progress(0, 1)) for request in requests]


def _run_ndr(request: Request, progress: Progress) -> Outcome:
    from linecard.explore.ndr import PACKETS, WIDTH, search_rates

    asked = dict(request.arguments)
    size = asked.get("size")
    if isinstance(size, str) and "," in size:
        raise ConfigError.of([ConfigProblem("size", "", f"found {size!r}, expected one: a point has one rate")])
    found = search_rates(
        asked["preset"],
        None if size is None else [size],
        trace=asked.get("trace"),
        changes=dict(request.settings),
        app=asked.get("app"),
        packets=asked.get("packets", PACKETS),
        seeds=[asked.get("seed", 1)],
        width=asked.get("width", WIDTH),
        bench=_Alone(progress),
    )
    row = found[0]
    names = ("ndr_mpps", "pdr_mpps", "ndr_gbps", "pdr_gbps", "line_mpps", "size_bytes", "trials")
    numbers: dict[str, Any] = {name: getattr(row, name) for name in names}
    for at in row.latency:
        for name in ("p50", "p90", "p99", "max", "mean"):
            numbers[f"latency_{name}_ns_at_{at.share_of_pdr:.0%}".rstrip("%") + "_pdr"] = getattr(at, f"{name}_ns")
    return Outcome(numbers, _measured("rates", numbers))


def _run_dram(request: Request, progress: Progress) -> Outcome:
    from linecard.api import dram

    result = dram(**request.arguments, set=_settings(request), progress=progress)
    numbers = flat(result.to_dict())
    for name in ("device", "policy", "input", "format", "version", "config_hash"):
        del numbers[name]
    rows = [(row.component, row.metric, row.unit, row.value) for row in result.metrics()]
    return Outcome(numbers, rows)


def _run_flowcache(request: Request, progress: Progress) -> Outcome:
    from linecard.api import flowcache
    from linecard.results import plain

    asked = dict(request.arguments)
    source = asked.pop("source")
    # One cache a point, and points beside each other: a thread for each would be too many.
    result = flowcache(source, **asked, threads=1, progress=progress)
    if len(result.rows) != 1:
        problem = ConfigProblem("sweep", "", "a point is one cache: give one size, one number of ways and one policy")
        raise ConfigError.of([problem])
    numbers = flat(plain(result.rows[0]))
    for name in asked:
        numbers.pop(name, None)
    return Outcome(numbers, _measured("cache", numbers))


def _run_queueing(request: Request, progress: Progress) -> Outcome:
    from linecard.queueing import queueing_run
    from linecard.results import plain

    asked = dict(request.arguments)
    manager = asked.pop("manager")
    capture, workload = asked.pop("capture", None), asked.pop("workload", None)
    if (capture is None) == (workload is None):
        found = "neither" if capture is None else "both"
        raise ConfigError.of([ConfigProblem("sweep", "", f"found {found}, expected a workload or a capture")])
    settings, is_trace = _settings(request), capture is not None
    result = queueing_run(capture or workload, manager, settings, trace=is_trace, **asked, progress=progress)
    numbers = flat(plain(result.rows[0]))
    numbers.pop("manager", None)
    return Outcome(numbers, _measured(manager, numbers))


def _run_petri(request: Request, progress: Progress) -> Outcome:
    from linecard import petri
    from linecard.results import plain

    asked = dict(request.arguments)
    net = asked.pop("net")
    asked["time"] = float(asked.get("time", 10_000.0))
    result = petri.simulate(net, **asked, threads=1, overrides=_settings(request), progress=progress)
    numbers = flat(plain(result))
    numbers.pop("net", None)
    return Outcome(numbers, _measured("net", numbers))


class _Traces:
    """Traced programs, each made once for all points that share it; the one used least recently goes."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._making: dict[str, threading.Lock] = {}
        self._kept: OrderedDict[str, Any] = OrderedDict()

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        with self._guard:
            alone = self._making.setdefault(key, threading.Lock())
        with alone:
            with self._guard:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]
            made = make()
            with self._guard:
                self._kept[key] = made
                while len(self._kept) > _MOST_TRACES:
                    gone, _ = self._kept.popitem(last=False)
                    self._making.pop(gone, None)
            return made


_traces = _Traces()
_TRACED = ("control", "packets")


def _run_core(request: Request, progress: Progress) -> Outcome:
    from linecard.cores import core
    from linecard.explore.content import content_of
    from linecard.program import program_trace
    from linecard.results import plain

    asked = dict(request.arguments)
    program, traffic = asked.pop("program"), asked.pop("traffic", "edge")
    tracing = {name: asked.pop(name) for name in _TRACED if name in asked}
    shared = Request("core", {"program": program, "traffic": traffic, **tracing}, {})
    traced = _traces.get(content_of(shared), lambda: program_trace(program, traffic, **tracing, progress=progress))
    result = core(traced, **asked, jobs=1, progress=progress)
    numbers = flat(plain(result.best))
    numbers["window_packets"] = result.window_packets
    if result.adapted is not None:
        numbers["adapted_threads"] = result.adapted.threads
        numbers["adapted_packets_per_mcycle"] = result.adapted.steady_packets_per_mcycle
    if "threads" in asked:
        numbers.pop("threads")
    else:
        numbers["best_threads"] = numbers.pop("threads")
    return Outcome(numbers, _measured("core", numbers))


def _run_program(request: Request, progress: Progress) -> Outcome:
    from linecard.explore.programs import run_trace

    return run_trace(request, progress)


def _run_xdp(request: Request, progress: Progress) -> Outcome:
    from linecard.explore.programs import run_xdp

    return run_xdp(request, progress)


def _carried(request: Request) -> Iterable[tuple[str, Path]]:
    from linecard.explore.programs import carried_by

    return carried_by(request)


_LISTED = (
    Subject(
        "run",
        "preset",
        {
            "preset": "",
            "app": "--app",
            "program": "--program",
            "section": "--section",
            "define": "--define",
            "control": "--control",
            "trace": "--trace",
            "seed": "--seed",
            "packets": "--packets",
            "warmup_packets": "--warmup",
            "map_addresses": "--map-addresses",
            "strict": "--strict",
            # The command finds the limit always.
            "verdict": NO_OPTION,
        },
        {"seed": 1},
        True,
        "linecard run",
        _run_design,
        "packets",
        _carried_program,
    ),
    Subject(
        "ndr",
        "preset",
        {
            "preset": "",
            "app": "--app",
            "trace": "--trace",
            "size": "--size",
            "seed": "--seed",
            "packets": "--packets",
            "width": "--width",
        },
        {"seed": 1},
        True,
        "linecard ndr",
        _run_ndr,
        "packets",
    ),
    Subject(
        "dram",
        "device",
        {
            "device": "--device",
            "policy": "--policy",
            "trace": "--trace",
            "format": "--format",
            "pattern": "--pattern",
            "count": "--count",
            "spacing": "--spacing",
            "reads": "--reads",
            "narrow": "--narrow",
            "in_flight": "--in-flight",
            "seed": "--seed",
        },
        {},
        True,
        "linecard dram run",
        _run_dram,
        "count",
    ),
    Subject(
        "flowcache",
        "source",
        {
            "source": "",
            "entries": "--entries",
            "ways": "--ways",
            "policy": "--policy",
            "format": "--format",
            "key": "--key",
            "hash": "--hash",
            "width": "--width",
            "result_bits": "--result-bits",
            "cold_window_packets": "--cold-window",
            "foresight_packets": "--foresight",
            "false_hits": "--false-hits",
            "strict": "--strict",
            "seed": "--seed",
        },
        {"entries": 1024, "ways": 4, "policy": "lru"},
        False,
        "linecard flowcache",
        _run_flowcache,
    ),
    Subject(
        "queueing",
        "workload",
        {
            "workload": "--workload",
            "capture": "--trace",
            "manager": "--manager",
            "operations": "--operations",
            "warmup": "--warmup",
            "strict": "--strict",
            "seed": "--seed",
        },
        {"manager": "qc"},
        True,
        "linecard queueing run",
        _run_queueing,
        "operations",
    ),
    Subject(
        "petri",
        "net",
        {
            "net": "",
            "time": "--time",
            "warmup": "--warmup",
            "replications": "--replications",
            "seed": "--seed",
        },
        {},
        True,
        "linecard petri simulate",
        _run_petri,
        "time",
    ),
    Subject(
        "core",
        "program",
        {
            "program": "--program",
            "traffic": "--trace",
            "latency": "--latency",
            "bandwidth": "--bandwidth",
            "area": "--area",
            "threads": "--threads",
            "clock_mhz": "--clock-mhz",
            "adapt_packets": "--adapt",
            "events": "--events",
            "packets": "--packets",
            "control": "--control",
        },
        {"adapt_packets": 0},
        False,
        "linecard core",
        _run_core,
        "events",
        _carried,
    ),
    Subject(
        "program",
        "program",
        {
            "program": "",
            "traffic": "--trace",
            "control": "--control",
            "packets": "--packets",
            "payload": "--payload",
            "seed": "--seed",
            "routes": "--map-addresses",
            "strict": "--strict",
            "budget": "--budget",
        },
        {},
        False,
        "linecard program trace",
        _run_program,
        "packets",
        _carried,
    ),
    Subject(
        "xdp",
        "program",
        {
            "program": "",
            "traffic": "--trace",
            "section": "--section",
            "define": "--define",
            "fib": "--fib",
            "packets": "--packets",
            "payload": "--payload",
            "seed": "--seed",
            "routes": "--map-addresses",
            "strict": "--strict",
            "cpus": "--cpus",
            "interface": "--interface",
            "budget": "--budget",
        },
        {},
        False,
        "linecard program run",
        _run_xdp,
        "packets",
        _carried,
    ),
)
SUBJECTS: Mapping[str, Subject] = {subject.name: subject for subject in _LISTED}
