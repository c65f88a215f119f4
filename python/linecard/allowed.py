"""What a parameter may be where its description does not say: asked from the reader, which says what it expected."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from linecard.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from linecard.description import Description, Parameter

# Text that no key takes.
_NONSENSE = "?"
_FORMULA = "a formula over the names of times"
_FOLLOWS = "follows from the formula of its standard"
# What the reader does not say in this way; a standard is not asked, since nothing of it can be set.
_SAID = {
    "map.order": "the fields channel, rank, bankgroup, bank, row and column, in any order",
    "refresh.mode": "none, all_bank or per_bank",
}
_FIXED = "as the file has it; a copy of the file may have another"


def completed(found: Description, refused: Callable[[dict[str, str]], object]) -> Description:
    """A description in which every parameter has its unit, its meaning and what it may be.

    Args:
        found: As the core tells it.
        refused: Describes the preset with changes; raises :class:`ConfigError` where it does not take them.
    """
    parameters = tuple(_worded(each) for each in found.parameters)
    lacking = [each.key for each in parameters if not each.allowed]
    if not lacking:
        return replace(found, parameters=parameters)
    expected = _expected([key for key in lacking if not key.startswith("constraint.")], refused)
    has_times = any(each.key.startswith("timing.") for each in parameters)
    expected = {key: text for key, text in _SAID.items() if key in lacking} | expected
    expected |= {key: _FOLLOWS if has_times else _FORMULA for key in lacking if key.startswith("constraint.")}
    return replace(
        found,
        parameters=tuple(replace(each, allowed=each.allowed or expected.get(each.key, "")) for each in parameters),
    )


def _expected(keys: Iterable[str], refused: Callable[[dict[str, str]], object]) -> dict[str, str]:
    """What the reader expects of each key; it may name all of them at once, or the first alone."""
    rest, said = list(keys), dict[str, str]()
    while rest:
        try:
            refused(dict.fromkeys(rest, _NONSENSE))
        except ConfigError as error:
            if any("cannot be changed" in problem.message for problem in error.problems):
                return said | dict.fromkeys(rest, _FIXED)
            for problem in error.problems:
                wanted = re.search(r"expected (.*)", problem.message)
                if wanted and problem.key in rest:
                    said[problem.key] = wanted[1]
        left = [key for key in rest if key not in said]
        if len(left) == len(rest):
            break
        rest = left
    return said


def _worded(each: Parameter) -> Parameter:
    table, _, key = each.key.partition(".")
    return replace(each, meaning=each.meaning or _words().get(table, {}).get(key, ""))


@cache
def _words() -> dict[str, dict[str, str]]:
    text = files("linecard").joinpath("parameter_words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
