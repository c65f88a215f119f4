"""`linecard ndr`: the highest rate without loss (NDR), and with at most half a percent of it (PDR), by frame size.

The words are those of RFC 2544 (throughput), RFC 9411 (the same for security devices) and FD.io CSIT: NDR has no loss,
PDR a loss ratio of 0.5 % or less, both are rates of the traffic offered, all ports together, and what is told is the
lower bound. A trial offers frames of one kind at one rate, evenly spaced, to a chip that has warmed up, and is as long
as so many packets. Packets that pile up inside count as lost: a longer trial would lose them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Protocol

from linecard.errors import ConfigError, ConfigProblem
from linecard.explore.batch import Bench, measured, numbers_of
from linecard.explore.execute import Counts, Record, SweepProgress
from linecard.explore.levers import Chip
from linecard.explore.search import Search
from linecard.explore.store import Store
from linecard.explore.subjects import Request

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PACKETS = 20_000
NDR, PDR = 0.0, 0.005
WIDTH = 0.005
# Below this share of the line rate there is nothing to find.
FLOOR = 0.001
LATENCY_SHARES = (0.1, 0.5, 0.9)
# Packets more inside that say nothing: so few, or this share of those that left.
_HANDFUL, _CHANCE = 16, 0.001
_RFC2544 = (64, 128, 256, 512, 1024, 1280, 1518)
_IMIX = {64: 7, 594: 4, 1518: 1}


@dataclass(frozen=True, slots=True)
class Trial:
    """One load that was tried.

    Attributes:
        load_mpps: Frames offered, 10^6 a second, all ports together.
        load_gbps: The same in bits of frames, 10^9.
        lost: Share that was lost, what piled up inside counted; the mean over seeds.
        dropped: Share that was dropped.
        forwarded_mpps: Packets that left, 10^6 a second.
        inside_mean: Packets inside on average.
        grew: Packets by which the number inside grew, a seed.
    """

    load_mpps: float
    load_gbps: float
    lost: float
    dropped: float
    forwarded_mpps: float
    inside_mean: float
    grew: float


@dataclass(frozen=True, slots=True)
class LatencyAt:
    """Latency at a share of PDR, in nanoseconds."""

    share_of_pdr: float
    load_mpps: float
    p50_ns: float
    p90_ns: float
    p99_ns: float
    max_ns: float
    mean_ns: float


@dataclass(frozen=True, slots=True)
class RateRow:
    """The rates of one kind of frames.

    Attributes:
        traffic: Frame size in bytes as text, or the name of the mix, or ``capture``.
        size_bytes: Mean size of a frame, check sequence included.
        line_mpps: Frames that the wires carry, 10^6 a second: the largest load.
        ndr_mpps: Highest rate without loss: the lower bound of its interval.
        pdr_mpps: Highest rate with at most 0.5 % of loss: likewise.
        ndr_gbps: NDR in bits of frames, 10^9 a second.
        pdr_gbps: PDR likewise.
        interval: Bounds of each, 10^6 a second: ``ndr_mpps`` and ``pdr_mpps``, each the highest load that held and the
            lowest that did not (the same twice where the line rate held).
        trials: Loads that the search tried.
        tried: What each showed, in the order of the search.
        latency: At 10, 50 and 90 % of PDR; none where PDR was not found.
    """

    traffic: str
    size_bytes: float
    line_mpps: float
    ndr_mpps: float
    pdr_mpps: float
    ndr_gbps: float
    pdr_gbps: float
    interval: Mapping[str, tuple[float, float]]
    trials: int
    tried: tuple[Trial, ...]
    latency: tuple[LatencyAt, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NdrResult:
    """No-drop and partial-drop rates of a chip.

    Attributes:
        chip: The chip.
        rows: A row a kind of frames, in the order asked for.
        packets: Packets of each trial and seed, after half as many of warm-up.
        seeds: Seeds of each trial.
        width: Relative width of the intervals.
        counts: Runs found and made.
    """

    chip: str
    rows: tuple[RateRow, ...]
    packets: int
    seeds: int
    width: float
    counts: Counts = field(compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: the first row's fields at the top, and all rows in ``rows``."""
        from linecard.results import plain

        rows = plain(list(self.rows))
        shared = {"chip": self.chip, "packets": self.packets, "seeds": self.seeds, "width": self.width}
        return {**shared, **rows[0], "rows": rows}

    def table(self) -> tuple[tuple[str, ...], list[list[object]]]:
        """Columns and rows of the classical table."""
        columns = ("traffic", "size_bytes", "line_mpps", "ndr_mpps", "ndr_gbps", "pdr_mpps", "pdr_gbps", "trials")
        latencies = [(f"{name}_ns", share) for share in LATENCY_SHARES for name in ("p50", "p90", "p99")]
        rows: list[list[object]] = []
        for row in self.rows:
            at = {each.share_of_pdr: each for each in row.latency}
            times = [getattr(at[share], name) if share in at else None for name, share in latencies]
            rows.append([*(getattr(row, name) for name in columns), *times])
        return (*columns, *(f"latency_{name}_at_{share:.0%}_pdr" for name, share in latencies)), rows

    def write_plot(self, path: str | Path) -> Path:
        """Draw rates over frame sizes, and loss over load: PNG or SVG, as the name ends (extra ``plot``)."""
        from linecard.explore.ndrplot import write_rates

        return write_rates(self, path)

    def write_html(self, path: str | Path, *, command: str | None = None) -> Path:
        """Write one self-contained page; ``command`` is shown as what repeats the search."""
        from linecard.pages.rates import write_rates

        return write_rates(self, path, command)

    def __repr__(self) -> str:
        first = self.rows[0]
        return f"<NdrResult {self.chip}, {first.traffic}: NDR {first.ndr_mpps:.3f}, PDR {first.pdr_mpps:.3f} Mpps>"

    def _repr_html_(self) -> str:
        from linecard import _html

        cells = [
            [row.traffic, f"{row.ndr_mpps:.3f}", f"{row.pdr_mpps:.3f}", f"{row.line_mpps:.3f}", str(row.trials)]
            for row in self.rows
        ]
        return _html.block(
            f"{self.chip}: no-drop rates",
            _html.table(("frames", "NDR, Mpps", "PDR, Mpps", "line, Mpps", "trials"), cells),
        )


def ndr(
    chip: str | PathLike[str],
    sizes: Sequence[int | str] | None = None,
    *,
    trace: str | PathLike[str] | None = None,
    set: Mapping[str, object] | None = None,
    app: str | None = None,
    packets: int = PACKETS,
    seeds: int = 1,
    seed: int = 1,
    width: float = WIDTH,
    store: str | PathLike[str] | None = None,
    jobs: int | None = None,
    executor: str = "threads",
    progress: SweepProgress | None = None,
) -> NdrResult:
    """Search for the no-drop and the partial-drop rate of a chip.

    Args:
        chip: Name of a shipped chip, or path of a TOML file.
        sizes: Frame sizes in bytes, ``"imix"``, ``"rfc2544"`` (the seven sizes in equal parts) or names of the chip's
            own mixes; ``None`` takes the chip's own traffic. Each is a search of its own.
        trace: Capture to replay instead, faster or slower.
        set: Changes of the chip's keys. Frames are evenly spaced unless ``traffic.arrivals`` is among them.
        app: Another program.
        packets: Packets of each trial, after half as many of warm-up.
        seeds: Seeds of each trial; their losses are averaged, and a search for no loss needs none in any.
        seed: The first of them.
        width: Relative width of the answers.
        store: Folder that keeps runs; ``None`` keeps nothing.
        jobs: Runs at the same time; ``None`` takes one per core. The result does not depend on it.
        executor: ``"threads"``, or ``"dask"`` or ``"dask:ADDRESS"`` (extra ``dask``).
        progress: Called now and then with (runs done, runs in all) of the present step.

    Raises:
        ConfigError: The chip or an argument is wrong, or the chip never idles: ``arrivals`` is ``saturated``.
        RunError: A trial ends without a result.
        linecard.explore.Interrupted: Ctrl-C; what is done is in the store.

    Example:
        >>> import linecard
        >>> found = linecard.ndr("example_smartnic", [1518], packets=500)
        >>> found.rows[0].ndr_mpps <= found.rows[0].pdr_mpps <= found.rows[0].line_mpps
        True
    """
    _check(packets, seeds, width, trace, sizes)
    with Bench(None if store is None else Store(store), jobs, progress, Counts(), executor) as bench:
        rows = search_rates(
            fspath(chip),
            sizes,
            trace=trace,
            changes=dict(set or {}),
            app=app,
            packets=packets,
            seeds=[seed + number for number in range(seeds)],
            width=width,
            bench=bench,
        )
    return NdrResult(chip=fspath(chip), rows=rows, packets=packets, seeds=seeds, width=width, counts=bench.counts)


class Runs(Protocol):
    """What makes the runs of a search."""

    def run(self, requests: Sequence[Request]) -> Sequence[Record]:
        """Run all; the records in the order of the requests."""


def search_rates(
    chip: str,
    sizes: Sequence[int | str] | None,
    *,
    trace: str | PathLike[str] | None,
    changes: Mapping[str, object],
    app: str | None,
    packets: int,
    seeds: Sequence[int],
    width: float,
    bench: Runs,
) -> tuple[RateRow, ...]:
    """The rates of each kind of frames; see :func:`ndr`."""
    _check(packets, len(seeds), width, trace, sizes)
    described = _described(chip, changes)
    # Loss says all that a trial is asked for; its limit would take several times the work.
    shared: dict[str, Any] = {
        "preset": chip,
        "packets": packets,
        "warmup_packets": packets // 2,
        "verdict": False,
    }
    if app is not None:
        shared["app"] = app
    if trace is not None:
        shared["trace"] = fspath(trace)
    several = list(seeds)
    kinds = [None] if trace is not None or not sizes else list(sizes)
    searches = [_Rate(described, shared, changes, kind, several, width, bench) for kind in kinds]
    # Sizes do not wait for each other: a trial of each at a time.
    while waiting := [(each, each.search.next()) for each in searches]:
        asked = [(each, number) for each, number in waiting if number is not None]
        if not asked:
            break
        records = iter(bench.run([request for each, number in asked for request in each.requests(number)]))
        for each, number in asked:
            each.tell(number, [next(records) for _ in several])
    return tuple(each.row() for each in searches)


def _described(chip: str, changes: Mapping[str, object]) -> Chip:
    """The chip as it is; where it has no rate of its own, with any, for each trial sets one."""
    from linecard.api import settings

    try:
        return Chip(chip, settings(changes))
    except ConfigError:
        if "traffic.arrivals" not in changes:
            raise
        return Chip(chip, settings({**changes, "traffic.rate_gbps": 0.001}))


def _check(packets: int, seeds: int, width: float, trace: object, sizes: Sequence[int | str] | None) -> None:
    problems = [
        ConfigProblem(name, "", f"found {value}, expected {least} to {most}")
        for name, value, least, most in (
            ("packets", packets, 100, 10**9),
            ("seeds", seeds, 1, 1000),
            ("width", width, 1e-4, 0.5),
        )
        if not least <= value <= most
    ]
    if trace is not None and sizes:
        problems.append(ConfigProblem("sizes", "", "found beside a capture, which has its own; leave one out"))
    if problems:
        raise ConfigError.of(problems)


class _Rate:
    """The search for one kind of frames."""

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
        self._changes = {"traffic.arrivals": "constant", **{self._full(key): value for key, value in changes.items()}}
        self.search = Search((NDR, PDR), width, FLOOR)
        self._tried: dict[int, Trial] = {}
        self._is_capture = "trace" in shared
        if self._is_capture:
            self._changes.pop("traffic.arrivals")
            self.traffic = "capture"
            self._measure_capture()
        else:
            self._choose(kind)

    def _full(self, key: str) -> str:
        ends = [known for known in self._chip.values if known == key or known.endswith(f".{key}")]
        return ends[0] if len(ends) == 1 else key

    def _said(self, key: str) -> Any:
        return self._changes.get(key, self._chip.values.get(key))

    def _choose(self, kind: int | str | None) -> None:
        """Set the frames, and find their mean size."""
        if self._said("traffic.arrivals") in {"saturated", "shot_noise"}:
            message = f"found {self._said('traffic.arrivals')}, whose rate is none that can be set; expected constant"
            raise ConfigError.of([ConfigProblem("set", "traffic.arrivals", message)])
        if isinstance(kind, int) or (isinstance(kind, str) and kind.isdigit()):
            self.traffic = str(kind)
            self._changes |= {"traffic.kind": "fixed", "traffic.packet_bytes": int(kind)}
        elif kind is not None:
            self.traffic = kind
            self._changes["traffic.kind"] = kind
        else:
            self.traffic = str(self._said("traffic.kind"))
            if self.traffic == "fixed":
                self.traffic = str(self._said("traffic.packet_bytes"))
        # Of the size of frames alone, so that a size that is not that of the chip's own traffic is described, too.
        self._size = self._mean_size(str(self._said("traffic.kind")))
        line, overhead = self._line()
        self._most = line * self._size / (self._size + overhead)

    def _mean_size(self, kind: str) -> float:
        if kind == "fixed":
            return float(self._said("traffic.packet_bytes"))
        if kind == "imix":
            return sum(size * weight for size, weight in _IMIX.items()) / sum(_IMIX.values())
        if kind == "rfc2544":
            return sum(_RFC2544) / len(_RFC2544)
        listed = self._said("traffic.sizes") if kind == "sizes" else self._said(f"mix.{kind}")
        rows = re.findall(r"(\d+)(?:-(\d+))?\s*:\s*([\d.eE+-]+)", str(listed or ""))
        weight = sum(float(each) for _, _, each in rows)
        if not rows or weight <= 0:
            message = (
                f"found {kind!r}, whose sizes are not written in the chip's file; expected a frame size, imix, rfc2544 "
                "or a mix of the chip"
            )
            raise ConfigError.of([ConfigProblem("sizes", "", message)])
        return sum((int(low) + int(high or low)) / 2 * float(each) for low, high, each in rows) / weight

    def _line(self) -> tuple[float, float]:
        """Rate of all inward wires, Gbit/s, and what a frame takes on them beside its bytes."""
        rate, overheads = 0.0, []
        for name in self._chip.groups("port"):
            if self._said(f"port.{name}.direction") == "out":
                continue
            own, count = float(self._said(f"port.{name}.rate_gbps")), int(self._said(f"port.{name}.count") or 1)
            if own == 0:
                message = f"port {name} is never busy (rate_gbps = 0): the search needs a line rate to begin at"
                raise ConfigError.of([ConfigProblem("set", f"port.{name}.rate_gbps", message)])
            rate += own * count
            overheads.append(int(self._said(f"port.{name}.overhead_bytes") or 0))
        return rate, float(overheads[0] if overheads else 20)

    def _measure_capture(self) -> None:
        """What a capture offers at its own pace, and what share of the wires that is."""
        request = Request("run", {**self._shared, "seed": self._seeds[0]}, self._changes)
        numbers = numbers_of(self._bench.run([request])[0])
        seconds = float(numbers["simulated_seconds"])
        gbps, arrived = float(numbers["offered_gbps"]), int(numbers["packets_in"])
        if gbps <= 0 or arrived == 0:
            raise ConfigError.of(
                [ConfigProblem("trace", "", "nothing arrives in the measured time; give more packets")]
            )
        self._size = gbps * 1e9 * seconds / 8 / arrived
        line, overhead = self._line()
        self._most = line * self._size / (self._size + overhead)
        self._own = gbps / float(self._said("traffic.speedup") or 1.0)

    def _gbps(self, number: int) -> float:
        # Nothing above the line rate, which rounding could give.
        return float(f"{self._most * self.search.share(number) * (1 - 1e-9):.9g}")

    def _mpps(self, gbps: float) -> float:
        return gbps * 1e3 / 8 / self._size

    def _requests_at(self, gbps: float) -> list[Request]:
        if self._is_capture:
            load = {"traffic.speedup": float(f"{min(1e6, gbps / self._own):.9g}")}
        else:
            load = {"traffic.rate_gbps": gbps}
        return [Request("run", {**self._shared, "seed": seed}, {**self._changes, **load}) for seed in self._seeds]

    def requests(self, number: int) -> list[Request]:
        """The runs of a trial."""
        return self._requests_at(self._gbps(number))

    def tell(self, number: int, records: Sequence[Record]) -> None:
        """Take a trial's runs."""
        numbers = [numbers_of(record) for record in records]
        lost = [_lost(record) for record in records]
        n = len(records)
        gbps = self._gbps(number)
        inside = [measured(record, "packets_inside_mean").get("total", 0.0) for record in records]
        self._tried[number] = Trial(
            load_mpps=self._mpps(gbps),
            load_gbps=gbps,
            lost=sum(lost) / n,
            dropped=sum(each["loss_fraction"] for each in numbers) / n,
            forwarded_mpps=sum(each["throughput_mpps"] for each in numbers) / n,
            inside_mean=sum(inside) / n,
            grew=sum(map(_growth, records)) / n,
        )
        self.search.tell(number, sum(lost) / n, max(map(_busiest, records)))

    def row(self) -> RateRow:
        """What was found."""
        answers: dict[str, tuple[float, float]] = {}
        gbps: dict[str, float] = {}
        for name, goal in (("ndr_mpps", NDR), ("pdr_mpps", PDR)):
            held, failed = self.search.bounds(goal)
            gbps[name] = 0.0 if held is None else self._gbps(held)
            upper = gbps[name] if failed is None else self._gbps(failed)
            answers[name] = (self._mpps(gbps[name]), self._mpps(upper))
        return RateRow(
            traffic=self.traffic,
            size_bytes=self._size,
            line_mpps=self._mpps(self._most),
            ndr_mpps=answers["ndr_mpps"][0],
            pdr_mpps=answers["pdr_mpps"][0],
            ndr_gbps=gbps["ndr_mpps"],
            pdr_gbps=gbps["pdr_mpps"],
            interval=answers,
            trials=len(self._tried),
            tried=tuple(self._tried.values()),
            latency=self._latencies(gbps["pdr_mpps"]),
        )

    def _latencies(self, pdr_gbps: float) -> tuple[LatencyAt, ...]:
        if pdr_gbps == 0:
            return ()
        found = []
        loads = [float(f"{pdr_gbps * share:.9g}") for share in LATENCY_SHARES]
        # The first seed alone: percentiles of several are no percentile.
        records = self._bench.run([self._requests_at(load)[0] for load in loads])
        for share, load, record in zip(LATENCY_SHARES, loads, records, strict=True):
            numbers = numbers_of(record)
            latency = {f"{name}_ns": numbers[f"latency_{name}_ns"] for name in ("p50", "p90", "p99", "max", "mean")}
            found.append(LatencyAt(share_of_pdr=share, load_mpps=self._mpps(load), **latency))
        return tuple(found)


def _growth(record: Record) -> float:
    start, end = (measured(record, f"packets_inside_at_{when}").get("total", 0.0) for when in ("start", "end"))
    return end - start


def _busiest(record: Record) -> float:
    """How busy the busiest part was; how full a buffer was says nothing of that."""
    shares = measured(record, "utilization")
    return max((share for part, share in shares.items() if not part.startswith("buffer ")), default=0.0)


def _lost(record: Record) -> float:
    """Share that a trial lost, what piled up counted.

    A number inside that grows steadily from the beginning grows by its mean over the measured time, for the warm-up is
    half as long; by half of it or more is no chance, unless it is a handful of packets.
    """
    numbers = numbers_of(record)
    grew = _growth(record)
    inside = measured(record, "packets_inside_mean").get("total", 0.0)
    out, dropped = numbers["packets_out"], numbers["packets_dropped"]
    piled_up = grew if grew > max(_HANDFUL, inside / 2, _CHANCE * out) else 0.0
    gone = dropped + piled_up
    return float(gone / (out + gone)) if gone else 0.0


__all__ = ["LatencyAt", "NdrResult", "RateRow", "Trial", "ndr"]
