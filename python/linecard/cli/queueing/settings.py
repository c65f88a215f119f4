"""`linecard queueing settings`: list every setting of the simulated machine."""

from __future__ import annotations

from typing import Any

import linecard
from linecard.cli.output import Outputs
from linecard.cli.question import asks


@asks(linecard.queueing_settings)
def settings(outputs: Outputs, asked: dict[str, Any]) -> None:
    """List every setting of the simulated machine with its value, unit, meaning and source.

    **Examples**

        linecard queueing settings

        linecard queueing settings --set threads=16 --json
    """
    outputs.give(linecard.queueing_settings(**asked))
