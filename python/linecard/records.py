"""The common base of results: measurements, plain data of a record, and data frames."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import msgspec

from linecard.errors import MissingExtraError


@dataclass(frozen=True, slots=True)
class Metric:
    """One measurement of one component: a row of the tidy table.

    Attributes:
        component: Dotted component path, such as ``engine.3`` or ``dram.bank.0``.
        metric: The measured quantity, such as ``utilization``.
        unit: Unit of the value, such as ``fraction``, ``ns``, ``packets``.
        value: The value.
    """

    component: str
    metric: str
    unit: str
    value: float


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


def need_polars() -> Any:
    """Return the polars module, or raise the error that names the extra."""
    try:
        import polars
    except ImportError as error:
        raise MissingExtraError("a data frame or a Parquet file", "frames") from error
    return polars
