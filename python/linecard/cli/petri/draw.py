"""`linecard petri draw`: a picture of a net."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linecard.cli import stderr
from linecard.cli.petri.options import Net, Set


def draw(
    net: Net,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Drawing to write: .svg or .dot.")],
    overrides: Set = None,
) -> None:
    """Draw a net: SVG with a computed layout, or DOT for Graphviz.

    Places are circles; a queue has a second ring. Timed transitions are open bars, immediate ones filled bars. Each
    module has a box, and long chains are in columns. The name of a place beside a transition replaces an arc across the
    page. In a browser it links to the place, and a shortened text shows in full under the pointer.

    **Examples**

        linecard petri draw model.toml -o model.svg

        linecard petri draw girish2008_dram -o dram.dot
    """
    from linecard import petri
    from linecard.errors import ConfigError, ConfigProblem
    from linecard.files import check_outputs, write_text

    if output.suffix not in {".svg", ".dot"}:
        raise ConfigError.of(
            [ConfigProblem("--output", "", f"found {output.name}, expected a name ending in .svg or .dot")]
        )
    check_outputs(output)
    parts = petri.parts(net, overrides=overrides or ())
    write_text(output, parts.to_svg() if output.suffix == ".svg" else parts.to_dot())
    stderr.note_written([output])
