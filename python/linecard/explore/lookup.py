"""Looks up the value of a name at a point: an argument, a key of the design, or a cost.

A key has the value that a run of the point uses, in the unit of the key. A value that the point does not state as a
number comes from a description of the point's design. For example, a default can depend on other keys.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from linecard.explore.costs import cost_of
from linecard.explore.expression import COST, MEASURED, UnknownName
from linecard.explore.keys import OF_CHIPS, Keys
from linecard.explore.subject import Request
from linecard.numbers import is_number

if TYPE_CHECKING:
    from linecard.explore.axes import Value
    from linecard.explore.spec import Spec

# A text that can be a number with a unit, such as "0.5 GHz".
_QUANTITY = re.compile(r"\s*[+-]?\.?\d")
# Descriptions kept for points that share them.
_MOST_KEPT = 256


class Lookup:
    """Makes the requests of points, and looks up names at the points."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._known: dict[tuple[Any, ...], Keys] = {}

    def request(self, values: Mapping[str, Value]) -> Request:
        """Return the request of the run that simulates a point."""
        spec = self._spec
        arguments = {**spec.arguments, **{key: each for key, each in values.items() if key in spec.subject.arguments}}
        changes = {key: each for key, each in values.items() if key not in spec.subject.arguments}
        return Request(spec.what, arguments, self._in_full(arguments, {**spec.settings, **changes}))

    def of(self, request: Request) -> Callable[[str], Any]:
        """Return a function that maps a name to its value in a run."""

        def look(name: str) -> Any:
            if name.startswith(COST):
                try:
                    return cost_of(self._spec.costs, name.removeprefix(COST))
                except KeyError as error:
                    raise UnknownName(f"uses {error.args[0]}") from None
            if name.startswith(MEASURED):
                raise UnknownName("uses a measurement, but constraints are evaluated before the runs")
            if name in request.arguments:
                return request.arguments[name]
            if _chip_of(request.subject, request.arguments) is not None:
                return self._at(request, name)
            said = {**request.settings, **request.arguments}
            found = _named(said, name)
            if found is None:
                raise UnknownName(f"uses `{name}`, {_nearest(name, list(said))}")
            return said[found]

        return look

    def _at(self, request: Request, name: str) -> Any:
        """Return the value of a key in a run of a chip."""
        changes = request.settings
        bare = self._keys(request.arguments, {})
        key = name if name in bare.values else _named(changes, name) or bare.full(name)
        said = changes.get(key)
        if said is not None and not (isinstance(said, str) and _QUANTITY.match(said)):
            return said
        if said is None:
            # Another number changes no value that a file states, so one description serves all numbers of the axes.
            fixed = self._in_full(request.arguments, self._spec.settings)
            shared = {name: value for name, value in changes.items() if name in fixed or not is_number(value)}
            base = self._keys(request.arguments, shared, of_program=True)
            if key in base.stated:
                return base.values[key]
        here = self._keys(request.arguments, changes, of_program=True)
        if here.full(key) in here.values:
            return here.values[here.full(key)]
        if said is not None:
            return said
        if not here.values and key in bare.values:
            # The run will refuse the point.
            return bare.values[key]
        raise UnknownName(f"uses `{name}`, {self._reason(name, key in bare.values, here.values or bare.values)}")

    def _reason(self, name: str, is_elsewhere: bool, values: Mapping[str, Any]) -> str:
        if is_elsewhere:
            return "which is no key of this point's design"
        written = [*(axis.name for axis in self._spec.axes), *self._spec.settings, *self._spec.arguments]
        return _nearest(name, list(dict.fromkeys([*written, *values])))

    def _in_full(self, arguments: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
        if _chip_of(self._spec.what, arguments) is None or not changes:
            return dict(changes)
        keys = self._keys(arguments, {})
        return {keys.full(key): value for key, value in changes.items()}

    def _keys(self, arguments: Mapping[str, Any], changes: Mapping[str, Any], *, of_program: bool = False) -> Keys:
        program = arguments.get("program") if of_program else None
        program = program if isinstance(program, str) else None
        same = (arguments["chip"], program, *((key, repr(value)) for key, value in changes.items()))
        if same not in self._known:
            if len(self._known) == _MOST_KEPT:
                self._known.clear()
            self._known[same] = Keys.of(arguments["chip"], changes, program)
        return self._known[same]


def _chip_of(subject: str, arguments: Mapping[str, Any]) -> str | None:
    chip = arguments.get("chip")
    return chip if subject in OF_CHIPS and isinstance(chip, str) else None


def _named(said: Mapping[str, Any], name: str) -> str | None:
    """Return ``name`` if it is a known name; otherwise, return the only known name that ends in ``name``."""
    if name in said:
        return name
    ends = [key for key in said if key.endswith(f".{name}")]
    if len(ends) > 1:
        raise UnknownName(f"uses `{name}`, which can mean {' or '.join(ends[:4])}; write the full name")
    return ends[0] if ends else None


def _nearest(name: str, known: list[str]) -> str:
    """Return the end of the error message about an unknown name: a list of the most similar known names."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    near += [key for key in known if key.rpartition(".")[2] == name.rpartition(".")[2] and key not in near][:3]
    return f"which is not a known name; nearest: {', '.join(near[:4])}" if near else "which is not a known name"
