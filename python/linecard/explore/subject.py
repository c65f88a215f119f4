"""Subjects: the models that a sweep can run, such as chips and DRAM parts, with a common interface.

A subject defines its arguments, their command-line options, and how to execute one point. Each subject is a module of
`linecard.explore.subjects` that is imported on first use. A run returns an `Outcome`: named numbers for the table, and
every measurement as a row.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from linecard.numbers import is_number

if TYPE_CHECKING:
    from pathlib import Path

Progress = Callable[[int, int], object]
# Placeholder for an argument without an option on the command line.
NO_OPTION = "-"
# Options that are repeated for each of their values.
_REPEATED = {"--define"}
# Options without a value.
_SWITCHES = {"--false-hits", "--map-addresses", "--strict", "--unchecked"}


@dataclass(frozen=True, slots=True)
class Request:
    """The request of one run.

    Attributes:
        subject: The subject of the run: a name in `SUBJECTS`.
        arguments: Arguments that the caller passed explicitly.
        settings: Changed keys and their values, in the form of ``--set``.
    """

    subject: str
    arguments: Mapping[str, Any]
    settings: Mapping[str, Any]

    def plain(self) -> dict[str, Any]:
        """Return plain data that does not depend on the order of the keys in the request."""
        return {
            "subject": self.subject,
            "arguments": dict(sorted(self.arguments.items())),
            "settings": dict(sorted(self.settings.items())),
        }

    @property
    def command(self) -> str:
        """The command that repeats only this run."""
        return SUBJECTS[self.subject].command(self)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run.

    Attributes:
        numbers: Named values for the table: numbers, booleans and texts; ``None`` if the run does not have the value.
        measurements: Every measurement, as a tuple of component, metric, unit and value.
    """

    numbers: Mapping[str, Any]
    measurements: list[tuple[str, str, str, float]]


def _nothing(_: Request) -> Iterable[tuple[str, Path]]:
    return ()


@dataclass(frozen=True, slots=True)
class Subject:
    """A model that a sweep can run, with its arguments, its command and its function.

    Attributes:
        name: Name of the subject for ``--what``.
        main: Name of the main argument, such as the design, the program or the workload.
        arguments: Command-line option of each argument; empty for a positional argument, ``NO_OPTION`` for an argument
            without option.
        defaults: Default arguments that apply at every point.
        has_settings: Whether every key that is not an argument counts as a setting.
        command_words: Beginning of the command that repeats a run, such as ``linecard run``.
        run: Function that runs one point.
        length: Name of the argument that sets the length of a run; empty if no argument sets the length.
        carries: Function that lists the files that affect a run but are not named in its request, each under a
            machine-independent name.
    """

    name: str
    main: str
    arguments: Mapping[str, str]
    defaults: Mapping[str, Any]
    has_settings: bool
    command_words: str
    run: Callable[[Request, Progress], Outcome]
    length: str = ""
    carries: Callable[[Request], Iterable[tuple[str, Path]]] = _nothing

    def command(self, request: Request) -> str:
        """Return the command that repeats one run."""
        switches = [value for name, value in request.arguments.items() if self.arguments[name] in _SWITCHES]
        if self.main in request.arguments and not all(value is None or isinstance(value, bool) for value in switches):
            # The run was refused: a switch takes no value on the command line, but an argument of a sweep does.
            return self._sweep_of(request)
        words = [self.command_words]
        for name in sorted(request.arguments, key=lambda each: (self.arguments[each] != "", each)):
            option, value = self.arguments[name], request.arguments[name]
            if option == NO_OPTION:
                continue
            if value is True:
                words.append(option)
            elif isinstance(value, Mapping):
                words += [word for key, each in value.items() for word in (option, shlex.quote(f"{key}={each}"))]
            elif option in _REPEATED and isinstance(value, (list, tuple)):
                words += [word for each in value for word in (option, shlex.quote(str(each)))]
            elif value is not False and value is not None:
                words += [option, shlex.quote(_word(value))] if option else [shlex.quote(_word(value))]
        for key, value in sorted(request.settings.items()):
            words += ["--set", shlex.quote(f"{key}={_word(value)}")]
        return " ".join(word for word in words if word)

    def _sweep_of(self, request: Request) -> str:
        """Return the command of a sweep with this run as its only point."""
        words = ["linecard sweep", shlex.quote(_word(request.arguments[self.main])), "--what", self.name]
        said = {name: value for name, value in request.arguments.items() if name != self.main}
        for key, value in [*sorted(said.items()), *sorted(request.settings.items())]:
            words += ["--set", shlex.quote(f"{key}={_word(value)}")]
        return " ".join(words)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(_word, value)) if isinstance(value, (list, tuple)) else str(value)


# Options whose names are not those of the arguments.
_FLAGS = {
    "adapt_packets": "--adapt",
    "cold_window_packets": "--cold-window",
    "foresight_packets": "--foresight",
    "routes": "--map-addresses",
}


def spelled(function: Callable[..., object], *without: str) -> dict[str, str]:
    """Return the option of each argument of a function, except ``without``; the first argument is positional."""
    names = [name for name in inspect.signature(function).parameters if name not in (*without, "progress")]
    return {name: _FLAGS.get(name, f"--{name.replace('_', '-')}") for name in names} | {names[0]: ""}


def flat(record: Any, before: str = "") -> dict[str, Any]:
    """Return the scalars of nested dictionaries, with their dotted paths as names."""
    found: dict[str, Any] = {}
    for name, value in record.items():
        path = f"{before}{name}"
        if isinstance(value, dict):
            found.update(flat(value, f"{path}."))
        elif value is None or isinstance(value, (bool, int, float, str)):
            found[path] = value
    return found


def measurements_of(component: str, numbers: Mapping[str, Any]) -> list[tuple[str, str, str, float]]:
    """Convert numbers to measurements with an empty unit, because the names include the unit."""
    return [(component, name, "", float(value)) for name, value in numbers.items() if is_number(value)]


def overrides_of(request: Request) -> list[str]:
    """Return the settings of a request in the form that the compiled core accepts."""
    from linecard.request import settings

    return settings(dict(sorted(request.settings.items())))


# The order of messages and documents.
NAMES = ("run", "ndr", "dram", "flowcache", "queueing", "petri", "core", "program", "xdp")


class _Subjects(Mapping[str, Subject]):
    """Every subject by its name."""

    def __getitem__(self, name: str) -> Subject:
        if name not in NAMES:
            raise KeyError(name)
        found: Subject = import_module(f"linecard.explore.subjects.{name}").SUBJECT
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


SUBJECTS: Mapping[str, Subject] = _Subjects()
