"""Evaluates expressions in constraints and columns: arithmetic and comparisons of named values.

The Python parser parses the text of the expression. Only syntax nodes on a fixed list are allowed, so an expression
always terminates and cannot call arbitrary functions. Expressions must not access attributes of objects, multiply
strings, or raise huge numbers to a power.

Names in expressions are dotted paths such as ``island.threads`` or ``route[0].issue_cycles``. The caller of
``evaluate`` supplies the value of each name.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from linecard.errors import ConfigError

Value = int | float | str | bool | None
Lookup = Callable[[str], Value]

LONGEST = 1000
_MOST_EXPONENT = 64

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda value, several: value in several,
    ast.NotIn: lambda value, several: value not in several,
}
_CALLS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "ceil": math.ceil,
    "exp": math.exp,
    "floor": math.floor,
    "log": math.log,
    "log2": math.log2,
    "max": max,
    "min": min,
    "round": round,
    "sqrt": math.sqrt,
}
_WORDS = {"true": True, "false": False}


class UnknownName(Exception):
    """A name in an expression has no value; the error message lists similar names."""


class _Refused(Exception):
    """A part of an expression is not allowed."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed and checked expression.

    Attributes:
        text: Text.
        place: Origin of the expression, for error messages: a file and line, or an option of the command line.
        names: Names that the expression uses, in order of appearance.
    """

    text: str
    place: str
    names: tuple[str, ...]
    _tree: ast.expr = field(compare=False, repr=False)

    @classmethod
    def parse(cls, text: str, place: str) -> Expression:
        """Parse and check an expression.

        Raises:
            ConfigError: The expression is too long, is not a valid Python expression, or contains syntax that is not
                allowed.
        """
        try:
            if len(text) > LONGEST:
                raise _Refused(f"is longer than {LONGEST} characters")
            with warnings.catch_warnings():
                # The parser or `_check` refuses the expressions about which Python warns.
                warnings.simplefilter("ignore")
                tree = ast.parse(text.strip(), mode="eval").body
            names: dict[str, None] = {}
            _check(tree, names)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
            raise _problem(place, text, f"is no expression ({reason})") from error
        except _Refused as error:
            raise _problem(place, text, str(error)) from error
        return cls(text, place, tuple(names), tree)

    def check(self, name: str, lookup: Lookup) -> None:
        """Check that a name of the expression has a value.

        Raises:
            ConfigError: The name has no value.
        """
        try:
            lookup(name)
        except UnknownName as error:
            raise _problem(self.place, self.text, str(error)) from error

    def evaluate(self, lookup: Lookup) -> Any:
        """Evaluate the expression.

        Args:
            lookup: Function that returns the value of a name, or raises :class:`UnknownName`.

        Raises:
            ConfigError: A name has no value, or an operation fails, such as a division by zero.
        """
        try:
            found = _value(self._tree, lookup)
            if isinstance(found, float) and not math.isfinite(found):
                raise ValueError(_not_finite(found))
            return found
        except (UnknownName, _Refused) as error:
            raise _problem(self.place, self.text, str(error)) from error
        except (TypeError, ValueError, ArithmeticError) as error:
            values = ", ".join(f"{name} = {_shown(lookup, name)}" for name in self.names)
            raise _problem(self.place, self.text, f"{error}" + (f" with {values}" if values else "")) from error


def _problem(place: str, text: str, message: str) -> ConfigError:
    shown = text if len(text) <= 200 else text[:200] + "…"
    return ConfigError.at(place, "", f"`{shown}` {message}")


def _shown(lookup: Lookup, name: str) -> str:
    try:
        return repr(lookup(name))
    except UnknownName:
        return "?"


def path_of(node: ast.expr) -> str | None:
    """Return the dotted path of a node, such as ``route[0].issue_cycles``; ``None`` for nodes that are not names."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name):
            before = path_of(inner)
            return None if before is None else f"{before}.{name}"
        case ast.Subscript(value=inner, slice=ast.Constant(value=int(number))):
            before = path_of(inner)
            return None if before is None else f"{before}[{number}]"
        case _:
            return None


def _check(node: ast.expr, names: dict[str, None]) -> None:
    """Refuse nodes that are not allowed, and collect names."""
    path = path_of(node)
    if path is not None:
        if path not in _WORDS:
            names[path] = None
        return
    match node:
        case ast.Constant(value=value) if isinstance(value, (bool, int, float, str)):
            return
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY or isinstance(op, ast.Pow):
            parts: list[ast.expr] = [left, right]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not(), operand=operand):
            parts = [operand]
        case ast.BoolOp(values=values):
            parts = values
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARE for op in ops):
            parts = [left, *others]
        case ast.IfExp(test=test, body=body, orelse=other):
            parts = [test, body, other]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            pass
        case ast.Call(func=ast.Name(id="cost"), args=[ast.Constant(value=str(table)), *rest], keywords=[]) if (
            len(rest) <= 1
        ):
            names[COST + table] = None
            parts = list(rest)
        case ast.Call(func=ast.Name(id="cost")):
            raise _Refused(
                'has invalid arguments for cost(…), expected a text, or a text and a name: cost("price", packets.part)'
            )
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in _CALLS or name == "measured":
            texts = all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in parts)
            if name == "measured" and not (len(parts) == 2 and texts):
                raise _Refused('has invalid arguments for measured(…), expected two texts: measured("dram", "reads")')
            if name == "measured":
                names[_measured(parts)] = None
                return
        case ast.Call(func=ast.Name(id=name)):
            raise _Refused(f"calls `{name}`, expected one of {', '.join(sorted(_CALLS))}, measured, cost")
        case _:
            raise _Refused(
                f"has `{ast.unparse(node)[:60]}`, expected numbers, names, + - * / // % **, comparisons, and, or, not"
            )
    for part in parts:
        _check(part, names)


# The prefix of the names of measurements, which no path has.
MEASURED = "measured:"
# The prefix of the names of costs.
COST = "cost:"


def _measured(parts: list[ast.expr]) -> str:
    return MEASURED + ":".join(str(each.value) for each in parts if isinstance(each, ast.Constant))


def _value(node: ast.expr, lookup: Lookup) -> Any:
    path = path_of(node)
    if path is not None:
        return _WORDS[path] if path in _WORDS else lookup(path)
    match node:
        case ast.Constant():
            return node.value
        case ast.BinOp(left=left, op=op, right=right):
            return _arithmetic(op, _value(left, lookup), _value(right, lookup))
        case ast.UnaryOp(op=op, operand=operand):
            value = _value(operand, lookup)
            return not value if isinstance(op, ast.Not) else (-value if isinstance(op, ast.USub) else +value)
        case ast.BoolOp(op=op, values=values):
            # As in Python, the result is the operand that decides.
            for operand in values:
                value = _value(operand, lookup)
                if bool(value) is isinstance(op, ast.Or):
                    break
            return value
        case ast.Compare(left=left, ops=ops, comparators=others):
            before = _value(left, lookup)
            for compared, other in zip(ops, others, strict=True):
                after = _value(other, lookup)
                if not _COMPARE[type(compared)](before, after):
                    return False
                before = after
            return True
        case ast.IfExp(test=test, body=body, orelse=other):
            return _value(body if _value(test, lookup) else other, lookup)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return tuple(_value(each, lookup) for each in parts)
        case ast.Call(func=ast.Name(id="measured"), args=parts):
            return lookup(_measured(parts))
        case ast.Call(func=ast.Name(id="cost"), args=[ast.Constant(value=table), *rest]):
            return _cost(str(table), lookup(COST + str(table)), [_value(each, lookup) for each in rest])
        case ast.Call(func=ast.Name(id=name), args=parts):
            return _CALLS[name](*(_value(each, lookup) for each in parts))
    raise _Refused("is no expression")


def _cost(table: str, found: Any, of: list[Any]) -> Any:
    if not isinstance(found, dict):
        if of:
            raise _Refused(f"uses cost({table!r}, {of[0]!r}), but this cost is one number; expected cost({table!r})")
        return found
    if not of or of[0] not in found:
        asked = f"of {of[0]!r}" if of else "without a name"
        raise _Refused(f"uses the cost {table!r} {asked}; this cost is defined for {', '.join(found)}")
    return found[of[0]]


def _arithmetic(op: ast.operator, left: Any, right: Any) -> Any:
    for side in (left, right):
        if not isinstance(side, (int, float)):
            raise TypeError(f"arithmetic needs numbers, found {side!r}")
    if isinstance(op, ast.Pow):
        if abs(right) > _MOST_EXPONENT:
            raise ValueError(f"found an exponent of {right!r}, expected at most {_MOST_EXPONENT}")
        found = float(left) ** right
    else:
        found = _BINARY[type(op)](left, right)
    if isinstance(found, complex) or not math.isfinite(found):
        raise ValueError(_not_finite(found))
    return found


def _not_finite(found: complex) -> str:
    return f"the result is {found:.6g}, expected a finite real number"
