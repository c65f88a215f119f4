"""Lists, prunes and exports the contents of a store."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar

from linecard.explore.content import code_version
from linecard.explore.subject import SUBJECTS
from linecard.files import write_file
from linecard.records import need_polars
from linecard.result import Result
from linecard.tables import METRIC_COLUMNS, Table
from linecard.view import BAR, Bar, Part, Title, text, view
from linecard.view import Table as TablePart

if TYPE_CHECKING:
    from linecard.explore.store import Store, StoreUse

# Columns of the run, then those of the measurement.
COLUMNS = ("run", "what", "command", *METRIC_COLUMNS[1:])
_ROWS_AT_ONCE = 200_000


def _records(store: Store) -> Iterator[dict[str, Any]]:
    for key in store.keys():  # noqa: SIM118 # no mapping
        record = store.get(key)
        if record is not None:
            yield record


@dataclass(frozen=True, slots=True)
class StoreContents(Result):
    """The contents of a store.

    Attributes:
        title: One line of text with the name and the size of the store.
        use: Number of stored runs, their size in bytes, and the maximum size of the store.
        groups: Numbers of runs by subject, design and code version.
        damaged: Number of files in the store that are unreadable.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("title",)
    APART: ClassVar[tuple[str, ...]] = ("title",)

    title: str
    use: StoreUse
    groups: tuple[dict[str, Any], ...]
    damaged: int

    def table(self) -> Table:
        """Return a table with one row per group of runs."""
        names = ("what", "of", "runs", "failed", "seconds", "code")
        return Table(names, [[row[name] for name in names] for row in self.groups])


def contents(store: Store, title: str) -> StoreContents:
    """Return the contents of a store, grouped by subject, design and code version."""
    groups: dict[tuple[str, str, str], dict[str, Any]] = {}
    seconds = store.seconds()
    for record in _records(store):
        asked = record["request"]
        subject = SUBJECTS.get(asked["subject"])
        of = str(asked["arguments"].get(subject.main, "") if subject else "")
        row = groups.setdefault(
            (asked["subject"], of, record["code"]),
            {"what": asked["subject"], "of": of, "code": record["code"], "runs": 0, "failed": 0, "seconds": 0.0},
        )
        row["runs"] += 1
        row["failed"] += record["status"] != "ok"
        row["seconds"] += seconds.get(record["key"], 0.0)
    return StoreContents(title, store.use(), tuple(groups[name] for name in sorted(groups)), len(store.damaged))


@view.register
def _(result: StoreContents) -> list[Part]:
    most = max((row["runs"] for row in result.groups), default=1)
    rows = [
        (
            *(row["what"], row["of"], Bar(row["runs"] / most), row["runs"], row["failed"], f"{row['seconds']:,.1f}"),
            "this version" if row["code"] == code_version() else "another version",
        )
        for row in result.groups
    ]
    columns = (text("what"), text("of"), BAR, "runs", "failed", "seconds", text("made by"))
    return [Title(result.title), TablePart("", columns, rows)]


def prune(store: Store, to_bytes: int | None, *, other_versions: bool) -> tuple[int, int]:
    """Remove damaged runs, optionally runs of other code versions, and then old runs above the size limit.

    Returns:
        The number of removed runs, and the number of freed bytes.
    """
    removed = freed = 0
    for key in store.keys():  # noqa: SIM118 # no mapping
        record = store.get(key)
        if record is None or (other_versions and record["code"] != code_version()):
            got = store.remove(key)
            removed, freed = removed + (got > 0), freed + got
    more, bytes_more = store.shrink(to_bytes)
    return removed + more, freed + bytes_more


def _rows(store: Store) -> Iterator[tuple[Any, ...]]:
    from linecard.explore.subject import Request

    for record in _records(store):
        asked = record["request"]
        if asked["subject"] in SUBJECTS:
            command = Request(asked["subject"], asked["arguments"], asked["settings"]).command
            for row in record["measurements"]:
                yield (record["key"][:12], asked["subject"], command, *row)


def write_measurements(store: Store, path: str | Path, kind: str) -> Path:
    """Write all measurements in CSV or Parquet format, sorted by run; CSV rows are written one at a time."""
    if kind == "csv":

        def write(file: IO[bytes]) -> None:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(_rows(store))
            text.flush()
            text.detach()

        return write_file(path, write)
    polars = need_polars()
    parts = []
    waiting: list[tuple[Any, ...]] = []
    schema = dict(zip(COLUMNS, [polars.String] * 6 + [polars.Float64], strict=True))
    for row in _rows(store):
        waiting.append(row)
        if len(waiting) == _ROWS_AT_ONCE:
            parts.append(polars.DataFrame(waiting, schema=schema, orient="row"))
            waiting = []
    parts.append(polars.DataFrame(waiting, schema=schema, orient="row"))
    frame = polars.concat(parts)
    return write_file(path, frame.write_parquet)
