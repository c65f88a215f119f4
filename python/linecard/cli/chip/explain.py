"""`linecard explain`: the meaning of a term."""

from __future__ import annotations

from typing import Any

import linecard
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.question import asks


@asks(linecard.explain)
def explain(json: Json = False, output: Output = None, *, asked: dict[str, Any]) -> None:
    """Explain a term that occurs on screens, in files or in documents.

    **Examples**

        linecard explain

        linecard explain "row hit"

        linecard explain NDR --json
    """
    outputs = Outputs(json, output)
    outputs.give(linecard.explain(**asked))
