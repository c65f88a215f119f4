"""`linecard program list`: the shipped programs."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard
from linecard.cli.output import Json, Output, Outputs


def list_programs(
    xdp: Annotated[bool, typer.Option("--xdp", help="List XDP programs instead of programs for RISC-V.")] = False,
    json: Json = False,
    output: Output = None,
) -> None:
    """List the shipped programs.

    **Examples**

        linecard program list

        linecard program list --xdp

        linecard program list --json
    """
    outputs = Outputs(json, output)
    outputs.give(linecard.xdp_programs() if xdp else linecard.programs())
