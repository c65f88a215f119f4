"""`linecard program list`: the shipped programs."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard
from linecard.cli.asked import prints
from linecard.cli.output import Outputs


@prints
def list_programs(
    xdp: Annotated[bool, typer.Option("--xdp", help="List XDP programs instead of programs for RISC-V.")] = False,
    *,
    outputs: Outputs,
) -> None:
    """List the shipped programs.

    **Examples**

        linecard program list

        linecard program list --xdp

        linecard program list --json
    """
    outputs.give(linecard.xdp_programs() if xdp else linecard.programs())
