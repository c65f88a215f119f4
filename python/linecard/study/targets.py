"""Reads the limits of the shipped studies, one per line of ``studies/targets.csv``.

The limits were set before the first run. The reports show every limit that is not met; neither the limit nor the file
is changed afterwards.
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
    """One line of ``targets.csv``.

    Attributes:
        study: Name of the study.
        id: Name of the line, such as ``H1``.
        what: Description of the measured quantity.
        kind: Kind of the limit: ``at_most``, ``at_least``, ``violations`` (maximum number of violations) or ``shape``
            (number of statements that must hold).
        limit: The limit as written in the file: a number, ``12 of 13``, or ``all``.
        source: Position of the published number in the document.
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
        """The total in the limit, such as 13 in ``12 of 13``; ``None`` if the limit has no total."""
        found = re.search(r" of ([0-9]+)$", self.limit)
        return int(found[1]) if found else None


def load_targets(folder: Path) -> tuple[Target, ...]:
    """The lines of ``targets.csv`` in a folder of studies; empty if the file does not exist.

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
        raise ConfigError.at(str(file), "", f"cannot read: {error}") from error
    for target in targets:
        if target.kind not in KINDS:
            problems.append(ConfigProblem(str(file), target.id, f"found {target.kind!r}, expected {', '.join(KINDS)}"))
        elif target.number is None and target.kind != "shape":
            problems.append(ConfigProblem(str(file), target.id, f"found {target.limit!r}, expected a number"))
    ConfigError.check(problems)
    return targets
