"""`linecard compare-models`: compare the event-driven model of the IXP2400 with its Petri net."""

from __future__ import annotations

from typing import Any

import typer

import linecard
from linecard.cli.options import Exit
from linecard.cli.output import Outputs
from linecard.cli.question import Word, asks


@asks(
    linecard.compare_models,
    threads=Word(metavar="MxN,…"),
    traffic=Word(metavar="NAME,…"),
    schemes=Word("--scheme", "NAME,…"),
    packets=Word(least=1),
)
def compare_models(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Run both models of the IXP2400 on a grid of configurations, and print the difference of every metric.

    The event-driven model and the Petri net use the same preset. The comparison passes if, at every point, throughput
    differs by at most 3 % and every utilisation by at most 5 percentage points. If the comparison fails, the exit
    status is 1.

    **Examples**

        linecard compare-models

        linecard compare-models --threads 4x4 --traffic 64,PSC --scheme BASE,FCB+TB

        linecard compare-models --json
    """
    if not outputs.of(linecard.compare_models, asked, "Comparing", "points").passed:
        raise typer.Exit(Exit.CHECK_FAILED)
