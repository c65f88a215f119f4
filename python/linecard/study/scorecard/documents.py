"""What the documents say of the scorecard, from the rows that ``linecard reproduce --scorecard --json`` printed.

``make scorecard`` keeps those rows in ``studies/scorecard.json`` and writes the documents; a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linecard.study.scorecard import evaluators_of, quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from linecard.study.targets import Target

Row = Mapping[str, Any]
SIGNS = {"at_most": "≤ ", "at_least": "≥ ", "violations": "≤ ", "shape": ""}


def numbers(row: Row, target: Target) -> tuple[str, str]:
    """Limit and measured number of a row, in words."""
    unit = evaluators_of(row["study"])[row["id"]][0]

    def words(value: float | str | None) -> str:
        return value if isinstance(value, str) else quantity(value, unit)

    return SIGNS[target.kind] + words(row["limit"]), words(row["measured"])


def overview(rows: Iterable[Row], targets: Sequence[Target]) -> str:
    """The table of the README: a row per study, with the limits that it misses."""
    rows = list(rows)
    of = {target.id: target for target in targets}
    shown = ["| study | kept | missed: measured, limit |", "|---|---|---|"]
    for study in dict.fromkeys(row["study"] for row in rows):
        own = [row for row in rows if row["study"] == study]
        missed = []
        for row in own:
            if not row["kept"]:
                limit, measured = numbers(row, of[row["id"]])
                missed.append(f"{row['id']} {measured}, {limit}")
        kept = f"{len(own) - len(missed)} of {len(own)}"
        shown.append(f"| [`{study}`](studies/{study}/README.md) | {kept} | {'; '.join(missed) or 'none'} |")
    kept_in_all = sum(bool(row["kept"]) for row in rows)
    return f"**{kept_in_all} of {len(rows)} limits are kept.**\n\n" + "\n".join(shown) + "\n"


def page(rows: Iterable[Row], targets: Sequence[Target]) -> str:
    """The page with every limit, what is measured against it, and why it is missed."""
    rows = list(rows)
    of = {target.id: target for target in targets}
    parts = []
    for study in dict.fromkeys(row["study"] for row in rows):
        own = [row for row in rows if row["study"] == study]
        parts += [f"## {study}\n", "| line | what | limit | measured | kept | calibrated inside | why it is missed |"]
        parts.append("|---|---|---|---|---|---|---|")
        for row in own:
            target = of[row["id"]]
            limit, measured = numbers(row, target)
            cells = (row["id"], target.what, limit, measured, "yes" if row["kept"] else "**no**")
            last = (str(row["calibrated_cells"] or ""), row["reason"])
            parts.append("| " + " | ".join(text.replace("|", "\\|") for text in (*cells, *last)) + " |")
        parts.append("")
    return "\n".join(parts)
