"""Changes of metrics and settings between the two sides of a comparison; intervals separate changes from noise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from linecard import _core
from linecard.chip.length import RATE_ONLY, RATES, SAME
from linecard.explore.compare_result import Moved, Setting
from linecard.interval import Estimate
from linecard.numbers import is_number

# Numbers of a run that the traffic determines.
GIVEN = ("offered_gbps", "packets_in")
# A quantile is the upper edge of a bin of a histogram with 64 bins per octave (crates/sim/src/statistics.rs), and
# exceeds the exact value by up to this share.
QUANTILE_STEP = 1 / 64
_QUANTILE = re.compile(r"(?<![a-z0-9])p\d{2,3}(?![a-z0-9])")


def paired(a: Sequence[Mapping[str, float]], b: Sequence[Mapping[str, float]]) -> list[Moved]:
    """Compare each metric that all runs have; run N of ``a`` is paired with run N of ``b``."""
    found = []
    for name in a[0]:
        if all(name in each for each in (*a, *b)):
            found.append(moved_between(name, [each[name] for each in a], [each[name] for each in b]))
    return found


def moved_between(name: str, a: Sequence[float], b: Sequence[float]) -> Moved:
    """Compare a metric over pairs of runs; the runs of a pair have equal seeds, and thus equal packets."""
    estimate = Estimate.of([after - before for before, after in zip(a, b, strict=True)])
    return _moved(name, sum(a) / len(a), sum(b) / len(b), estimate)


def moved_apart(name: str, a: Estimate, b: Estimate) -> Moved:
    """Compare a metric of independent runs: the metric changed if the two intervals do not overlap."""
    low = high = None
    if a.low is not None and a.high is not None and b.low is not None and b.high is not None:
        low, high = b.low - a.high, b.high - a.low
    return _moved(name, a.value, b.value, Estimate(b.value - a.value, low, high))


def _moved(name: str, a: float, b: float, difference: Estimate) -> Moved:
    low, high, beyond = difference.low, difference.high, None
    if low is not None and high is not None:
        if _QUANTILE.search(name.rpartition(": ")[2]):
            low, high = low - QUANTILE_STEP * b, high + QUANTILE_STEP * a
        beyond = low > 0 or high < 0
    return Moved(name, a, b, difference.value / a if a else None, difference.value, low, high, beyond)


def as_input(moved: Moved) -> Moved:
    """A number without an interval: its difference is that of the measured times, and not one of the designs."""
    return replace(moved, low=None, high=None, beyond_noise=None)


def known(moved: Moved, doubts: Sequence[str]) -> Moved:
    """Drop the verdict of a number that is not conclusive; if rates are, so is the utilization of parts."""
    if not any(doubts) or moved.beyond_noise is None:
        return moved
    busy = moved.name.endswith(": utilization") and not moved.name.startswith("buffer ")
    is_rate = moved.name in RATES or busy
    if not is_rate or not {*doubts} <= {"", RATE_ONLY}:
        return replace(moved, beyond_noise=None)
    assert moved.low is not None
    assert moved.high is not None
    margin = sum(SAME * mean for mean, doubt in zip((moved.a, moved.b), doubts, strict=True) if doubt)
    return replace(moved, beyond_noise=moved.low > margin or moved.high < -margin)


def plain_numbers(numbers: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of a run without the bounds of its own intervals."""
    return {
        name: float(value)
        for name, value in numbers.items()
        if is_number(value) and name != "bottleneck_utilization" and not name.endswith(("_low", "_high"))
    }


def own_interval(numbers: Mapping[str, Any], name: str) -> Estimate:
    """Return a number of a run with the interval that the run itself has measured, if there is one."""
    low, high = (numbers.get(f"{name}_{bound}") for bound in ("low", "high"))
    has_both = is_number(low) and is_number(high)
    return Estimate(float(numbers[name]), low if has_both else None, high if has_both else None)


def limit_of(numbers: Mapping[str, Any]) -> str:
    """Return the bottleneck of a run."""
    return str(numbers["bottleneck"])


def parameters(preset: str, overrides: list[str]) -> dict[str, tuple[Any, str]]:
    """Return the value and the unit of each key of a chip."""
    return {row["key"]: (row["value"], row["unit"]) for row in _core.describe(preset, overrides)["parameters"]}


def differences(a: Mapping[str, tuple[Any, str]], b: Mapping[str, tuple[Any, str]]) -> tuple[Setting, ...]:
    """Return the keys whose values differ between the two sides."""
    found = []
    for key in dict.fromkeys([*a, *b]):
        one, other = a.get(key, (None, "")), b.get(key, (None, ""))
        if one[0] != other[0]:
            found.append(Setting(key, one[0], other[0], one[1] or other[1]))
    return tuple(found)
