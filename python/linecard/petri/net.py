"""Classes for building Petri nets in Python, with operators for expressions.

Every net that a TOML file can describe can also be built with these classes.

>>> from linecard import petri
>>> net = petri.Net("bus")
>>> request = net.colour("request", size="8..64", bank="0..3")
>>> waiting = net.place("waiting", request, fifo=True, tokens=["{size: 64, bank: 0}", "{size: 8, bank: 1}"])
>>> idle = net.place("idle", tokens=1)
>>> r = petri.var("r")
>>> send = net.transition("send", delay=r.size / 8, guard=r.size > 0)
>>> net.take(waiting, send, r)
>>> net.take(idle, send)
>>> net.put(send, idle)
>>> net.put(send, waiting, {"size": 72 - r.size, "bank": r.bank})
>>> petri.simulate(net, 90.0, replications=1).throughput["send"]
0.2222222222222222
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """An expression of a Petri net.

    Operators combine expressions; ``&``, ``|`` and ``~`` are the logical operators "and", "or" and "not".
    """

    text: str
    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.text

    def __getattr__(self, name: str) -> Expr:
        if name.startswith("__"):
            raise AttributeError(name)
        return Expr(f"{self.text}.{name}")

    def replace(self, **fields: Value) -> Expr:
        """Return a copy of this record expression in which the passed fields have new values."""
        return Expr(f"{{{self.text} with {', '.join(f'{name}: {text(value)}' for name, value in fields.items())}}}")

    def _with(self, operator: str, other: Value) -> Expr:
        return Expr(f"({self.text} {operator} {text(other)})")

    def _after(self, operator: str, other: Value) -> Expr:
        return Expr(f"({text(other)} {operator} {self.text})")

    def __add__(self, other: Value) -> Expr:
        return self._with("+", other)

    def __radd__(self, other: Value) -> Expr:
        return self._after("+", other)

    def __sub__(self, other: Value) -> Expr:
        return self._with("-", other)

    def __rsub__(self, other: Value) -> Expr:
        return self._after("-", other)

    def __mul__(self, other: Value) -> Expr:
        return self._with("*", other)

    def __rmul__(self, other: Value) -> Expr:
        return self._after("*", other)

    def __truediv__(self, other: Value) -> Expr:
        return self._with("/", other)

    def __rtruediv__(self, other: Value) -> Expr:
        return self._after("/", other)

    def __floordiv__(self, other: Value) -> Expr:
        return self._with("//", other)

    def __rfloordiv__(self, other: Value) -> Expr:
        return self._after("//", other)

    def __mod__(self, other: Value) -> Expr:
        return self._with("%", other)

    def __neg__(self) -> Expr:
        return Expr(f"(-{self.text})")

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        return self._with("==", other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> Expr:  # type: ignore[override]
        return self._with("!=", other)  # type: ignore[arg-type]

    def __lt__(self, other: Value) -> Expr:
        return self._with("<", other)

    def __le__(self, other: Value) -> Expr:
        return self._with("<=", other)

    def __gt__(self, other: Value) -> Expr:
        return self._with(">", other)

    def __ge__(self, other: Value) -> Expr:
        return self._with(">=", other)

    def __and__(self, other: Value) -> Expr:
        return self._with("and", other)

    def __or__(self, other: Value) -> Expr:
        return self._with("or", other)

    def __invert__(self) -> Expr:
        return Expr(f"(not {self.text})")

    def __bool__(self) -> bool:
        raise TypeError(
            "an expression has no truth value before the net runs; "
            "write & instead of and, | instead of or, ~ instead of not"
        )


Value = Expr | str | bool | int | float | Mapping[str, "Value"]
"""What can stand in an expression: a text is taken as it is, a mapping is a record."""


def text(value: Value) -> str:
    """Convert an expression or a value to text in the syntax of net files."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {text(part)}" for name, part in value.items()) + "}"
    return repr(value) if isinstance(value, float) else str(value)


def var(name: str) -> Expr:
    """A variable of an arc, a parameter, or a member of an enumeration."""
    return Expr(name)


def when(condition: Value, then: Value, otherwise: Value) -> Expr:
    """An expression whose value is ``then`` if the condition is true, and ``otherwise`` if the condition is false."""
    return Expr(f"(if {text(condition)} then {text(then)} else {text(otherwise)})")


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a Petri net."""

    name: str


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition of a Petri net."""

    name: str


@dataclass(slots=True)
class Net:
    """A Petri net that is built step by step; every function of ``linecard.petri`` accepts a ``Net`` as its input."""

    name: str
    _parameters: list[str] = field(default_factory=list)
    _colours: list[str] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)

    def parameter(self, name: str, value: Value | Sequence[tuple[int, float]]) -> Expr:
        """Add a named value, which expressions can use; ``pick(name)`` draws a random value from a weighted list."""
        if isinstance(value, Sequence) and not isinstance(value, str):
            shown = json.dumps([list(pair) for pair in value])
        else:
            shown = _number(value)
        self._parameters.append(f"{_key(name)} = {shown}")
        return Expr(name)

    def colour(self, name: str, *words: str, **fields: str) -> str:
        """Add a colour (an enumeration of words, or a record of fields such as ``"0..3"``), and return its name."""
        if bool(words) == bool(fields):
            raise ValueError(f"colour {name}: expected words or fields")
        shown = json.dumps(words) if words else _table(fields)
        self._colours.append(f"{_key(name)} = {shown}")
        return name

    def place(
        self, name: str, colour: str = "dot", *, tokens: int | str | Sequence[Value] = 0, fifo: bool = False
    ) -> Place:
        """Add a place; ``tokens`` is a number (uncoloured tokens), a list, or ``"all"`` (one token of every colour)."""
        shown = tokens if isinstance(tokens, int | str) else [text(token) for token in tokens]
        if colour != "dot" and shown == 0:
            shown = []
        entry = {"name": name, "colour": colour, "tokens": shown, "choice": "fifo" if fifo else "random"}
        self._parts.append("[[place]]\n" + _lines(entry))
        return Place(name)

    def transition(
        self,
        name: str,
        *,
        rate: Value | None = None,
        delay: Value | None = None,
        uniform: tuple[Value, Value] | None = None,
        erlang: tuple[int, Value] | None = None,
        empirical: tuple[Sequence[float], Sequence[float]] | None = None,
        weight: Value = 1,
        priority: int = 0,
        servers: int | Literal["inf"] = 1,
        guard: Value | None = None,
        reward: Value | None = None,
    ) -> Transition:
        """Add a timed transition, or an immediate transition if no firing time is passed.

        Args:
            name: Name.
            rate: Rate of an exponential firing time.
            delay: Constant firing time.
            uniform: Shortest and longest firing time of a uniform distribution.
            erlang: Number of stages of an Erlang-distributed firing time, and the rate of a single stage.
            empirical: Possible firing times, each with its weight.
            weight: Weight of an immediate transition among competing transitions.
            priority: Priority of an immediate transition; transitions with a higher priority fire first.
            servers: Number of servers: the maximum number of simultaneous firings with the same binding.
            guard: Condition that a binding must satisfy.
            reward: Reward that each firing of the transition adds to the total reward.

        Raises:
            ValueError: The call passes more than one firing time.
        """
        times: list[dict[str, object]] = []
        if rate is not None:
            times.append({"kind": "exp", "rate": rate})
        if delay is not None:
            times.append({"kind": "det", "delay": delay})
        if uniform is not None:
            times.append({"kind": "uniform", "low": uniform[0], "high": uniform[1]})
        if erlang is not None:
            times.append({"kind": "erlang", "stages": erlang[0], "rate": erlang[1]})
        if empirical is not None:
            times.append({"kind": "empirical", "values": list(empirical[0]), "weights": list(empirical[1])})
        if len(times) > 1:
            raise ValueError(f"transition {name}: found {len(times)} firing times, expected at most one")
        entry: dict[str, object] = {"name": name}
        entry |= times[0] if times else {"kind": "imm", "weight": weight, "priority": priority}
        entry["servers"] = servers
        if guard is not None:
            entry["guard"] = text(guard)
        if reward is not None:
            entry["reward"] = text(reward)
        self._parts.append("[[transition]]\n" + _lines(entry))
        return Transition(name)

    def _arc(self, source: str, target: str, tokens: Value | None, weight: Value, kind: str) -> None:
        entry: dict[str, object] = {"from": source, "to": target, "weight": weight, "kind": kind}
        if tokens is not None:
            entry["tokens"] = text(tokens)
        self._parts.append("[[arc]]\n" + _lines(entry))

    def take(self, place: Place, transition: Transition, tokens: Value | None = None, *, weight: Value = 1) -> None:
        """Add an input arc, which removes a number of uncoloured tokens, or the tokens that match an expression."""
        self._arc(place.name, transition.name, tokens, weight, "normal")

    def put(self, transition: Transition, place: Place, tokens: Value | None = None, *, weight: Value = 1) -> None:
        """Add an output arc, which adds a number of uncoloured tokens, or a coloured token, to the place."""
        self._arc(transition.name, place.name, tokens, weight, "normal")

    def read(self, place: Place, transition: Transition, tokens: Value | None = None) -> None:
        """Add a read arc, which requires a token in the place but does not remove the token."""
        self._arc(place.name, transition.name, tokens, 1, "read")

    def inhibit(self, place: Place, transition: Transition, tokens: Value | None = None, *, weight: Value = 1) -> None:
        """Add an inhibitor arc, which disables the transition while the place contains at least ``weight`` tokens."""
        self._arc(place.name, transition.name, tokens, weight, "inhibitor")

    def reset(self, place: Place, transition: Transition) -> None:
        """Add a reset arc: each firing of the transition empties the place before it adds the output tokens."""
        self._arc(place.name, transition.name, None, 1, "reset")

    def module(self, name: str, file: str, *, places: Mapping[str, Place], **parameters: Value) -> None:
        """Include the net in ``file`` as a module; ``places`` maps the module's interface places to other places."""
        entry = {"name": name, "file": file}
        shown = {own: place.name for own, place in places.items()}
        values = ", ".join(f"{_key(key)} = {_number(value)}" for key, value in parameters.items())
        self._parts.append(f"[[module]]\n{_lines(dict(entry))}places = {_table(shown)}\nparameters = {{ {values} }}\n")

    def to_toml(self) -> str:
        """Convert the net to the text of a TOML file."""
        parts = [f"name = {json.dumps(self.name)}\n"]
        parts.append("[parameters]\n" + "\n".join(self._parameters) + "\n" if self._parameters else "")
        parts.append("[colours]\n" + "\n".join(self._colours) + "\n" if self._colours else "")
        return "\n".join([part for part in parts if part] + self._parts)


def _key(name: str) -> str:
    return json.dumps(name)


def _number(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(text(value))  # type: ignore[arg-type]


def _table(fields: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{_key(name)} = {json.dumps(value)}" for name, value in fields.items()) + " }"


def _lines(entry: Mapping[str, object]) -> str:
    def shown(value: object) -> str:
        return json.dumps(value) if isinstance(value, list) else _number(value)

    return "".join(f"{name} = {shown(value)}\n" for name, value in entry.items())
