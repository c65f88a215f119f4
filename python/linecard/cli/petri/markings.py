"""`linecard petri explore` and `solve`: find all reachable markings and the steady state of a Petri net."""

from __future__ import annotations

from typing import Any

from linecard import petri
from linecard.cli import stderr
from linecard.cli.output import Outputs
from linecard.cli.question import asks


@asks(petri.explore)
def explore(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Find all reachable markings, the bounds and the deadlocks of a net; the search ignores times and priorities.

    The command first unfolds a coloured net. If the search reaches `--limit`, the command reports the limit and prints
    the markings found so far. The output of the exploration does not depend on `--jobs`.

    **Examples**

        linecard petri explore model.pnml

        linecard petri explore model.toml --limit 100000 --invariants --json
    """
    found = outputs.of(petri.explore, asked, "Exploring", "markings")
    for name, flows in (("P-invariants", found.place_invariants), ("T-invariants", found.transition_invariants)):
        if asked["invariants"] and flows is None:
            stderr.note(f"{name}: too many invariants to enumerate")


@asks(petri.solve)
def solve(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Compute the exact steady state of a net with exponential and immediate transitions.

    **Examples**

        linecard petri solve model.toml

        linecard petri solve model.toml --json
    """
    outputs.of(petri.solve, asked, "Solving", "markings")
