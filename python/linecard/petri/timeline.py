"""Converts the firings of a Petri net to a timeline for Perfetto."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linecard.petri.reports import Firing
    from linecard.petri.result import Parts


def to_perfetto(net: Parts, firings: Sequence[Firing], unit_us: float) -> str:
    """Convert firings to a timeline for ui.perfetto.dev, with one row per transition and one curve per place.

    Args:
        net: The Petri net: its places, transitions and arcs.
        firings: The firings in chronological order.
        unit_us: Number of microseconds on the timeline that represent one time unit of the Petri net.
    """
    events: list[dict[str, object]] = [
        {"ph": "M", "pid": 1, "tid": 0, "name": "process_name", "args": {"name": "transitions"}},
        {"ph": "M", "pid": 2, "tid": 0, "name": "process_name", "args": {"name": "places"}},
    ]
    for number, transition in enumerate(net.transitions):
        name = {"name": transition.name}
        events.append({"ph": "M", "pid": 1, "tid": number + 1, "name": "thread_name", "args": name})
    before = tuple(place.tokens for place in net.places)
    for number, place in enumerate(net.places):
        events.append({"ph": "C", "pid": 2, "ts": 0, "name": place.name, "args": {"tokens": before[number]}})
    for firing in firings:
        at = firing.time * unit_us
        event = {"ph": "i", "s": "t", "pid": 1, "tid": firing.transition + 1, "ts": at}
        events.append(event | {"name": net.transitions[firing.transition].name, "args": {"binding": firing.binding}})
        for number, tokens in enumerate(firing.tokens):
            if tokens != before[number]:
                counter = {"ph": "C", "pid": 2, "ts": at, "name": net.places[number].name, "args": {"tokens": tokens}}
                events.append(counter)
        before = firing.tokens
    lines = ",\n".join(json.dumps(event, ensure_ascii=False) for event in events)
    return f'{{"displayTimeUnit":"ns","traceEvents":[\n{lines}\n]}}\n'
