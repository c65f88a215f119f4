"""An executed program on a page: its source, with what each line costs beside it."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from linecard.executed.source import source_text
from linecard.report import sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from linecard.executed.profile import ExecutedProgram, ProgramResult, SourceLine

RESULTS_SHOWN = 12
AROUND = 4  # lines shown around those that were executed
COLUMNS = ("line", "instructions", "cycles", "stall", "accesses", "source")


def program_section(program: ExecutedProgram) -> str:
    """What an executed program came to, and its source."""
    return sheet.section(
        f"Program {program.name}",
        _results(program.results[:RESULTS_SHOWN]),
        sheet.folded(f"All {len(program.results)} results", _results(program.results))
        if len(program.results) > RESULTS_SHOWN
        else "",
        sheet.table(
            "Accesses by memory",
            ("memory", "accesses of a packet"),
            [[each.memory, f"{each.accesses_per_packet:,.2f}"] for each in program.memories],
        ),
        sheet.table(
            "What it asks for most",
            ("where", "what", "lines", "share of its accesses there"),
            [[each.where, each.name, ", ".join(each.lines), f"{each.share:.0%}"] for each in program.hot],
        ),
        *_sources(program),
        _others(program),
        said=f"Of a packet: {program.instructions_per_packet:,.1f} instructions, {program.cycles_per_packet:,.1f} "
        f"cycles of the engine, {program.stall_cycles_per_packet:,.1f} cycles of waiting, "
        f"{program.accesses_per_packet:,.1f} accesses of memories",
    )


def _results(results: Iterable[ProgramResult]) -> str:
    rows = [[each.result, f"{each.packets:,}"] for each in results]
    return sheet.table("Results by packets", ("result", "packets"), rows)


def _sources(program: ExecutedProgram) -> Iterator[str]:
    """Each file that has lines, that with the most cycles first; bars are cycles and stalls."""
    files: dict[str, dict[int, SourceLine]] = {}
    for each in program.lines:
        if each.file is not None and each.number is not None:
            files.setdefault(each.file, {})[each.number] = each
    most = max(map(_time, program.lines), default=0.0)
    for file, lines in files.items():
        yield f"<h3>{escape(Path(file).name)}</h3>" + _source(file, lines, source_text(program.name, file), most)


def _others(program: ExecutedProgram) -> str:
    """What is of no line."""
    return sheet.table(
        "Functions whose lines are not known",
        ("function", *COLUMNS[1:5]),
        [[each.line, *_costs(each)] for each in program.lines if each.number is None],
    )


def _time(line: SourceLine) -> float:
    return line.cycles_per_packet + line.stall_cycles_per_packet


def _costs(line: SourceLine) -> tuple[str, str, str, str]:
    numbers = (line.instructions_per_packet, line.cycles_per_packet, line.stall_cycles_per_packet)
    instructions, cycles, stall = (f"{each:,.2f}" for each in numbers)
    accesses = ", ".join(f"{each.memory} {each.accesses_per_packet:,.2f}" for each in line.memories)
    return instructions, cycles, stall, accesses


def _source(file: str, lines: dict[int, SourceLine], text: list[str] | None, most: float) -> str:
    """The lines of a file that were executed, and those around them; without the file, as the object tells them."""
    if text is None or max(lines) > len(text):
        rows = [_row(number, each.line.partition(": ")[2], each, most) for number, each in sorted(lines.items())]
    else:
        rows, last = [], 0
        for number in _shown(lines, len(text)):
            if number > last + 1:
                rows.append(f'<tr class="gap"><td colspan="{len(COLUMNS)}">⋮</td></tr>')
            rows.append(_row(number, text[number - 1], lines.get(number), most))
            last = number
    head = "".join(f'<th scope="col"{_kind(name)}>{name}</th>' for name in COLUMNS)
    said = escape(f"{Path(file).name}, of a packet")
    return (
        f'<div class="wide source" tabindex="0" role="region" aria-label="{said}"><table><caption>{said}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _kind(column: str) -> str:
    return ' class="text"' if column in COLUMNS[4:] else ""


def _shown(lines: Iterable[int], count: int) -> list[int]:
    near = {number + off for number in lines for off in range(-AROUND, AROUND + 1)}
    return sorted(number for number in near if 1 <= number <= count)


def _row(number: int, text: str, line: SourceLine | None, most: float) -> str:
    costs = ("", "", "", "") if line is None else _costs(line)
    share = 0.0 if line is None or not most else _time(line) / most
    cells = "".join(f"<td{_kind(name)}>{escape(cost)}</td>" for name, cost in zip(COLUMNS[1:5], costs, strict=True))
    return (
        f'<tr><th scope="row">{number}</th>{cells}<td class="text" style="--share:{share:.1%}">'
        f"<code>{escape(text.expandtabs(4))}</code></td></tr>"
    )
