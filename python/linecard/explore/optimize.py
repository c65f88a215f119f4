"""`linecard optimize`: the best designs of a space, for one objective or several that pull apart.

Where the budget holds every point, all are run: nothing is better. Otherwise points are proposed in batches: half of
each by Optuna's TPE (ask and tell), half from the neighbours of the best found so far, each point at most once. A batch
is run as a whole and told in the order in which it was proposed, so that nothing depends on the number of workers.

With ``halving`` a batch is larger and begins with short runs: the better half of them goes on with runs of twice the
length, until those that are left are run in full. The budget counts runs by their length. Only runs in full are told.
"""

from __future__ import annotations

import itertools
import random
import warnings
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from linecard.errors import ConfigError, ConfigProblem, MissingExtraError
from linecard.explore.batch import Bench, Estimate
from linecard.explore.execute import Counts, SweepProgress
from linecard.explore.expression import Expression
from linecard.explore.front import crowding, front_of, hypervolume, knee_of
from linecard.explore.points import Lookup, Point, Points, make_points
from linecard.explore.spec import Draft, Spec, read_spec, read_table
from linecard.explore.store import Store
from linecard.explore.sweep import table_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from linecard.explore.result import Parts

BATCH = 8
# Share of a batch that comes from neighbours of the front.
_NEAR = 0.5
MOST_BUDGET = 1_000_000
_KEYS = ("objectives", "limits", "budget", "search_seed", "halving")
MOST_HALVING = 10
# Proposals of a batch that may meet points that are known before neighbours take their place.
_MOST_ASKED = 16
# One in so many points is drawn before anything is learned from.
_START = 3


@dataclass(frozen=True, slots=True)
class Objective:
    """What is to be large or small.

    Attributes:
        text: As it was written.
        sign: -1 where it is to be large, 1 where it is to be small.
        expression: What it is worth.
    """

    text: str
    sign: int
    expression: Expression


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked: a space, objectives, limits on results, how many points may be run, how often runs are halved."""

    spec: Spec
    objectives: tuple[Objective, ...]
    limits: tuple[Expression, ...]
    budget: int
    seed: int
    halving: int = 0

    def shortened(self, times: int) -> Spec:
        """The space with runs that are halved so many times."""
        name = self.spec.subject.length
        length = self.spec.arguments[name]
        short = length / 2**times if isinstance(length, float) else max(1, round(length / 2**times))
        return replace(self.spec, arguments={**self.spec.arguments, name: short})


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OptimizeResult:
    """The best points of a space.

    Attributes:
        title: What was searched.
        method: ``exhaustive`` or ``search``.
        objectives: As they were written.
        front: The points that no other one beats, by the first objective: axes, ``objectives`` (mean over seeds),
            ``low`` and ``high`` (95 %, none with one seed), ``knee`` (the best compromise) and ``command``.
        runs: Points that were run in full.
        short_runs: Shorter runs before, of halving, that were made to choose these.
        points: Points of the space that fulfil the constraints.
        refused: Points that were refused or failed.
        beyond_limits: Points that went well and break a limit.
        hypervolume: What the front dominates, as a share of the box between ``best`` and ``worst``, 0 to 1.
        best: The best value of each objective among the points that were run and keep the limits.
        worst: The worst likewise.
        axes: What was varied.
        rows: All runs, a row a point and seed, in the order in which they were chosen.
        given: What all points share, as of a sweep.
        parts: For each row where its time went, as of a sweep.
        counts: Runs found and made.
    """

    title: str
    method: str
    objectives: tuple[str, ...]
    front: tuple[Mapping[str, Any], ...]
    runs: int
    short_runs: int
    points: int
    refused: int
    beyond_limits: int
    hypervolume: float
    best: tuple[float, ...]
    worst: tuple[float, ...]
    axes: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    given: Mapping[str, Any] = field(compare=False)
    parts: tuple[Parts, ...] = field(compare=False)
    counts: Counts = field(compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; nothing in it depends on what was found and what was run."""
        from linecard.results import plain

        left_out = {"rows", "given", "parts", "counts"}
        return {name: plain(getattr(self, name)) for name in self.__slots__ if name not in left_out}

    def write_html(self, path: str | Path) -> Path:
        """Write one self-contained page to explore the runs and the front in."""
        from linecard.explore.page import write_optimized

        return write_optimized(self, path)

    def write_plot(self, path: str | Path) -> Path:
        """Draw the runs and the front over the first two objectives: PNG or SVG, as the name ends (extra ``plot``)."""
        from linecard.explore.spaceplot import write_front

        return write_front(self, path)

    def __repr__(self) -> str:
        return f"<OptimizeResult {self.title}: {len(self.front)} best of {self.runs} points run, {self.points} in all>"

    def _repr_html_(self) -> str:
        from linecard import _html
        from linecard.explore.result import cell_text

        rows = [
            [*(cell_text(row[name]) for name in self.axes), *map(cell_text, row["objectives"])] for row in self.front
        ]
        return _html.block(repr(self)[1:-1], _html.table((*self.axes, *self.objectives), rows))


def read_task(path: str | PathLike[str], budget: int | None = None) -> Task:
    """What a file asks for.

    Raises:
        ConfigError: The file is wrong; every problem is listed.
    """
    table, lines = read_table(fspath(path))
    draft = read_spec(fspath(path), also=_KEYS)
    draft.title = draft.title or fspath(path)
    if table.get("kind") != "optimize":
        draft.note(lines.at("kind"), "kind", f"found {table.get('kind')!r}, expected 'optimize'")
    if draft.sample is not None:
        draft.note(lines.at("sample"), "sample", "has no effect: the search chooses points itself")
    objectives = _objectives(table.get("objectives"), draft, lines.at("objectives"))
    limits = []
    for text in _texts(table.get("limits", []), "limits", draft, lines.at("limits")):
        try:
            limits.append(Expression.parse(text, lines.at("limits")))
        except ConfigError as error:
            draft.catch(error)
    allowed = table.get("budget") if budget is None else budget
    seed = table.get("search_seed", 1)
    for name, value, least, most in (("budget", allowed, 2, MOST_BUDGET), ("search_seed", seed, 0, 2**32 - 1)):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            draft.note(lines.at(name), name, f"found {value!r}, expected {least} to {most}")
    halving = table.get("halving", 0)
    if isinstance(halving, bool) or not isinstance(halving, int) or not 0 <= halving <= MOST_HALVING:
        draft.note(lines.at("halving"), "halving", f"found {halving!r}, expected 0 to {MOST_HALVING}")
        halving = 0
    spec = draft.finish()
    if halving:
        _check_length(spec, lines.at("halving"))
    assert isinstance(allowed, int)
    asked = {name for each in (*(o.expression for o in objectives), *limits) for name in each.names}
    asked |= {name for _, column in spec.columns for name in column.names}
    if "verdict" in spec.subject.arguments and not asked & {"bottleneck", "bottleneck_utilization"}:
        # What limits a point takes several times the work of its run, and no objective asks for it.
        spec = replace(spec, arguments={"verdict": False, **spec.arguments})
    return Task(spec, tuple(objectives), tuple(limits), allowed, seed, halving)


def _check_length(spec: Spec, place: str) -> None:
    """Refuse to halve what has no length, or whose length is not said or varied."""
    name = spec.subject.length
    if not name:
        message = f"`{spec.what}` has no length that could be halved"
    elif any(axis.name == name for axis in spec.axes):
        message = f"`{name}` is varied, and cannot be halved, too"
    elif name not in spec.arguments:
        message = f"say how long a run in full is: {name} = …"
    else:
        return
    raise ConfigError.of([ConfigProblem(place, "halving", message)])


def _texts(value: object, key: str, draft: Draft, place: str) -> list[str]:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    draft.note(place, key, "expected a list of texts")
    return []


def _objectives(value: object, draft: Draft, place: str) -> list[Objective]:
    found = []
    for text in _texts(value, "objectives", draft, place):
        way, _, rest = text.strip().partition(" ")
        if way not in {"max", "min"} or not rest.strip():
            draft.note(place, "objectives", f"found {text!r}, expected `max` or `min` and an expression")
            continue
        try:
            found.append(Objective(text.strip(), -1 if way == "max" else 1, Expression.parse(rest, place)))
        except ConfigError as error:
            draft.catch(error)
    if not found and not draft.problems:
        draft.note(place, "objectives", "found none, expected at least one, such as ['max throughput_gbps']")
    return found


def optimize(
    file: str | PathLike[str],
    *,
    budget: int | None = None,
    set: Mapping[str, object] | None = None,
    store: str | PathLike[str] | None = None,
    jobs: int | None = None,
    executor: str = "threads",
    progress: SweepProgress | None = None,
) -> OptimizeResult:
    """Find the best designs of a space.

    Args:
        file: What is searched: a sweep's file with ``kind = "optimize"``, ``objectives``, ``limits`` and ``budget``.
        budget: Points that may be run, in place of the file's.
        set: Settings and arguments of all points, in place of the file's.
        store: Folder that keeps runs; ``None`` keeps nothing.
        jobs: Runs at the same time; ``None`` takes one per core. The result does not depend on it.
        executor: ``"threads"``, or ``"dask"`` or ``"dask:ADDRESS"`` (extra ``dask``).
        progress: Called now and then with (runs done, runs in all).

    Raises:
        ConfigError: The file is wrong, no point keeps the limits, or an objective has no value.
        MissingExtraError: A search is needed, and the extra ``explore`` is not installed.
        linecard.explore.Interrupted: Ctrl-C; what is done is in the store.
    """
    task = read_task(file, budget)
    if set:
        arguments = {key: value for key, value in set.items() if key in task.spec.subject.arguments}
        others = {key: value for key, value in set.items() if key not in arguments}
        spec = replace(
            task.spec,
            arguments={**task.spec.arguments, **arguments},
            settings={**task.spec.settings, **others},
        )
        task = replace(task, spec=spec)
    kept = None if store is None else Store(store)
    return search(task, store=kept, jobs=jobs, executor=executor, progress=progress)


def search(
    task: Task,
    *,
    store: Store | None = None,
    jobs: int | None = None,
    executor: str = "threads",
    progress: SweepProgress | None = None,
) -> OptimizeResult:
    """Search a space; see :func:`optimize`."""
    with Bench(store, jobs, None, Counts(), executor) as bench:
        return _search(task, bench, progress)


def _search(task: Task, bench: Bench, progress: SweepProgress | None) -> OptimizeResult:
    space = _Space(task)
    limit = min(task.budget, len(space.points))
    proposer = None if limit == len(space.points) else _Proposer(space, task)
    halving = 0 if proposer is None else task.halving
    judged: dict[int, _Judged] = {}
    known: set[int] = set()
    # What was spent, in runs as short as they get.
    unit, spent, short = 2**halving, 0, 0
    seeds = task.spec.repeat

    def run(numbers: Sequence[int], times: int) -> dict[int, _Judged]:
        nonlocal spent
        before = spent / unit * seeds

        def step(now: float, _total: int) -> None:
            if progress is not None:
                progress(min(before + now / 2**times, limit * seeds), limit * seeds)

        spec = space.spec if times == 0 else space.shortened(times)
        bench.progress = step
        table = table_of(spec, space.repeated(numbers, spec), bench)
        spent += len(numbers) * unit // 2**times
        found = {}
        for place, number in enumerate(numbers):
            own = slice(place * seeds, (place + 1) * seeds)
            found[number] = _judge(task, number, table.rows[own], table.parts[own])
        return found

    while len(known) < len(space.points) and spent + unit <= limit * unit:
        left = limit - spent // unit
        if proposer is None:
            batch = [*range(limit)]
        else:
            # So many that those that are left in the end are a batch, as far as the budget goes.
            size = min(BATCH, max(1, left // (halving + 1))) * 2**halving if halving else min(BATCH, left)
            batch = proposer.propose(size, judged, known)
        known.update(batch)
        for times in range(halving, 0, -1):
            first = run(batch, times)
            short += len(batch)
            room = (limit * unit - spent) // (unit // 2 ** (times - 1))
            batch = _better(task, first, batch, min(max(1, len(batch) // 2), room))
        judged |= run(batch, 0)
        if proposer is not None:
            proposer.tell(judged)
    return _result(task, space, judged, bench.counts, "exhaustive" if proposer is None else "search", short)


def _better(task: Task, judged: Mapping[int, _Judged], batch: Sequence[int], count: int) -> list[int]:
    """The better ones of a batch, front by front, thin places of a front first; what breaks a limit goes last."""
    found: list[int] = []
    good = [number for number in batch if judged[number].keeps]
    while good and len(found) < count:
        small = [_small(task, judged[number]) for number in good]
        places = front_of(small)
        gaps = crowding([small[place] for place in places])
        order = sorted(range(len(places)), key=lambda n: (-gaps[n], n))
        found += [good[places[n]] for n in order]
        taken = set(found)
        good = [number for number in good if number not in taken]
    taken = set(found)
    # A limit that a short run breaks may be kept by a longer one; what was refused will be again.
    found += [number for number in batch if number not in taken and judged[number].values]
    found += [number for number in batch if not judged[number].values]
    return found[:count]


def _small(task: Task, judged: _Judged) -> tuple[float, ...]:
    return tuple(each.sign * value for each, value in zip(task.objectives, judged.values, strict=True))


# Columns in which objectives and limits come out.
OBJECTIVE, LIMIT = "objective: ", "limit: "


@dataclass(frozen=True, slots=True)
class _Judged:
    """A point that was run.

    Attributes:
        number: Its number in the space.
        values: Mean of each objective over seeds, as it is; none where a run did not go well.
        estimates: The same with intervals.
        keeps: Whether every run keeps every limit.
        rows: Its runs.
        parts: Where their time went.
    """

    number: int
    values: tuple[float, ...]
    estimates: tuple[Estimate, ...]
    keeps: bool
    rows: tuple[Mapping[str, Any], ...]
    parts: tuple[Parts, ...]


def _judge(task: Task, number: int, rows: Sequence[Mapping[str, Any]], parts: Sequence[Parts]) -> _Judged:
    columns = [[row[OBJECTIVE + each.text] for row in rows] for each in task.objectives]
    went_well = all(row["status"] == "ok" for row in rows)
    numbers = [all(_is_number(value) for value in column) for column in columns]
    if went_well and not all(numbers):
        text = task.objectives[numbers.index(False)].text
        message = f"`{text}` has no value at the point of `{rows[0]['command']}`"
        raise ConfigError.of([ConfigProblem("objectives", "", message)])
    if not went_well:
        return _Judged(number, (), (), False, tuple(rows), tuple(parts))
    estimates = tuple(Estimate.of([float(value) for value in column]) for column in columns)
    keeps = all(bool(row[LIMIT + each.text]) for row in rows for each in task.limits)
    return _Judged(number, tuple(each.value for each in estimates), estimates, keeps, tuple(rows), tuple(parts))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class _Space:
    """The points that fulfil the constraints, each by the number of the value of each axis."""

    def __init__(self, task: Task) -> None:
        spec = task.spec
        extra = [(OBJECTIVE + each.text, each.expression) for each in task.objectives]
        extra += [(LIMIT + each.text, each) for each in task.limits]
        self.spec = replace(spec, columns=(*spec.columns, *extra))
        self.all = make_points(replace(spec, repeat=1))
        self.points = self.all.points
        self._task, self._extra = task, tuple(extra)
        # Axes that go together are one; ordered where its values are numbers.
        firsts = [
            next(axis for axis in spec.axes if axis.group == g) for g in dict.fromkeys(a.group for a in spec.axes)
        ]
        self.sizes = [len(axis.values) for axis in firsts]
        self.ordered = [all(_is_number(value) for value in axis.values) for axis in firsts]
        self.coordinates = [
            tuple(axis.values.index(point.values[axis.name]) for axis in firsts) for point in self.points
        ]
        self.number_of = {each: number for number, each in enumerate(self.coordinates)}

    def shortened(self, times: int) -> Spec:
        """The space with its objectives, and runs that are halved so many times."""
        short = self._task.shortened(times)
        return replace(short, columns=(*short.columns, *self._extra))

    def repeated(self, numbers: Sequence[int], spec: Spec) -> Points:
        """These points with their seeds, of the length that is said."""
        repeat = spec.repeat
        look = Lookup(spec)
        if repeat == 1:
            several = [self.points[number].values for number in numbers]
            return replace(self.all, points=tuple(Point(values, look.request(values)) for values in several))
        first = int(spec.arguments.get("seed", 1))
        points = []
        for number in numbers:
            for seed in range(first, first + repeat):
                values = {**self.points[number].values, "seed": seed}
                points.append(Point(values, look.request(values)))
        return replace(self.all, names=(*self.all.names, "seed"), points=tuple(points))

    def neighbours(self, number: int) -> list[int]:
        """Points one step away on one axis; on an axis of names, every other name."""
        at = self.coordinates[number]
        found = []
        for axis, size in enumerate(self.sizes):
            steps = (at[axis] - 1, at[axis] + 1) if self.ordered[axis] else range(size)
            for step in steps:
                other = (*at[:axis], step, *at[axis + 1 :])
                if other != at and other in self.number_of:
                    found.append(self.number_of[other])
        return found


class _Proposer:
    """Says which points to run next."""

    def __init__(self, space: _Space, task: Task) -> None:
        try:
            import optuna
        except ImportError as error:
            raise MissingExtraError("a search in a space that is larger than the budget", "explore") from error
        self._space, self._task = space, task
        self._draw = random.Random(task.seed)
        self._optuna: Any = optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._told: set[int] = set()
        self._trials: dict[int, Any] = {}
        self._start = max(BATCH, task.budget // _START)
        self._distributions = {
            str(axis): optuna.distributions.IntDistribution(0, size - 1)
            if space.ordered[axis]
            else optuna.distributions.CategoricalDistribution(list(range(size)))
            for axis, size in enumerate(space.sizes)
        }
        with warnings.catch_warnings():
            # Its options for limits and several parameters are marked as new by Optuna.
            warnings.simplefilter("ignore")
            sampler = optuna.samplers.TPESampler(
                seed=task.seed, n_startup_trials=BATCH, multivariate=True, constraints_func=_broken
            )
            self._study: Any = optuna.create_study(directions=["minimize"] * len(task.objectives), sampler=sampler)

    def propose(self, size: int, judged: Mapping[int, _Judged], known: AbstractSet[int]) -> list[int]:
        """The next batch, none of it known."""
        batch: dict[int, None] = {}
        if not judged:
            batch = dict.fromkeys(self._corners()[:size])
        if len(judged) >= self._start:
            for number in self._near(judged, known)[: round(size * _NEAR)]:
                batch[number] = None
            self._ask(batch, size, known)
        rest = [number for number in range(len(self._space.points)) if number not in known and number not in batch]
        while len(batch) < size and rest:
            batch[rest.pop(self._draw.randrange(len(rest)))] = None
        return list(batch)

    def _corners(self) -> list[int]:
        """Points at the ends of the axes: fronts of what grows or falls end there."""
        ends = [(0, size - 1) if size > 1 else (0,) for size in self._space.sizes]
        found = [self._space.number_of[each] for each in itertools.product(*ends) if each in self._space.number_of]
        middle = found[1:-1]
        self._draw.shuffle(middle)
        return [*found[:1], *found[-1:], *middle][: BATCH // 2]

    def _near(self, judged: Mapping[int, _Judged], known: AbstractSet[int]) -> list[int]:
        """Neighbours of the front that have not been run, in an order that is drawn."""
        good = [each for each in judged.values() if each.keeps]
        small = [_small(self._task, each) for each in good]
        places = front_of(small)
        gaps = crowding([small[place] for place in places])
        # Where the front is thin first, one neighbour of each in turn.
        order = sorted(range(len(places)), key=lambda n: (-gaps[n], n))
        several = []
        for n in order:
            near = [each for each in self._space.neighbours(good[places[n]].number) if each not in known]
            self._draw.shuffle(near)
            several.append(near)
        turns = itertools.chain.from_iterable(itertools.zip_longest(*several))
        return list(dict.fromkeys(each for each in turns if each is not None))

    def _ask(self, batch: dict[int, None], size: int, known: AbstractSet[int]) -> None:
        for _ in range(_MOST_ASKED):
            if len(batch) >= size:
                return
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                trial = self._study.ask(self._distributions)
            at = tuple(int(trial.params[str(axis)]) for axis in range(len(self._space.sizes)))
            number = self._space.number_of.get(at)
            if number is None or number in known or number in batch:
                self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
                continue
            batch[number] = None
            self._trials[number] = trial

    def tell(self, judged: Mapping[int, _Judged]) -> None:
        """Tell what came out, in the order in which it was proposed."""
        states = self._optuna.trial.TrialState
        for number, each in judged.items():
            if number in self._told:
                continue
            self._told.add(number)
            trial = self._trials.pop(number, None)
            values = list(_small(self._task, each)) if each.values else None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if trial is not None:
                    trial.set_user_attr("keeps", each.keeps)
                    self._study.tell(trial, values, state=states.FAIL if values is None else states.COMPLETE)
                elif values is not None:
                    at = self._space.coordinates[number]
                    self._study.add_trial(
                        self._optuna.trial.create_trial(
                            params={str(axis): step for axis, step in enumerate(at)},
                            distributions=self._distributions,
                            values=values,
                            user_attrs={"keeps": each.keeps},
                            system_attrs={"constraints": [0.0 if each.keeps else 1.0]},
                        )
                    )


def _broken(trial: Any) -> tuple[float]:
    """Above zero where a limit is broken, as Optuna wants it."""
    return (0.0 if trial.user_attrs.get("keeps", False) else 1.0,)


def _result(
    task: Task, space: _Space, judged: Mapping[int, _Judged], counts: Counts, method: str, short: int
) -> OptimizeResult:
    good = [each for each in judged.values() if each.keeps]
    refused = sum(not each.values for each in judged.values())
    beyond = len(judged) - len(good) - refused
    if not good:
        reasons = [row["reason"] for each in judged.values() for row in each.rows if row["reason"]]
        message = f"of {len(judged)} points that were run, {refused} were refused or failed and {beyond} break a limit"
        first = f"; the first reason: {reasons[0]}" if reasons else ""
        raise ConfigError.of([ConfigProblem("optimize", "", f"no point is left: {message}{first}")])
    small = [
        tuple(each.sign * value for each, value in zip(task.objectives, point.values, strict=True)) for point in good
    ]
    best = [min(vector[n] for vector in small) for n in range(len(task.objectives))]
    worst = [max(vector[n] for vector in small) for n in range(len(task.objectives))]
    places = sorted(front_of(small), key=lambda place: (small[place], good[place].number))
    vectors = [small[place] for place in places]
    knee = knee_of(vectors)
    volume = covered(vectors, best, worst)
    front = []
    for at, place in enumerate(places):
        point = good[place]
        front.append(
            {
                **space.points[point.number].values,
                "objectives": list(point.values),
                "low": [each.low for each in point.estimates],
                "high": [each.high for each in point.estimates],
                "knee": at == knee,
                "command": point.rows[0]["command"],
            }
        )
    signs = [each.sign for each in task.objectives]
    return OptimizeResult(
        title=task.spec.title,
        method=method,
        objectives=tuple(each.text for each in task.objectives),
        axes=space.all.names,
        front=tuple(front),
        runs=len(judged),
        short_runs=short,
        points=len(space.points),
        refused=refused,
        beyond_limits=beyond,
        hypervolume=volume,
        best=tuple(sign * value for sign, value in zip(signs, best, strict=True)),
        worst=tuple(sign * value for sign, value in zip(signs, worst, strict=True)),
        rows=tuple(row for each in judged.values() for row in each.rows),
        given={
            "what": task.spec.what,
            "arguments": dict(task.spec.arguments),
            "set": dict(task.spec.settings),
        },
        parts=tuple(each for point in judged.values() for each in point.parts),
        counts=counts,
    )


def covered(vectors: Sequence[Sequence[float]], best: Sequence[float], worst: Sequence[float]) -> float:
    """The share of the box between the best and the worst of each objective that vectors dominate.

    Where all have the same value of an objective, it tells nothing apart and is left out; with none left it is 1.
    """
    telling = [n for n in range(len(best)) if worst[n] > best[n]]
    if not telling:
        return 1.0
    scaled = [[(vector[n] - best[n]) / (worst[n] - best[n]) for n in telling] for vector in vectors]
    return hypervolume(scaled, [1.0] * len(telling))
