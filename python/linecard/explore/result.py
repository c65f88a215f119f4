"""What a sweep gives: a table with a row a point, and the same as a frame, CSV, Parquet, JSON and in a notebook."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.chip.length import DOUBTS, RATE_ONLY
from linecard.errors import ConfigError, ConfigProblem
from linecard.explore.columns import FIRST_NUMBERS
from linecard.explore.repeated import Repeated, best_of, over_seeds
from linecard.explore.wording import doubts_text
from linecard.result import Result
from linecard.tables import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars

    from linecard.explore.execute import Counts

# Rows of which parts are held; a page of more says how to ask for one of them.
MOST_PARTS = 10_000


@dataclass(frozen=True, slots=True)
class Parts:
    """Where the time of one run went.

    Attributes:
        busy: Share of the time for which each part was busy, 0 to 1.
        packet: Time of a packet in each part, nanoseconds.
    """

    busy: Mapping[str, float]
    packet: Mapping[str, float]

    @classmethod
    def of(cls, measurements: Sequence[tuple[str, str, str, Any]]) -> Parts:
        """Those among the measurements of a run."""
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
    """The table of a sweep. The same sweep gives the same table, whatever ran it and however often it was killed.

    Attributes:
        title: What was swept.
        what: What was run at each point.
        axes: Columns that were varied.
        numbers: Columns that were measured, and those that follow from them.
        rows: A row a point, in the order of the axes: the axes' values, ``status``,
            the numbers (``None`` where there is none), ``reason``, the ``command`` that repeats it, and ``run``, its
            name. The status of a run that went well is ``ok`` where its numbers are sure, ``rate only`` where its
            throughput is, else ``not steady``, ``not precise`` or ``not confirmed``.
        left_out: Points that broke a constraint.
        warnings: What to know about the table.
        given: What all points share: ``what``, arguments by name, and ``set`` with the keys of the design.
        lengths: Packets of the runs that count, each number once, ascending; none where nothing is lengthened.
        lengthened: Rows whose run is longer than it was asked for, to be sure.
        parts: For each row where its time went, for its page: how busy each part was, and the time of a packet in
            each; empty for a table of more than ``MOST_PARTS`` rows.
        counts: How many runs were found in the store, run, refused and failed this time.
        across: Column of the horizontal axis of its chart; the first axis where it is left out.
        up: Column of the vertical one; the first number where it is left out.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("title", "what", "axes", "given")

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
    across: str | None = field(default=None, compare=False)
    up: str | None = field(default=None, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table."""
        return ("run", *self.axes, "status", *self.numbers, "reason", "command")

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> list[Any]:
        """The values of one column.

        Raises:
            KeyError: There is no such column.
        """
        if name not in self.columns:
            raise KeyError(f"no column {name!r}; there are {', '.join(self.columns)}")
        return [row[name] for row in self.rows]

    @property
    def doubts(self) -> tuple[str, ...]:
        """What to know about rows that are not sure, and about runs that were made longer; a sentence each."""
        return doubts_text([row["status"] for row in self.rows], self.lengths, self.lengthened)

    @property
    def answered(self) -> bool:
        """Whether any row is sure, or none went well: then its reason is the answer."""
        states = {row["status"] for row in self.rows}
        return not states.isdisjoint({"ok", RATE_ONLY}) or states.isdisjoint(DOUBTS)

    def table(self) -> Table:
        """A row a point, in the order of :attr:`columns`."""
        return Table(self.columns, [[row[name] for name in self.columns] for row in self.rows])

    def charted(self, across: str | None = None, up: str | None = None) -> SweepResult:
        """The same with column ``up`` over column ``across`` in its chart.

        Raises:
            ConfigError: There is no such column, or no point has a number in ``up``.
        """
        for name in (across, up):
            if name is not None and name not in self.columns:
                message = f"found no column {name!r}, expected one of {', '.join(self.columns)}"
                raise ConfigError.of([ConfigProblem("chart", "", message)])
        if up is not None and not any(isinstance(row[up], (int, float)) for row in self.rows):
            raise ConfigError.of([ConfigProblem("chart", "", f"no point has a number {up!r}; nothing can be drawn")])
        return replace(self, across=across, up=up)

    def page(self, command: str | None = None) -> str:  # noqa: ARG002 # each point has a command of its own
        """One self-contained page to explore the table in."""
        from linecard.report.explorer import sweep_page

        return sweep_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; nothing in it depends on what was found and what was run."""
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
        """Points over their seeds, with means and 95 % intervals; none where no point ran with several."""
        points = over_seeds(self.axes, self.numbers, self.rows) if "seed" in self.axes else []
        return points if any(len(each.seeds) > 1 for each in points) else []

    def means_frame(self) -> polars.DataFrame:
        """A row a point: its axes, ``status``, ``seeds``, and of each number mean, ``_low`` and ``_high`` (95 %).

        Empty where points are not repeated (extra ``frames``).
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
        """The table as a polars data frame (extra ``frames``). A column of more than one type is text."""
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

    def shown_columns(self, most: int) -> list[str]:
        """The columns to look at first: what was varied, whether it ran, and the usual numbers."""
        defined = [name for name in self.numbers if name in self._defined()]
        first = [name for name in FIRST_NUMBERS if name in self.numbers]
        others = [name for name in self.numbers if name not in first and name not in defined]
        chosen = [*defined, *first, *others]
        return [*self.axes, *chosen[: max(1, most - len(self.axes))]]

    def _defined(self) -> Sequence[str]:
        return self.numbers[: next((i for i, name in enumerate(self.numbers) if name in FIRST_NUMBERS), 0)]

    def __repr__(self) -> str:
        status = [row["status"] for row in self.rows]
        others = "".join(f", {status.count(each)} {each}" for each in ("refused", "failed") if each in status)
        return f"<SweepResult {self.title}: {len(self.rows)} points over {', '.join(self.axes) or 'nothing'}{others}>"
