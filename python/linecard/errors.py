"""The errors that Linecard raises.

All errors have one base class: ``except linecard.LinecardError`` catches every error that this package raises on
purpose. Each error class declares the exit status of commands that fail with this error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """One problem in a configuration.

    Attributes:
        place: Location of the problem: file and line, the option ``--set``, or the name of the preset.
        key: Dotted path of a key, such as ``dram.banks``; empty if the problem does not belong to a single key.
        message: Text with the found value, the expected values and, if one exists, the nearest valid name.
    """

    place: str
    key: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.key, self.message) if part)


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a question that suggests the most similar valid name; return ``otherwise`` if no name is similar."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=1)
    return f"did you mean {near[0]}?" if near else otherwise


def unknown(name: str, known: Iterable[str]) -> str:
    """Return the message for an unknown name."""
    hint = did_you_mean(name, known)
    return f"found {name!r}, expected one of {', '.join(known)}" + (f"; {hint}" if hint else "")


class LinecardError(Exception):
    """Base class of every error that Linecard raises on purpose."""

    exit_code: ClassVar[int] = 4


class CompileError(LinecardError):
    """A compiler rejected a program; the error text is the compiler's message."""

    exit_code: ClassVar[int] = 2


class ConfigError(LinecardError):
    """A preset, key, value, study or option is wrong; the error lists every problem.

    Attributes:
        problems: The problems, in the order in which Linecard found them.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, problems: Sequence[ConfigProblem | Mapping[str, str]] = ()) -> None:
        super().__init__(message)
        self.problems: tuple[ConfigProblem, ...] = tuple(
            problem if isinstance(problem, ConfigProblem) else ConfigProblem(**problem) for problem in problems
        )

    @classmethod
    def of(cls, problems: Sequence[ConfigProblem]) -> ConfigError:
        """Build an error whose text is the list of problems, one per line."""
        return cls("\n".join(str(problem) for problem in problems), problems)

    @classmethod
    def at(cls, place: str, key: str, message: str) -> ConfigError:
        """Build an error with one problem; see :class:`ConfigProblem`."""
        return cls.of([ConfigProblem(place, key, message)])

    @classmethod
    def check(cls, problems: Sequence[ConfigProblem]) -> None:
        """Raise an error if the list of problems is not empty."""
        if problems:
            raise cls.of(problems)


class MissingExtraError(ConfigError, ImportError):
    """An optional part of Linecard is not installed; the message names the extra to install."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the optional extra `{extra}`: pip install 'linecard[{extra}]'")


class NotWrittenError(ConfigError):
    """A run succeeded, but Linecard could not write one of the output files; the error contains the result.

    Attributes:
        result: The result of the run.
    """

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result


class TrafficError(LinecardError):
    """A capture cannot be opened, has an unknown format, or contains no usable packet."""

    exit_code: ClassVar[int] = 3


class RunError(LinecardError):
    """A simulation stopped without a result, because of a deadlock or a packet larger than every buffer."""

    exit_code: ClassVar[int] = 4


class InternalError(LinecardError):
    """A defect of Linecard caused the error; the message lists what to include in a bug report."""
