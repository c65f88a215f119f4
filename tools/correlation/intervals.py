"""The intervals of the band of a run, from the chip's file."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from linecard.catalogue import describe
from linecard.chip.reports import ValueRange
from linecard.study.runners import chip_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from linecard.description import Description
    from linecard.study.plan import RunSpec


@lru_cache
def described(preset: str, changes: tuple[str, ...] = ()) -> Description:
    """The description of a chip with these changes of its parameters."""
    return describe(preset, set=list(changes))


def ranges_of(run: RunSpec) -> Iterator[ValueRange]:
    """The intervals of a run's parameters, without parameters that the run sets itself."""
    own = {key for key, _, _ in (override.partition("=") for override in run.overrides)}
    for parameter in described(run.preset, tuple(chip_settings(run))).parameters:
        is_set = any(parameter.key == key or parameter.key.endswith(f".{key}") for key in own)
        if parameter.interval is not None and not is_set:
            yield ValueRange(parameter.key, *parameter.interval)


def intervals_text(ranges: Iterable[ValueRange]) -> list[str]:
    """The intervals in words."""
    return [f"{each.key} {each.low:g} to {each.high:g}" for each in ranges]
