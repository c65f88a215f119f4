"""`linecard queueing settings`: list every setting of the simulated machine."""

from __future__ import annotations

import linecard
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.queueing.options import Machine, Set
from linecard.queueing.settings import MACHINE


def settings(
    machine: Machine = MACHINE,
    set: Set = None,  # the name of the option
    json: Json = False,
    output: Output = None,
) -> None:
    """List every setting of the simulated machine with its value, unit, meaning and source.

    **Examples**

        linecard queueing settings

        linecard queueing settings --set threads=16 --json
    """
    outputs = Outputs(json, output)
    outputs.give(linecard.queueing_settings(set, machine=machine))
