"""Reads the limits of the shipped studies; each line of ``studies/targets.csv`` is one limit.

Each limit was set before the first run of its study. Reports show every limit that is not met; limits are never changed
after the first run.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from linecard.errors import ConfigError, ConfigProblem

KINDS = ("at_most", "at_least", "violations", "shape")


@dataclass(frozen=True, slots=True)
class Target:
    """One line of ``targets.csv``, which defines one limit.

    Attributes:
        study: Name of the study.
        id: Name of the scorecard line, such as ``H1``.
        what: Description of the measured quantity.
        kind: Kind of the limit: ``at_most``, ``at_least``, ``violations`` (maximum number of violations) or ``shape``
            (number of statements that must be true).
        limit: The limit as written in the file, such as ``0.05``, ``12 of 13`` or ``all``.
        source: Page, table or section of the document that contains the published number.
    """

    study: str
    id: str
    what: str
    kind: str
    limit: str
    source: str

    @property
    def number(self) -> float | None:
        """The limit as a number; ``None`` if all statements must be true."""
        found = re.match(r"[0-9.]+", self.limit)
        return float(found[0]) if found else None

    @property
    def of(self) -> int | None:
        """The total number in the limit, such as 13 in ``12 of 13``; ``None`` if the limit has no total number."""
        found = re.search(r" of ([0-9]+)$", self.limit)
        return int(found[1]) if found else None


def load_targets(folder: Path) -> tuple[Target, ...]:
    """Read the lines of ``targets.csv`` in a folder of studies; return an empty tuple if the file does not exist.

    Raises:
        ConfigError: The file cannot be read, or a line has an unknown kind or an invalid limit.
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
