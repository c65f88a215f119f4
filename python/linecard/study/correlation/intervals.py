"""Which intervals the band of a run holds: those of the chip's file, and those that the study declares."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from linecard.catalogue import describe
from linecard.chip.band import Range
from linecard.errors import ConfigError, ConfigProblem
from linecard.study.runners import chip_settings, is_of_runner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from linecard.description import Description
    from linecard.study.keys import IntervalSpec
    from linecard.study.plan import RunSpec


@lru_cache
def described(preset: str, changes: tuple[str, ...] = ()) -> Description:
    """What a chip is with these changes of its parameters."""
    return describe(preset, set=list(changes))


def ranges_of(declared: Sequence[IntervalSpec], run: RunSpec) -> Iterator[Range]:
    """The intervals of a run's parameters; one that the run sets itself has none.

    Raises:
        ConfigError: A declared interval is of no parameter of the chip, or of one that is no number.
    """
    chip = described(run.preset, tuple(chip_settings(run)))
    own = {key for key, _, _ in (override.partition("=") for override in run.overrides)}
    of_file = [parameter for parameter in chip.parameters if parameter.interval is not None]
    for parameter in of_file:
        is_set = any(parameter.key == key or parameter.key.endswith(f".{key}") for key in own)
        if parameter.interval is not None and not is_set:
            yield Range(parameter.key, *parameter.interval)
    for interval in declared:
        if interval.key not in {parameter.key for parameter in of_file}:
            yield from _declared(interval, run, chip)


def _declared(interval: IntervalSpec, run: RunSpec, chip: Description) -> Iterator[Range]:
    settings = dict(override.split("=", 1) for override in run.overrides)
    if is_of_runner(interval.key):
        if interval.key not in settings:
            return
        text = settings[interval.key]
    else:
        try:
            text = chip[interval.key].text
        except KeyError as error:
            raise ConfigError.of([ConfigProblem("intervals", interval.key, str(error.args[0]))]) from error
    if interval.low is not None and interval.high is not None:
        yield Range(interval.key, interval.low, interval.high)
        return
    try:
        value = float(text)
    except ValueError:
        message = f"found {text!r}, expected a number, of which the interval is a percentage"
        raise ConfigError.of([ConfigProblem("intervals", interval.key, message)]) from None
    part = value * (interval.percent or 0.0) / 100
    ends = (value - part, value + part)
    # A number without a decimal point is a whole one, and stays one.
    if "." not in text:
        ends = (round(ends[0]), round(ends[1]))
    yield Range(interval.key, *ends)


def intervals_text(declared: Sequence[IntervalSpec], ranges: Iterable[Range]) -> list[str]:
    """The intervals in words; those that are a percentage of each run's own value, as that."""
    percents = {each.key: each.percent for each in declared if each.percent is not None}
    found = {}
    for each in ranges:
        share = percents.get(each.key)
        found[each.key] = f"{each.low:g} to {each.high:g}" if share is None else f"± {share:g} %"
    return [f"{key} {text}" for key, text in found.items()]
