"""Measures the traffic load and the capacity of each part of a chip, in short runs at light load.

The busy time of each part per packet is measured in short runs, at a load that all parts can carry. According to the
utilisation law, the capacity of a part is the inverse of its busy time per packet, as in the bounds of `linecard why`.
Windows and posted operations are never busy, so they have no capacity by this law. A DRAM is busy while it moves data,
and its activates are a part of their own. If no part is overloaded, a short run at the offered load shows whether the
chip carries the load.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any

from linecard.errors import ConfigError, RunError
from linecard.explore.batch import Bench, measured, numbers_of, stayed
from linecard.explore.levers import Chip
from linecard.explore.program_options import run_arguments
from linecard.explore.subject import Request
from linecard.explore.why import limits_of
from linecard.explore.wires import frames_of, full_wires, mean_size
from linecard.request import mapping_of, settings

if TYPE_CHECKING:
    from linecard.explore.execute import Record
    from linecard.request import Settings

PACKETS = 20_000
# The load of the first run, as a share of the offered load. The load of the second, as a share of the capacity that the
# first run shows; it is halved again while packets are lost.
_LIGHT, _HALF, _LIGHTEST = 0.05, 0.5, 1e-6
# Signs of too high a load: drops in full buffers, and packets that pile up: this share of the packets, or this number.
# Below the capacity, the number of packets inside does not grow with the length of the run.
_FULL = ("receive_buffer_full", "line_full", "packet_memory_full", "output_queue_full")
_STAYED, _PILED_UP = 0.05, 200
# Parts that are busier than this have long random queues, so that a short run without losses proves nothing.
_NEARLY_FULL = 0.95
# The end of the name of the activates of a DRAM.
_ACTIVATES = ", activates"


@dataclass(frozen=True, slots=True)
class Demand:
    """The traffic load on one part of a chip.

    Attributes:
        component: Name of the part.
        offered_gbps: Offered load of the chip in Gbit/s, including frames that the part does not process.
        most_gbps: Lowest offered load of the chip at which the part is always busy, in Gbit/s, including frames that
            the part does not process.
        most_mpps: Lowest offered load of the chip at which the part is always busy, in 10^6 packets per second.
        share: ``offered_gbps`` divided by ``most_gbps``; above 1, the part is overloaded.
    """

    component: str
    offered_gbps: float
    most_gbps: float
    most_mpps: float
    share: float


@dataclass(frozen=True, slots=True)
class Demands:
    """The traffic load on all parts of a chip.

    Attributes:
        parts: Load and capacity of each part, sorted by the ratio of load to capacity, highest first.
        not_computed: Limits of the chip whose capacity is not computed.
        is_carried: Whether the chip lost or accumulated at most 5 % of the packets in a short run at the offered load.
            ``None`` if a part is overloaded, or if a part is so busy that a short run without losses proves nothing.
        lost_fraction: Fraction of the packets that full buffers lost in that run, if ``is_carried`` is true; else 0.
    """

    parts: tuple[Demand, ...]
    not_computed: tuple[str, ...]
    is_carried: bool | None
    lost_fraction: float


def demands(
    name: str,
    *,
    set: Settings | None,
    trace: str | PathLike[str] | None,
    size: int | str | None,
    program: Mapping[str, Any],
) -> Demands:
    """Return the load and the capacity of every part, and limits without a known capacity.

    Raises:
        ConfigError: The chip, the traffic or the program is invalid, or the arguments name both a size and a capture.
        RunError: The run ends without a result, or loses packets at every load.
    """
    if trace is not None and size is not None:
        raise ConfigError.at("size", "", "conflicts with a capture, which has its own sizes; omit the size")
    chip = Chip(name, settings(set))
    changes = chip.in_full(mapping_of("set", set))
    if size is not None:
        changes |= frames_of(size, changes)
    shared = run_arguments(program, trace, chip=name, verdict=False, packets=PACKETS, warmup_packets=PACKETS // 10)
    return _demands(chip, changes, shared)


def _demands(chip: Chip, changes: Mapping[str, Any], shared: Mapping[str, Any]) -> Demands:
    said: Callable[[str], Any] = ChainMap({**changes}, chip.values).get

    def run(settings: Mapping[str, Any]) -> Record:
        with Bench(None, 1, None) as bench:
            return bench.run([Request("run", shared, settings)])[0]

    saturated = said("traffic.arrivals") == "saturated"
    kept = {key: value for key, value in changes.items() if key not in {"traffic.speedup", "traffic.rate_gbps"}}
    if "trace" in shared:
        kept["traffic.arrivals"] = "captured"
        first = run({**changes, "traffic.arrivals": "captured"})
        offered = full_wires(chip, said, _mean_bytes(first)) if saturated else _offered(first)
        offered = float(changes.get("traffic.rate_gbps", offered))
    else:
        if saturated:
            kept["traffic.arrivals"] = "poisson"
        offered = full_wires(chip, said, mean_size(said))
        offered = offered if saturated else min(offered, float(said("traffic.rate_gbps")))
    gbps = offered * _LIGHT
    light = run({**kept, "traffic.rate_gbps": gbps})
    # At a very light load a memory is busy with refreshes only; half of the capacity shows its busy time per packet.
    gbps = _HALF * min((most for _, most, _ in _carried(light, chip)), default=gbps / _HALF)
    tried = run({**kept, "traffic.rate_gbps": gbps})
    while _is_loaded(tried) and gbps > offered * _LIGHTEST:
        gbps *= _HALF
        tried = run({**kept, "traffic.rate_gbps": gbps})
    if _is_loaded(tried):
        raise RunError(
            f"the chip loses packets at {gbps:g} Gbit/s, so the capacity of its parts is unknown; enlarge its buffers"
        )
    capacities = _carried(tried, chip)
    has_own_times = "trace" in shared and not saturated

    @cache
    def loaded() -> Record:
        return first if has_own_times else run({**kept, "traffic.rate_gbps": offered})

    if any(part.endswith(_ACTIVATES) and most < offered for part, most, _ in capacities):
        # A controller with many waiting requests opens fewer rows for them.
        capacities = [each for each in capacities if not each[0].endswith(_ACTIVATES)]
        capacities += [each for each in _carried(loaded(), chip) if each[0].endswith(_ACTIVATES)]
    found = [Demand(part, offered, most, mpps, offered / most) for part, most, mpps in capacities]
    found.sort(key=lambda each: (-each.share, each.component))
    carried, lost, most = None, 0.0, max((each.share for each in found), default=0.0)
    if most <= 1:
        if _is_overloaded(loaded()):
            carried = False
        elif most < _NEARLY_FULL:
            carried, lost = True, _lost_when_full(loaded()) / int(numbers_of(loaded())["packets_in"])
    return Demands(tuple(found), _not_computed(chip, tried), carried, lost)


def _not_computed(chip: Chip, record: Record) -> tuple[str, ...]:
    """Return the limits of a chip that no utilisation shows: windows of inboxes, and posted operations of threads."""
    matches = (re.fullmatch(r"(inbox|ring)\.([^.]+)\.window", key) for key in chip.values if chip.number(key))
    found = [f"the window of {each[1]} {each[2]}" for each in matches if each]
    if measured(record, "time_wait_posted").get("packet"):
        found.append("the limit of posted operations")
    return tuple(found)


def _carried(record: Record, chip: Chip) -> list[tuple[str, float, float]]:
    """Each part with its capacity, in Gbit/s and in 10^6 packets a second."""
    numbers, bits = numbers_of(record), 8e-3 * _mean_bytes(record)
    # Bounds count sent packets; the demand counts received ones, some of which a program may drop. Packets that are
    # still inside count for the wires on which they arrived.
    came, out = int(numbers["packets_in"]), max(int(numbers["packets_out"]), 1)
    ended = came - stayed(record) - _lost_when_full(record)
    found = []
    for limit in limits_of([record], chip.pooled, shapers=True):
        mpps = limit.bound_mpps * (came if limit.component.endswith(", inward") else ended) / out
        found.append((limit.component, mpps * bits, mpps))
    return found


def _offered(record: Record) -> float:
    return float(numbers_of(record)["offered_gbps"])


def _mean_bytes(record: Record) -> float:
    numbers = numbers_of(record)
    return _offered(record) * 1e9 / 8 * float(numbers["simulated_seconds"]) / max(int(numbers["packets_in"]), 1)


def _is_loaded(record: Record) -> bool:
    """Whether full buffers lost packets, or packets piled up; drops by a program do not count."""
    most = min(_STAYED * int(numbers_of(record)["packets_in"]), _PILED_UP)
    return _lost_when_full(record) > 0 or stayed(record) > most


def _is_overloaded(record: Record) -> bool:
    """Whether more packets were lost or piled up than bursts explain."""
    return _lost_when_full(record) + stayed(record) > _STAYED * int(numbers_of(record)["packets_in"])


def _lost_when_full(record: Record) -> float:
    return sum(measured(record, reason).get("drops", 0.0) for reason in _FULL)
