"""Searches for the no-drop and partial-drop rates of one frame size or mix, trial by trial."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from linecard.chip.length import LONGER, LONGEST_TRIAL
from linecard.errors import ConfigError, ConfigProblem
from linecard.explore.batch import measured, numbers_of
from linecard.explore.ndr_result import LATENCY_SHARES, LINE, SEVERAL, LatencyAt, RateRow, Trial
from linecard.explore.search import Search
from linecard.explore.subject import Request
from linecard.explore.wires import frames_of, full_wires, mean_size

if TYPE_CHECKING:
    from linecard.explore.execute import Record
    from linecard.explore.levers import Chip


NDR, PDR = 0.0, 0.005
# The search ends at this share of the line rate.
FLOOR = 0.001
# Shares of time that differ by less are equal.
_NEARLY = 0.02
# Growth of the packets inside that is too small to judge: a number, or a share of the sent packets.
_HANDFUL, _FEW = 16, 0.001
# Reasons of drops that no buffer prevents.
_BY_PROGRAM = ("firewall_rule", "no_route", "ttl_expired", "not_ipv4")
# A load that may fail by chance is tried again with this number of seeds.
_SEEDS = 4
# Student's t: without overload, growth exceeds this multiple of its error in one trial of a thousand. Each seed adds
# two degrees of freedom.
_CERTAIN = (22.3, 7.17, 5.21, 4.50, 4.14, 3.93, 3.79, 3.69)


class Runs(Protocol):
    """Interface of an object that executes the runs of a search."""

    def run(self, requests: Sequence[Request]) -> Sequence[Record]:
        """Execute all requests, and return their records in the order of the requests."""


class RateSearch:
    """A search for the no-drop and partial-drop rates of one frame size or mix."""

    def __init__(
        self,
        chip: Chip,
        shared: Mapping[str, Any],
        changes: Mapping[str, Any],
        kind: int | str | None,
        seeds: Sequence[int],
        width: float,
        bench: Runs,
    ) -> None:
        self._chip, self._shared, self._seeds, self._bench = chip, shared, seeds, bench
        self._is_capture = "trace" in shared
        # The search sets the load; it scales the times of a capture.
        usual = {"traffic.arrivals": "captured" if self._is_capture else "constant"}
        self._changes = {**usual, **chip.in_full(changes)}
        self._said = ChainMap(self._changes, chip.values).get
        searched = [key for key in ("traffic.rate_gbps", "traffic.speedup") if key in self._changes]
        if searched:
            message = "has no effect, because the search sets the rate; omit it"
            raise ConfigError.of([ConfigProblem("set", key, message) for key in searched])
        self.search = Search((NDR, PDR), width, FLOOR)
        self._width = width
        self._tried: list[Trial] = []
        self._last: dict[int, tuple[Trial, str, float]] = {}
        # Packets of the next trial; packets of confirming trials, by load; whether one of these refuted a shorter
        # trial, so that all further trials are long.
        self._packets = int(shared["packets"])
        self._confirming: dict[int, int] = {}
        self._refuted = False
        # The load whose last trial cannot tell overload from chance; the seeds of the next trial.
        self._undecided: int | None = None
        self._used = seeds
        # Loads that failed by growth although the longest trial permits too little growth to exclude chance.
        self._unsure: set[int] = set()
        if self._is_capture:
            self.traffic = "capture"
            self._measure_capture()
        else:
            self._choose(kind)

    def _choose(self, kind: int | str | None) -> None:
        """Set the frames, and find their mean size."""
        if self._said("traffic.arrivals") in {"saturated", "shot_noise"}:
            arrivals = self._said("traffic.arrivals")
            message = f"found {arrivals}, expected constant; the search cannot set the rate of {arrivals} arrivals"
            raise ConfigError.at("set", "traffic.arrivals", message)
        if kind is not None:
            self.traffic = str(kind)
            self._changes |= frames_of(kind, self._changes)
        else:
            self.traffic = str(self._said("traffic.kind"))
            if self.traffic == "fixed":
                self.traffic = str(self._said("traffic.packet_bytes"))
        # The size follows from the frame sizes only, so that sizes that differ from the chip's own traffic are allowed.
        self._size = mean_size(self._said)
        self._most = full_wires(self._chip, self._said, self._size)

    def _measure_capture(self) -> None:
        """Measure the offered load of a capture at its own speed, and its mean frame size."""
        request = self._request(self._seeds[0], self._changes)
        numbers = numbers_of(self._bench.run([request])[0])
        seconds = float(numbers["simulated_seconds"])
        gbps, arrived = float(numbers["offered_gbps"]), int(numbers["packets_in"])
        if gbps <= 0 or arrived == 0:
            raise ConfigError.at("trace", "", "no packet arrives in the measured time; simulate more packets")
        self._size = gbps * 1e9 * seconds / 8 / arrived
        self._most = full_wires(self._chip, self._said, self._size)
        self._own = gbps / float(self._said("traffic.speedup") or 1.0)

    def _gbps(self, number: int) -> float:
        # Rounding must not exceed the line rate.
        return float(f"{self._most * self.search.share(number) * (1 - 1e-9):.9g}")

    def _mpps(self, gbps: float) -> float:
        return gbps * 1e3 / 8 / self._size

    def _requests_at(self, gbps: float) -> list[Request]:
        if self._is_capture:
            load = {"traffic.speedup": float(f"{min(1e6, gbps / self._own):.9g}")}
        else:
            load = {"traffic.rate_gbps": gbps}
        return [self._request(seed, {**self._changes, **load}) for seed in self._used]

    def _request(self, seed: int, changes: Mapping[str, Any]) -> Request:
        length = {"packets": self._packets, "warmup_packets": self._packets // 2}
        return Request("run", {**self._shared, **length, "seed": seed}, changes)

    def next(self) -> int | None:
        """Return the index of the load for the next trial; ``None`` if no trial remains."""
        if self._undecided is not None:
            if len(self._used) >= _SEEDS:
                self._packets *= LONGER
            else:
                self._used = [*self._seeds, *range(max(self._seeds) + 1, max(self._seeds) + 1 + _SEEDS)][:_SEEDS]
            self._packets = min(self._packets, LONGEST_TRIAL // len(self._used))
            return self._undecided
        self._used = self._seeds
        number = self.search.next()
        if number is not None:
            self._packets = max(self._confirming.values()) if self._refuted else int(self._shared["packets"])
            return number
        for goal in (PDR, NDR):
            held, _failed = self.search.bounds(goal)
            if held is not None and self._is_doubtful(held):
                self._packets = self._confirming[held] = self._length(held)
                return held
        return None

    def _is_doubtful(self, held: int) -> bool:
        """Whether no trial of a load confirms it, and a longer trial can."""
        tried = self._confirming.get(held)
        if tried is None:
            return True
        return tried < LONGEST_TRIAL and not self._is_capture and not self._confirms(self._last[held][0])

    def _confirms(self, trial: Trial) -> bool:
        """Whether a trial without loss shows that no packets pile up that a longer trial would lose.

        If the load exceeds the capacity by one ``width``, each offered packet adds ``width`` packets inside. A trial
        confirms if the growth is at most half of that. Half of that must exceed chance: twice the error of the growth,
        and twice the square root of the mean number of packets inside. After a drop, the full buffer bounds the growth,
        so that the error has no meaning.
        """
        growth = self._permitted(trial)
        error = 0.0 if trial.dropped else trial.grew_error
        return trial.grew <= growth and growth >= 2 * max(math.sqrt(trial.inside_mean), error)

    def _permitted(self, trial: Trial) -> float:
        """Growth at a load that exceeds the capacity by half a ``width``."""
        return self._width * trial.packets / 2

    def _is_by_chance(self, trial: Trial) -> bool:
        """Whether a goal fails because of growth that chance can explain, and not because of drops."""
        by_growth = any(trial.dropped <= goal < trial.lost for goal in (NDR, PDR))
        certain = _CERTAIN[min(len(self._used), len(_CERTAIN)) - 1]
        return by_growth and trial.grew < certain * trial.grew_error and not self._is_capture

    def _length(self, held: int) -> int:
        """Packets of the next trial that confirms a load; four times as many as one that could not."""
        inside = self._last[held][0].inside_mean
        wanted = max(LONGER * int(self._shared["packets"]), math.ceil(5 * math.sqrt(inside) / self._width))
        wanted = max(wanted, LONGER * self._confirming.get(held, 0))
        return max(self._packets, min(wanted, LONGEST_TRIAL))

    def requests(self, number: int) -> list[Request]:
        """Return the requests for the runs of a trial at one load."""
        return self._requests_at(self._gbps(number))

    def tell(self, number: int, records: Sequence[Record]) -> None:
        """Store the results of a trial at one load.

        If the results are inconclusive, the next trial repeats the load.
        """
        numbers = [numbers_of(record) for record in records]
        lost = [_lost(record) for record in records]
        n = len(records)
        gbps = self._gbps(number)
        inside = [_level(record, "mean") for record in records]
        trial = Trial(
            load_mpps=self._mpps(gbps),
            load_gbps=gbps,
            packets=min(each["packets_out"] + each["packets_dropped"] for each in numbers),
            lost=sum(lost) / n,
            dropped=sum(each["loss_fraction"] for each in numbers) / n,
            by_program=sum(map(_dropped_by_program, records)) / n,
            forwarded_mpps=sum(each["throughput_mpps"] for each in numbers) / n,
            inside_mean=sum(inside) / n,
            grew=sum(map(_growth, records)) / n,
            grew_error=math.hypot(*map(_growth_error, records)) / n,
        )
        self._undecided = None
        if self._is_by_chance(trial):
            is_resolved = len(self._used) >= _SEEDS and self._permitted(trial) >= 2 * trial.grew_error
            if not is_resolved and self._packets < LONGEST_TRIAL // len(self._used):
                self._undecided = number
            if self._undecided is not None or trial.grew <= self._permitted(trial):
                trial = replace(trial, lost=trial.dropped)
            elif self._permitted(trial) < trial.grew_error:
                self._unsure.add(number)
        self._tried.append(trial)
        if self._undecided is not None:
            return
        busiest, share = max(map(_busiest, records), key=lambda each: each[1])
        before = self.search.losses.get(number)
        self._last[number] = trial, busiest, share
        self.search.tell(number, trial.lost, share)
        if before is not None:
            self._refuted |= any(before <= goal < trial.lost for goal in (NDR, PDR))
        elif self._refuted or self._packets >= LONGER * int(self._shared["packets"]):
            self._confirming[number] = self._packets

    def row(self) -> RateRow:
        """Return one result row: the rates, the cause that limits the no-drop rate, and the latency."""
        answers: dict[str, tuple[float, float]] = {}
        gbps: dict[str, float] = {}
        for name, goal in (("ndr_mpps", NDR), ("pdr_mpps", PDR)):
            held, failed = self.search.bounds(goal)
            gbps[name] = 0.0 if held is None else self._gbps(held)
            upper = gbps[name] if failed is None else self._gbps(failed)
            answers[name] = (self._mpps(gbps[name]), self._mpps(upper))
        held, failed = self.search.bounds(NDR)
        sure = None if held is None else self._last[held][0]
        limit, busy = (LINE, 1.0) if failed is None else self._last[failed][1:]
        return RateRow(
            traffic=self.traffic,
            size_bytes=self._size,
            line_mpps=self._mpps(self._most),
            ndr_mpps=answers["ndr_mpps"][0],
            pdr_mpps=answers["pdr_mpps"][0],
            ndr_gbps=gbps["ndr_mpps"],
            pdr_gbps=gbps["pdr_mpps"],
            interval=answers,
            limit=limit if busy >= 1 - _NEARLY else SEVERAL,
            busiest=limit,
            busiest_share=busy,
            confirmed_packets=0 if sure is None else sure.packets,
            confirmed=sure is not None and failed not in self._unsure and self._confirms(sure),
            trials=len(self._tried),
            tried=tuple(self._tried),
            latency=self._latencies(gbps["pdr_mpps"]),
        )

    def _latencies(self, pdr_gbps: float) -> tuple[LatencyAt, ...]:
        if pdr_gbps == 0:
            return ()
        found = []
        self._packets, self._used = int(self._shared["packets"]), self._seeds
        loads = [float(f"{pdr_gbps * share:.9g}") for share in LATENCY_SHARES]
        # Only the first seed counts: a mean of percentiles is not a percentile.
        records = self._bench.run([self._requests_at(load)[0] for load in loads])
        for share, load, record in zip(LATENCY_SHARES, loads, records, strict=True):
            numbers = numbers_of(record)
            latency = {f"{name}_ns": numbers[f"latency_{name}_ns"] for name in ("p50", "p90", "p99", "max", "mean")}
            found.append(LatencyAt(share_of_pdr=share, load_mpps=self._mpps(load), **latency))
        return tuple(found)


def _level(record: Record, when: str) -> float:
    """The packets that a run still holds: those inside, and frames that wait for the line of their receiving port."""
    return sum(measured(record, f"packets_{where}_{when}").get("total", 0.0) for where in ("inside", "before_lines"))


def _growth(record: Record) -> float:
    return _level(record, "at_end") - _level(record, "at_start")


def _growth_error(record: Record) -> float:
    """Standard error of the growth, from the distance of the packets inside from steady growth since the warm-up.

    Under steady growth from an empty chip, half of the growth is inside at the start, because the warm-up is half as
    long; the mean over time is the mean of start and end. A random walk without overload departs from both by chance:
    the variances are 3/4 and 1/12 of the variance of its growth.
    """
    start, mean, end = (_level(record, when) for when in ("at_start", "mean", "at_end"))
    from_empty = start - (end - start) / 2
    from_line = mean - (start + end) / 2
    return math.sqrt((from_empty**2 * 4 / 3 + from_line**2 * 12) / 2)


def _busiest(record: Record) -> tuple[str, float]:
    """The busiest part and its busy share of the time.

    Buffers do not count. Threads that wait for a busy part are busy too, so that the part takes precedence. A DRAM is
    full before its data bus always moves data: the bus turns around, rows are opened, and banks refresh.
    """
    shares = {**measured(record, "utilization"), **measured(record, "occupancy")}
    shares = {part: share for part, share in shares.items() if not part.startswith("buffer ")}
    most = max(shares.values(), default=0.0)
    near = [part for part, share in shares.items() if share >= most - _NEARLY]
    own = [part for part in near if not part.startswith("threads of ")]
    busiest = max(own or near, key=lambda part: shares[part], default="no counted part")
    return busiest, shares.get(busiest, 0.0)


def _dropped_by_program(record: Record) -> float:
    """Share of the packets that a decision of the program dropped."""
    numbers = numbers_of(record)
    dropped = sum(measured(record, reason).get("drops", 0.0) for reason in _BY_PROGRAM)
    return dropped / max(int(numbers["packets_out"]) + int(numbers["packets_dropped"]), 1)


def _lost(record: Record) -> float:
    """Share of the packets that a trial lost, including packets that piled up.

    If the number inside grows steadily from the start, it grows by its mean over the measured time, because the
    warm-up is half as long. Growth of less than half of the mean, or of a few packets, does not count.
    """
    numbers = numbers_of(record)
    grew = _growth(record)
    inside = _level(record, "mean")
    out, dropped = numbers["packets_out"], numbers["packets_dropped"]
    piled_up = grew if grew > max(_HANDFUL, inside / 2, _FEW * out) else 0.0
    gone = dropped + piled_up
    return float(gone / (out + gone)) if gone else 0.0
