"""`linecard queueing settings`: every setting of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

import linecard
from linecard.cli import pieces, stdout
from linecard.cli.queueing.options import Json, Machine, Set
from linecard.cli.written import Csv, Files, Parquet
from linecard.queueing.settings import MACHINE

if TYPE_CHECKING:
    from linecard.queueing.settings import QueueSetting


def settings(
    machine: Machine = MACHINE,
    set: Set = None,  # the name of the option
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
) -> None:
    """List every setting with value, unit, meaning and source.

    **Examples**

        linecard queueing settings

        linecard queueing settings --set threads=16 --json
    """
    from linecard.records import plain
    from linecard.tables import records

    files = Files(csv, parquet)
    found = linecard.queueing_settings(set, machine=machine)
    if json:
        stdout.print_json(plain(found))
    else:
        _print_settings(found)
    files.write(records(found))


def _print_settings(found: list[QueueSetting]) -> None:
    table = pieces.lined(("setting", "l"), ("value", "r"), ("unit", "l"), ("meaning", "w"), ("source", "w"))
    for each in found:
        table.add_row(each.key, each.value, each.unit, each.meaning, Text(each.source, style=pieces.DIM))
    stdout.show(pieces.section(table), Text(""))
