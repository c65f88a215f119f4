"""The limits of shipped studies, one line each in ``studies/targets.csv``.

They were set before the runs. A missed line is shown as missed: neither the file nor a limit is changed.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linecard.errors import ConfigError, ConfigProblem

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("at_most", "at_least", "violations", "shape")


@dataclass(frozen=True, slots=True)
class Target:
    """One line of the file.

    Attributes:
        study: Name of the study.
        id: Name of the line, such as ``H1``.
        what: The measured quantity.
        kind: ``at_most``, ``at_least``, ``violations`` (at most this number) or ``shape`` (number of statements that
            must hold).
        limit: The limit as written: a number, ``12 of 13``, or ``all``.
        source: Position of the compared number in the document.
    """

    study: str
    id: str
    what: str
    kind: str
    limit: str
    source: str

    @property
    def number(self) -> float | None:
        """The limit as a number; ``None`` if all statements must hold."""
        found = re.match(r"[0-9.]+", self.limit)
        return float(found[0]) if found else None

    @property
    def of(self) -> int | None:
        """The 13 of ``12 of 13``: the total of the line; ``None`` without one."""
        found = re.search(r" of ([0-9]+)$", self.limit)
        return int(found[1]) if found else None


def load_targets(folder: Path) -> tuple[Target, ...]:
    """The lines of ``targets.csv`` in a folder of studies; empty without such a file.

    Raises:
        ConfigError: The file cannot be read, or a line has an unknown kind or limit.
    """
    file = folder / "targets.csv"
    if not file.is_file():
        return ()
    problems = []
    try:
        with file.open(newline="", encoding="utf-8") as stream:
            targets = tuple(Target(**row) for row in csv.DictReader(stream))
    except (OSError, TypeError, UnicodeDecodeError) as error:
        raise ConfigError.of([ConfigProblem(str(file), "", f"cannot read: {error}")]) from error
    for target in targets:
        if target.kind not in KINDS:
            problems.append(ConfigProblem(str(file), target.id, f"found {target.kind!r}, expected {', '.join(KINDS)}"))
        elif target.number is None and target.kind != "shape":
            problems.append(ConfigProblem(str(file), target.id, f"found {target.limit!r}, expected a number"))
    if problems:
        raise ConfigError.of(problems)
    return targets
