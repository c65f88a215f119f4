"""`linecard petri explore` and `solve`: find all markings of a net, and its steady state."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli import stderr
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.petri.options import Limit, Net, Set


def explore(
    net: Net,
    limit: Limit = 10_000_000,
    invariants: Annotated[
        bool, typer.Option("--invariants", help="Compute P- and T-invariants: the minimal semiflows.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of markings explored in parallel; by default, one per CPU core."),
    ] = None,
    overrides: Set = None,
    json: Json = False,
    output: Output = None,
) -> None:
    """Find all reachable markings, the bounds and the deadlocks of a net; the search ignores times and priorities.

    The command first unfolds a coloured net. If the search reaches `--limit`, the command reports the limit and prints
    the markings found so far. The output of the exploration does not depend on `--jobs`.

    **Examples**

        linecard petri explore model.pnml

        linecard petri explore model.toml --limit 100000 --invariants --json
    """
    from linecard import petri

    outputs = Outputs(json, output)
    with stderr.progress("Exploring", "markings") as progress:
        found = petri.explore(
            net, limit, invariants=invariants, jobs=jobs, overrides=overrides or (), progress=progress
        )
    outputs.give(found)
    for name, flows in (("P-invariants", found.place_invariants), ("T-invariants", found.transition_invariants)):
        if invariants and flows is None:
            stderr.note(f"{name}: too many invariants to enumerate")


def solve(
    net: Net,
    limit: Limit = 10_000_000,
    overrides: Set = None,
    json: Json = False,
    output: Output = None,
) -> None:
    """Compute the exact steady state of a net with exponential and immediate transitions.

    **Examples**

        linecard petri solve model.toml

        linecard petri solve model.toml --json
    """
    from linecard import petri

    outputs = Outputs(json, output)
    with stderr.progress("Solving", "markings") as progress:
        found = petri.solve(net, limit, overrides=overrides or (), progress=progress)
    outputs.give(found)
