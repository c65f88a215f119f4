"""The result of a sweep: a table with one row per point, for data frames, CSV, Parquet, JSON and notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.chip.length import DOUBTS, RATE_ONLY, has_numbers
from linecard.errors import ConfigError
from linecard.explore.repeated import Repeated, best_of, over_seeds
from linecard.explore.wording import FIRST_NUMBERS, doubts_text
from linecard.result import Result
from linecard.tables import Table

if TYPE_CHECKING:
    import polars

    from linecard.explore.execute import Counts

# Up to this number of rows the parts are kept; the page of a larger table states how to request one row.
MOST_PARTS = 10_000


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why points were refused or failed.

    Attributes:
        status: Status of the points: ``refused`` or ``failed``.
        reason: Description of the reason.
        points: Number of points with this reason.
        command: The command line that repeats the first point with this reason.
    """

    status: str
    reason: str
    points: int
    command: str


def reasons_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Reason, ...]:
    """Return the reasons why points were refused or failed, most frequent reason first."""
    counts: Counter[tuple[str, str]] = Counter()
    commands: dict[tuple[str, str], str] = {}
    for row in rows:
        if not has_numbers(row):
            key = (row["status"], str(row["reason"]))
            counts[key] += 1
            commands.setdefault(key, row["command"])
    return tuple(Reason(*key, count, commands[key]) for key, count in counts.most_common())


@dataclass(frozen=True, slots=True)
class Parts:
    """Utilisation of each part of the chip in one run, and the time that a packet spends in each part.

    Attributes:
        busy: Utilisation of each part, from 0 to 1.
        packet: Mean time that a packet spends in each part, in nanoseconds.
    """

    busy: Mapping[str, float]
    packet: Mapping[str, float]

    @classmethod
    def of(cls, measurements: Sequence[tuple[str, str, str, Any]]) -> Parts:
        """Extract the utilisation of each part, and the time of packets in each part, from a run's measurements."""
        busy, packet = {}, {}
        for component, metric, unit, value in measurements:
            if not isinstance(value, (int, float)):
                continue
            if metric == "utilization" and unit == "fraction":
                busy[component] = float(value)
            elif component == "dram.time" and unit == "fraction":
                busy[metric] = float(value)
            elif component == "packet" and metric.startswith("time_") and unit == "ns":
                packet[metric.removeprefix("time_").replace("_", " ")] = float(value)
        return cls(busy, packet)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SweepResult(Result):
    """The result of a sweep as a table.

    The table is the same for every executor, and for an interrupted and resumed sweep.

    Attributes:
        title: Name of the design or of the sweep file.
        what: The subject of the sweep, such as ``run`` or ``dram``.
        axes: Names of the keys and arguments that the sweep varies.
        numbers: Names of the columns that contain measured or computed numbers.
        rows: One row per point, in the order of the axes. A row contains the axis values, ``status``, the numbers
            (``None`` if missing), ``reason``, the run's name (``run``), and ``command``, which repeats the run. The
            status of a successful run is ``ok`` if all its numbers are conclusive, and ``rate only`` if only its
            throughput is conclusive. A successful run that is not conclusive has the status ``not steady``, ``not
            precise`` or ``not confirmed``.
        left_out: Number of points that break a constraint.
        warnings: Remarks about the table as a whole.
        given: Inputs that are equal at all points: the subject (``what``), the arguments by name, and the keys of the
            design (``set``).
        lengths: Distinct numbers of packets in the final runs, ascending; empty if the sweep does not lengthen runs.
        lengthened: Number of rows whose runs have more packets than requested.
        parts: For each row, the utilisation of each part, and the time that a packet spends in each part. ``parts`` is
            empty if the table has more than ``MOST_PARTS`` rows.
        counts: Numbers of reused, executed, refused and failed runs in this sweep.
        asked: The sweep as plain data, with the values of its file, for the manifest.
        across: Column for the horizontal axis of the chart; by default, the first varied column.
        up: Column for the vertical axis of the chart; by default, the first numeric column.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("title", "what")

    title: str
    what: str
    axes: tuple[str, ...]
    numbers: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    left_out: int
    warnings: tuple[str, ...]
    given: Mapping[str, Any] = field(compare=False)
    lengths: tuple[int, ...] = field(compare=False)
    lengthened: int = field(compare=False)
    parts: tuple[Parts, ...] = field(compare=False)
    counts: Counts = field(compare=False)
    asked: Mapping[str, Any] = field(default_factory=dict, compare=False)
    across: str | None = field(default=None, compare=False)
    up: str | None = field(default=None, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the table columns."""
        return ("run", *self.axes, "status", *self.numbers, "reason", "command")

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> list[Any]:
        """Return the values of one column.

        Raises:
            KeyError: The column does not exist.
        """
        if name not in self.columns:
            raise KeyError(f"no column {name!r}; expected one of {', '.join(self.columns)}")
        return [row[name] for row in self.rows]

    @property
    def doubts(self) -> tuple[str, ...]:
        """Remarks about inconclusive rows and lengthened runs; each remark is one sentence."""
        return doubts_text([row["status"] for row in self.rows], self.lengths, self.lengthened)

    @property
    def answered(self) -> bool:
        """Whether at least one row has conclusive results, or all rows were refused or failed."""
        states = {row["status"] for row in self.rows}
        return not states.isdisjoint({"ok", RATE_ONLY}) or states.isdisjoint(DOUBTS)

    def table(self) -> Table:
        """Return a table with one row per point, and with the columns that :attr:`columns` lists."""
        return Table(self.columns, [[row[name] for name in self.columns] for row in self.rows])

    def charted(self, across: str | None = None, up: str | None = None) -> SweepResult:
        """Return a copy of this result, with a chart of the column ``up`` versus the column ``across``.

        Raises:
            ConfigError: A column does not exist, or the column ``up`` is not numeric.
        """
        for name in (across, up):
            if name is not None and name not in self.columns:
                message = f"found no column {name!r}, expected one of {', '.join(self.columns)}"
                raise ConfigError.at("chart", "", message)
        if up is not None and not any(isinstance(row[up], (int, float)) for row in self.rows):
            raise ConfigError.at("chart", "", f"no point has a number for {up!r}; nothing can be drawn")
        return replace(self, across=across, up=up)

    def page(self, command: str | None = None) -> str:  # noqa: ARG002 # each point has a command of its own
        """Return a self-contained HTML page for exploring the table."""
        from linecard.report.explorer import sweep_page

        return sweep_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; the data are the same whether runs were executed or read from the store."""
        columns = self.columns
        plain: dict[str, Any] = {"rows": [{name: row[name] for name in columns} for row in self.rows]}
        if points := self.over_seeds():
            best = best_of(points)
            plain["points"] = [
                {
                    **each.point,
                    "status": each.status,
                    "seeds": len(each.seeds),
                    "numbers": {name: asdict(estimate) for name, estimate in each.numbers.items()},
                }
                for each in points
            ]
            plain["best"] = None if best is None else best.sentence()
        return plain

    def over_seeds(self) -> list[Repeated]:
        """Return means and 95 % intervals of each point over its seeds; empty if no point has several seeds."""
        points = over_seeds(self.axes, self.numbers, self.rows) if "seed" in self.axes else []
        return points if any(len(each.seeds) > 1 for each in points) else []

    def means_frame(self) -> polars.DataFrame:
        """Return one row per point: axes, ``status``, ``seeds``, and numbers with their ``_low`` and ``_high`` bounds.

        The two bounds define the 95 % confidence interval. The data frame is empty if each point has one seed. The
        method requires the extra ``frames``.
        """
        from linecard.records import need_polars

        rows = []
        for each in self.over_seeds():
            row: dict[str, Any] = {**each.point, "status": each.status, "seeds": len(each.seeds)}
            for name, estimate in each.numbers.items():
                row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
            rows.append(row)
        built: polars.DataFrame = need_polars().DataFrame(rows, strict=False, infer_schema_length=None)
        return built

    def to_frame(self) -> polars.DataFrame:
        """Return the table as a polars data frame; the method requires the extra ``frames``.

        A column with values of several types is converted to text in the data frame.
        """
        from linecard.records import need_polars

        columns: dict[str, list[Any]] = {}
        for name in self.columns:
            values = [row[name] for row in self.rows]
            kinds = {type(value) for value in values if value is not None}
            if kinds == {int, float}:
                values = [None if value is None else float(value) for value in values]
            elif len(kinds) > 1:
                values = [None if value is None else str(value) for value in values]
            columns[name] = values
        built: polars.DataFrame = need_polars().DataFrame(columns, strict=False)
        return built

    @property
    def defined(self) -> list[str]:
        """Names of the columns that the sweep defines by expressions."""
        return list(self.asked.get("columns", ()))

    def shown_columns(self, most: int) -> list[str]:
        """Return up to ``most`` column names, but never fewer than the axes, the defined columns and one result."""
        first = [name for name in FIRST_NUMBERS if name in self.numbers]
        others = [name for name in self.numbers if name not in first and name not in self.defined]
        chosen = [*self.defined, *first, *others]
        return [*self.axes, *chosen[: max(len(self.defined) + 1, most - len(self.axes))]]

    def __repr__(self) -> str:
        status = [row["status"] for row in self.rows]
        others = "".join(f", {status.count(each)} {each}" for each in ("refused", "failed") if each in status)
        return f"<SweepResult {self.title}: {len(self.rows)} points over {', '.join(self.axes) or 'nothing'}{others}>"
