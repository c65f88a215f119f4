"""`linecard presets` and `linecard describe`: the presets that ship with Linecard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import linecard
from linecard.cli.output import Outputs
from linecard.cli.question import ARGUMENT, Word, asks

if TYPE_CHECKING:
    from linecard._reports import PresetInfo
    from linecard.view import Table

NAMES_SHOWN = 5


@asks(linecard.presets, kind=Word(ARGUMENT, "KIND"))
def presets(outputs: Outputs, asked: dict[str, Any]) -> None:
    """List the shipped presets: a summary by kind, the presets of one kind, or the presets that match search words.

    **Examples**

        linecard presets

        linecard presets platforms

        linecard presets --search ddr4

        linecard presets --json
    """
    from linecard.cli import stderr, stdout
    from linecard.cli.screen import screen

    found = linecard.presets(**asked)
    if not any(asked.values()) and not outputs.json:
        if outputs.screen:
            stdout.show(*screen([_kinds(found)]))
        outputs.write(found)
    elif found or outputs.json:
        outputs.give(found)
    else:
        stderr.note(
            f"no preset matches all words of `{asked['search']}`; linecard presets KIND lists the presets of a kind"
        )


def _kinds(found: Sequence[PresetInfo]) -> Table:
    """The number of presets of each kind, and some of their names."""
    from linecard.catalogue import KINDS
    from linecard.view import Lines, Said, Table, text, wide

    rows = []
    for kind, meaning in KINDS.items():
        of_kind = [each for each in found if each.kind == kind]
        # Presets that extend nothing come first: the others are variants of them.
        names = [each.name for each in sorted(of_kind, key=lambda each: len(each.extends))]
        more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        rows.append((Said(kind), len(names), Lines(meaning, ", ".join(names[:NAMES_SHOWN]) + more)))
    words = (
        "linecard presets KIND lists the presets of a kind, --search WORD finds presets, "
        "linecard describe PRESET shows one"
    )
    columns = (text("kind"), "presets", wide("meaning and examples"))
    return Table("", columns, rows, below=(Said(words, "dim"),))


@asks(linecard.describe)
def describe(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Show every parameter of a preset with its unit and source, and the derived values.

    If the preset extends another preset, the parameters that the preset changes come first.

    **Examples**

        linecard describe ixp1200

        linecard describe hasan2003_all_pf --set dram.banks=2 --json
    """
    outputs.give(linecard.describe(**asked))
