"""Repeats runs with more packets until their results are conclusive by the rules of `linecard.chip.length`.

A point has one run per seed. If a run is not steady, only this run is lengthened. If the confidence interval of a
point is too wide, all runs of the point are lengthened. The result of a point does not depend on other points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from linecard.chip.length import (
    CAPTURED_PACKETS,
    GENERATED_PACKETS,
    NOT_PRECISE,
    NOT_STEADY,
    RATE_ONLY,
    Aim,
    Numbers,
    has_ended,
    is_same,
    longer,
)
from linecard.explore.batch import numbers_of
from linecard.numbers import is_number

if TYPE_CHECKING:
    from linecard.explore.execute import Record
    from linecard.explore.subject import Request


@dataclass(frozen=True, slots=True)
class Settled:
    """A run at its final length.

    Attributes:
        request: The request of the run, with its final number of packets.
        doubt: Reason why the results are not conclusive; empty if the results are conclusive.
    """

    request: Request
    doubt: str


def packets_of(request: Request) -> int:
    """Return the number of measured packets in a chip run; 0 for a whole capture, or if the number is invalid."""
    usual = CAPTURED_PACKETS if "trace" in request.arguments else GENERATED_PACKETS
    packets = request.arguments.get("packets", usual[0])
    return int(packets) if is_number(packets) else 0


def longer_request(request: Request, asked: Request, numbers: Numbers) -> Request | None:
    """Return a request for the same run with more packets; ``None`` if no longer run is possible or permitted.

    Args:
        request: The request of the run at its current length.
        asked: The request of the run at its original length.
        numbers: The numeric results of the run.
    """
    if request.subject != "run" or numbers.get("steady") is None:
        return None
    packets = packets_of(request)
    if "trace" in request.arguments and has_ended(packets, numbers):
        return _whole(asked)
    length = longer(packets, request.arguments.get("warmup_packets"), packets_of(asked))
    if length is None:
        return None
    arguments: dict[str, Any] = {**request.arguments, "packets": length[0]}
    if length[1] is not None:
        arguments["warmup_packets"] = length[1]
    return replace(request, arguments=arguments)


def _whole(asked: Request) -> Request:
    """The longest run of a capture: to its end, with the requested warm-up."""
    return replace(asked, arguments={**asked.arguments, "packets": CAPTURED_PACKETS[0]})


def settle(
    asked: Sequence[Request],
    groups: Sequence[Sequence[int]],
    run: Callable[[Sequence[Request]], Sequence[Mapping[str, Any]]],
    aim: Aim,
    *,
    fixed: bool = False,
) -> list[Settled]:
    """Execute requests, and repeat inconclusive runs with more packets.

    Args:
        asked: The requested runs.
        groups: For each point, the indices of its requests; a point has one request per seed.
        run: Function that executes requests and returns their numeric results, which are empty for a refused or failed
            run.
        aim: The required precision of the throughput.
        fixed: Whether runs keep the requested length even if they are inconclusive.
    """
    requests = list(asked)
    numbers = list(run(requests))
    # Runs that cannot be longer, and runs of which only the throughput is conclusive.
    ended: set[int] = set(range(len(requests))) if fixed else set()
    rate_only: set[int] = set()
    while True:
        following: dict[int, Request] = {}
        for group in groups:
            for place in _to_lengthen([place for place in group if numbers[place]], numbers, rate_only, aim):
                request = None if place in ended else longer_request(requests[place], asked[place], numbers[place])
                if request is None:
                    ended.add(place)
                else:
                    following[place] = request
        if not following:
            break
        for place, found in zip(following, run(list(following.values())), strict=True):
            # A run of the whole capture confirms nothing: it may be the same run.
            is_longer = packets_of(following[place]) > 0
            if found and found["steady"] is False and is_longer and is_same([numbers[place]], [found]):
                rate_only.add(place)
            else:
                rate_only.discard(place)
            requests[place], numbers[place] = following[place], found
    doubts = [_doubt(each, place in rate_only) for place, each in enumerate(numbers)]
    for group in groups:
        well = [place for place in group if numbers[place]]
        sure = all(doubts[place] in {"", RATE_ONLY} for place in well)
        if well and sure and not aim.is_narrow([numbers[place] for place in well]):
            doubts = [NOT_PRECISE if place in well else doubt for place, doubt in enumerate(doubts)]
    return list(map(Settled, requests, doubts))


def _doubt(numbers: Numbers, rate_only: bool) -> str:
    return RATE_ONLY if rate_only else Aim().doubt([numbers]) if numbers else ""


def _to_lengthen(group: Sequence[int], numbers: Sequence[Numbers], rate_only: Set[int], aim: Aim) -> list[int]:
    """The runs of a point that need a greater length."""
    unsteady = [place for place in group if numbers[place].get("steady") is False and place not in rate_only]
    if unsteady or not group:
        return unsteady
    return [] if aim.is_narrow([numbers[place] for place in group]) else list(group)


@dataclass(frozen=True, slots=True)
class Side:
    """The runs of one of the designs that are compared.

    Attributes:
        records: The records of the runs at the final length, one record per seed.
        packets: Run lengths that were tried, in packets, ascending.
        doubt: Reason why the results are not conclusive; empty if the results are conclusive.
        shortfall: A sentence for the user, which states why the results are not conclusive and what to change.
    """

    records: tuple[Record, ...]
    packets: tuple[int, ...]
    doubt: str
    shortfall: str


def settle_together(
    asked: Sequence[Sequence[Request]], run: Callable[[Sequence[Request]], Sequence[Record]], aim: Aim
) -> list[Side]:
    """Simulate several designs with equal seeds, and lengthen all runs equally until all results are conclusive.

    Raises:
        ConfigError: A run was refused.
        RunError: A run failed.
    """
    flat = [request for side in asked for request in side]
    requests, tried = flat, list[int]()
    before: list[Numbers] | None = None
    # Designs with a throughput that longer runs have confirmed once.
    settled: set[int] = set()
    while True:
        records = run(requests)
        numbers = [numbers_of(record) for record in records]
        tried.append(packets_of(requests[0]))
        sides = []
        for number, side in enumerate(asked):
            own = slice(number * len(side), (number + 1) * len(side))
            if before is not None and tried[-1] and is_same(before[own], numbers[own]):
                settled.add(number)
            judged = _judged(numbers[own], tried, aim, settled=number in settled)
            sides.append(Side(tuple(records[own]), tuple(tried), *judged))
        following = [longer_request(*each) for each in zip(requests, flat, numbers, strict=True)]
        if all(side.doubt in {"", RATE_ONLY} for side in sides) or None in following:
            return sides
        requests, before = [request for request in following if request is not None], numbers
        if not all(map(packets_of, requests)):
            # All runs have one length.
            requests = list(map(_whole, flat))


def _judged(numbers: Sequence[Numbers], tried: Sequence[int], aim: Aim, *, settled: bool) -> tuple[str, str]:
    """The doubt of the runs of one design, and the doubt in words."""
    doubt = aim.doubt(numbers)
    if doubt == NOT_STEADY and settled and aim.is_narrow(numbers):
        return RATE_ONLY, (
            "the throughput is conclusive (the same in shorter runs), but loss and latency are not; simulate more "
            "packets (--packets), or lower the offered load"
        )
    return doubt, aim.shortfall(numbers, tried)
