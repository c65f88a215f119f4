"""Functions that results use to produce terminal output, plain data and data frames."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

import msgspec

from linecard.errors import MissingExtraError


class Number(NamedTuple):
    """The unit, row name and colour with which terminal output and tables show one number of a report.

    Attributes:
        unit: Unit of the number; a number with a unit has a row in the long-format table.
        row: Name of the row that shows the number in terminal output; empty if the number has no row of its own.
        tone: Tone, such as ``good`` or ``bad``, that determines the colour of the bar in the number's row.
    """

    unit: str = ""
    row: str = ""
    tone: str = ""


def rows_shown(record: Any) -> list[tuple[Number, Any]]:
    """The display properties and the value of each number that has its own row in terminal output."""
    return [(number, getattr(record, name)) for name, number in record.NUMBERS.items() if number.row]


def plain(record: Any) -> Any:
    """Convert a record to JSON data: dictionaries, lists, numbers and strings."""
    return msgspec.json.decode(msgspec.json.encode(record))


def field_names(record: type[Any]) -> tuple[str, ...]:
    """Names of the fields of a msgspec structure or a dataclass, in order."""
    known: tuple[str, ...] | None = getattr(record, "__struct_fields__", None)
    return tuple(each.name for each in fields(record)) if known is None else known


def left_out(record: Any) -> set[str]:
    """The fields that a record's dictionary omits because they have their default values."""
    shape = type(record)
    if not (hasattr(shape, "__struct_fields__") and shape.__struct_config__.omit_defaults):
        return set()
    defaults = zip(reversed(shape.__struct_fields__), reversed(shape.__struct_defaults__), strict=False)
    return {name for name, default in defaults if getattr(record, name) == default}


def need_polars() -> Any:
    """Return the polars module, or raise an error that names the missing optional dependencies."""
    try:
        import polars
    except ImportError as error:
        raise MissingExtraError("a data frame or a Parquet file", "frames") from error
    return polars
