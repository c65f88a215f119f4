"""Finds and reads the source files of executed programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from linecard.executed.shipped import PROGRAMS

if TYPE_CHECKING:
    from linecard.executed.reports import ExecutedProgram, SourceLine

MOST_SOURCE_BYTES = 4 << 20


def source_text(program: str, file: str) -> list[str] | None:
    """Lines of a source file that is in the program's folder or ships with Linecard; ``None`` for any other file."""
    name = Path(file).name
    beside = Path(program).parent if Path(program).suffix else None
    folders = [] if beside is None else [beside]
    shipped = (PROGRAMS / "xdp", PROGRAMS / "xdp" / "include", PROGRAMS / "include", PROGRAMS / "runtime")
    for folder in (*folders, PROGRAMS / program, *shipped):
        path = folder / name
        try:
            if path.is_file() and path.stat().st_size <= MOST_SOURCE_BYTES:
                return path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
    return None


def lines_with_text(program: ExecutedProgram) -> list[tuple[SourceLine, str]]:
    """The source lines of a program, each with file, line number and text; lines of a missing file have no text."""
    texts: dict[str, list[str] | None] = {}

    def said(line: SourceLine) -> str:
        # Objects of XDP programs contain the text of their lines.
        if line.file is None or line.number is None or ": " in line.line:
            return line.line
        if line.file not in texts:
            texts[line.file] = source_text(program.name, line.file)
        text = texts[line.file]
        if text is None or line.number > len(text):
            return line.line
        return f"{line.line}: {text[line.number - 1].strip()}"

    return [(line, said(line)) for line in program.lines]
