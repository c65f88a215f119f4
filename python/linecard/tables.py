"""Tables with one row per metric; each table file has a manifest in the same folder.

CSV files require only the standard library; Parquet files and data frames require polars.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.files import is_file_name, write_file, write_text
from linecard.records import field_names, need_polars

if TYPE_CHECKING:
    import polars

    from linecard._reports import Metric
    from linecard.chip.result import RunResult
    from linecard.study.runners import StudyRun


Row = Sequence[object]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with named columns; all values have types that files can store."""

    columns: tuple[str, ...]
    rows: Sequence[Row]


def records(several: Iterable[Any], of: type | None = None, **first: Sequence[object]) -> Table:
    """A table with one row per record, and one column for each field that contains a single value.

    Args:
        several: Records of one type.
        of: Type of the records, which determines the columns if there are no records.
        **first: Additional columns at the left, with one value per record.
    """
    kept = list(several)
    kind: Any = of or (type(kept[0]) if kept else None)
    names = [
        name
        for name in (field_names(kind) if kind else ())
        if all(isinstance(getattr(each, name), (str, int, float, bool, type(None))) for each in kept)
    ]
    rows: list[Row] = [
        [*(values[at] for values in first.values()), *(getattr(each, name) for name in names)]
        for at, each in enumerate(kept)
    ]
    return Table((*first, *names), rows)


METRIC_COLUMNS = ("run_id", "component", "metric", "unit", "value")


def metric_rows(results: Iterable[RunResult | StudyRun]) -> list[Row]:
    """The metrics of several runs, with one row per metric."""
    return [
        (result.run_id, row.component, row.metric, row.unit, row.value) for result in results for row in result.metrics
    ]


def metric_of(metrics: Sequence[Metric], component: str, metric: str) -> float:
    """Return the value of one metric.

    Raises:
        KeyError: The metric does not exist; the message names the most similar metrics.
    """
    from difflib import get_close_matches

    for row in metrics:
        if row.component == component and row.metric == metric:
            return row.value
    known = [f"{row.component} {row.metric}" for row in metrics]
    near = get_close_matches(f"{component} {metric}", known, n=3, cutoff=0.5)
    raise KeyError(
        f"no metric {metric!r} of component {component!r}" + (f"; nearest: {', '.join(near)}" if near else "")
    )


def frame(columns: Sequence[str], rows: Sequence[Row]) -> polars.DataFrame:
    """Convert rows to a polars data frame; the function requires the optional dependencies ``frames``."""
    built: polars.DataFrame = need_polars().DataFrame(
        [list(row) for row in rows], schema=list(columns), orient="row", infer_schema_length=None
    )
    return built


def csv_text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Format rows as CSV text with a header line; floats have full precision, and ``None`` becomes an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return buffer.getvalue()


def json_text(data: Any) -> str:
    """Format data as indented JSON that ends with a newline; the same data always results in byte-identical text."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def manifest_beside(path: str | Path, manifest: Mapping[str, Any]) -> Path:
    """Write ``NAME.manifest.json`` to the folder of the file ``NAME``; stdout, devices and pipes have no manifest."""
    path = Path(path)
    if not is_file_name(path):
        return path
    return write_text(path.with_name(path.name + ".manifest.json"), json_text(manifest))


def write_table(path: str | Path, columns: Sequence[str], rows: Sequence[Row], kind: str) -> Path:
    """Write rows to a ``csv`` or ``parquet`` file."""
    if kind == "parquet":
        data = frame(columns, rows)
        return write_file(path, data.write_parquet)
    return write_text(path, csv_text(columns, rows))
