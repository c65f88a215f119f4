"""The documents about the scorecard, from ``studies/scorecard.json`` (``python -m tools.scorecard --keep``).

A test compares the documents with the rows of this file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linecard.files import write_text
from linecard.study.limits import OUTCOMES, evaluators_of, quantity
from linecard.study.targets import load_targets
from linecard.tables import json_text
from tools.command import HEADER, ROOT, STUDIES, write
from tools.scorecard.card import Scorecard, counts
from tools.scorecard.printed import draw_printed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from linecard.study.targets import Target

INTRODUCTION = "# Scorecard\n\nEvery limit of the studies, and the value that `make scorecard` measured.\n"
IN_README = re.compile(r"(<!-- scorecard: begin -->\n).*?(<!-- scorecard: end -->)", re.DOTALL)

Row = Mapping[str, Any]
SIGNS = {"at_most": "≤ ", "at_least": "≥ ", "violations": "≤ ", "shape": ""}


def numbers(row: Row, target: Target) -> tuple[str, str]:
    """Limit and measured number of a row, in words."""
    unit = evaluators_of(row["study"])[row["id"]][0]

    def words(value: float | str | None) -> str:
        return value if isinstance(value, str) else quantity(value, unit)

    return SIGNS[target.kind] + words(row["limit"]), words(row["measured"])


def overview(rows: Iterable[Row], targets: Sequence[Target]) -> str:
    """One row per study, with the limits that are not met."""
    rows = list(rows)
    of = {target.id: target for target in targets}
    shown = [
        "| study | kept | contradicted | dependent on an input | missed: measured, limit |",
        "|---|---|---|---|---|",
    ]
    for study in dict.fromkeys(row["study"] for row in rows):
        by_outcome: dict[str, list[str]] = {outcome: [] for outcome in OUTCOMES}
        for row in rows:
            if row["study"] == study:
                limit, measured = numbers(row, of[row["id"]])
                named = f"{row['id']} {measured}, {limit}" if row["outcome"] == "missed" else row["id"]
                by_outcome[row["outcome"]].append(named)
        kept = f"{len(by_outcome['kept'])} of {sum(map(len, by_outcome.values()))}"
        others = ("; ".join(by_outcome[outcome]) or "–" for outcome in OUTCOMES[1:])
        shown.append(f"| [`{study}`](../../studies/{study}/README.md) | {kept} | {' | '.join(others)} |")
    return "\n".join(shown) + "\n"


def page(rows: Iterable[Row], targets: Sequence[Target]) -> str:
    """The page with every limit, the measured number, and the reason if it is not met."""
    rows = list(rows)
    of = {target.id: target for target in targets}
    parts = [f"{len(rows)} limits: {counts(row['outcome'] for row in rows)}.\n", overview(rows, targets)]
    for study in dict.fromkeys(row["study"] for row in rows):
        own = [row for row in rows if row["study"] == study]
        parts += [f"## {study}\n", f"{len(own)} limits: {counts(row['outcome'] for row in own)}.\n"]
        parts.append(
            "| line | what | limit | measured | outcome | calibrated inside | what excludes it, or the input |"
        )
        parts[-1] += " why it is not kept |"
        parts.append("|---|---|---|---|---|---|---|---|")
        for row in own:
            target = of[row["id"]]
            limit, measured = numbers(row, target)
            outcome = row["outcome"] if row["kept"] else f"**{row['outcome']}**"
            last = (str(row["calibrated_cells"] or ""), row["shown"], row["reason"])
            cells = (row["id"], target.what, limit, measured, outcome, *last)
            parts.append("| " + " | ".join(text.replace("|", "\\|") for text in cells) + " |")
        parts.append("")
    return "\n".join(parts)


def kept_rows() -> list[Row]:
    """The rows of the stored scorecard."""
    rows: list[Row] = json.loads((STUDIES / "scorecard.json").read_text(encoding="utf-8"))["rows"]
    return rows


def documents() -> dict[str, str]:
    """The page and the counts of the README, by path in the repository, from the stored rows."""
    rows, targets = kept_rows(), load_targets(STUDIES)
    line = f"**{len(rows)} limits: {counts(row['outcome'] for row in rows)}.**\n"
    readme = IN_README.sub(lambda found: found[1] + line + found[2], (ROOT / "README.md").read_text(encoding="utf-8"))
    return {
        "docs/reference/scorecard.md": "\n".join((HEADER, INTRODUCTION, page(rows, targets))),
        "README.md": readme,
    }


def keep(card: Scorecard) -> None:
    """Store the rows and the plots of all studies, and write the documents."""
    write_text(STUDIES / "scorecard.json", json_text(card.to_dict()))
    for each in card.studies:
        write_text(STUDIES / each.study.spec.id / "printed.svg", draw_printed(each))
    write(documents())
