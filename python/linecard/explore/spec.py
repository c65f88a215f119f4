"""Reads a sweep from a file, from command-line options or from Python arguments into a `Spec`.

A sweep file has `kind = "sweep"`, the arguments of the runs, and the following keys:

- `[vary]`: the axes, one per line,
- `[[together]]`: groups of axes, whose values change in lockstep,
- `constraints`,
- `[columns]`: table columns computed from other columns, and
- `[sample]`: a sample of points instead of the full grid.

A single error lists all problems of a sweep, each with its file, line and key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from linecard.chip.length import THROUGHPUT, share_of, wrong_precision
from linecard.errors import ConfigError, ConfigProblem, did_you_mean, unknown
from linecard.explore.axes import Axis, check_groups, read_axis
from linecard.explore.costs import Costs, read_costs
from linecard.explore.expression import Expression
from linecard.explore.keys import OF_CHIPS
from linecard.explore.overrides import Fixed, Stated, same_key, together
from linecard.explore.program_options import RENAMED
from linecard.explore.subject import SUBJECTS, Subject
from linecard.explore.toml_file import Lines, flat_keys, read_table

MOST_POINTS = 1_000_000
MOST_REPEATS = 10_000
_SAMPLES = ("latin_hypercube", "sobol")
TABLES = ("vary", "together", "set", "sample", "columns")
PLAIN_KEYS = ("kind", "title", "what", "repeat", "precision", "lengthen", "constraints", "costs")


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample of the design space that is simulated instead of the full grid.

    Attributes:
        kind: The sampling method: ``latin_hypercube`` or ``sobol``.
        points: Number of points in the sample.
        seed: Seed of the sample.
    """

    kind: str
    points: int
    seed: int


@dataclass(frozen=True, slots=True)
class Spec:
    """A parsed and checked sweep.

    Attributes:
        title: Title, one line.
        what: The subject of the runs: a name in `SUBJECTS`.
        arguments: Arguments that have the same value at all points.
        settings: Keys of the design that have the same value at all points.
        axes: The axes, from the slowest-varying to the fastest-varying.
        repeat: Number of seeds for each point.
        constraints: Conditions that points must meet; the sweep omits all points that break a condition.
        columns: Table columns whose values are computed from other columns.
        sample: The sample of the design space; ``None`` if the sweep covers the full grid.
        costs: Costs of parts (areas, energies and prices) that expressions can use.
        precision: Largest half-width of the 95 % confidence interval of a point's throughput, relative to the
            throughput, such as ``"1%"``. For ``ndr``, the precision is the relative width of the load interval that the
            search returns.
        precise: Names of the metrics that must reach the requested precision.
        lengthen: Whether Linecard repeats inconclusive runs with more packets.
        cost_files: Files from which costs were read, besides the shipped one.
    """

    title: str
    what: str
    arguments: Mapping[str, Any]
    settings: Mapping[str, Any]
    axes: tuple[Axis, ...]
    repeat: int
    constraints: tuple[Expression, ...]
    columns: tuple[tuple[str, Expression], ...]
    sample: Sample | None
    costs: Costs = field(default_factory=lambda: read_costs(()))
    precision: float | None = None
    precise: tuple[str, ...] = (THROUGHPUT,)
    lengthen: bool = True
    cost_files: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The sweep as plain data, whether it was read from a file or from arguments."""
        return {
            "what": self.what,
            "arguments": dict(self.arguments),
            "set": dict(self.settings),
            "axes": [{name: value for name, value in asdict(axis).items() if name != "place"} for axis in self.axes],
            "repeat": self.repeat,
            "constraints": [each.text for each in self.constraints],
            "columns": {name: column.text for name, column in self.columns},
            "sample": None if self.sample is None else asdict(self.sample),
            "costs": list(self.cost_files),
            "precision": self.precision,
            "lengthen": self.lengthen,
        }

    @property
    def subject(self) -> Subject:
        """The subject with the name ``what``."""
        return SUBJECTS[self.what]


@dataclass(slots=True)
class Draft:
    """An unfinished sweep that is built from a file and options, with a list of all problems found so far.

    The method `finish` returns the completed `Spec`.
    """

    title: str = ""
    what: str = "run"
    file: Stated = field(default_factory=Stated)
    options: Stated = field(default_factory=Stated)
    repeat: int = 1
    precision: float | None = None
    lengthen: bool = True
    constraints: list[Expression] = field(default_factory=list)
    columns: dict[str, Expression] = field(default_factory=dict)
    sample: Sample | None = None
    costs: tuple[str, ...] = ()
    problems: list[ConfigProblem] = field(default_factory=list)

    def note(self, place: str, key: str, message: str) -> None:
        """Add a problem to the draft."""
        self.problems.append(ConfigProblem(place, key, message))

    @contextmanager
    def catching(self) -> Iterator[None]:
        """Execute a ``with`` block; if the block raises a ``ConfigError``, add its problems to the draft."""
        try:
            yield
        except ConfigError as error:
            self.problems += error.problems or [ConfigProblem("", "", str(error))]

    def fix(self, place: str, key: str, value: object, *, is_option: bool = False) -> None:
        """Set an argument or a key to one value for all points; an option replaces what the file states."""
        subject, key = SUBJECTS.get(self.what), self._argument(key)
        value = fspath(value) if isinstance(value, PathLike) else value
        of_keys = subject is not None and key not in subject.arguments
        if not (_is_setting(value) if of_keys else _is_value(value)):
            also = "a list or a table" if of_keys else "or a list of these"
            self.note(place, key, f"found a {type(value).__name__}, expected a number, text, true, false, {also}")
        elif subject is not None and key not in subject.arguments and not subject.has_settings:
            self.note(place, key, _unknown(subject, key))
        else:
            (self.options if is_option else self.file).fixed.append(Fixed(key, value, place))

    def vary(self, place: str, key: str, written: object, group: int, *, is_option: bool = False) -> None:
        """Add an axis to the sweep."""
        with self.catching():
            self.add([read_axis(key, written, place, group)], is_option=is_option)

    def add(self, axes: Iterable[Axis], *, is_option: bool) -> None:
        """Add axes to the sweep; the axis of an option replaces what the file states about the key."""
        for each in axes:
            subject = SUBJECTS.get(self.what)
            axis = replace(each, name=self._argument(each.name))
            if subject is not None and axis.name not in subject.arguments and not subject.has_settings:
                self.note(axis.place, axis.name, _unknown(subject, axis.name))
            (self.options if is_option else self.file).axes.append(axis)

    def _argument(self, name: str) -> str:
        """The name of an argument; an option of a program can also have the name that it has in Python."""
        subject, own = SUBJECTS.get(self.what), RENAMED.get(name, name)
        return own if subject is not None and own in subject.arguments else name

    def require(self, text: object, place: str) -> None:
        """Add a constraint to the sweep."""
        if not isinstance(text, str):
            self.note(place, "constraints", f"found a {type(text).__name__}, expected a list of texts")
            return
        with self.catching():
            self.constraints.append(Expression.parse(text, place))

    def column(self, name: str, text: object, place: str) -> None:
        """Add a table column that an expression computes from other columns."""
        if not isinstance(text, str):
            self.note(place, f"columns.{name}", f"found a {type(text).__name__}, expected an expression as text")
            return
        with self.catching():
            self.columns[name] = Expression.parse(text, place)

    def is_whole(self, place: str, key: str, value: object, least: int, most: int) -> bool:
        """Return whether a value is a whole number in a range; if it is not, add a problem to the draft."""
        fits = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        if not fits:
            self.note(place, key, f"found {value!r}, expected {least} to {most}")
        return fits

    def finish(self) -> Spec:
        """Return the finished sweep.

        Raises:
            ConfigError: The sweep has problems; the error lists all of them.
        """
        whole = self._together()
        subject = SUBJECTS.get(self.what)
        arguments: dict[str, Any] = {}
        if subject is None:
            self.note("what", "", unknown(self.what, SUBJECTS))
        else:
            arguments = {each.key: each.value for each in whole.fixed if each.key in subject.arguments}
            varied = {axis.name for axis in whole.axes}
            mains = {subject.main} if self.what != "queueing" else {"workload", "trace"}
            if not mains & (varied | arguments.keys()):
                self.note(subject.main, "", f"is missing; specify the {subject.main} to run")
            if self.repeat != 1 and "seed" in varied:
                self.note("repeat", "", "conflicts with an axis of seeds; omit this key or the axis")
            arguments = {**subject.defaults, **arguments, **self._width(subject, arguments.keys() | varied)}
        self.is_whole("repeat", "", self.repeat, 1, MOST_REPEATS)
        self.problems += check_groups(whole.axes)
        for axis in whole.axes:
            if not axis.values and self.sample is None:
                message = "is a continuous range; add `step`, `times` or `points`, or use a random sample (`sample`)"
                self.note(axis.place, axis.name, message)
            if len([a for a in whole.axes if a.group == axis.group]) > 1 and not axis.values:
                self.note(
                    axis.place,
                    axis.name,
                    "is a continuous range in a group with other axes; list the values of the axis",
                )
        costs: Costs = {}
        with self.catching():
            costs = read_costs(self.costs)
        if self.problems:
            raise ConfigError.of(list(dict.fromkeys(self.problems)))
        assert subject is not None
        return Spec(
            title=self.title,
            what=self.what,
            arguments=arguments,
            settings={each.key: each.value for each in whole.fixed if each.key not in subject.arguments},
            axes=tuple(whole.axes),
            repeat=self.repeat,
            constraints=tuple(self.constraints),
            columns=tuple(self.columns.items()),
            sample=self.sample,
            costs=costs,
            precision=self.precision if self.what == "run" else None,
            lengthen=self.lengthen,
            cost_files=self.costs,
        )

    def _together(self) -> Stated:
        """Return what counts of the file and the options, and add keys that are stated twice to the problems."""
        chips = self.options.values_of("chip") or self.file.values_of("chip") if self.what in OF_CHIPS else []
        is_same = same_key(chip for chip in chips if isinstance(chip, str))
        whole, problems = together(self.file, self.options, is_same)
        self.problems += problems
        return whole

    def _width(self, subject: Subject, stated: AbstractSet[str]) -> dict[str, float]:
        """Check the precision; for a no-drop rate, return it as the width of the search."""
        if self.precision is None:
            return {}
        self.problems += wrong_precision(self.precision)
        if subject.name == "ndr":
            if "width" in stated:
                self.note("precision", "", "conflicts with `width`, its synonym for ndr runs; omit one of the two keys")
            return {"width": self.precision}
        if subject.name != "run":
            self.note("precision", "", f"has no effect on `{subject.name}`, expected run or ndr")
        return {}


def _is_value(value: object) -> bool:
    several = value if isinstance(value, (list, tuple)) else [value]
    return all(isinstance(each, (bool, int, float, str)) for each in several)


def _is_setting(value: object) -> bool:
    """Return whether a key can have the value: also a table, or a list of tables such as the steps of a program."""
    several = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else None
    return _is_value(value) if several is None else all(map(_is_setting, several))


def _unknown(subject: Subject, key: str) -> str:
    hint = did_you_mean(key, subject.arguments, f"it takes {', '.join(subject.arguments)}")
    return f"`{subject.name}` has no such argument; {hint}"


def read_spec(path: str | Path, *, also: Sequence[str] = ()) -> Draft:
    """Read a sweep file into a draft.

    Args:
        path: Path of the sweep file.
        also: Names of further tables and keys of the file, which this function ignores because the caller reads them.

    Raises:
        ConfigError: The file cannot be read; any other problem is added to the draft.
    """
    table, lines = read_table(path)
    draft = Draft(what=str(table.get("what", "run")), title=str(table.get("title", "")))
    subject = SUBJECTS.get(draft.what)
    arguments: Mapping[str, str] = {} if subject is None else subject.arguments
    for key, value in table.items():
        if key in PLAIN_KEYS or key in TABLES or key in also:
            continue
        if key in arguments:
            draft.fix(lines.at(key), key, value)
        elif subject is not None:
            hint = did_you_mean(key, (*PLAIN_KEYS, *TABLES, *also, *arguments), "settings belong in [set]")
            draft.note(lines.at(key), key, f"no such key; {hint}")
    draft.repeat = table.get("repeat", 1)
    draft.precision = table.get("precision")
    found = table.get("lengthen", True)
    if isinstance(found, bool):
        draft.lengthen = found
    else:
        draft.note(lines.at("lengthen"), "lengthen", f"found {found!r}, expected true or false")
    if isinstance(draft.precision, str):
        with suppress(ValueError):
            draft.precision = share_of(draft.precision)
    for key, value in flat_keys(_table_of(table, "set", draft, lines)).items():
        draft.fix(lines.at(key, "set"), key, value)
    for number, (key, written) in enumerate(flat_keys(_table_of(table, "vary", draft, lines)).items()):
        draft.vary(lines.at(key, "vary"), key, written, number)
    together = table.get("together", [])
    if not isinstance(together, list) or not all(isinstance(each, dict) for each in together):
        draft.note(lines.at("together"), "together", "expected [[together]], each a table of axes")
        together = []
    for number, several in enumerate(together):
        for key, written in flat_keys(several).items():
            draft.vary(lines.at(key, "together"), key, written, -1 - number)
    constraints = table.get("constraints", [])
    if not isinstance(constraints, list):
        draft.note(lines.at("constraints"), "constraints", "expected a list of texts")
        constraints = []
    for text in constraints:
        draft.require(text, lines.at("constraints"))
    for name, text in _table_of(table, "columns", draft, lines).items():
        draft.column(name, text, lines.at(name, "columns"))
    files = table.get("costs", [])
    if isinstance(files, str):
        files = [files]
    if not isinstance(files, list) or not all(isinstance(each, str) for each in files):
        draft.note(lines.at("costs"), "costs", "expected a file name, or a list of file names")
    else:
        # As everywhere, a name is relative to the current folder, or to the file that contains it.
        beside = [str(Path(path).parent / each) for each in files]
        draft.costs = tuple(
            other if not Path(each).is_file() and Path(other).is_file() else each
            for each, other in zip(files, beside, strict=True)
        )
    if "sample" in table:
        draft.sample = _sample(_table_of(table, "sample", draft, lines), draft, lines)
    return draft


def _table_of(table: Mapping[str, Any], name: str, draft: Draft, lines: Lines) -> Mapping[str, Any]:
    found = table.get(name, {})
    if isinstance(found, Mapping):
        return found
    draft.note(lines.at(name), name, f"expected a table: [{name}]")
    return {}


def _sample(table: Mapping[str, Any], draft: Draft, lines: Lines) -> Sample | None:
    for key in table.keys() - {"kind", "points", "seed"}:
        draft.note(lines.at(key, "sample"), f"sample.{key}", "no such key; expected kind, points, seed")
    kind, points, seed = table.get("kind", "sobol"), table.get("points"), table.get("seed", 1)
    return make_sample(draft, lines.at("sample"), kind, points, seed)


def make_sample(draft: Draft, place: str, kind: object, points: Any, seed: Any) -> Sample | None:
    """Check the settings of a sample, and add any problems to the draft."""
    if kind not in _SAMPLES:
        draft.note(place, "sample.kind", f"found {kind!r}, expected {' or '.join(_SAMPLES)}")
        return None
    is_whole = draft.is_whole(place, "sample.points", points, 1, MOST_POINTS)
    if not is_whole or not draft.is_whole(place, "sample.seed", seed, 0, 2**32 - 1):
        return None
    return Sample(str(kind), points, seed)
