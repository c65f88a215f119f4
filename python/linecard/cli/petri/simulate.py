"""`linecard petri simulate`: a net in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from linecard.cli import stderr, stdout
from linecard.cli.options import Html
from linecard.cli.petri.options import Json, Net, Set, print_facts
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from linecard.petri.result import Simulated


def simulate(
    net: Net,
    time: Annotated[float, typer.Option(metavar="T", help="Time with statistics of each replication.")] = 10_000.0,
    warmup: Annotated[
        float | None, typer.Option(metavar="T", help="Time before; a tenth of --time if left out.")
    ] = None,
    replications: Annotated[int, typer.Option(metavar="N", help="Replications, each with a seed of its own.")] = 10,
    accuracy: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Go on until half of each 95 % interval is this share of its mean."),
    ] = None,
    of: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A place or transition that --accuracy is for; else all.")
    ] = None,
    most_replications: Annotated[int, typer.Option(metavar="N", help="Where --accuracy gives up.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the first replication.")] = 1,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Replications at the same time; one per core if left out.")
    ] = None,
    overrides: Set = None,
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Simulate a net: throughputs and mean tokens with 95 % intervals over replications.

    The same command prints the same bytes, whatever `--jobs`.

    **Examples**

        linecard petri simulate model.toml

        linecard petri simulate model.toml --time 100000 --replications 20 --json

        linecard petri simulate model.toml --accuracy 0.01 --of serve
    """
    from linecard import petri

    files = Files(csv, parquet, html)
    with stderr.progress("Simulating", "thousandths of a replication") as progress:
        found = petri.simulate(
            net,
            time,
            warmup=warmup,
            replications=replications,
            accuracy=accuracy,
            of=of or (),
            most_replications=most_replications,
            seed=seed,
            jobs=jobs,
            overrides=overrides or (),
            progress=progress,
        )
    if json:
        stdout.print_json(found.to_dict())
    else:
        _print_simulated(found, net, accuracy)
    said = f"{found.replications} of time {found.time:g}, {found.firings:,} firings; 95 % intervals"
    files.write(found.table(), found.net or net.name, said)


def _print_simulated(found: Simulated, net: Path, accuracy: float | None) -> None:
    facts = [("Runs", f"{found.replications} of time {found.time:g}, {found.firings:,} firings")]
    if accuracy is not None and found.relative_half_width is not None:
        reached = "reached" if found.relative_half_width <= accuracy else "not reached"
        facts.append(("Accuracy", f"{found.relative_half_width:.2g} of the mean, {reached}"))
    if found.dead_replications:
        facts.append(("Dead", f"in {found.dead_replications} of them nothing was enabled any more"))

    def rows() -> Iterable[tuple[str, str]]:
        for name, mean in found.throughput.items():
            busy = f", {found.busy_servers[name]:.4g} servers busy" if found.busy_servers[name] else ""
            yield name, f"{mean:.6g} ± {found.throughput_half_width[name]:.2g} firings{busy}"
        for name, mean in found.rewards.items():
            yield name, f"{mean:.6g} ± {found.rewards_half_width[name]:.2g} reward"
        for name, mean in found.mean_tokens.items():
            if mean:
                yield name, f"{mean:.6g} ± {found.mean_tokens_half_width[name]:.2g} tokens"
        empty = [name for name, mean in found.mean_tokens.items() if not mean]
        if empty:
            yield "always empty", ", ".join(empty)

    print_facts(found.net or net.name, facts, "In a unit of time, and on average", rows())
