"""`linecard petri`: explore, solve and simulate Petri nets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from linecard.cli import screen
from linecard.cli.common import JSON_HELP

if TYPE_CHECKING:
    from collections.abc import Iterable

app = typer.Typer(
    help="Petri nets: explore their markings, solve for the steady state, simulate.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Net = Annotated[
    Path, typer.Argument(metavar="FILE", help="A net: PNML (.pnml, .xml), TOML, or the name of a shipped net.")
]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter of the net.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="Markings at which the search stops.")]
Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]


@app.command("explore")
def explore(
    net: Net,
    limit: Limit = 10_000_000,
    invariants: Annotated[
        bool, typer.Option("--invariants", help="Find P- and T-invariants: the minimal semiflows.")
    ] = False,
    overrides: Set = None,
    json: Json = False,
) -> None:
    """Find every marking of a net, its bounds and its dead ends. Time and priorities play no part.

    A coloured net is unfolded first. A search that reaches the limit says so and shows what it found.

    **Examples**

        linecard petri explore model.pnml

        linecard petri explore model.toml --limit 100000 --invariants --json
    """
    from linecard import petri

    with screen.progress("Exploring", "markings") as progress:
        found = petri.explore(net, limit, invariants=invariants, overrides=overrides or (), progress=progress)
    if json:
        screen.print_json(found.to_dict())
        return
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
    _print(found.net or net.name, facts, "Bounds", ((name, f"{bound:,}") for name, bound in found.bounds.items()))


@app.command("solve")
def solve(net: Net, limit: Limit = 10_000_000, overrides: Set = None, json: Json = False) -> None:
    """Solve for the steady state of a net with exponential and immediate transitions, exactly.

    **Examples**

        linecard petri solve model.toml

        linecard petri solve model.toml --json
    """
    from linecard import petri

    with screen.progress("Solving", "markings") as progress:
        found = petri.solve(net, limit, overrides=overrides or (), progress=progress)
    if json:
        screen.print_json(found.to_dict())
        return
    facts = [("Markings", f"{found.tangible_markings:,} tangible, {found.vanishing_markings:,} vanishing")]
    rows = [(name, f"{value:.6g} firings") for name, value in found.throughput.items()]
    rows += [(name, f"{value:.6g} tokens") for name, value in found.mean_tokens.items()]
    _print(found.net or net.name, facts, "Steady state", rows)


@app.command("simulate")
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
    threads: Annotated[
        int | None, typer.Option(metavar="N", help="Replications at the same time; one per core if left out.")
    ] = None,
    overrides: Set = None,
    json: Json = False,
) -> None:
    """Simulate a net: throughputs and mean tokens with 95 % intervals over replications.

    The same command prints the same bytes, whatever `--threads`.

    **Examples**

        linecard petri simulate model.toml

        linecard petri simulate model.toml --time 100000 --replications 20 --json

        linecard petri simulate model.toml --accuracy 0.01 --of serve
    """
    from linecard import petri

    with screen.progress("Simulating", "thousandths of a replication") as progress:
        found = petri.simulate(
            net,
            time,
            warmup=warmup,
            replications=replications,
            accuracy=accuracy,
            of=of or (),
            most_replications=most_replications,
            seed=seed,
            threads=threads,
            overrides=overrides or (),
            progress=progress,
        )
    if json:
        screen.print_json(found.to_dict())
        return
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
            yield name, f"{mean:.6g} ± {found.mean_tokens_half_width[name]:.2g} tokens"

    _print(found.net or net.name, facts, "In a unit of time, and on average", rows())


@app.command("draw")
def draw(
    net: Net,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Picture: .svg or .dot.")],
    overrides: Set = None,
) -> None:
    """Draw a net: SVG with a layout of its own, or DOT for Graphviz.

    Places are round, queues with a second ring; timed transitions are open, immediate ones filled.

    **Examples**

        linecard petri draw model.toml -o model.svg

        linecard petri draw girish2008_dram -o dram.dot
    """
    from linecard import petri
    from linecard.errors import ConfigError, ConfigProblem
    from linecard.files import check_outputs, write_text

    if output.suffix not in {".svg", ".dot"}:
        raise ConfigError.of(
            [ConfigProblem("--output", "", f"found {output.name}, expected a name ending in .svg or .dot")]
        )
    check_outputs(output)
    parts = petri.parts(net, overrides=overrides or ())
    write_text(output, parts.to_svg() if output.suffix == ".svg" else parts.to_dot())
    screen.note_written([output])


@app.command("convert")
def convert(
    net: Net,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="PNML file.")],
    unfold: Annotated[bool, typer.Option("--unfold", help="Write a coloured net as places and transitions.")] = False,
    overrides: Set = None,
) -> None:
    """Write a net as PNML; times go into toolspecific blocks, and those of other tools stay.

    **Examples**

        linecard petri convert model.toml -o model.pnml

        linecard petri convert coloured.pnml --unfold -o plain.pnml
    """
    from linecard import petri
    from linecard.files import check_outputs, write_text

    check_outputs(output)
    write_text(output, petri.pnml(net, unfold=unfold, overrides=overrides or ()))
    screen.note_written([output])


@app.command("trace")
def trace(
    net: Net,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Trace for ui.perfetto.dev (JSON).")],
    time: Annotated[float, typer.Option(metavar="T", help="Time at which the run ends.")] = 10_000.0,
    firings: Annotated[int, typer.Option(min=1, metavar="N", help="Firings at most.")] = 100_000,
    unit_us: Annotated[float, typer.Option(metavar="US", help="Microseconds that stand for a unit of time.")] = 1.0,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the run.")] = 1,
    overrides: Set = None,
) -> None:
    """Write the firings of a run and the tokens of every place as a timeline that opens in Perfetto.

    **Examples**

        linecard petri trace model.toml -o model.json --time 100

        linecard petri trace girish2008_dram -o dram.json --time 2000 --unit-us 0.001
    """
    from linecard import petri
    from linecard.files import check_outputs, write_text
    from linecard.petri.timeline import to_perfetto

    check_outputs(output)
    found = petri.firings(net, firings, time=time, seed=seed, overrides=overrides or ())
    parts = petri.parts(net, overrides=overrides or ())
    write_text(output, to_perfetto(parts, found, unit_us))
    screen.note_written([output])


# Firings that are asked for at once while somebody steps.
_CHUNK = 1000


@app.command("step")
def step(
    net: Net,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the run.")] = 1,
    overrides: Set = None,
) -> None:
    """Step through a run, by commands from the keyboard or from a pipe.

    An empty line or `n` fires once, a number fires so many times, `t TIME` goes on until that time, `m` shows the
    marking,
    `q` ends.

    **Examples**

        linecard petri step model.toml

        yes "" | head -5 | linecard petri step model.toml
    """
    import sys

    from linecard import petri

    parts = petri.parts(net, overrides=overrides or ())
    tokens = [place.tokens for place in parts.places]
    run: list[petri.Firing] = []
    done, now = 0, 0.0

    def marking() -> str:
        held = (f"{place.name} {count}" for place, count in zip(parts.places, tokens, strict=True) if count)
        return ", ".join(held) or "no tokens"

    def upcoming() -> petri.Firing | None:
        nonlocal run
        if not run:
            run = petri.firings(net, _CHUNK, first=done, seed=seed, overrides=overrides or ())
        return run[0] if run else None

    def fire() -> bool:
        nonlocal done, now, tokens
        firing = upcoming()
        if firing is None:
            typer.echo("nothing is enabled")
            return False
        run.pop(0)
        changes = [
            f"{place.name} {before} → {after}"
            for place, before, after in zip(parts.places, tokens, firing.tokens, strict=True)
            if before != after
        ]
        done, now, tokens = done + 1, firing.time, firing.tokens
        binding = "" if firing.binding == "no variables" else f" ({firing.binding})"
        name = parts.transitions[firing.transition].name
        typer.echo(f"{done:6}  {now:12.6g}  {name}{binding}: {', '.join(changes) or 'no change'}")
        return True

    shows_prompt = sys.stdin.isatty()
    typer.echo(f"{parts.net or net.name}: {marking()}")
    while True:
        if shows_prompt:
            typer.echo("> ", nl=False)
        line = sys.stdin.readline()
        word = line.strip()
        if not line or word == "q":
            return
        if word in {"", "n"}:
            fire()
        elif word.isdigit():
            for _ in range(int(word)):
                if not fire():
                    break
        elif word == "m":
            typer.echo(f"at {now:g}: {marking()}")
        elif word.startswith("t ") and _is_number(word[2:]):
            while (following := upcoming()) is not None and following.time <= float(word[2:]):
                fire()
        else:
            typer.echo("expected n, a number of firings, t TIME, m or q")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _flow(flow: dict[str, int]) -> str:
    return " + ".join(name if weight == 1 else f"{weight} {name}" for name, weight in flow.items())


def _print(title: str, facts: Iterable[tuple[str, str]], heading: str, rows: Iterable[tuple[str, str]]) -> None:
    table = screen.grid("l", "w")
    for name, value in facts:
        table.add_row(Text(name, style=screen.DIM), value)
    values = screen.grid("l", "w")
    for name, value in rows:
        values.add_row(Text(name), value)
    screen.show(
        Padding(Text(title, style="bold"), (1, 0, 0, 2)),
        screen.section(table),
        screen.section(screen.heading(heading), values),
        Text(""),
    )
