"""Implements `linecard.sweep`, which executes each point of a design space, and returns a table of the results."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from linecard._arguments import plain
from linecard.chip.length import Aim, has_numbers
from linecard.errors import ConfigError, ConfigProblem
from linecard.explore.batch import Bench
from linecard.explore.content import content_of
from linecard.explore.execute import Record, SweepProgress, Task
from linecard.explore.expression import MEASURED, Expression, UnknownName
from linecard.explore.lengthen import Settled, packets_of, settle
from linecard.explore.lookup import Lookup
from linecard.explore.points import Point, Points, make_points
from linecard.explore.result import MOST_PARTS, Parts, SweepResult
from linecard.explore.spec import Draft, Spec, make_sample, read_spec
from linecard.explore.store import Store
from linecard.explore.subject import SUBJECTS, Request
from linecard.explore.toml_file import is_sweep_file
from linecard.request import mapping_of, name_of

if TYPE_CHECKING:
    from linecard.request import Settings


@plain
def sweep(
    target: str | PathLike[str],
    *,
    vary: Mapping[str, object] | None = None,
    together: Iterable[Mapping[str, object]] = (),
    what: str | None = None,
    set: Settings | None = None,
    constraints: Iterable[str] = (),
    columns: Mapping[str, str] | None = None,
    program: str | PathLike[str] | None = None,
    trace: str | PathLike[str] | None = None,
    packets: int | None = None,
    warmup_packets: int | None = None,
    seed: int | None = None,
    repeat: int | None = None,
    precision: float | None = None,
    lengthen: bool | None = None,
    sample: str | None = None,
    points: int | None = None,
    sample_seed: int = 1,
    store: str | PathLike[str] | None = None,
    jobs: int | None = None,
    executor: str = "threads",
    shard: tuple[int, int] | None = None,
    progress: SweepProgress | None = None,
    **arguments: object,
) -> SweepResult:
    """Run every point of a design space, and return a table of the results.

    If a chip run is not steady, the run is repeated with four times as many packets, up to 256,000 packets. A run with
    64,000 packets or more is repeated at most once. Runs are not lengthened if ``lengthen`` is false, or if ``packets``
    is an axis. The column ``status`` states for each row whether the results are conclusive.

    Args:
        target: Sweep file, or the input of each run: a design or, depending on ``what``, a DRAM part, capture, net or
            program.
        vary: Axes of the sweep; each axis is a list of values or a range. ``{"island.threads": [1, 2, 4],
            "traffic.rate_gbps": "50..200 step 50"}``. The name of an axis is a key as in ``set``, or an argument such
            as ``chip``, ``program`` or ``seed``.
        together: Groups of axes; the axes of a group change their values in lockstep.
        what: Subject of the sweep: ``run`` (designs), ``ndr``, ``core``, ``program``, ``xdp``, ``flowcache``, ``dram``,
            ``queueing`` or ``petri``.
        set: New values for parameters and arguments of all points.
        constraints: Conditions that a point must meet, such as ``"island.engines * island.threads <= 64"``.
        columns: Further columns of the table, which are computed from other columns. ``{"per_thread": "throughput_mpps
            / island.threads"}``.
        program: Program that is executed at all points, as in ``linecard run``.
        trace: Capture or link profile that all points use.
        packets: Number of packets in each run.
        warmup_packets: Number of warm-up packets in each run.
        seed: Seed of all points; if each point runs with several seeds, the first seed.
        repeat: Number of seeds for each point.
        precision: Runs are lengthened until the half-width of the throughput's 95 % confidence interval is at most this
            fraction of the mean, for example 0.01. For ``ndr``, the precision is the relative width of the load
            interval that the search returns.
        lengthen: Repeat inconclusive runs with more packets; the default is the value in the sweep file, or else true.
        sample: Sampling method, if the sweep runs a sample instead of the full grid: ``sobol`` or ``latin_hypercube``
            (requires the extra ``explore``).
        points: Number of points in the sample.
        sample_seed: Seed of the sample.
        store: Folder in which Linecard stores finished runs, for reuse. By default, runs are not stored. The result
            table is the same with and without a store.
        jobs: Number of parallel runs; by default, one per CPU core.
        executor: Executor of the runs: ``"threads"``, ``"dask"`` or ``"dask:ADDRESS"``; Dask needs the extra ``dask``.
        shard: Run only every n-th point, beginning with point i. ``shard`` is a pair ``(i, n)`` with i from 1 to n.
        progress: Function that is called repeatedly with (runs done, total runs).
        **arguments: Further arguments of all points, such as ``cpus=2`` or ``policy="lru"``.

    Returns:
        A table with one row per point; the row of a refused or failed point contains the reason.

    Raises:
        ConfigError: The sweep is invalid; the error lists every problem. An invalid point raises no error; the table
            contains a row for the point.
        linecard.explore.Interrupted: The user pressed Ctrl-C; finished runs are in the store.

    Example:
        >>> import linecard
        >>> table = linecard.sweep("example_smartnic", vary={"island.count": [1, 2]}, packets=1000)
        >>> table.column("status")
        ['rate only', 'ok']
    """
    named = {"program": program, "trace": trace, "packets": packets, "warmup_packets": warmup_packets, "seed": seed}
    draft = draft_of(
        target,
        vary=vary,
        together=together,
        what=what,
        set=set,
        constraints=constraints,
        columns=columns,
        repeat=repeat,
        precision=precision,
        lengthen=lengthen,
        arguments={**{name: value for name, value in named.items() if value is not None}, **arguments},
    )
    if sample is not None or points is not None:
        draft.sample = make_sample(draft, "sample", sample or "sobol", points, sample_seed)
    kept = None if store is None else Store(store)
    return run_sweep(draft.finish(), store=kept, jobs=jobs, executor=executor, shard=shard, progress=progress)


def draft_of(
    target: str | PathLike[str],
    *,
    vary: Mapping[str, object] | None = None,
    together: Iterable[Mapping[str, object]] = (),
    what: str | None = None,
    set: Settings | None = None,
    constraints: Iterable[str] = (),
    columns: Mapping[str, str] | None = None,
    repeat: int | None = None,
    precision: float | None = None,
    lengthen: bool | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Draft:
    """Build an unfinished sweep from a file and additional arguments; see :func:`sweep`."""
    name = name_of("target", target)
    if is_sweep_file(name):
        draft = read_spec(name)
        draft.title = draft.title or name
        if what is not None and what != draft.what:
            draft.note(
                "what",
                "",
                f"found {what!r}, expected {draft.what!r} as in the sweep file; omit `what`, or change the file",
            )
    else:
        draft = Draft(what=what or "run", title=name)
        subject = SUBJECTS.get(draft.what)
        if subject is not None:
            draft.fix("target", subject.main, name)
    for key, value in {**mapping_of("set", set), **(arguments or {})}.items():
        draft.fix("set", key, value, is_option=True)
    first = len(draft.file.axes)
    for group, several in enumerate([{key: value} for key, value in (vary or {}).items()] + [*map(dict, together)]):
        for key, written in several.items():
            draft.vary("vary", key, written, first + group, is_option=True)
    for text in constraints:
        draft.require(text, "constraints")
    for column, text in (columns or {}).items():
        draft.column(column, text, "columns")
    if repeat is not None:
        draft.repeat = repeat
    if precision is not None:
        draft.precision = precision
    if lengthen is not None:
        draft.lengthen = lengthen
    return draft


def run_sweep(
    spec: Spec,
    *,
    store: Store | None,
    jobs: int | None = None,
    executor: str = "threads",
    shard: tuple[int, int] | None = None,
    progress: SweepProgress | None = None,
) -> SweepResult:
    """Execute a checked sweep; see :func:`sweep`."""
    with Bench(store, jobs, progress, executor=executor) as bench:
        table = table_of(spec, chosen(make_points(spec), shard), bench)
    return table if shard is None else replace(table, asked={**table.asked, "shard": list(shard)})


def chosen(points: Points, shard: tuple[int, int] | None) -> Points:
    """Return the points that belong to the selected shard.

    Raises:
        ConfigError: The selected shard does not exist.
    """
    if shard is None:
        return points
    number, of = shard
    if not 1 <= number <= of:
        raise ConfigError.at("--shard", "", f"found {number}/{of}, expected I/N with 1 <= I <= N")
    return replace(points, points=points.points[number - 1 :: of])


def table_of(spec: Spec, points: Points, bench: Bench, *, fixed: bool = False) -> SweepResult:
    """Execute points, and return the result table.

    The ``counts`` of the table are the counts of ``bench``, which include earlier batches of runs.
    Inconclusive runs are not lengthened if ``fixed`` is true, or if the sweep or one of its axes determines the run
    length.
    """
    store = bench.store
    asked = [name for _, column in spec.columns for name in column.names]
    wanted = frozenset(name for name in asked if name.startswith(MEASURED) or "." in name)
    taken: dict[str, _Taken] = {}
    has_parts = len(points.points) <= MOST_PARTS

    def take(key: str, record: Record) -> None:
        taken[key] = _Taken(record, wanted, has_parts=has_parts)

    def run(requests: Sequence[Request]) -> list[Mapping[str, Any]]:
        keys = [content_of(request) for request in requests]
        distinct = dict(zip(keys, requests, strict=True))
        bench.execute([Task(key, request) for key, request in distinct.items() if key not in taken], take)
        return [taken[key].numbers for key in keys]

    requests = [point.request for point in points.points]
    _check_names(spec, points)
    if spec.columns:
        # Only a run shows the names of its numbers; the first one shows them before the others take time.
        run(requests[:1])
        _check_columns(spec, points.points[0], taken[content_of(requests[0])])
    settled = settle(
        requests,
        _of_seeds(points),
        run,
        Aim(spec.precision, spec.precise),
        fixed=fixed or not spec.lengthen or spec.subject.length in points.names,
    )
    keys = [content_of(each.request) for each in settled]
    warnings = [] if store is None else store.remarks
    if store is not None:
        store.shrink(keep=frozenset(taken))
    rows, numbers = _rows(spec, points, settled, [taken[key] for key in keys], keys, warnings)
    return SweepResult(
        title=spec.title,
        what=spec.what,
        axes=points.names,
        numbers=numbers,
        rows=rows,
        left_out=points.left_out,
        warnings=tuple(warnings),
        given={"what": spec.what, "arguments": dict(spec.arguments), "set": dict(spec.settings)},
        lengths=tuple(
            sorted({packets_of(each.request) for each, row in zip(settled, rows, strict=True) if has_numbers(row)})
        )
        if spec.what == "run"
        else (),
        lengthened=sum(each.request != asked for each, asked in zip(settled, requests, strict=True)),
        parts=tuple(taken[key].parts for key in keys) if has_parts else (),
        counts=bench.counts,
        asked=spec.to_dict(),
    )


def _of_seeds(points: Points) -> list[list[int]]:
    """Group the indexes of points that differ only in their seed."""
    groups: dict[tuple[tuple[type, Any], ...], list[int]] = {}
    for place, point in enumerate(points.points):
        same = tuple((type(value), value) for name, value in point.values.items() if name != "seed")
        groups.setdefault(same, []).append(place)
    return list(groups.values())


def _check_names(spec: Spec, points: Points) -> None:
    """Refuse names of columns that are in every table, or name an axis."""
    taken = {*points.names, *_OWN}
    ConfigError.check([_taken_name(name, column.place) for name, column in spec.columns if name in taken])


def _check_columns(spec: Spec, point: Point, first: _Taken) -> None:
    """Refuse columns that would replace a number of the runs, and columns that use an unknown name.

    Raises:
        ConfigError: A column has the name of a number, or its expression uses a name that no run can have.
    """
    if not has_numbers({"status": first.status}):
        return
    ConfigError.check([_taken_name(name, column.place) for name, column in spec.columns if name in first.numbers])
    before = Lookup(spec).of(point.request)
    defined: dict[str, Any] = {}
    for name, column in spec.columns:
        look = _look(before, first, defined)
        for used in column.names:
            # Only some runs may have a measurement of a part, whose name has a dot.
            if "." not in used and not used.startswith(MEASURED):
                column.check(used, look)
        defined[name] = None


def _taken_name(name: str, place: str) -> ConfigProblem:
    return ConfigProblem(place, name, "is a column of the table already; choose a different name")


# Columns that every table has.
_OWN = frozenset({"run", "status", "reason", "command"})


class _Taken:
    """The part of a record that the table needs: measurements only for columns that use them."""

    __slots__ = ("measured", "numbers", "parts", "reason", "status")

    def __init__(self, record: Record, wanted: frozenset[str], *, has_parts: bool) -> None:
        self.parts = Parts.of(record["measurements"]) if has_parts else Parts({}, {})
        self.status: str = record["status"]
        self.reason: str | None = record["reason"]
        self.numbers: Mapping[str, Any] = record["numbers"]
        self.measured: dict[str, Any] = {}
        if wanted:
            for component, metric, _unit, value in record["measurements"]:
                for name in (f"{MEASURED}{component}:{metric}", f"{component}.{metric}"):
                    if name in wanted:
                        self.measured[name] = value


def _rows(
    spec: Spec,
    points: Points,
    settled: Sequence[Settled],
    taken: Sequence[_Taken],
    keys: Sequence[str],
    warnings: list[str],
) -> tuple[tuple[Mapping[str, Any], ...], tuple[str, ...]]:
    names = dict.fromkeys(name for each in taken for name in each.numbers)
    defined = [name for name, _ in spec.columns]
    own = {*points.names, *defined, *_OWN}
    look = Lookup(spec)
    numbers = (*defined, *(name for name in names if name not in own))
    failed: dict[str, str] = {}
    rows = []
    for point, run, result, key in zip(points.points, settled, taken, keys, strict=True):
        row: dict[str, Any] = {"run": key[:12], **point.values, "status": run.doubt or result.status}
        cells = dict.fromkeys(defined)
        before = _look(look.of(run.request), result, cells)
        for name, column in spec.columns if has_numbers(row) else ():
            try:
                cells[name] = _cell(column.evaluate(before))
            except ConfigError as error:
                failed.setdefault(name, str(error))
        row |= cells
        row |= {name: result.numbers.get(name) for name in numbers[len(defined) :]}
        row |= {"reason": result.reason, "command": run.request.command}
        rows.append(row)
    warnings += [f"column {name} has empty cells: {why}" for name, why in failed.items()]
    return tuple(rows), numbers


def _cell(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _look(before: Callable[[str], Any], result: _Taken, cells: Mapping[str, Any]) -> Callable[[str], Any]:
    """Resolve names in a column: a measurement, a number, another column, or a value from before the run."""

    def look(name: str) -> Any:
        if name in result.measured:
            return result.measured[name]
        if name in result.numbers:
            return result.numbers[name]
        if name in cells:
            return cells[name]
        if name.startswith(MEASURED):
            _, component, metric = name.split(":", 2)
            raise UnknownName(f"uses {metric!r} of {component!r}, which was not measured")
        try:
            return before(name)
        except UnknownName as error:
            near = difflib.get_close_matches(name, result.numbers, n=1)
            raise UnknownName(f"{error}; measured: {near[0]}" if near else str(error)) from None

    return look


__all__ = ["Expression", "chosen", "draft_of", "run_sweep", "sweep", "table_of"]
