"""`linecard program rows`: schedule an XDP program into rows, whose instructions execute in the same cycle."""

from __future__ import annotations

from typing import Any

import linecard
from linecard.cli.output import Outputs
from linecard.cli.question import Word, asks


@asks(linecard.xdp_rows, "kept_arguments", "path_exits", lanes=Word(least=1, most=8), isa=Word(least=1, most=4))
def rows(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Schedule an XDP program into rows of instructions, for a processor that executes one row per cycle.

    The command prints the program's number of rows for each number of lanes from 1 to N. For N lanes, the command also
    prints the number of rows of each basic block. The preset `hxdp` is a processor that executes one row per cycle.
    Linecard's list scheduler forms the rows, in place of the processor's compiler. For each packet, the processor
    executes the rows of the basic blocks on the packet's path.

    **Examples**

        linecard program rows parse_count

        linecard program rows my_xdp.c --lanes 8 -D N=8

        linecard program rows my_xdp.o --section xdp --json
    """
    outputs.give(linecard.xdp_rows(**asked))
