"""Functions that all results use: numbers on screens, records as plain data, and data frames."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

import msgspec

from linecard.errors import MissingExtraError


class Number(NamedTuple):
    """The unit, the row name and the colour with which screens and tables show one number of a report.

    Attributes:
        unit: Unit of the number; a number with a unit has a row in the long-format table.
        row: Name of the number's row on screens; empty if the number has no separate row.
        tone: Name of the colour of the bar in the row, such as ``good`` or ``bad``.
    """

    unit: str = ""
    row: str = ""
    tone: str = ""


def rows_shown(record: Any) -> list[tuple[Number, Any]]:
    """The numbers of a report that screens show in separate rows, with their values."""
    return [(number, getattr(record, name)) for name, number in record.NUMBERS.items() if number.row]


def plain(record: Any) -> Any:
    """Convert a record to JSON data: dictionaries, lists, numbers and strings."""
    return msgspec.json.decode(msgspec.json.encode(record))


def field_names(record: type[Any]) -> tuple[str, ...]:
    """Names of the fields of a msgspec structure or a dataclass, in order."""
    known: tuple[str, ...] | None = getattr(record, "__struct_fields__", None)
    return tuple(each.name for each in fields(record)) if known is None else known


def left_out(record: Any) -> set[str]:
    """The fields that the dictionary of a record omits because their values are the defaults."""
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
