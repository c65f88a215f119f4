"""`linecard cache`: the folder of traces that `--cache` keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import pieces, stderr, stdout
from linecard.cli.options import EPILOG, JSON_HELP
from linecard.cli.written import Csv, Files, Parquet

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder given to --cache.")]


def show(
    folder: Folder,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    csv: Csv = None,
    parquet: Parquet = None,
) -> None:
    """List the traces that a folder keeps, those used last first.

    Every file is read and its checksum compared; one that cannot be used is named with the reason, and is made again
    when it is needed.

    **Examples**

        linecard cache show traces

        linecard cache show traces --json
    """
    from linecard.executed.kept_traces import CachedTrace
    from linecard.records import plain
    from linecard.tables import records

    files = Files(csv, parquet)
    found = linecard.cached_traces(folder)
    total = sum(each.bytes for each in found)
    files.write(records(found, CachedTrace))
    if json:
        stdout.print_json({"folder": str(folder), "bytes": total, "traces": plain(found)})
        return
    table = pieces.lined(
        ("program", "l"), ("traffic", "l"), ("packets", "r"), ("MB", "r"), ("unused", "r"), ("file begins", "l")
    )
    for each in found:
        table.add_row(
            Path(each.program).name if each.program else Text(each.problem or "", style="red"),
            each.traffic or "",
            "" if each.packets is None else f"{each.packets:,}",
            f"{each.bytes / (1 << 20):.1f}",
            _age(each.unused_seconds),
            each.file[:12],
        )
    stdout.show(
        Text(f"  {len(found)} traces, {total / (1 << 20):.1f} MB"),
        *([Padding(table, (1, 0, 0, 2))] if found else []),
        Text(""),
    )


def clear(folder: Folder) -> None:
    """Remove the traces of a folder, and nothing else in it.

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


app = typer.Typer(
    add_completion=False,
    help="Traces kept by `--cache FOLDER`: show them, clear them.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.command("show", epilog=EPILOG)(show)
app.command("clear", epilog=EPILOG)(clear)
