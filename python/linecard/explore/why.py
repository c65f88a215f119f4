"""`linecard why`: find the limit of a chip, and the changes that raise its throughput.

All results are measurements from simulation runs. The analysis first simulates the unchanged chip until its throughput
is conclusive. Each run must be steady, or runs with four times as many packets must confirm its throughput. The
confidence interval of the throughput must be as narrow as requested. If the packet budget is used up before the
throughput is conclusive, the analysis returns no verdict.

The analysis then makes four measurements. All runs use common random numbers: the run of a changed chip uses the same
random numbers as the run of the unchanged chip. Every change is simulated with the first seed. A change that affects
the throughput is also simulated with the remaining seeds.

- **Bounds**: the capacity of a part is the throughput of the chip divided by the utilisation of the part. The
  utilisation law holds for any arrival process. If an output queue drops a packet, all parts before the queue have
  already processed the packet. Therefore, the capacity of a part before the output queues refers to processed packets.
  The capacity of a port's sending side refers to sent packets.
- **Elasticities**: d ln throughput / d ln parameter, which central differences approximate. If all rates are multiplied
  by a factor and all times are divided by this factor, the throughput is multiplied by this factor. Therefore, the sum
  of the rate elasticities minus the sum of the time elasticities must be 1; this condition checks the analysis. Short
  runs suffice for elasticities, because a small change of a parameter does not lengthen the initial transient.
  Elasticities are measured with the shortest run length whose confidence interval contains the throughput of the
  conclusive runs. When a limit is lifted, the initial transient may be longer, so runs with lifted limits have the full
  length.
- **Lifts**: runs in which one limit of the chip is lifted, and runs that combine two of the three best lifts.
- **Global**: Morris screening and then Sobol indices (SALib), for many parameters at once over a wide range.
"""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from linecard._arguments import plain
from linecard.chip.length import LEAST_OUT, SAME, THROUGHPUT, Aim, has_ended, longer, more_packets, wrong_precision
from linecard.errors import ConfigError
from linecard.explore.batch import Bench, measured, numbers_of, stayed
from linecard.explore.levers import Chip, Parameter
from linecard.explore.program_options import run_arguments
from linecard.explore.reports import Lift
from linecard.explore.store import Store
from linecard.explore.subject import Request
from linecard.explore.why_result import LEAST_GAIN, METRIC, Elasticity, Lifted, Limit, Sensitivity, WhyResult
from linecard.explore.wires import full_wires, mean_size
from linecard.interval import Estimate
from linecard.request import as_asked, mapping_of, name_of, out_of_range, settings

if TYPE_CHECKING:
    from linecard._schema import ProgramOptions
    from linecard.explore.execute import Record, SweepProgress
    from linecard.request import Settings

PACKETS = 4_000
SEEDS = 3
# The widest half interval of the throughput, relative to it, of runs that are long enough for elasticities.
_ROUGH = 0.2
_UNSTEADY = "the runs are not steady"
# If output queues drop more than this share of a saturated input, the load is the capacity of the wires instead.
_MOSTLY, _TO_FILL_QUEUES = 0.5, 16_000
# Effects on ln throughput with one seed; below these, the other seeds do not run.
_LEAST_EFFECT, _LEAST_SLOPE = 0.01, 0.05
# A step of a parameter: small enough for a slope, large enough to exceed rounding.
STEP = 0.1
_PAIRED = 3
_MORRIS_TRAJECTORIES = 10
_SOBOL_BASE = 64
_SOBOL_PARAMETERS = 5
_RANGE = 2.0
_SHAPERS = ", shapers"
# Verdicts of a run without loss in full buffers and without growing queues: the load limits it, or its program ends
# most packets.
_DECISIONS = frozenset({"no route", "ttl expired", "firewall rule", "not ipv4", "nat table full", "not ip", "punted"})
_CARRIES_ALL = _DECISIONS | {"offered load", "not judged"}


@plain
def why(
    chip: str | PathLike[str],
    *,
    set: Settings | None = None,
    trace: str | PathLike[str] | None = None,
    packets: int = PACKETS,
    precision: float | None = None,
    seeds: int = SEEDS,
    seed: int = 1,
    global_: bool = False,
    store: str | PathLike[str] | None = None,
    jobs: int | None = None,
    executor: str = "threads",
    progress: SweepProgress | None = None,
    **options: Unpack[ProgramOptions],
) -> WhyResult:
    """Simulate changed versions of a chip to find its limit, and the changes that raise its throughput.

    If the chip loses no packet in a full buffer, the offered load is the limit. To find the limit of such a chip, the
    analysis saturates the input (``traffic.arrivals=saturated``). If output queues would drop most packets of a
    saturated input, the analysis offers packets at line rate instead.

    Args:
        chip: Name of a shipped chip, or path to a TOML file.
        set: New values for parameters.
        trace: Capture to replay, or a link profile (``edge``, ``core``, a ``.toml`` file).
        packets: Initial number of measured packets in each run. The warm-up of a run has half as many packets as the
            measurement. Until the throughput is conclusive, the analysis repeats the runs with four times as many
            packets, up to 256,000 packets. If ``packets`` is 64,000 or more, each run is lengthened at most once.
        precision: Runs are lengthened until the half-width of the throughput's 95 % confidence interval, divided by the
            mean, is at most this number, for example 1%. In Python, 0.01 means 1 %; ``None`` means that the throughput
            must be conclusive, with no required precision.
        seeds: Number of seeds for the confidence intervals.
        seed: The first seed.
        global_: Add Morris screening and Sobol indices; each parameter varies from half to twice its value (extra
            ``explore``).
        store: Folder in which Linecard stores finished runs, for reuse. The default is no folder.
        jobs: Number of parallel runs; by default, one per CPU core. The result does not depend on this number.
        executor: Executor of the runs: ``"threads"``, ``"dask"`` or ``"dask:ADDRESS"``; Dask needs the extra ``dask``.
        progress: Function that is called repeatedly with (runs done, total runs) of the current step.
        **options: Program of the chip (``program``) and its options; see :func:`linecard.run`.

    Returns:
        The measured limits of parts, the elasticities of the throughput, and the gains from lifted limits. If
        ``answered`` is false, the result contains no verdict.

    Raises:
        ConfigError: The chip is invalid, or the file does not define a chip.
        RunError: A run of the unchanged chip ends without a result.
        linecard.explore.Interrupted: The user pressed Ctrl-C; completed runs are in the store.

    Example:
        >>> import linecard
        >>> found = linecard.why("example_smartnic", packets=1000, seeds=1)
        >>> found.load
        'full wires'
    """
    asked = as_asked(locals())
    problems = out_of_range({"packets": packets}, 100, 10**9) + out_of_range({"seeds": seeds}, 1, 1000)
    problems += wrong_precision(precision)
    ConfigError.check(problems)
    base, name = mapping_of("set", set), name_of("chip", chip)
    shared = run_arguments(options, trace, chip=name, packets=packets, warmup_packets=packets // 2)
    several = [seed + number for number in range(seeds)]
    with Bench(None if store is None else Store(store), jobs, progress, executor=executor) as bench:
        found = Question(shared, base, Chip(name, settings(base)), several, bench, precision).answer(global_=global_)
    return replace(found, asked=asked)


# Keys without effect on a saturated input, which the chip refuses there.
# Rules that assign flows to threads.
_BY_FLOW = frozenset({"lanes", "hash"})
_OF_ARRIVALS = frozenset(f"traffic.{key}" for key in ("arrivals", "rate_gbps", "speedup", "peak_gbps", "burst_packets"))


class Question:
    """One analysis, with the arguments and settings that are equal in all of its runs."""

    def __init__(
        self,
        shared: Mapping[str, Any],
        settings: Mapping[str, Any],
        chip: Chip,
        seeds: Sequence[int],
        bench: Bench,
        precision: float | None = None,
    ) -> None:
        self.shared, self.chip, self.seeds, self.bench = dict(shared), chip, seeds, bench
        self.settings = chip.in_full(settings)
        self.precision, self.asked = precision, int(shared["packets"])
        self.not_tried: list[str] = []
        self.load = "as given"
        # Why the throughput is not conclusive; empty if it is.
        self.doubt = ""
        # Lengths at this load that were too short, and their runs.
        self.tried: list[tuple[dict[str, Any], list[Record]]] = []

    def request(self, changes: Mapping[str, Any], seed: int, *, verdict: bool = False) -> Request:
        """Return a request that runs the chip with changes; a change replaces an earlier change of the same key.

        If ``verdict`` is true, the run also finds its own bottleneck, which shows whether the offered load limits the
        throughput. Other runs do not find their bottleneck, because that requires additional runs with improved parts.
        The analysis executes such runs itself.
        """
        shared = self.shared if verdict else {**self.shared, "verdict": False}
        settings = {**self.settings, **changes}
        if self.load == "full wires":
            said = ChainMap(settings, self.chip.values).get
            # Rounding must not exceed the line rate.
            settings["traffic.rate_gbps"] = float(f"{full_wires(self.chip, said, mean_size(said)) * (1 - 1e-9):.9g}")
        return Request("run", {**shared, "seed": seed}, settings)

    def runs(self, several: Sequence[Mapping[str, Any]], seeds: Sequence[int] | None = None) -> list[list[Record]]:
        """Run the chip with each of several changes, and return the records of all seeds for each change."""
        seeds = self.seeds if seeds is None else seeds
        found = self.bench.run([self.request(changes, seed) for changes in several for seed in seeds])
        n = len(seeds)
        return [found[at : at + n] for at in range(0, len(found), n)]

    def screened(self, several: Sequence[Sequence[Mapping[str, Any]]], least: float) -> list[list[list[Record]]]:
        """Simulate groups of changes, and return the records of each group.

        All groups are simulated with the first seed. Only groups that affect the throughput are simulated with the
        remaining seeds.

        A group affects the throughput if ln throughput differs by at least ``least`` between the changes of the group.
        If a group contains only one change, the changed chip is compared with the unchanged chip.
        """
        first, rest = self.seeds[:1], self.seeds[1:]
        flat = [changes for group in several for changes in group]
        records = iter(self.runs(flat, first))
        found = [[next(records) for _ in group] for group in several]
        if not rest:
            return found
        unchanged = self.runs([{}], first)[0]
        followed = []
        for number, group in enumerate(found):
            compared = [record for each in (group if len(group) > 1 else [*group, unchanged]) for record in each]
            if all(record["status"] == "ok" for record in compared):
                logs = [math.log(speed(record)) for record in compared]
                if max(logs) - min(logs) >= least:
                    followed.append(number)
        more = iter(self.runs([changes for number in followed for changes in several[number]], rest))
        for number in followed:
            found[number] = [[*record, *next(more)] for record in found[number]]
        return found

    def base(self) -> list[Record]:
        """Return runs of the unchanged chip that are long enough for a conclusive throughput.

        If the chip carries all of its traffic, the function returns runs with saturating traffic instead.
        """
        asked = dict(self.shared)
        base = self._settled(verdict=True)
        carries = [numbers_of(record)["bottleneck"] in _CARRIES_ALL for record in base]
        if carries.count(True) * 2 <= len(carries):
            return base
        # Another load starts with the requested length again.
        self.load, self.doubt, self.shared, self.tried = "saturated", "", asked, []
        kept = {key: value for key, value in self.settings.items() if key not in _OF_ARRIVALS}
        self.settings = {**kept, "traffic.arrivals": "saturated"}
        if "trace" not in self.shared and (self._binds_flows() or self._is_mostly_dropped_behind()):
            # Saturated, threads would take packets of flows that are not theirs, or all parts would process packets
            # that output queues drop; receiving wires limit the load.
            self.load = "full wires"
            self.settings = {**kept, "traffic.arrivals": "constant"}
        return self._settled(verdict=False)

    def _binds_flows(self) -> bool:
        """Whether an inbox assigns flows to threads; a saturated thread would take packets of any flow."""
        rules = (f"inbox.{name}.rule" for name in self.chip.groups("inbox"))
        return any(self.settings.get(rule, self.chip.values[rule]) in _BY_FLOW for rule in rules)

    def _is_mostly_dropped_behind(self) -> bool:
        """Whether full output queues drop most of the received packets."""
        packets = max(self.shared["packets"], _TO_FILL_QUEUES)
        request = self.request({}, self.seeds[0])
        length = {"packets": packets, "warmup_packets": packets // 2}
        record = self.bench.run([Request("run", {**request.arguments, **length}, request.settings)])[0]
        dropped = measured(record, "output_queue_full").get("drops", 0.0)
        return dropped > _MOSTLY * float(numbers_of(record)["packets_in"])

    def _settled(self, *, verdict: bool) -> list[Record]:
        """Runs of the unchanged chip, long enough for a conclusive throughput; else the longest, with ``doubt`` set."""

        def made() -> list[Record]:
            return self.bench.run([self.request({}, seed, verdict=verdict) for seed in self.seeds])

        runs = made()
        while doubt := self._doubt(runs):
            short, length = runs, dict(self.shared)
            following = longer(self.shared["packets"], None, self.asked)
            if following is None or self._ended(runs):
                self.doubt = doubt
                break
            self.tried.append((length, runs))
            self.shared |= {"packets": following[0], "warmup_packets": following[0] // 2}
            runs = made()
            if doubt == _UNSTEADY and self._is_same(short, runs):
                # The longer runs confirm that the short ones are long enough.
                runs, self.shared = short, length
                break
        return runs

    def _rough(self, sure: Sequence[Record]) -> dict[str, Any]:
        """The arguments of the shortest runs that are long enough for elasticities."""
        rate = _mean([speed(record) for record in sure])
        for length, runs in self.tried if self.precision is None else []:
            found = Estimate.of([speed(record) for record in runs])
            enough = min(int(numbers_of(record)["packets_out"]) for record in runs) >= LEAST_OUT
            half = math.inf if found.high is None else found.high - found.value
            if enough and abs(found.value - rate) <= half <= _ROUGH * found.value:
                return length
        return self.shared

    def _is_same(self, short: Sequence[Record], long: Sequence[Record]) -> bool:
        rates = [_mean([float(numbers_of(record)["throughput_gbps"]) for record in runs]) for runs in (short, long)]
        return self._is_narrow(short) and abs(rates[0] - rates[1]) <= SAME * rates[1]

    def _doubt(self, runs: Sequence[Record]) -> str:
        if min(int(numbers_of(record)["packets_out"]) for record in runs) < LEAST_OUT:
            return f"each run sends fewer than {LEAST_OUT:,} packets"
        if not all(numbers_of(record)["steady"] in {True, None} for record in runs):
            return _UNSTEADY
        if not self._is_narrow(runs):
            return f"the interval of the throughput is wider than {self.precision:.3g}"
        return ""

    def _is_narrow(self, runs: Sequence[Record]) -> bool:
        # A single run has an interval of its throughput in bits only.
        number = METRIC if len(runs) > 1 else THROUGHPUT
        return Aim(self.precision, (number,)).is_narrow([numbers_of(record) for record in runs])

    def _ended(self, runs: Sequence[Record]) -> bool:
        """Whether a capture has no further packets for longer runs."""
        return "trace" in self.shared and all(has_ended(self.shared["packets"], numbers_of(record)) for record in runs)

    def answer(self, *, global_: bool) -> WhyResult:
        """Return the result of `linecard why`; an inconclusive throughput yields no lifts and no elasticities."""
        asked = self.shared["packets"]
        base = self.base()
        elasticities: tuple[Elasticity, ...] = ()
        lifts: tuple[Lifted, ...] = ()
        total = Estimate.of([0.0])
        sure = rough = self.shared
        if not self.doubt:
            self.shared = rough = self._rough(base)
            elasticities, total = self.elasticities()
            self.shared = sure
            lifts = self.lifts(base)
        verdict, reason = self._not_known(asked, base) if self.doubt else verdict_of(lifts, self.load)
        numbers = [numbers_of(record) for record in base]
        return WhyResult(
            chip=self.shared["chip"],
            load=self.load,
            answered=not self.doubt,
            throughput_mpps=_mean([each["throughput_mpps"] for each in numbers]),
            throughput_gbps=_mean([each["throughput_gbps"] for each in numbers]),
            loss_fraction=_mean([each["loss_fraction"] for each in numbers]),
            steady=all(each["steady"] in {True, None} for each in numbers),
            inside_fraction=_mean([max(stayed(each), 0) / max(numbers_of(each)["packets_in"], 1) for each in base]),
            verdict=verdict,
            why=reason,
            limits=limits_of(base, self.chip.pooled),
            elasticities=elasticities,
            elasticity_sum=total.value,
            elasticity_sum_low=total.low,
            elasticity_sum_high=total.high,
            out_of_reach=tuple(self.chip.scales_out_of_reach),
            lifts=lifts,
            not_tried=tuple(dict.fromkeys(self.not_tried)),
            sensitivities=self._sensitivities(elasticities) if global_ and not self.doubt else (),
            seeds=len(self.seeds),
            packets=sure["packets"],
            elasticity_packets=rough["packets"],
            counts=self.bench.counts,
        )

    def _not_known(self, asked: int, base: Sequence[Record]) -> tuple[str, str]:
        most = 0 if self._ended(base) else self.shared["packets"]
        tried = (
            f"{asked:,} to {most:,} packets" if most > asked else f"{most:,} packets" if most else "the whole capture"
        )
        more = more_packets(most)
        return "not known", (
            f"With {tried} and {len(self.seeds)} seeds, {self.doubt}; the bottleneck is not known. "
            f"{more[:1].upper()}{more[1:]}, lower the offered load, or request a lower precision."
        )

    def elasticities(self) -> tuple[tuple[Elasticity, ...], Estimate]:
        """Return all elasticities, and the sum of rate elasticities minus the sum of time elasticities."""
        parameters = self.chip.parameters(saturated=self.load != "as given")
        pairs = [(each.scaled(1 - STEP), each.scaled(1 + STEP)) for each in parameters]
        records = self.screened([[changes for changes, _ in pair] for pair in pairs], _LEAST_SLOPE * 2 * STEP)
        found = []
        sums = [0.0] * len(self.seeds)
        for parameter, ((_, less), (_, more)), (low, high) in zip(parameters, pairs, records, strict=True):
            refused = next((each["reason"] for each in (*low, *high) if each["status"] != "ok"), None)
            if refused is not None or math.isclose(less, more):
                self.not_tried.append(f"{parameter.name}: {refused or 'no other whole number is near'}")
                continue
            width = math.log(more / less)
            slopes = [math.log(speed(b) / speed(a)) / width for a, b in zip(low, high, strict=True)]
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
                    len(slopes),
                )
            )
            sign = {"rate": 1, "time": -1}.get(parameter.kind, 0)
            # A slope that is small with the first seed counts for all seeds.
            slopes *= len(self.seeds) // len(slopes)
            sums = [before + sign * slope for before, slope in zip(sums, slopes, strict=True)]
        found.sort(key=lambda each: (-abs(each.value), each.parameter))
        return tuple(found), Estimate.of(sums)

    def lifts(self, base: Sequence[Record]) -> tuple[Lifted, ...]:
        """Return the throughput gains from lifting each limit, and each pair of the three most promising limits."""
        alone = self.chip.lifts()
        found = self._gains(base, [((lift.component,), lift.kind, lift.text, lift.settings) for lift in alone])
        best = _to_pair(found, limits_of(base, self.chip.pooled))
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
        screened = self.screened([[each[3]] for each in several], _LEAST_EFFECT)
        for (components, kind, text, changes), (records,) in zip(several, screened, strict=True):
            refused = next((record["reason"] for record in records if record["status"] != "ok"), None)
            if refused is not None:
                self.not_tried.append(f"{text}: {refused}")
                continue
            gain = Estimate.of([math.log(speed(a) / speed(b)) for a, b in zip(records, base, strict=False)])
            low = None if gain.low is None else math.expm1(gain.low)
            high = None if gain.high is None else math.expm1(gain.high)
            found.append(Lifted(components, kind, text, math.expm1(gain.value), low, high, dict(changes), len(records)))
        return found

    def _sensitivities(self, elasticities: Sequence[Elasticity]) -> tuple[Sensitivity, ...]:
        from linecard.explore.sensitivity import morris, sobol

        tried = {each.parameter for each in elasticities}
        parameters = [each for each in self.chip.parameters(saturated=self.load != "as given") if each.name in tried]
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
                    f"{bad} of {len(records)} combinations of parameters, each from half to twice its value, "
                    "are invalid for the chip"
                )
            return [math.log(speed(record)) if record["status"] == "ok" else None for record in records]

        names = [each.name for each in parameters]
        screened = morris(names, lambda rows: speeds(parameters, rows), _MORRIS_TRAJECTORIES, seed)
        order = sorted(names, key=lambda name: (-screened[name][0], name))
        top = [each for name in order[:_SOBOL_PARAMETERS] for each in parameters if each.name == name]
        indices = sobol([each.name for each in top], lambda rows: speeds(top, rows), _SOBOL_BASE, seed)
        return tuple(Sensitivity(name, *screened[name], *(indices.get(name, (None, None)))) for name in order)


def speed(record: Record) -> float:
    """Return the throughput of a run, or a value close to 0 if the run sent no packets."""
    return max(float(numbers_of(record)[METRIC]), 1e-9)


def _latency(record: Record) -> float:
    return max(float(numbers_of(record)["latency_mean_ns"]), 1e-9)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def limits_of(records: Sequence[Record], pooled: Set[str], *, shapers: bool = False) -> tuple[Limit, ...]:
    """Return the capacity of each part: the chip's throughput, divided by the part's highest utilisation.

    The highest utilisation is that of the busiest instance of the part. For engines and threads of ``pooled`` clusters,
    the mean utilisation is used, because any idle thread can process the next packet. A shaper limits only its own
    class, not the throughput of the chip. If ``shapers`` is true, its capacity is the throughput at which the shaper is
    always busy.
    """
    means = {f"{what} of {name}, busiest" for what in ("engines", "threads") for name in pooled}
    shares: dict[str, list[float]] = {}
    busy: dict[str, list[float]] = {}
    for record in records:
        # Processed packets for each sent one: output queues drop behind all other parts.
        left = float(numbers_of(record)["packets_out"])
        processed = 1 + measured(record, "output_queue_full").get("drops", 0.0) / left if left else 1.0
        here: dict[str, float] = {}
        for component, share in measured(record, "utilization").items():
            name = component.removesuffix(", busiest")
            if component in means:
                continue
            # A full buffer is no limit.
            if not name.startswith("buffer ") and (shapers or not name.endswith(_SHAPERS)):
                here[name] = max(here.get(name, 0.0), share)
        for name, share in here.items():
            busy.setdefault(name, []).append(share)
            rate = speed(record) * (1 if name.endswith((", outward", _SHAPERS)) else processed)
            shares.setdefault(name, []).append(share / rate)
    # Busy time per packet, in microseconds; its inverse is the bound.
    found = [Limit(name, _mean(busy[name]), 1 / _mean(each)) for name, each in shares.items() if _mean(each) > 0]
    return tuple(sorted(found, key=lambda limit: (limit.bound_mpps, limit.component)))


def _distinct(lifts: Sequence[Lifted]) -> list[Lifted]:
    """The best lift of each component, the largest gain first."""
    found: dict[str, Lifted] = {}
    for lift in sorted(lifts, key=lambda each: (-each.gain, each.text)):
        found.setdefault(lift.components[0], lift)
    return list(found.values())


def _to_pair(lifts: Sequence[Lifted], limits: Sequence[Limit]) -> list[Lifted]:
    """Three lifts to try in pairs: first lifts with a gain of their own, then lifts of parts with the lowest bounds.

    Two parts near their bounds hide each other: neither gains without the other.
    """
    several = _distinct(lifts)
    gaining = [lift for lift in several if lift.counts]
    order = {limit.component.split(",")[0]: place for place, limit in reversed(list(enumerate(limits)))}
    others = [lift for lift in several if not lift.counts and lift.components[0] in order]
    others.sort(key=lambda lift: order[lift.components[0]])
    return [*gaining, *others][:_PAIRED]


def verdict_of(lifts: Sequence[Lifted], load: str) -> tuple[str, str]:
    """Return the limit (the part or pair with the largest significant gain, if any), and a sentence about the limit."""
    offered = {
        "as given": "",
        "saturated": "The chip carries its entire offered load; with a saturated input, ",
        "full wires": "The chip carries its entire offered load; at the line rate of its ports, ",
    }
    start = offered[load]
    alone = [lift for lift in lifts if lift.kind != "pair"]
    best = max((lift for lift in alone if lift.counts), key=lambda lift: lift.gain, default=None)
    if best is not None:
        interval = "" if best.low is None or best.high is None else f" (95 %: {best.low:+.0%} to {best.high:+.0%})"
        text = f"{start}with {best.text}, the throughput rises by {best.gain:.0%}{interval}."
        return best.components[0], text[:1].upper() + text[1:]
    pair = max(
        (lift for lift in lifts if lift.kind == "pair" and lift.counts), key=lambda lift: lift.gain, default=None
    )
    if pair is not None:
        text = f"{start}no single part is the bottleneck; with {pair.text}, the throughput rises by {pair.gain:.0%}."
        return " and ".join(pair.components), text[:1].upper() + text[1:]
    unsure = max((lift for lift in lifts if lift.gain >= LEAST_GAIN), key=lambda lift: lift.gain, default=None)
    if unsure is not None:
        interval = "" if unsure.low is None or unsure.high is None else f" ({unsure.low:+.0%} to {unsure.high:+.0%})"
        text = (
            f"{start}with {unsure.text}, the throughput rises by {unsure.gain:.0%}, which is within noise{interval}; "
            "use longer runs (--packets, or a longer capture) or more seeds (--seeds)."
        )
        return "not clear", text[:1].upper() + text[1:]
    text = (
        f"{start}no single part and no tested pair of parts is the bottleneck: "
        f"every improvement gains less than {LEAST_GAIN:.0%}."
    )
    return "several parts", text[:1].upper() + text[1:]


__all__ = ["Elasticity", "Lift", "Lifted", "Limit", "Sensitivity", "WhyResult", "why"]
