"""Collects the distinct reasons why points of a table were refused or failed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard.chip.length import has_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why points were refused or failed.

    Attributes:
        status: Status of the points: ``refused`` or ``failed``.
        reason: The reason in words.
        points: Number of points with this reason.
        command: The command that repeats the first point with this reason.
    """

    status: str
    reason: str
    points: int
    command: str


def reasons_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Reason, ...]:
    """Return the reasons why rows were refused or failed, most frequent reason first."""
    counts: Counter[tuple[str, str]] = Counter()
    commands: dict[tuple[str, str], str] = {}
    for row in rows:
        if not has_numbers(row):
            key = (row["status"], str(row["reason"]))
            counts[key] += 1
            commands.setdefault(key, row["command"])
    return tuple(Reason(*key, count, commands[key]) for key, count in counts.most_common())
