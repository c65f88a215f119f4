"""The documents about robustness, from ``studies/robustness.json``, which ``python -m tools.robustness --keep`` writes.

A test compares the page and its pictures with this file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from linecard import __version__
from linecard.files import write_text
from linecard.report.study import named_cells, template
from linecard.study.folders import study_folders
from linecard.study.limits import evaluators_of, quantity
from linecard.study.targets import Target, load_targets
from linecard.tables import json_text
from tools.command import HEADER, STUDIES, write
from tools.robustness.result import Robustness, error_text
from tools.robustness.tornado import tornado, tornado_text
from tools.scorecard.card import limited_studies
from tools.scorecard.documents import SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tools.robustness.result import Outcome

# The folder of the pictures next to the page.
PICTURES = "robustness"
INTRODUCTION = """\
# Robustness

Does a result depend on a lucky seed, or on a lucky value? `make robustness` runs each study with eight seeds. It also
runs each study with every calibrated number a tenth lower and a tenth higher (whole numbers by at least one), and all
else unchanged. The page shows the mean error over the counted numbers, and every line of the
[scorecard](scorecard.md) that one seed can judge. A long bar is a result that depends on a value. The numbers differ
from those of the scorecard, which come from full studies over several seeds; here only their variation matters.

*Kept by* counts the outcomes, over seeds and values, that meet a limit. A limit that all outcomes meet depends on no
choice. A limit that only the chosen value and few others meet depends on the choice.
"""
EFFORT = {
    True: "Quick runs: fewer packets than the scorecard's, one seed at a time.",
    False: "Full runs, one seed at a time.",
}
# Two outcomes that differ by less are equal.
SAME = 1e-9


@dataclass(frozen=True, slots=True)
class LineRow:
    """A limit in words, and the variation of the number that is compared with the limit.

    Attributes:
        id: Name of the line.
        limit: The limit.
        chosen: Result with the first seed and the chosen values.
        seeds: Lowest and highest result over the seeds.
        values: Lowest and highest result over the calibrated values, each 10 % lower and higher.
        kept: Number of outcomes that meet the limit, and total number of outcomes.
        moved_by: The value with the largest effect, and the result with this value.
    """

    id: str
    limit: str
    chosen: str
    seeds: str
    values: str
    kept: str
    moved_by: str


def targets_of(study: str) -> dict[str, Target]:
    """The lines of a shipped study, by name."""
    folder = study_folders().get(study)
    lines = () if folder is None else load_targets(folder.parent)
    return {target.id: target for target in lines if target.study == study}


def effort(found: Robustness) -> str:
    """The number of runs, and the number of missing ones."""
    said = EFFORT[found.quick]
    if found.done < found.steps:
        said += f" Interrupted: {found.done} of {found.steps} runs of the study ended; the others are missing here."
    return said


def line_rows(found: Robustness) -> list[LineRow]:
    """One row for each line that can be judged with one seed."""
    targets = targets_of(found.study)
    return [_line_row(found, targets[name]) for name in found.base.lines if name in targets]


def _line_row(found: Robustness, target: Target) -> LineRow:
    unit = evaluators_of(found.study)[target.id][0]
    outcomes = list(found.outcomes)
    seeds = _reached(found.by_seed.values(), target)
    values = _reached((outcome for _, outcome in outcomes[len(found.by_seed) :]), target)
    base = found.base.lines[target.id].measured
    moved = [
        (abs(outcome.lines[target.id].measured - base), name, outcome.lines[target.id].measured)
        for name, outcome in outcomes[len(found.by_seed) :]
        if target.id in outcome.lines
    ]
    furthest = max(moved, default=(0.0, "", 0.0), key=lambda each: each[0])
    judged = [outcome.lines[target.id].kept for _, outcome in outcomes if target.id in outcome.lines]
    limit = target.limit if target.number is None or target.of is not None else quantity(target.number, unit)
    return LineRow(
        id=target.id,
        limit=("≥ " if target.kind == "at_least" else SIGNS[target.kind]) + limit,
        chosen=quantity(base, unit),
        seeds=_span(seeds, unit),
        values=_span(values, unit),
        kept=f"{sum(judged)} of {len(judged)}",
        moved_by=f"{furthest[1]}: {quantity(furthest[2], unit)}" if furthest[0] > SAME else "nothing",
    )


def _reached(outcomes: Iterable[Outcome], target: Target) -> list[float]:
    return [outcome.lines[target.id].measured for outcome in outcomes if target.id in outcome.lines]


def _span(values: list[float], unit: str) -> str:
    if not values:
        return "–"
    low, high = quantity(min(values), unit), quantity(max(values), unit)
    return low if low == high else f"{low} to {high}"


def page(found: Iterable[Robustness], missing: Sequence[str] = ()) -> str:
    """The page, with a section and a tornado chart per study; the page names ``missing`` studies."""
    parts = [HEADER, INTRODUCTION]
    for one in found:
        parts += _section(one)
    if missing:
        parts.append(f"Not run yet: {', '.join(missing)}.\n")
    return "\n".join(parts)


def html(found: Robustness) -> str:
    """The page of one study as HTML: its tornado chart, and the effects on each limit."""
    text = Path(__file__).with_name("page.html.j2").read_text(encoding="utf-8")
    page: str = template(text).render(
        found=found,
        effort=effort(found),
        lines=line_rows(found),
        tornado=tornado(found),
        said=tornado_text(found),
        error_text=error_text,
        version=__version__,
    )
    return named_cells(page)


def kept_studies() -> list[Robustness]:
    """The stored results, one per study."""
    data = json.loads((STUDIES / "robustness.json").read_text(encoding="utf-8"))
    return [Robustness.from_dict(each) for each in data["studies"]]


def documents() -> dict[str, str]:
    """The page and its pictures, by path in the repository, from the stored results."""
    found = kept_studies()
    missing = [name for name in limited_studies() if name not in {one.study for one in found}]
    pictures = {f"docs/reference/{PICTURES}/{one.study}.svg": tornado(one) for one in found}
    return {"docs/reference/robustness.md": page(found, missing), **pictures}


def keep(found: Iterable[Robustness]) -> None:
    """Store the robustness of all studies, and write the page."""
    write_text(STUDIES / "robustness.json", json_text({"studies": [one.to_dict() for one in found]}))
    write(documents())


def _section(found: Robustness) -> list[str]:
    errors = [outcome.error for outcome in found.by_seed.values() if outcome.error is not None]
    said = f"{effort(found)} Mean error {error_text(found.base.error)} with seed {next(iter(found.by_seed))}"
    if len(errors) > 1:
        said += f", {error_text(min(errors))} to {error_text(max(errors))} over {len(errors)} seeds"
    parts = [f"## {found.study}\n", f"{said}.\n"]
    if found.variations:
        parts.append(f"![{_plain(tornado_text(found))}]({PICTURES}/{found.study}.svg)\n")
    parts += _seed_table(found)
    if found.variations:
        parts += _value_table(found)
    parts += _line_table(found)
    if found.left_out:
        said = "; ".join(f"{name} – {why}" for name, why in found.left_out.items())
        parts.append(f"Not varied: {_plain(said)}.\n")
    if found.base.silent:
        said = "; ".join(f"{name} – {why}" for name, why in found.base.silent.items())
        parts.append(f"Not judged with one seed: {_plain(said)}.\n")
    failed = sum(outcome.failed_runs for _, outcome in found.outcomes)
    if failed:
        parts.append(f"{failed} runs failed; their cells are in no mean.\n")
    return parts


def _seed_table(found: Robustness) -> list[str]:
    return [
        "| " + " | ".join(f"seed {seed}" for seed in found.by_seed) + " |",
        "|" + "---|" * len(found.by_seed),
        "| " + " | ".join(error_text(outcome.error) for outcome in found.by_seed.values()) + " |\n",
    ]


def _value_table(found: Robustness) -> list[str]:
    rows = [
        "| calibrated value | key | chosen | down | mean error | up | mean error |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in found.variations:
        cells = (
            *(each.parameter, f"`{each.key}`", f"{each.value:g}"),
            *(f"{each.low:g}", error_text(each.down.error), f"{each.high:g}", error_text(each.up.error)),
        )
        rows.append("| " + " | ".join(_plain(text) for text in cells) + " |")
    return [*rows, ""]


def _line_table(found: Robustness) -> list[str]:
    rows = [
        "| line | limit | as chosen | over seeds | over values | kept by | moved furthest by |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in line_rows(found):
        cells = (row.id, row.limit, row.chosen, row.seeds, row.values, row.kept, row.moved_by)
        rows.append("| " + " | ".join(_plain(text) for text in cells) + " |")
    return [*rows, ""]


def _plain(text: str) -> str:
    """Text without the characters that would end a table's cell or the description of a picture."""
    return text.replace("|", "\\|").replace("[", "(").replace("]", ")").replace("\n", " ")
