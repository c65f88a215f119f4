"""The view of a program that a chip executed: results, most expensive lines, most accessed data, and source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from linecard.executed.reports import ExecutedProgram, SourceLine
from linecard.executed.source import lines_with_text, source_text
from linecard.numbers import percent
from linecard.view import BAR, Bar, Cell, Column, Part, Said, Table, text, wide

LINES_SHOWN = 8
# Data with at least this fraction of accesses are hot.
SHOWN_HOT = 0.1
# Lines shown around executed lines.
AROUND = 4
COSTS = ("instructions", "cycles", "stall", "accesses")


def program_parts(program: ExecutedProgram) -> list[Part]:
    """The parts of a view that show an executed program."""
    memories = ", ".join(f"{each.memory} {each.accesses_per_packet:,.1f}" for each in program.memories)
    per_packet = (
        f"{program.instructions_per_packet:,.1f} instructions, {program.cycles_per_packet:,.1f} cycles, "
        f"{program.stall_cycles_per_packet:,.1f} stall cycles, {program.accesses_per_packet:,.1f} accesses per packet"
        + (f": {memories}" if memories else "")
    )
    results = [
        (each.result, each.packets, percent(each.packets / max(program.packets, 1), 2)) for each in program.results
    ]
    costly = sorted(lines_with_text(program), key=lambda each: -_time(each[0]))
    hot = [
        (each.where, each.name, percent(each.share), ", ".join(each.lines))
        for each in program.hot
        if each.share >= SHOWN_HOT
    ]
    return [
        Table(program.name, (text(""), "", ""), results, per_packet, LINES_SHOWN),
        Table(
            "Most expensive lines",
            (wide("source line, per packet"), *COSTS),
            [(said, *_costs(line)) for line, said in costly],
            shown=LINES_SHOWN,
        ),
        Table("Hot", (text("where"), wide("what"), "share of accesses", wide("lines")), hot),
        *_sources(program),
    ]


def _time(line: SourceLine) -> float:
    return line.cycles_per_packet + line.stall_cycles_per_packet


def _costs(line: SourceLine) -> tuple[str, ...]:
    numbers = (line.instructions_per_packet, line.cycles_per_packet, line.stall_cycles_per_packet)
    return (*(f"{each:,.2f}" for each in numbers), f"{line.accesses_per_packet:,.2f}")


def _sources(program: ExecutedProgram) -> Iterator[Table]:
    """Each source file with the cost of its lines; without the file, the lines that the object names."""
    files: dict[str, dict[int, SourceLine]] = {}
    for each in program.lines:
        if each.file is not None and each.number is not None:
            files.setdefault(each.file, {})[each.number] = each
    most = max(map(_time, program.lines), default=0.0) or 1.0
    columns = (text("line"), BAR, *COSTS[:3], text("accesses"), Column("source", "c"))
    for file, lines in files.items():
        rows = list(_listing(lines, source_text(program.name, file), most))
        yield Table(f"{Path(file).name}, per packet", columns, rows, folded=True)


def _listing(lines: dict[int, SourceLine], source: list[str] | None, most: float) -> Iterator[str | tuple[Cell, ...]]:
    if source is None or max(lines) > len(source):
        for number, line in sorted(lines.items()):
            yield _line(number, line.line.partition(": ")[2], line, most)
        return
    last = 0
    for number in _shown(lines, len(source)):
        if number > last + 1:
            yield "⋮"
        yield _line(number, source[number - 1], lines.get(number), most)
        last = number


def _shown(lines: Iterable[int], count: int) -> list[int]:
    near = {number + off for number in lines for off in range(-AROUND, AROUND + 1)}
    return sorted(number for number in near if 1 <= number <= count)


def _line(number: int, source: str, line: SourceLine | None, most: float) -> tuple[Cell, ...]:
    code = source.expandtabs(4)
    if line is None:
        return (f"{number}", Bar(0.0), "", "", "", "", Said(code, "dim"))
    accesses = ", ".join(f"{each.memory} {each.accesses_per_packet:,.2f}" for each in line.memories)
    return (f"{number}", Bar(_time(line) / most), *_costs(line)[:3], accesses, code)
