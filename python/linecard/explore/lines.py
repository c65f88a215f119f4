"""Compares two programs line by line: matches their lines, and computes the cost of each line.

A diff of the two programs' source files finds the matching lines. The diff covers the main file of each program, and
files of the same name in both programs, such as headers. If a source file is missing, the diff uses the source text
that the object file contains for the executed lines. Functions without known source lines are matched by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.executed.source import source_text
from linecard.explore.compare_result import LineMoved, Moved
from linecard.explore.moved import moved_between

if TYPE_CHECKING:
    from linecard.explore.execute import Record

# Prefix of the components of these measurements.
LINE = "line "
COSTS = {"cycles": "cycles", "stall_cycles": "cycles", "instructions": "instructions"}
# File, number, and the text if the object carries it.
_PLACE = re.compile(r"(?P<file>.+?):(?P<number>\d+)(?:: (?P<text>.*))?", re.DOTALL)


class _Program:
    """One program: its lines by file and number, their texts, and their costs by seed."""

    def __init__(self, name: str, records: Sequence[Record]) -> None:
        self.name = name
        self.texts: dict[str, dict[int, str]] = {}
        self.functions: set[str] = set()
        self._costs = [self._read(record) for record in records]
        for file, known in self.texts.items():
            source = source_text(name, file)
            if source is not None and len(source) >= max(known):
                self.texts[file] = {number: text.strip() for number, text in enumerate(source, 1)}

    def _read(self, record: Record) -> dict[tuple[str, str], float]:
        found: dict[tuple[str, str], float] = {}
        for component, metric, _unit, value in record["measurements"]:
            if not component.startswith(LINE):
                continue
            whole = component.removeprefix(LINE)
            place = _PLACE.fullmatch(whole)
            if place is None:
                self.functions.add(whole)
            else:
                whole = f"{place['file']}:{place['number']}"
                self.texts.setdefault(place["file"], {}).setdefault(int(place["number"]), place["text"] or "")
            # Several clusters' programs may contain a line.
            found[whole, metric] = found.get((whole, metric), 0.0) + value
        return found

    @property
    def main(self) -> str:
        """The main source file of the program."""
        name = Path(self.name).name
        return name if name.endswith(".c") else f"{Path(name).stem}.c"

    def costs(self, place: str | None, metric: str) -> list[float]:
        """Return the cost of a line in one metric for each seed; 0 if the program did not execute the line."""
        return [each.get((place or "", metric), 0.0) for each in self._costs]

    def executed(self) -> Iterable[str]:
        """Return the file and the line number of each executed line."""
        return dict.fromkeys(place for each in self._costs for place, _ in each)


def line_rows(report: Mapping[str, Any]) -> list[tuple[str, str, str, float]]:
    """Return cycles, stall cycles and instructions per packet for each line of the executed programs."""
    return [
        (LINE + line["line"], name, unit, line[f"{name}_per_packet"])
        for program in report.get("programs", ())
        for line in program["lines"]
        for name, unit in COSTS.items()
    ]


def compared_lines(
    names: Sequence[str], records: Sequence[Sequence[Record]], doubts: Sequence[str]
) -> tuple[LineMoved, ...]:
    """Return the lines that at least one program executes; lines with the largest change in total cycles come first.

    Args:
        names: Names of the two programs.
        records: For each program, one record per seed; a record contains the costs of the source lines.
        doubts: For each program, the reason why its runs are not conclusive, or an empty string. If the runs of at
            least one program are not conclusive, ``beyond_noise`` is ``None`` for every line.
    """
    a, b = (_Program(name, several) for name, several in zip(names, records, strict=True))
    same = _same_lines(a, b)
    of_a = {there: here for here, there in same.items()}
    pairs: dict[tuple[str | None, str | None], None] = {(place, same.get(place)): None for place in a.executed()}
    pairs |= {(of_a.get(place), place): None for place in b.executed()}
    found = []
    for here, there in pairs:
        moved = {name: moved_between(name, a.costs(here, name), b.costs(there, name)) for name in COSTS}
        if any(doubts):
            moved = {name: _unsure(each) for name, each in moved.items()}
        text = _text(a, here) if here is not None else _text(b, there or "")
        found.append(LineMoved(text, here, there, **moved))
    found.sort(key=lambda line: (-abs(line.difference), line.a or "", line.b or ""))
    return tuple(found)


def _unsure(moved: Moved) -> Moved:
    return replace(moved, beyond_noise=None)


def _text(program: _Program, place: str) -> str:
    found = _PLACE.fullmatch(place)
    return place if found is None else program.texts[found["file"]].get(int(found["number"]), "")


def _same_lines(a: _Program, b: _Program) -> dict[str, str]:
    """Return file and number of each matching line in the second program, by those in the first."""
    files = {file: file for file in a.texts if file in b.texts and file not in {a.main, b.main}}
    if a.main in a.texts and b.main in b.texts:
        files[a.main] = b.main
    same = {name: name for name in a.functions & b.functions}
    for here, there in files.items():
        same |= {
            f"{here}:{one}": f"{there}:{other}" for one, other in _same_numbers(a.texts[here], b.texts[there]).items()
        }
    return same


def _same_numbers(a: Mapping[int, str], b: Mapping[int, str]) -> dict[int, int]:
    numbers = [sorted(each) for each in (a, b)]
    texts = [[each[number] for number in order] for each, order in zip((a, b), numbers, strict=True)]
    blocks = SequenceMatcher(None, texts[0], texts[1], autojunk=False).get_matching_blocks()
    return {
        numbers[0][block.a + offset]: numbers[1][block.b + offset] for block in blocks for offset in range(block.size)
    }
