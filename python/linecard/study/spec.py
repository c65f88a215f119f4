"""Reads a study folder: ``study.toml``, the published CSV files, and ``deviations.toml``.

The definition of a study consists of data, not of code. The file ``study.toml`` names the CSV file of each table, and
defines the checks and the effect of the key columns. For example, the value ``P_ALLOC`` in the column ``scheme`` can
select a preset, and ``2`` in the column ``banks`` can change a setting. The module `spec` contains no code for a
specific study. A new study that consists of tables requires only a new folder.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from linecard._convert import convert
from linecard.errors import ConfigError, ConfigProblem, did_you_mean
from linecard.study.folders import study_folders
from linecard.study.keys import RELATIONS, Deviations, StudySpec
from linecard.study.runners import runners

if TYPE_CHECKING:
    from linecard.study.keys import Change, KnownDeviation, TableSpec, Value, Where


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a published CSV file: key columns and published values (``None`` for an empty field).

    The field ``relation`` is ``=`` for values, and ``<`` or ``>`` for bounds.
    """

    keys: Where
    published: dict[str, float | None]
    relation: str = "="


@dataclass(frozen=True, slots=True)
class Study:
    """A study that was read from its folder and checked."""

    folder: Path
    spec: StudySpec
    rows: Mapping[str, tuple[PublishedRow, ...]]
    deviations: tuple[KnownDeviation, ...]

    @property
    def item_ids(self) -> tuple[str, ...]:
        """Identifiers of the tables and figures, in document order."""
        return tuple(item.id for item in self.spec.items)


def load_study(name: str) -> Study:
    """Read a shipped study by name, or a study folder by path.

    Raises:
        ConfigError: The study does not exist, or its files are invalid; the error lists every problem that was found
            after parsing.
    """
    shipped = study_folders()
    folder = shipped.get(name)
    if folder is None:
        folder = Path(name)
        if not (folder / "study.toml").is_file():
            hint = did_you_mean(name, shipped, f"shipped studies: {', '.join(sorted(shipped)) or 'none'}")
            message = f"found {name!r}, expected a study or a folder with study.toml; {hint}"
            raise ConfigError.at("reproduce", "", message)
    spec = _read_toml(folder / "study.toml", StudySpec)
    deviations_file = folder / "deviations.toml"
    deviations = _read_toml(deviations_file, Deviations).deviations if deviations_file.is_file() else ()
    rows: dict[str, tuple[PublishedRow, ...]] = {}
    problems: list[ConfigProblem] = []
    for table in spec.tables:
        try:
            rows[table.id] = _read_published(folder / table.file, table)
        except ConfigError as error:
            problems.extend(error.problems)
    problems.extend(_contradictions(folder / "study.toml", spec, rows, deviations))
    ConfigError.check(problems)
    return Study(folder=folder, spec=spec, rows=rows, deviations=deviations)


_Read = TypeVar("_Read")


def _read_toml(file: Path, shape: type[_Read]) -> _Read:
    try:
        return convert(tomllib.loads(file.read_text(encoding="utf-8")), shape)
    except OSError as error:
        problem = ConfigProblem(str(file), "", f"cannot read: {error.strerror}")
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        # This includes numbers with thousands of digits, and tables nested too deep.
        problem = ConfigProblem(str(file), "", str(error))
    raise ConfigError.of([problem])


def typed(text: str) -> Value:
    """Convert the text of a CSV field to a number, if the text is a number."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _read_published(file: Path, table: TableSpec) -> tuple[PublishedRow, ...]:
    try:
        with file.open(newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            header = list(reader.fieldnames or ())
            lines = list(reader)
    except OSError as error:
        raise ConfigError.at(str(file), "", f"cannot read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigError.at(str(file), "", f"is no CSV in UTF-8: {error}") from error
    problems = [
        ConfigProblem(str(file), column, f"no such column; found {', '.join(header)}")
        for column in (*table.cells, *([table.relation] if table.relation else []))
        if column not in header
    ]
    rows = []
    for number, line in enumerate(lines, start=2):
        keys: Where = dict(table.where)
        published: dict[str, float | None] = {}
        relation = "="
        for column in header:
            text = (line[column] or "").strip()
            if column == table.relation:
                relation = text
                if relation not in RELATIONS:
                    expected = f"found {text!r}, expected one of {' '.join(RELATIONS)}"
                    problems.append(ConfigProblem(f"{file}, line {number}", column, expected))
            elif column in table.cells:
                value = typed(text) if text else None
                if isinstance(value, str):
                    problem = ConfigProblem(f"{file}, line {number}", column, f"found {text!r}, expected a number")
                    problems.append(problem)
                    value = None
                published[column] = value
            else:
                keys[column] = typed(text)
        rows.append(PublishedRow(keys=keys, published=published, relation=relation))
    ConfigError.check(problems)
    return tuple(rows)


def _contradictions(
    file: Path,
    spec: StudySpec,
    rows: Mapping[str, tuple[PublishedRow, ...]],
    deviations: tuple[KnownDeviation, ...],
) -> Iterator[ConfigProblem]:
    """References to unknown names, in reading order."""

    def unknown(key: str, names: Iterable[str | None], known: Collection[str]) -> Iterator[ConfigProblem]:
        for name in names:
            if name is not None and name not in known:
                hint = did_you_mean(name, known, f"known: {', '.join(known)}")
                yield ConfigProblem(str(file), key, f"found {name!r}; {hint}")

    def unknown_values(key: str, where: Where) -> Iterator[ConfigProblem]:
        for column, value in where.items():
            yield from unknown(key, [column], spec.columns)
            if column in spec.columns and spec.columns[column].values:
                yield from unknown(f"{key}.{column}", [str(value)], spec.columns[column].values)

    ids = [item.id for item in spec.items]
    calibrated = [
        (f"calibrations.{each.parameter}.vary.{varied.name}", varied)
        for each in spec.calibrations
        for varied in each.vary
    ]
    for key, runner in [(item.id, item.runner) for item in spec.items] + [
        (key, each.runner) for key, each in calibrated
    ]:
        yield from unknown(f"{key}.runner", [runner], runners())
    for name in sorted({name for name in ids if ids.count(name) > 1}):
        yield ConfigProblem(str(file), "tables", f"the id {name!r} is used twice")
    for table in spec.tables:
        start = f"tables.{table.id}"
        yield from unknown(f"{start}.cells", (each for each in table.cells.values() if each != "*"), spec.measures)
        yield from unknown(f"{start}.restates", [table.restates], spec.measures)
        for row in rows.get(table.id, ()):
            yield from unknown_values(start, row.keys)
        for key, column in table.columns_by_key:
            yield from unknown(f"{start}.{key}", [column], spec.columns)
    for figure in spec.figures:
        start = f"figures.{figure.id}"
        yield from unknown(f"{start}.sweep", [figure.sweep], spec.columns)
        for where in (figure.where, *(series.where for series in figure.series)):
            yield from unknown_values(start, where)
        for panel in figure.panels:
            yield from unknown(f"{start}.panels", panel.measures, spec.measures)
        for check in figure.checks:
            labels = [series.label for series in figure.series]
            yield from unknown(f"{start}.checks.{check.id}", (check.series, check.than), labels)
    for gain in spec.gains:
        yield from unknown("gains.measure", [gain.measure], spec.measures)
        for pair in gain.pairs:
            yield from unknown_values("gains.of", pair.of)
            yield from unknown_values("gains.over", pair.over)
    yield from unknown("gains.table", (gain.table for gain in spec.gains), ids)
    for limit in spec.checks:
        yield from unknown(f"checks.{limit.id}.tables", limit.tables, ids)
    for point in spec.inputs:
        yield from unknown(f"inputs.{point.line}.items", point.items, ids)
    for key, varied in calibrated:
        if "{value}" not in varied.program:
            yield ConfigProblem(str(file), key, "expected a program that contains {value}")
    for point in spec.inputs:
        for at in point.values:
            yield from unknown_values(f"inputs.{point.line}.values", {at.column: at.value})
    for column, change in _all_changes(spec):
        yield from unknown(f"columns.{column}", [change.measure], spec.measures)
    seen: set[str] = set()
    for deviation in deviations:
        if deviation.id in seen:
            yield ConfigProblem(str(file.with_name("deviations.toml")), deviation.id, "listed twice")
        seen.add(deviation.id)


def _all_changes(spec: StudySpec) -> Iterator[tuple[str, Change]]:
    for name, column in spec.columns.items():
        yield name, column
        for change in column.values.values():
            yield name, change


def chapter(item: str) -> int | None:
    """The chapter of a numbered table, figure or section, such as 5 for ``5.1``, ``figure5.3`` and ``section5.4``."""
    found = re.match(r"[A-Za-z ]*(\d+)\.\d", item)
    return int(found[1]) if found else None


def _of_chapters(study: Study, chapters: set[int]) -> tuple[str, ...]:
    """Ids of the tables and figures of these chapters."""
    known = sorted({number for number in map(chapter, study.item_ids) if number is not None})
    if missing := sorted(chapters - set(known)):
        listed = ", ".join(map(str, known)) or "none: the tables of this study are not numbered by chapters"
        raise ConfigError.of(
            [ConfigProblem("--chapter", "", f"found {number}; {study.spec.id} has {listed}") for number in missing]
        )
    return tuple(item for item in study.item_ids if chapter(item) in chapters)


def select_items(study: Study, wanted: Iterable[str] | None, chapters: Iterable[int] | None = None) -> tuple[str, ...]:
    """Identifiers of the requested tables and figures in document order; if none are requested, all identifiers.

    Raises:
        ConfigError: The study does not contain a requested table or chapter; the error lists every unknown table and
            chapter.
    """
    if chapters is not None:
        wanted = (*(wanted or ()), *_of_chapters(study, set(chapters)))
    if wanted is None:
        return study.item_ids
    by_fold = {name.casefold().replace(" ", ""): name for name in study.item_ids}

    def find(name: str) -> str | None:
        # A bare number means the table; if there is none, the section, then the figure.
        wanted = name.casefold().replace(" ", "")
        number = wanted.removeprefix("table")
        forms = (wanted, number, f"section{number}", f"figure{number}")
        return next((by_fold[form] for form in forms if form in by_fold), None)

    chosen: set[str] = set()
    problems = []
    for name in wanted:
        found = find(str(name))
        if found is None:
            known = ", ".join(study.item_ids)
            problems.append(ConfigProblem("--table", "", f"found {name!r}, expected one of {known}"))
        else:
            chosen.add(found)
    ConfigError.check(problems)
    return tuple(name for name in study.item_ids if name in chosen)
