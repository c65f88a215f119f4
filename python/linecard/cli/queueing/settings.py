"""`linecard queueing settings`: list every setting of the simulated machine."""

from __future__ import annotations

from typing import Any

import linecard
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.question import asks


@asks(linecard.queueing_settings)
def settings(json: Json = False, output: Output = None, *, asked: dict[str, Any]) -> None:
    """List every setting of the simulated machine with its value, unit, meaning and source.

    **Examples**

        linecard queueing settings

        linecard queueing settings --set threads=16 --json
    """
    outputs = Outputs(json, output)
    outputs.give(linecard.queueing_settings(**asked))
