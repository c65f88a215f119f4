"""Subjects of sweeps: chips, DRAM parts and other models that a sweep can simulate through a common interface.

A subject defines its arguments, their command-line options, and the function that executes one point. Each subject is a
module of `linecard.explore.subjects` that is imported on first use. A run returns an `Outcome`, which contains named
numbers for the result table, and one row for each measurement.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from linecard.numbers import is_number

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
        arguments: Arguments that the caller passed explicitly; arguments with default values are absent.
        settings: Changed keys with their new values, as for the option ``--set``.
    """

    subject: str
    arguments: Mapping[str, Any]
    settings: Mapping[str, Any]

    def plain(self) -> dict[str, Any]:
        """Return the request as plain data with sorted keys."""
        return {
            "subject": self.subject,
            "arguments": dict(sorted(self.arguments.items())),
            "settings": dict(sorted(self.settings.items())),
        }

    @property
    def command(self) -> str:
        """The command line that repeats this run alone."""
        return SUBJECTS[self.subject].command(self)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run.

    Attributes:
        numbers: Named values for the result table: numbers, booleans and texts; ``None`` for a value that the run does
            not have.
        measurements: Every measurement, as a tuple of component, metric, unit and value.
    """

    numbers: Mapping[str, Any]
    measurements: list[tuple[str, str, str, float]]


def _nothing(_: Request) -> Iterable[tuple[str, Path]]:
    return ()


@dataclass(frozen=True, slots=True)
class Subject:
    """A model that a sweep can simulate, with its arguments, its command, and the function that executes one point.

    Attributes:
        name: Name of the subject for ``--what``.
        main: Name of the main argument, such as the design, the program or the workload.
        arguments: Command-line option of each argument; empty for a positional argument, ``NO_OPTION`` for an argument
            without an option.
        defaults: Default values of arguments, which a sweep can override.
        has_settings: Whether a sweep can change keys of the design, as ``--set`` does, in addition to the arguments.
        command_words: First words of the command line that repeats a run, such as ``linecard run``.
        run: Function that executes one point.
        length: Name of the argument that sets the length of a run; empty if no argument sets the length.
        carries: Function that lists the files that affect a run but are not part of its request. The function lists
            each file under a name that is the same on all machines.
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
        """Return the command line that repeats one run."""
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
            words += ["--set", shlex.quote(f"{key}={_setting(key, value)}")]
        return " ".join(word for word in words if word)

    def _sweep_of(self, request: Request) -> str:
        """Return the command of a sweep with this run as its only point."""
        words = ["linecard sweep", shlex.quote(_word(request.arguments[self.main])), "--what", self.name]
        said = {name: value for name, value in request.arguments.items() if name != self.main}
        for key, value in [*sorted(said.items()), *sorted(request.settings.items())]:
            words += ["--set", shlex.quote(f"{key}={_setting(key, value)}")]
        return " ".join(words)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(_word, value)) if isinstance(value, (list, tuple)) else str(value)


def _setting(key: str, value: Any) -> str:
    """Write a value as for the option ``--set``: lists and tables as TOML."""
    from linecard.request import toml_value

    return toml_value(key, value) if isinstance(value, (list, tuple, Mapping)) else _word(value)


# Options whose names are not those of the arguments.
_FLAGS = {
    "adapt_packets": "--adapt",
    "cold_window_packets": "--cold-window",
    "foresight_packets": "--foresight",
    "routes": "--map-addresses",
}


def spelled(function: Callable[..., object], *without: str) -> dict[str, str]:
    """Map each argument of a function, except those in ``without``, to its option; the first argument is positional."""
    names = [name for name in inspect.signature(function).parameters if name not in (*without, "progress")]
    return {name: _FLAGS.get(name, f"--{name.replace('_', '-')}") for name in names} | {names[0]: ""}


def flat(record: Any, before: str = "") -> dict[str, Any]:
    """Return all scalars in nested dictionaries, each named by its dotted path."""
    found: dict[str, Any] = {}
    for name, value in record.items():
        path = f"{before}{name}"
        if isinstance(value, dict):
            found.update(flat(value, f"{path}."))
        elif value is None or isinstance(value, (bool, int, float, str)):
            found[path] = value
    return found


def measurements_of(component: str, numbers: Mapping[str, Any]) -> list[tuple[str, str, str, float]]:
    """Convert named numbers to measurements, whose unit is empty because each name already contains its unit."""
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
