"""`linecard cache`: list or remove the traces that `--cache` keeps in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import linecard
from linecard.cli import stderr, stdout
from linecard.cli.asked import prints
from linecard.cli.output import Outputs
from linecard.cli.screen import screen
from linecard.view import Said, Table, Title, text

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder with traces, as specified with --cache.")]


@prints
def show(folder: Folder, outputs: Outputs) -> None:
    """List the traces in a folder, most recently used first.

    The command reads every file and verifies its checksum. For each unusable file, the command prints the reason. If a
    file is unusable, the next command that needs its trace rebuilds the trace.

    **Examples**

        linecard cache show traces

        linecard cache show traces --json
    """
    found = linecard.cached_traces(folder)
    total = sum(each.bytes for each in found)
    if outputs.json:
        stdout.print_json({"folder": str(folder), "bytes": total, "traces": found.to_dict()})
        outputs.write(found)
        return
    rows = [
        (
            Path(each.program).name if each.program else Said(each.problem or "", "bad"),
            each.traffic or "",
            "" if each.packets is None else each.packets,
            f"{each.bytes / (1 << 20):.1f}",
            _age(each.unused_seconds),
            each.file[:12],
        )
        for each in found
    ]
    columns = (text("program"), text("traffic"), "packets", "MB", "unused", text("file begins"))
    title = Title(f"{len(found)} traces, {total / (1 << 20):.1f} MB")
    if outputs.screen:
        stdout.show(*screen([title, *([Table("", columns, rows)] if rows else [])]))
    outputs.write(found)


def clear(folder: Folder) -> None:
    """Remove the traces in a folder; all other files stay.

    **Examples**

        linecard cache clear traces
    """
    files, size = linecard.clear_cached_traces(folder)
    stderr.note(f"removed {files} traces, {size / (1 << 20):.1f} MB")


def _age(seconds: int) -> str:
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
