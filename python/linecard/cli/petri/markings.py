"""`linecard petri explore` and `solve`: every marking of a net, and its steady state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from linecard.cli import stderr, stdout
from linecard.cli.options import Html
from linecard.cli.petri.options import Json, Limit, Net, Set, print_facts
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from pathlib import Path

    from linecard.petri.result import Explored, Solved


def explore(
    net: Net,
    limit: Limit = 10_000_000,
    invariants: Annotated[
        bool, typer.Option("--invariants", help="Find P- and T-invariants: the minimal semiflows.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Markings at the same time; one per core if left out.")
    ] = None,
    overrides: Set = None,
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Find every marking of a net, its bounds and its dead ends. Time and priorities play no part.

    A coloured net is unfolded first. A search that reaches the limit says so and shows what it found. The same command
    prints the same bytes, whatever `--jobs`.

    **Examples**

        linecard petri explore model.pnml

        linecard petri explore model.toml --limit 100000 --invariants --json
    """
    from linecard import petri

    files = Files(csv, parquet, html)
    with stderr.progress("Exploring", "markings") as progress:
        found = petri.explore(
            net, limit, invariants=invariants, jobs=jobs, overrides=overrides or (), progress=progress
        )
    if json:
        stdout.print_json(found.to_dict())
    else:
        _print_explored(found, net, invariants=invariants)
    said = f"{found.reachable_markings:,} markings" + ("" if found.complete else ", stopped at the limit")
    files.write(found.table(), found.net or net.name, said)


def _print_explored(found: Explored, net: Path, *, invariants: bool) -> None:
    facts = [
        ("Markings", f"{found.reachable_markings:,}" + ("" if found.complete else ", stopped at the limit")),
        ("Edges", f"{found.edges:,}"),
        ("Dead", f"{found.dead_markings:,} markings"),
        ("Tokens", f"at most {found.max_tokens_in_place:,} in a place, {found.max_tokens_in_marking:,} in a marking"),
        ("Never enabled", f"{found.never_enabled_transitions:,} of {found.transitions:,} transitions"),
    ]
    if found.unbounded_places:
        facts.append(("Unbounded", ", ".join(found.unbounded_places)))
    for name, flows in (("P-invariants", found.place_invariants), ("T-invariants", found.transition_invariants)):
        if flows is not None:
            facts += [(name if not at else "", _flow(flow)) for at, flow in enumerate(flows[:20])] or [(name, "none")]
            facts += [("", f"and {len(flows) - 20:,} more; --json has them all")] if len(flows) > 20 else []
        elif invariants:
            facts.append((name, "too many to be found"))
    print_facts(found.net or net.name, facts, "Bounds", ((name, f"{bound:,}") for name, bound in found.bounds.items()))


def solve(
    net: Net,
    limit: Limit = 10_000_000,
    overrides: Set = None,
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Solve for the steady state of a net with exponential and immediate transitions, exactly.

    **Examples**

        linecard petri solve model.toml

        linecard petri solve model.toml --json
    """
    from linecard import petri

    files = Files(csv, parquet, html)
    with stderr.progress("Solving", "markings") as progress:
        found = petri.solve(net, limit, overrides=overrides or (), progress=progress)
    if json:
        stdout.print_json(found.to_dict())
    else:
        _print_solved(found, net)
    files.write(found.table(), found.net or net.name, f"{found.tangible_markings:,} tangible markings; steady state")


def _print_solved(found: Solved, net: Path) -> None:
    facts = [("Markings", f"{found.tangible_markings:,} tangible, {found.vanishing_markings:,} vanishing")]
    rows = [(name, f"{value:.6g} firings") for name, value in found.throughput.items()]
    rows += [(name, f"{value:.6g} tokens") for name, value in found.mean_tokens.items()]
    print_facts(found.net or net.name, facts, "Steady state", rows)


def _flow(flow: dict[str, int]) -> str:
    return " + ".join(name if weight == 1 else f"{weight} {name}" for name, weight in flow.items())
