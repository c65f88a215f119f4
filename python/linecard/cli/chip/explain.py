"""`linecard explain`: the meaning of a term."""

from __future__ import annotations

from typing import Any

import linecard
from linecard.cli.output import Outputs
from linecard.cli.question import asks


@asks(linecard.explain)
def explain(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Explain a term that occurs on screens, in files or in documents.

    **Examples**

        linecard explain

        linecard explain "row hit"

        linecard explain NDR --json
    """
    outputs.give(linecard.explain(**asked))
