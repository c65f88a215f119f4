"""`linecard petri draw`: draw a net."""

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
    """Draw a Petri net as SVG with a computed layout, or as DOT for Graphviz.

    Places are circles; queues (places with ordered tokens) are double circles. Timed transitions are open bars, and
    immediate transitions are filled bars. A box encloses each module. Instead of an arc that would cross the page, the
    drawing shows the name of the place beside the transition. In a browser, a place name beside a transition links to
    the place. Tooltips show the full form of shortened texts.

    **Examples**

        linecard petri draw model.toml -o model.svg

        linecard petri draw girish2008_dram -o dram.dot
    """
    from linecard import petri
    from linecard.errors import ConfigError
    from linecard.files import check_outputs, write_text

    if output.suffix not in {".svg", ".dot"}:
        raise ConfigError.at("--output", "", f"found {output.name}, expected a name ending in .svg or .dot")
    check_outputs(output)
    parts = petri.parts(net, overrides=overrides or ())
    write_text(output, parts.to_svg() if output.suffix == ".svg" else parts.to_dot())
    stderr.note_written([output])
