"""The common base of results: measurements, plain data of a record, and data frames."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

import msgspec

from linecard.errors import MissingExtraError


class Number(NamedTuple):
    """The declaration of a number of a report, in addition to its meaning.

    Attributes:
        unit: Unit; a number with a unit is a row of the long table.
        row: Name of its row on screens, if it has a separate one.
        tone: Tone of the bar in that row.
    """

    unit: str = ""
    row: str = ""
    tone: str = ""


def rows_shown(record: Any) -> list[tuple[Number, Any]]:
    """The numbers of a report that have a separate row on screens, with their values."""
    return [(number, getattr(record, name)) for name, number in record.NUMBERS.items() if number.row]


def plain(record: Any) -> Any:
    """A record as JSON data: dictionaries, lists, numbers and texts."""
    return msgspec.json.decode(msgspec.json.encode(record))


def plain_fields(record: Any) -> dict[str, Any]:
    """The fields of a record as JSON data."""
    """The fields of a record as JSON data."""
    fields_of_record: dict[str, Any] = plain(record)
    return fields_of_record


def field_names(record: type[Any]) -> tuple[str, ...]:
    """Names of the fields of a msgspec structure or a dataclass, in order."""
    known: tuple[str, ...] | None = getattr(record, "__struct_fields__", None)
    return tuple(each.name for each in fields(record)) if known is None else known


def left_out(record: Any) -> set[str]:
    """Fields that plain data omits because they have their default values."""
    shape = type(record)
    if not (hasattr(shape, "__struct_fields__") and shape.__struct_config__.omit_defaults):
        return set()
    defaults = zip(reversed(shape.__struct_fields__), reversed(shape.__struct_defaults__), strict=False)
    return {name for name, default in defaults if getattr(record, name) == default}


def need_polars() -> Any:
    """Return the polars module, or raise the error that names the extra."""
    try:
        import polars
    except ImportError as error:
        raise MissingExtraError("a data frame or a Parquet file", "frames") from error
    return polars
