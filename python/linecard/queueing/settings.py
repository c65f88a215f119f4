"""Settings of the queueing machine: value, unit, meaning and source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from linecard import _core
from linecard._convert import convert
from linecard.listed import Listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class QueueSetting:
    """One setting of the machine, the managers or the traffic."""

    key: str
    value: str
    unit: str
    meaning: str
    source: str


def queueing_settings(set: Mapping[str, object] | Iterable[str] | str | None = None) -> Listed[QueueSetting]:
    """Every setting of the queueing machine with value, unit, meaning and source, after these changes.

    Raises:
        ConfigError: A change cannot be made; every problem is listed.
    """
    return Listed(convert(_core.queueing_settings(changes_of(set)), list[QueueSetting]))


def changes_of(changes: Mapping[str, object] | Iterable[str] | str | None) -> list[str]:
    """Changes in the form ``key=value``."""
    if changes is None:
        return []
    if isinstance(changes, str):
        return [changes]
    if hasattr(changes, "items"):
        return [f"{key}={value}" for key, value in changes.items()]
    return [str(change) for change in changes]
