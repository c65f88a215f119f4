"""`linecard petri convert`: write a net as PNML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linecard.cli import stderr
from linecard.cli.petri.options import Net, Set


def convert(
    net: Net,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="PNML file to write.")],
    unfold: Annotated[
        bool, typer.Option("--unfold", help="Unfold a coloured net into places and transitions.")
    ] = False,
    overrides: Set = None,
) -> None:
    """Write a Petri net as PNML.

    The PNML file contains the firing times of transitions in `toolspecific` blocks; the command preserves
    `toolspecific` blocks of other tools.

    **Examples**

        linecard petri convert model.toml -o model.pnml

        linecard petri convert coloured.pnml --unfold -o plain.pnml
    """
    from linecard import petri
    from linecard.files import check_outputs, write_text

    check_outputs(output)
    write_text(output, petri.pnml(net, unfold=unfold, overrides=overrides or ()))
    stderr.note_written([output])
