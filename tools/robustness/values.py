"""Finds the calibrated numbers of a study, and changes runs so that they use another number.

A number is the value of a preset's key or, if no preset has it, part of the study itself (``vary`` of a calibration).
In a preset it may also be the first point of a line of points, such as ``0:2524, 1500:13888``: then the whole line is
moved, because its fixed part was calibrated. Values that are not numbers are listed, but not varied.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from linecard.catalogue import describe
from linecard.explore.keys import Keys
from linecard.queueing.settings import MACHINE as QUEUE_MACHINE
from linecard.study.keys import MACHINE

if TYPE_CHECKING:
    from linecard.study.keys import Varied
    from linecard.study.plan import RunSpec
    from linecard.study.spec import Study

SHARE = 0.10
# Runners whose settings are parameters of the run's preset.
WITH_PRESETS = (MACHINE, "program", "occupancy", "hierarchy", "vrp", "dram")
# Runners whose settings are parameters of one preset: the preset of their runs is something else.
OF_ONE_PRESET = {"queueing": f"queueing/{QUEUE_MACHINE}"}
# The only runner that takes a list of points: no other runner has links with points.
WITH_POINTS = "hierarchy"
# Units with fractions; cycles, threads and bytes are whole.
WITH_PARTS = ("_ns", "_gbps")
POINTS = re.compile(r"\d+:[0-9.]+(, \d+:[0-9.]+)+")


@dataclass(frozen=True, slots=True)
class Value:
    """A calibrated number.

    Attributes:
        parameter: Name of the parameter in the study.
        key: Key of the value in the preset, or its name in the study.
        number: The chosen number.
        preset: The preset that contains the number; empty if the study contains it.
        text: Text of the value in the preset.
        varied: The rule by which a run gets another number, if no preset contains it.
    """

    parameter: str
    key: str
    number: float
    preset: str = ""
    text: str = ""
    varied: Varied | None = None

    @property
    def sides(self) -> tuple[float, float]:
        """The numbers 10 % lower and higher; a count changes by at least one."""
        step = abs(self.number) * SHARE
        if self.whole:
            step = max(1, round(step))
        return _rounded(self.number - step), _rounded(self.number + step)

    @property
    def whole(self) -> bool:
        """Whether the number is a count, which has no fractions."""
        if self.varied is not None:
            return isinstance(self.varied.value, int)
        return self.number == int(self.number) and not self.key.endswith(WITH_PARTS)

    def put_into(self, run: RunSpec, number: float) -> RunSpec:
        """The run with another number instead of the chosen one; unchanged if the run does not use the chosen one."""
        if self.varied is not None:
            return _varied(run, self.varied, number)
        preset = run.preset if run.runner in WITH_PRESETS else OF_ONE_PRESET.get(run.runner)
        keys = _keys(preset) if preset else None
        # A preset that extends another may set another value, and so may the run: a value that was not chosen stays.
        if keys is None or str(keys.values.get(self.key)) != str(_keys(self.preset).values[self.key]):
            return run
        if any(keys.full(own.partition("=")[0]) == self.key for own in run.overrides):
            return run
        if POINTS.fullmatch(self.text):
            if run.runner != WITH_POINTS:
                return run
            text = _moved(self.text, number - self.number)
        else:
            text = number_text(number)
        return replace(run, overrides=tuple(sorted((*run.overrides, f"{self.key}={text}"))))


@lru_cache(maxsize=64)
def _keys(preset: str) -> Keys:
    return Keys.of(preset)


def _varied(run: RunSpec, varied: Varied, number: float) -> RunSpec:
    text = number_text(number)
    if run.runner != varied.runner:
        return run
    chosen = varied.of or varied.program.replace("{value}", number_text(varied.value))
    return replace(run, program=varied.program.replace("{value}", text)) if run.program == chosen else run


def _moved(points: str, by: float) -> str:
    """A line of points, each increased by ``by``."""
    pairs = [point.split(":") for point in points.split(", ")]
    return ", ".join(f"{size}:{number_text(float(height) + by)}" for size, height in pairs)


def _rounded(number: float) -> float:
    """The number without the error of its binary fraction."""
    return float(number_text(number))


def number_text(number: float) -> str:
    """Format a number for a setting."""
    return f"{number:.10g}"


def calibrated_values(study: Study) -> tuple[tuple[Value, ...], dict[str, str]]:
    """The calibrated numbers of a study, and the calibrated values that are not numbers, each with the reason."""
    found: list[Value] = []
    left_out: dict[str, str] = {}
    for calibration in study.spec.calibrations:
        name = calibration.parameter
        found += [Value(name, each.name, each.value, varied=each) for each in calibration.vary]
        if calibration.preset:
            description = describe(calibration.preset)
            for key in calibration.keys:
                text = description[key].text
                number = _number(text)
                if number is None:
                    left_out[f"{name} ({key})"] = f"not a number: {text}"
                else:
                    found.append(Value(name, key, number, calibration.preset, text))
            if not calibration.keys:
                left_out[name] = "the study names no key of it"
        elif not calibration.vary:
            left_out[name] = f"not a number that can be a tenth smaller or larger: {calibration.value}"
    return tuple(found), left_out


def _number(text: str) -> float | None:
    if POINTS.fullmatch(text):
        return float(text.partition(":")[2].partition(",")[0])
    try:
        return float(text)
    except ValueError:
        return None
