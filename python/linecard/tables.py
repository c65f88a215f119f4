"""Tidy tables on disk: one row per measurement, a manifest beside them, never half a file.

Every file is written under a temporary name in its own folder and renamed when it is whole, so that an interrupted
command leaves either the old file or the new one. CSV needs nothing but the standard library; Parquet and data
frames need polars.
"""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from linecard.errors import ConfigError, LinecardError
from linecard.results import need_polars

if TYPE_CHECKING:
    import polars

    from linecard.results import RunResult
    from linecard.study.runners import StudyRun

Row = Sequence[object]

METRIC_COLUMNS = ("run_id", "component", "metric", "unit", "value")


def metric_rows(results: Iterable[RunResult | StudyRun]) -> list[Row]:
    """All measurements of these runs, one row each."""
    return [
        (result.run_id, row.component, row.metric, row.unit, row.value) for result in results for row in result.metrics
    ]


def frame(columns: Sequence[str], rows: Sequence[Row]) -> polars.DataFrame:
    """Rows as a polars data frame (extra ``frames``)."""
    built: polars.DataFrame = need_polars().DataFrame(
        [list(row) for row in rows], schema=list(columns), orient="row", infer_schema_length=None
    )
    return built


def csv_text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Rows as CSV text with a header line; floats in full precision, ``None`` as an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return buffer.getvalue()


def json_text(data: Any) -> str:
    """Data as indented JSON that ends in a newline, the same bytes for the same data."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_file(path: str | Path, write: Callable[[IO[bytes]], object]) -> Path:
    """Let ``write`` fill a temporary file, then give it its name.

    Raises:
        LinecardError: The file cannot be written; nothing is left behind, and an older file stays as it was.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        # mkstemp makes files private; a result is an ordinary file.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except BaseException as error:
        with suppress(OSError):
            Path(temporary).unlink()
        if isinstance(error, OSError):
            raise _cannot_write(path, error) from error
        raise
    return path


def _cannot_write(path: Path, error: OSError) -> LinecardError:
    return ConfigError(f"cannot write {path}: {error.strerror or error}")


def write_bytes(path: str | Path, content: bytes) -> Path:
    """Write a file whole or not at all."""
    return write_file(path, lambda file: file.write(content))


def write_text(path: str | Path, text: str) -> Path:
    """Write a text file whole or not at all."""
    return write_bytes(path, text.encode())


def write_table(path: str | Path, columns: Sequence[str], rows: Sequence[Row], kind: str) -> Path:
    """Write rows as ``csv`` or ``parquet``."""
    if kind == "parquet":
        data = frame(columns, rows)
        return write_file(path, data.write_parquet)
    return write_text(path, csv_text(columns, rows))


def write_run(result: RunResult, path: str | Path, kind: str) -> Path:
    """Write a run's measurements, then ``<name>.manifest.json`` beside them; return the manifest's path."""
    path = Path(path)
    write_table(path, METRIC_COLUMNS, metric_rows([result]), kind)
    return write_text(path.with_name(path.name + ".manifest.json"), json_text(result.manifest()))
