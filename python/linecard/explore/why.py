"""`linecard why`: what limits a chip, and what would help. Every statement is measured by runs, none is guessed.

Four looks at the same chip, all with common random numbers (the changed run draws what the unchanged one drew):

- **Bounds**: at the rate that was reached, a part is busy for a share of the time; the rate over that share is the most
  that it can carry (the operational laws hold for any arrivals).
- **Elasticities**: d ln throughput / d ln parameter by central differences. Where all rates grow and all times shrink
  by one factor, throughput grows by that factor: over rates less times they add up to 1, which checks the whole.
- **Lifts**: runs with one limit lifted, and the best three in pairs.
- **Global**: for many parameters at once over a wide range, Morris' screening and then Sobol's indices (SALib).
"""

from __future__ import annotations

import math
from itertools import combinations
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from linecard._arguments import plain
from linecard.errors import ConfigError
from linecard.explore.batch import Bench, Estimate, measured, numbers_of
from linecard.explore.execute import Counts, Record, SweepProgress
from linecard.explore.levers import Chip, Lift, Parameter
from linecard.explore.store import Store
from linecard.explore.subject import Request
from linecard.explore.why_result import LEAST_GAIN, Elasticity, Lifted, Limit, Sensitivity, WhyResult
from linecard.request import mapping_of, name_of, out_of_range, settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PACKETS = 4_000
SEEDS = 3
# A step of a parameter: small enough to be a slope, large enough to stand out of rounding.
STEP = 0.1
_PAIRED = 3
_MORRIS_TRAJECTORIES = 10
_SOBOL_BASE = 64
_SOBOL_PARAMETERS = 5
_RANGE = 2.0
# What a run's verdict says where nothing was lost for want of room and nothing piled up.
_CARRIES_ALL = frozenset({"offered load", "not judged"})


@plain
def why(
    chip: str | PathLike[str],
    *,
    set: Mapping[str, object] | None = None,
    app: str | PathLike[str] | None = None,
    trace: str | PathLike[str] | None = None,
    packets: int = PACKETS,
    seeds: int = SEEDS,
    seed: int = 1,
    global_: bool = False,
    store: str | PathLike[str] | None = None,
    jobs: int | None = None,
    executor: str = "threads",
    progress: SweepProgress | None = None,
) -> WhyResult:
    """Say what limits a chip, and what would help: bounds, elasticities, lifted limits.

    Where the chip carries all of its traffic, the offered load is the limit; what is said then holds for the chip with
    a packet always waiting (``traffic.arrivals=saturated``).

    Args:
        chip: Name of a shipped chip, or path of a TOML file.
        set: Changes of its keys.
        app: Another program.
        trace: Capture to replay, or a described link (``"edge"``, ``"core"``).
        packets: Packets that each run measures, after half as many of warm-up.
        seeds: Seeds of each statement, for its interval.
        seed: The first of them.
        global_: Add Morris' screening and Sobol's indices over half to twice each parameter (extra ``explore``).
        store: Folder that keeps runs; ``None`` keeps nothing.
        jobs: Runs at the same time; ``None`` takes one per core. The result does not depend on it.
        executor: ``"threads"``, or ``"dask"`` or ``"dask:ADDRESS"`` (extra ``dask``).
        progress: Called now and then with (runs done, runs in all) of the present step.

    Returns:
        Limits, elasticities and gains, each measured.

    Raises:
        ConfigError: The chip is wrong, or is none.
        RunError: A run of the unchanged chip ends without a result.
        linecard.explore.Interrupted: Ctrl-C; what is done is in the store.

    Example:
        >>> import linecard
        >>> found = linecard.why("example_smartnic", packets=1000, seeds=1)
        >>> found.load
        'saturated'
    """
    problems = out_of_range({"packets": packets}, 100, 10**9) + out_of_range({"seeds": seeds}, 1, 1000)
    if problems:
        raise ConfigError.of(problems)
    base, chip = mapping_of("set", set), name_of("chip", chip)
    shared = {"preset": chip, "packets": packets, "warmup_packets": packets // 2}
    if app is not None:
        shared["app"] = name_of("app", app)
    if trace is not None:
        shared["trace"] = fspath(trace)
    several = [seed + number for number in range(seeds)]
    with Bench(None if store is None else Store(store), jobs, progress, Counts(), executor) as bench:
        return Question(shared, base, Chip(chip, settings(base)), several, bench).answer(global_=global_)


# What has no effect, and is refused, where a packet always waits.
_OF_ARRIVALS = frozenset({"traffic.arrivals", "traffic.rate_gbps", "traffic.peak_gbps", "traffic.burst_packets"})


class Question:
    """One question, with what all of its runs share."""

    def __init__(
        self, shared: Mapping[str, Any], settings: Mapping[str, Any], chip: Chip, seeds: Sequence[int], bench: Bench
    ) -> None:
        self.shared, self.chip, self.seeds, self.bench = shared, chip, seeds, bench
        self.settings = self._full(settings)
        self.not_tried: list[str] = []
        self.load = "as given"

    def request(self, changes: Mapping[str, Any], seed: int, *, verdict: bool = False) -> Request:
        """The chip with changes. Keys are in full, so that a change takes the place of what was set before.

        A run's own verdict is asked for only where it decides on the load: these runs are what it would make itself.
        """
        shared = self.shared if verdict else {**self.shared, "verdict": False}
        return Request("run", {**shared, "seed": seed}, {**self.settings, **changes})

    def _full(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        ends = {
            key: [known for known in self.chip.values if known == key or known.endswith(f".{key}")] for key in changes
        }
        return {ends[key][0] if len(ends[key]) == 1 else key: value for key, value in changes.items()}

    def runs(self, several: Sequence[Mapping[str, Any]]) -> list[list[Record]]:
        """For each of several changes, a record a seed; all of them at once."""
        found = self.bench.run([self.request(changes, seed) for changes in several for seed in self.seeds])
        n = len(self.seeds)
        return [found[at : at + n] for at in range(0, len(found), n)]

    def base(self) -> list[Record]:
        """Runs of the chip as it is; with a packet always waiting, if it carries all that its traffic offers."""
        base = self.bench.run([self.request({}, seed, verdict=True) for seed in self.seeds])
        carries = [numbers_of(record)["bottleneck"] in _CARRIES_ALL for record in base]
        if carries.count(True) * 2 <= len(carries):
            return base
        self.load = "saturated"
        kept = {key: value for key, value in self.settings.items() if key not in _OF_ARRIVALS}
        self.settings = {**kept, "traffic.arrivals": "saturated"}
        return self.runs([{}])[0]

    def answer(self, *, global_: bool) -> WhyResult:
        """Everything that `linecard why` says."""
        base = self.base()
        speeds = [_speed(record) for record in base]
        limits = limits_of(base)
        elasticities, total = self.elasticities()
        lifts = self.lifts(base)
        verdict, reason = verdict_of(lifts, self.load)
        numbers = [numbers_of(record) for record in base]
        return WhyResult(
            chip=self.shared["preset"],
            load=self.load,
            throughput_mpps=_mean(speeds),
            throughput_gbps=_mean([each["throughput_gbps"] for each in numbers]),
            loss_fraction=_mean([each["loss_fraction"] for each in numbers]),
            verdict=verdict,
            why=reason,
            limits=limits,
            elasticities=elasticities,
            elasticity_sum=total.value,
            elasticity_sum_low=total.low,
            elasticity_sum_high=total.high,
            out_of_reach=tuple(self.chip.scales_out_of_reach),
            lifts=lifts,
            not_tried=tuple(dict.fromkeys(self.not_tried)),
            sensitivities=self._sensitivities(elasticities) if global_ else (),
            seeds=len(self.seeds),
            packets=self.shared["packets"],
            counts=self.bench.counts,
        )

    def elasticities(self) -> tuple[tuple[Elasticity, ...], Estimate]:
        """Elasticities of all parameters, and their sum over rates less times."""
        parameters = self.chip.parameters(saturated=self.load == "saturated")
        pairs = [(each.scaled(1 - STEP), each.scaled(1 + STEP)) for each in parameters]
        records = self.runs([changes for pair in pairs for changes, _ in pair])
        found = []
        sums = [0.0] * len(self.seeds)
        for number, parameter in enumerate(parameters):
            (_, less), (_, more) = pairs[number]
            low, high = records[2 * number], records[2 * number + 1]
            refused = next((each["reason"] for each in (*low, *high) if each["status"] != "ok"), None)
            if refused is not None or math.isclose(less, more):
                self.not_tried.append(f"{parameter.name}: {refused or 'a whole number with no neighbour'}")
                continue
            width = math.log(more / less)
            slopes = [math.log(_speed(b) / _speed(a)) / width for a, b in zip(low, high, strict=True)]
            latencies = [math.log(_latency(b) / _latency(a)) / width for a, b in zip(low, high, strict=True)]
            estimate = Estimate.of(slopes)
            found.append(
                Elasticity(
                    parameter.name,
                    parameter.kind,
                    estimate.value,
                    estimate.low,
                    estimate.high,
                    _mean(latencies),
                    parameter.value,
                    parameter.unit,
                )
            )
            sign = {"rate": 1, "time": -1}.get(parameter.kind, 0)
            sums = [before + sign * slope for before, slope in zip(sums, slopes, strict=True)]
        found.sort(key=lambda each: (-abs(each.value), each.parameter))
        return tuple(found), Estimate.of(sums)

    def lifts(self, base: Sequence[Record]) -> tuple[Lifted, ...]:
        """What lifting each limit gains over the unchanged chip, and the best three in pairs."""
        alone = self.chip.lifts()
        found = self._gains(base, [((lift.component,), lift.kind, lift.text, lift.settings) for lift in alone])
        best = _distinct(found)[:_PAIRED]
        pairs = [
            (
                (*one.components, *other.components),
                "pair",
                f"{one.text} and {other.text}",
                {**one.settings, **other.settings},
            )
            for one, other in combinations(best, 2)
        ]
        return tuple(sorted([*found, *self._gains(base, pairs)], key=lambda each: (-each.gain, each.text)))

    def _gains(
        self, base: Sequence[Record], several: Sequence[tuple[tuple[str, ...], str, str, Mapping[str, Any]]]
    ) -> list[Lifted]:
        found = []
        for (components, kind, text, changes), records in zip(
            several, self.runs([each[3] for each in several]), strict=True
        ):
            refused = next((record["reason"] for record in records if record["status"] != "ok"), None)
            if refused is not None:
                self.not_tried.append(f"{text}: {refused}")
                continue
            gain = Estimate.of([math.log(_speed(a) / _speed(b)) for a, b in zip(records, base, strict=True)])
            low = None if gain.low is None else math.expm1(gain.low)
            high = None if gain.high is None else math.expm1(gain.high)
            found.append(Lifted(components, kind, text, math.expm1(gain.value), low, high, dict(changes)))
        return found

    def _sensitivities(self, elasticities: Sequence[Elasticity]) -> tuple[Sensitivity, ...]:
        from linecard.explore.sensitivity import morris, sobol

        tried = {each.parameter for each in elasticities}
        parameters = [each for each in self.chip.parameters(saturated=self.load == "saturated") if each.name in tried]
        seed = self.seeds[0]

        def speeds(chosen: Sequence[Parameter], rows: Sequence[Sequence[float]]) -> list[float | None]:
            changes = []
            for row in rows:
                merged: dict[str, Any] = {}
                for parameter, share in zip(chosen, row, strict=True):
                    merged |= parameter.scaled(_RANGE ** (2 * share - 1))[0]
                changes.append(merged)
            records = self.bench.run([self.request(each, seed) for each in changes])
            bad = sum(record["status"] != "ok" for record in records)
            if bad:
                self.not_tried.append(
                    f"{bad} of {len(records)} combinations of half to twice the parameters are refused"
                )
            return [math.log(_speed(record)) if record["status"] == "ok" else None for record in records]

        names = [each.name for each in parameters]
        screened = morris(names, lambda rows: speeds(parameters, rows), _MORRIS_TRAJECTORIES, seed)
        order = sorted(names, key=lambda name: (-screened[name][0], name))
        top = [each for name in order[:_SOBOL_PARAMETERS] for each in parameters if each.name == name]
        indices = sobol([each.name for each in top], lambda rows: speeds(top, rows), _SOBOL_BASE, seed)
        return tuple(Sensitivity(name, *screened[name], *(indices.get(name, (None, None)))) for name in order)


def _speed(record: Record) -> float:
    """Packets a second, 10^6; a run in which nothing left counts as almost nothing."""
    return max(float(numbers_of(record)["throughput_mpps"]), 1e-9)


def _latency(record: Record) -> float:
    return max(float(numbers_of(record)["latency_mean_ns"]), 1e-9)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def limits_of(records: Sequence[Record]) -> tuple[Limit, ...]:
    """Bounds by the utilisation law: X / U of each part, its busiest instance, over all seeds."""
    shares: dict[str, list[float]] = {}
    for record in records:
        here: dict[str, float] = {}
        for component, share in measured(record, "utilization").items():
            name = component.removesuffix(", busiest")
            if not name.startswith("buffer "):
                here[name] = max(here.get(name, 0.0), share)
        for name, share in here.items():
            shares.setdefault(name, []).append(share / _speed(record))
    speed = _mean([_speed(record) for record in records])
    # Busy time of each packet, in microseconds: its inverse is the bound.
    found = [Limit(name, _mean(each) * speed, 1 / _mean(each)) for name, each in shares.items() if _mean(each) > 0]
    return tuple(sorted(found, key=lambda limit: (limit.bound_mpps, limit.component)))


def _distinct(lifts: Sequence[Lifted]) -> list[Lifted]:
    """The best lifts, one of each component."""
    found: dict[str, Lifted] = {}
    for lift in sorted(lifts, key=lambda each: (-each.gain, each.text)):
        found.setdefault(lift.components[0], lift)
    return [lift for lift in found.values() if lift.gain > 0]


def verdict_of(lifts: Sequence[Lifted], load: str) -> tuple[str, str]:
    """The part that is the limit, and why: the largest gain beyond noise, of one part, else of a pair; else none."""
    start = "It carries all that its traffic offers; with a packet always waiting, " if load == "saturated" else ""
    alone = [lift for lift in lifts if lift.kind != "pair"]
    best = max((lift for lift in alone if lift.counts), key=lambda lift: lift.gain, default=None)
    if best is not None:
        interval = "" if best.low is None or best.high is None else f" (95 %: {best.low:+.0%} to {best.high:+.0%})"
        text = f"{start}with {best.text}, {best.gain:.0%} more leaves{interval}."
        return best.components[0], text[:1].upper() + text[1:]
    pair = max(
        (lift for lift in lifts if lift.kind == "pair" and lift.counts), key=lambda lift: lift.gain, default=None
    )
    if pair is not None:
        text = f"{start}no part alone is the limit, but with {pair.text}, {pair.gain:.0%} more leaves."
        return " and ".join(pair.components), text[:1].upper() + text[1:]
    unsure = max((lift for lift in lifts if lift.gain >= LEAST_GAIN), key=lambda lift: lift.gain, default=None)
    if unsure is not None:
        interval = "" if unsure.low is None or unsure.high is None else f" ({unsure.low:+.0%} to {unsure.high:+.0%})"
        text = (
            f"{start}with {unsure.text}, {unsure.gain:.0%} more leaves, but that is within noise{interval}; "
            "more packets or seeds will tell."
        )
        return "not clear", text[:1].upper() + text[1:]
    text = f"{start}no part alone and no pair of the best is the limit: lifting one gains less than {LEAST_GAIN:.0%}."
    return "several parts", text[:1].upper() + text[1:]


__all__ = ["Elasticity", "Lift", "Lifted", "Limit", "Sensitivity", "WhyResult", "why"]
