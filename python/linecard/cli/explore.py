"""`linecard sweep`, `optimize`, `why`, `ndr`, `compare`, `results`: a space of designs, and questions on one or two."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from linecard.cli import screen
from linecard.cli.common import EPILOG, JSON_HELP, Exit, Html, command_line
from linecard.errors import ConfigError, ConfigProblem

if TYPE_CHECKING:
    from linecard.explore.compare_result import CompareResult
    from linecard.explore.estimate import Estimate
    from linecard.explore.execute import Interrupted
    from linecard.explore.ndr_result import NdrResult
    from linecard.explore.optimize_result import OptimizeResult
    from linecard.explore.result import SweepResult
    from linecard.explore.spec import Spec
    from linecard.explore.store import Store, StoreUse
    from linecard.explore.why_result import WhyResult

STORE = Path("results/store")
_ROWS_SHOWN = 40
_REASONS_SHOWN = 5

StoreOption = Annotated[
    Path, typer.Option("--store", metavar="DIR", help="Folder that keeps finished runs; each is run once.")
]
Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Runs at the same time; one per core if left out.")
]
Executor = Annotated[
    str, typer.Option(metavar="NAME", help="threads, dask (workers of its own) or dask:ADDRESS (extra: dask).")
]

app = typer.Typer(help="Look after the folder that keeps finished runs.", no_args_is_help=True)


def register(root: typer.Typer) -> None:
    """Add the commands to the command line."""
    root.command(epilog=EPILOG)(sweep)
    root.command(epilog=EPILOG)(why)
    root.command(epilog=EPILOG)(ndr)
    root.command(epilog=EPILOG)(compare)
    root.command(epilog=EPILOG)(optimize)
    root.add_typer(app, name="results", epilog=EPILOG)


def sweep(
    target: Annotated[
        str,
        typer.Argument(metavar="TARGET", help="A sweep's file, or what is run: a design, or as --what says."),
    ],
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="KEY=VALUES",
            help="An axis; repeatable. `;` between axes that go together value by value.",
        ),
    ] = None,
    what: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What is run: run (designs), ndr, core, program, xdp, flowcache, dram, queueing or petri.",
        ),
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Of all points; repeatable.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="EXPRESSION", help="Only points for which this holds; repeatable."),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="NAME=EXPRESSION", help="A column that follows from others; repeatable."),
    ] = None,
    repeat: Annotated[int | None, typer.Option(metavar="N", help="Seeds of each point.")] = None,
    sample: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="Draw points instead of all: sobol or latin_hypercube (extra: explore)."),
    ] = None,
    points: Annotated[int | None, typer.Option(metavar="N", help="Points to draw.")] = None,
    sample_seed: Annotated[int, typer.Option(metavar="N", help="Seed of the drawing.")] = 1,
    app_name: Annotated[str | None, typer.Option("--app", metavar="NAME", help="Application of all points.")] = None,
    trace: Annotated[str | None, typer.Option(metavar="CAPTURE", help="Capture of all points.")] = None,
    packets: Annotated[int | None, typer.Option(metavar="N", help="Packets of all points, as of `run`.")] = None,
    warmup: Annotated[int | None, typer.Option(metavar="N", help="Warm-up of all points, as of `run`.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of all points; the first with --repeat.")] = None,
    store: StoreOption = STORE,
    jobs: Jobs = None,
    executor: Executor = "threads",
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Only every N-th point from the I-th on: one job of an array.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say how many runs there are and how long they take.")
    ] = False,
    json: Json = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table as CSV.")] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="FILE", help="The same as Parquet (extra: frames).")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained page to explore it in.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw a column over an axis: .png or .svg (extra: plot)."),
    ] = None,
    across: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column of the plot's horizontal axis; the first axis if left out."),
    ] = None,
    up: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of its vertical axis; the first number if left out.")
    ] = None,
) -> None:
    """Run every point of a space of designs, and print one table.

    A value list is `1,2,4` or a range: `5..10`, `5..10 step 2`, `1..64 times 2`, `0.5..2 points 4`,
    `1..1000 log points 4`. Finished runs are kept by content: the same sweep again, after a kill, or with a longer axis
    runs only what is missing. Points that are refused or fail are rows with the reason and the command that repeats
    them. How many runs were found, run and refused goes to stderr; the table is the same either way. `--dry-run` runs
    up to three points to learn how long they take, and keeps them. Status 4 says that a run failed, 2 that all were
    refused.

    **Examples**

        linecard sweep example_smartnic --vary 'island.threads=1,2,4,8' --vary 'packets.part=ddr4_2400,hbm2'

        linecard sweep sweep.toml --dry-run

        linecard sweep example_smartnic --vary 'island.count=2..8 step 2' --where 'island.count * engines <= 48' --json

        linecard sweep ddr4_2400 --what dram --set pattern=random --vary policy=frfcfs_open,frfcfs_closed --csv dram.csv

        linecard sweep sweep.toml --shard 3/20 --store /shared/store

        linecard sweep sweep.toml --plot rate.svg --across island.threads --up throughput_gbps
    """
    from linecard.explore.execute import Interrupted
    from linecard.explore.store import Store
    from linecard.explore.sweep import run_sweep
    from linecard.files import check_outputs
    from linecard.records import need_polars

    if parquet is not None:
        need_polars()
    check_outputs(csv, parquet, html, plot)
    named = {"app": app_name, "trace": trace, "packets": packets, "warmup_packets": warmup, "seed": seed}
    spec = _spec(
        target,
        vary or (),
        what,
        set or (),
        named,
        where or (),
        column or (),
        repeat,
        (sample, points, sample_seed),
    )
    part = _shard(shard)
    kept = Store(store)
    try:
        with screen.progress("Simulating", "runs") as progress:
            if dry_run:
                _print_estimate(_estimate(spec, kept, jobs, part, progress), json=json)
                return
            result = run_sweep(spec, store=kept, jobs=jobs, executor=executor, shard=part, progress=progress)
    except Interrupted as stopped:
        _say_how_to_go_on(stopped, kept)
        raise
    # The result goes out before anything that can still fail.
    if json:
        screen.print_json(result.to_dict())
    else:
        print_sweep(result)
    for warning in result.warnings:
        screen.diagnose(warning)
    counts, use = result.counts, kept.use()
    screen.note(
        f"{counts.found:,} runs found, {counts.run:,} run, {counts.refused:,} refused, {counts.failed:,} failed; "
        f"{result.left_out:,} points left out by constraints"
    )
    screen.note(
        f"{store}: {_fill(use)}" + (f"; {len(kept.damaged):,} damaged files made again" if kept.damaged else "")
    )
    if csv is not None:
        screen.note_written([result.write_csv(csv)])
    if parquet is not None:
        screen.note_written([result.write_parquet(parquet)])
    if html is not None:
        screen.note_written([result.write_html(html)])
    if plot is not None:
        screen.note_written([result.write_plot(plot, across=across, up=up)])
    statuses = {row["status"] for row in result.rows}
    if "failed" in statuses:
        raise typer.Exit(Exit.RUN)
    if statuses == {"refused"}:
        raise typer.Exit(Exit.USAGE)


def _spec(
    target: str,
    vary: list[str] | tuple[str, ...],
    what: str | None,
    changes: list[str] | tuple[str, ...],
    named: dict[str, Any],
    where: list[str] | tuple[str, ...],
    columns: list[str] | tuple[str, ...],
    repeat: int | None,
    sample: tuple[str | None, int | None, int],
) -> Spec:
    """The sweep that options ask for."""
    from linecard.explore.axes import plain_value, read_option
    from linecard.explore.spec import make_sample
    from linecard.explore.sweep import draft_of

    draft = draft_of(target, what=what, constraints=(), repeat=repeat)
    for text in changes:
        key, found, value = text.partition("=")
        if not found or not key.strip():
            draft.note("--set", "", f"found {text!r}, expected KEY=VALUE, such as packets=5000")
        else:
            draft.fix("--set", key.strip(), plain_value(value))
    for name, value in named.items():
        if value is not None:
            draft.fix(f"--{name.partition('_')[0]}", name, value)
    first = len(draft.axes or ())
    for number, text in enumerate(vary):
        try:
            draft.add(read_option(text, first + number))
        except ConfigError as error:
            draft.catch(error)
    for text in where:
        draft.require(text, "--where")
    for text in columns:
        name, found, expression = text.partition("=")
        if not found or not name.strip().isidentifier():
            draft.note("--column", "", f"found {text!r}, expected NAME=EXPRESSION")
        else:
            draft.column(name.strip(), expression, "--column")
    kind, points, seed = sample
    if kind is not None or points is not None:
        draft.sample = make_sample(draft, "--sample", kind or "sobol", points, seed)
    return draft.finish()


def _shard(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    number, _, of = text.partition("/")
    try:
        return int(number), int(of)
    except ValueError:
        message = f"found {text!r}, expected I/N, such as 3/20"
        raise ConfigError.of([ConfigProblem("--shard", "", message)]) from None


def _estimate(spec: Spec, store: Store, jobs: int | None, shard: tuple[int, int] | None, progress: Any) -> Estimate:
    from linecard.explore.content import content_of
    from linecard.explore.estimate import estimate
    from linecard.explore.execute import Task
    from linecard.explore.points import make_points
    from linecard.explore.sweep import chosen

    points = chosen(make_points(spec), shard)
    distinct = {content_of(point.request): point.request for point in points.points}
    tasks = [Task(key, request) for key, request in distinct.items()]
    return estimate(
        tasks, points=len(points.points), left_out=points.left_out, store=store, jobs=jobs, progress=progress
    )


def _print_estimate(found: Estimate, *, json: bool) -> None:
    from linecard.records import plain

    if json:
        screen.print_json(plain(found))
        return
    facts = screen.grid("l", "l")
    facts.add_row("Runs", f"{found.runs:,} of {found.points:,} points, {found.left_out:,} left out by constraints")
    facts.add_row("Found", f"{found.found:,} are in the store")
    if found.seconds is None or found.seconds_each is None:
        facts.add_row("Time", "not known: what was tried was refused or failed; run it to see why")
    else:
        facts.add_row("Time", f"{_duration(found.seconds)} for the {found.runs - found.found:,} missing")
        facts.add_row("", f"{found.seconds_each * 1e3:,.0f} ms each on one core, by {found.probes:,} finished runs")
    screen.show(screen.section(facts))


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def _say_how_to_go_on(stopped: Interrupted, store: Store) -> None:
    screen.diagnose(
        f"{stopped.done:,} of {stopped.total:,} runs are done and kept in {store.folder}; the same command goes on "
        "from there"
    )


def _fill(use: StoreUse) -> str:
    return f"{use.runs:,} runs, {use.used_bytes / 1e6:,.1f} MB of {use.limit_bytes / 1e6:,.0f} MB"


def print_sweep(result: SweepResult) -> None:
    """The table, as much of it as a screen takes, and why points were refused."""
    from linecard.explore.wording import cell_text

    columns = result.shown_columns(max(len(result.axes) + 1, 7))
    while len(columns) > len(result.axes) + 1 and sum(len(name) + 2 for name in columns) > screen.screen_width() - 12:
        columns.pop()
    columns += ["status"]
    kinds = {name: any(isinstance(row[name], (int, float)) for row in result.rows) for name in columns}
    table = screen.grid(*("r" if kinds[name] else "l" for name in columns))
    table.add_row(*(Text(name, style=screen.DIM) for name in columns))
    rows = result.rows
    for row in rows[:_ROWS_SHOWN]:
        style = "" if row["status"] == "ok" else "yellow"
        table.add_row(*(Text(cell_text(row[name]), style=style) for name in columns))
    parts: list[Any] = [table]
    if len(rows) > _ROWS_SHOWN:
        parts.append(Text(f"{len(rows) - _ROWS_SHOWN:,} more rows: --csv, --parquet and --json have all", screen.DIM))
    screen.show(Padding(Text(f"{result.title}: {len(rows):,} points"), (1, 0, 0, 2)), screen.section(*parts))
    bad = [row for row in rows if row["status"] != "ok"]
    reasons = Counter((row["status"], row["reason"]) for row in bad)
    lines: list[Any] = []
    for (status, reason), count in reasons.most_common(_REASONS_SHOWN):
        first = next(row for row in bad if (row["status"], row["reason"]) == (status, reason))
        lines.append(Text.assemble((f"{status} {count:,}: ", "yellow"), screen.shortened(str(reason))))
        lines.append(Text(f"  again: {first['command']}", style=screen.DIM))
    if len(reasons) > _REASONS_SHOWN:
        lines.append(Text(f"and {len(reasons) - _REASONS_SHOWN:,} other reasons", style=screen.DIM))
    if lines:
        screen.show(screen.section(*lines))


def _settings(changes: list[str]) -> dict[str, Any]:
    """What `--set` says, as the Python functions take it."""
    from linecard.explore.axes import plain_value

    found = {}
    for text in changes:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            message = f"found {text!r}, expected KEY=VALUE, such as island.threads=4"
            raise ConfigError.of([ConfigProblem("--set", "", message)])
        found[key.strip()] = plain_value(value)
    return found


def why(
    chip: Annotated[str, typer.Argument(metavar="CHIP", help="Name of a shipped chip, or path of a TOML file.")],
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value; repeatable.")
    ] = None,
    app_name: Annotated[str | None, typer.Option("--app", metavar="NAME", help="Another program.")] = None,
    trace: Annotated[str | None, typer.Option(metavar="CAPTURE", help="Capture to replay.")] = None,
    packets: Annotated[int, typer.Option(metavar="N", help="Packets that each run measures.")] = 4_000,
    seeds: Annotated[int, typer.Option(metavar="N", help="Seeds of each statement, for its interval.")] = 3,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The first of them.")] = 1,
    over_range: Annotated[
        bool,
        typer.Option(
            "--global", help="Add Morris' screening and Sobol's indices, half to twice each (extra: explore)."
        ),
    ] = False,
    store: StoreOption = STORE,
    jobs: Jobs = None,
    executor: Executor = "threads",
    json: Json = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the tornado: .png or .svg (extra: plot).")
    ] = None,
    html: Html = None,
) -> None:
    """Say what limits a chip and what would help; every statement is measured.

    Prints what each part can carry at most, what lifting each limit gains, alone and in pairs, and how throughput
    follows each parameter. Where the chip carries all of its traffic, it is asked with a packet always waiting.

    **Examples**

        linecard why example_smartnic

        linecard why my_chip.toml --set island.threads=4 --plot tornado.png

        linecard why example_smartnic --set traffic.rate_gbps=180 --json

        linecard why example_smartnic --global --packets 2000
    """
    from linecard.explore.execute import Interrupted
    from linecard.explore.store import Store
    from linecard.explore.why import why as ask
    from linecard.files import check_outputs

    check_outputs(plot, html)
    try:
        with screen.progress("Simulating", "runs") as progress:
            result = ask(
                chip,
                set=_settings(set or []),
                app=app_name,
                trace=trace,
                packets=packets,
                seeds=seeds,
                seed=seed,
                global_=over_range,
                store=store,
                jobs=jobs,
                executor=executor,
                progress=progress,
            )
    except Interrupted as stopped:
        _say_how_to_go_on(stopped, Store(store))
        raise
    # The result goes out before anything that can still fail.
    if json:
        screen.print_json(result.to_dict())
    else:
        print_why(result)
    counts = result.counts
    screen.note(f"{counts.found:,} runs found, {counts.run:,} run, {counts.refused:,} refused; kept in {store}")
    if plot is not None:
        screen.note_written([result.write_plot(plot)])
    if html is not None:
        screen.note_written([result.write_html(html, command=command_line())])


def ndr(
    chip: Annotated[str, typer.Argument(metavar="CHIP", help="Name of a shipped chip, or path of a TOML file.")],
    size: Annotated[
        str | None,
        typer.Option(metavar="BYTES,…", help="Frame sizes, imix, rfc2544 or mixes of the chip; its own if left out."),
    ] = None,
    trace: Annotated[str | None, typer.Option(metavar="CAPTURE", help="Capture to replay, faster or slower.")] = None,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value; repeatable.")
    ] = None,
    app_name: Annotated[str | None, typer.Option("--app", metavar="NAME", help="Another program.")] = None,
    packets: Annotated[int, typer.Option(metavar="N", help="Packets of each trial.")] = 20_000,
    seeds: Annotated[int, typer.Option(metavar="N", help="Seeds of each trial.")] = 1,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The first of them.")] = 1,
    width: Annotated[float, typer.Option(metavar="SHARE", help="Relative width of the answers.")] = 0.005,
    store: StoreOption = STORE,
    jobs: Jobs = None,
    executor: Executor = "threads",
    json: Json = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table of rates as CSV.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw rates and losses: .png or .svg (extra: plot).")
    ] = None,
    html: Html = None,
) -> None:
    """Search for the no-drop and the partial-drop rate of a chip, by frame size.

    NDR is the highest rate without loss, PDR that with at most 0.5 % of it; packets that pile up inside count as lost.
    Frames come evenly spaced (`--set traffic.arrivals=poisson` for others). Latency is told at 10, 50 and 90 % of PDR.

    **Examples**

        linecard ndr example_smartnic

        linecard ndr example_smartnic --size 64,imix,1518 --plot rates.png

        linecard ndr my_chip.toml --set island.threads=4 --seeds 3 --json
    """
    from linecard.explore.execute import Interrupted
    from linecard.explore.ndr import ndr as ask
    from linecard.explore.store import Store
    from linecard.files import check_outputs, write_text
    from linecard.tables import csv_text

    check_outputs(csv, plot, html)
    try:
        with screen.progress("Simulating", "runs") as progress:
            result = ask(
                chip,
                None if size is None else [part.strip() for part in size.split(",") if part.strip()],
                trace=trace,
                set=_settings(set or []),
                app=app_name,
                packets=packets,
                seeds=seeds,
                seed=seed,
                width=width,
                store=store,
                jobs=jobs,
                executor=executor,
                progress=progress,
            )
    except Interrupted as stopped:
        _say_how_to_go_on(stopped, Store(store))
        raise
    # The result goes out before anything that can still fail.
    if json:
        screen.print_json(result.to_dict())
    else:
        print_ndr(result)
    counts = result.counts
    screen.note(f"{counts.found:,} runs found, {counts.run:,} run; kept in {store}")
    if csv is not None:
        screen.note_written([write_text(csv, csv_text(*result.table()))])
    if plot is not None:
        screen.note_written([result.write_plot(plot)])
    if html is not None:
        screen.note_written([result.write_html(html, command=command_line())])


def print_ndr(result: NdrResult) -> None:
    """The classical table: rates by frame size, latencies below."""
    rates = screen.grid("l", "r", "r", "r", "r", "r", "r", "r")
    names = ("frames", "line, Mpps", "NDR, Mpps", "Gbit/s", "PDR, Mpps", "Gbit/s", "of line", "trials")
    rates.add_row(*(Text(name, style=screen.DIM) for name in names))
    for row in result.rows:
        rates.add_row(
            row.traffic,
            f"{row.line_mpps:,.3f}",
            Text(f"{row.ndr_mpps:,.3f}", style="bold"),
            f"{row.ndr_gbps:,.2f}",
            Text(f"{row.pdr_mpps:,.3f}", style="bold"),
            f"{row.pdr_gbps:,.2f}",
            screen.percent(row.pdr_mpps / row.line_mpps),
            str(row.trials),
        )
    latencies = screen.grid("l", "r", "r", "r", "r", "r")
    latencies.add_row(*(Text(name, style=screen.DIM) for name in ("frames", "of PDR", "p50", "p90", "p99", "max")))
    for row in result.rows:
        for at in row.latency:
            times = [screen.si_time(each) for each in (at.p50_ns, at.p90_ns, at.p99_ns, at.max_ns)]
            latencies.add_row(row.traffic, screen.percent(at.share_of_pdr, 0), *times)
    length = f"{result.packets:,} packets and {result.seeds} seed{'s' if result.seeds > 1 else ''} a trial"
    screen.show(
        Padding(Text(result.chip), (1, 0, 0, 2)),
        screen.section(screen.heading("Rates", f"to {result.width:.1%}; {length}"), rates),
        screen.section(screen.heading("Latency", "from a packet's last bit in to its last bit out"), latencies),
    )


def compare(
    a: Annotated[
        str, typer.Argument(metavar="A", help="A design, or a file that `run --json` or `sweep --json` printed.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The other, of the same kind.")],
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change both designs; repeatable.")
    ] = None,
    set_a: Annotated[
        list[str] | None, typer.Option("--set-a", metavar="KEY=VALUE", help="Change the first alone; repeatable.")
    ] = None,
    set_b: Annotated[
        list[str] | None, typer.Option("--set-b", metavar="KEY=VALUE", help="Change the second alone; repeatable.")
    ] = None,
    app_name: Annotated[str | None, typer.Option("--app", metavar="NAME", help="Application of both designs.")] = None,
    trace: Annotated[str | None, typer.Option(metavar="CAPTURE", help="Capture of both designs.")] = None,
    packets: Annotated[int | None, typer.Option(metavar="N", help="Packets of each run, as of `run`.")] = None,
    seeds: Annotated[int, typer.Option(metavar="N", help="Seeds of each design.")] = 5,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The first of them.")] = 1,
    store: StoreOption = STORE,
    jobs: Jobs = None,
    executor: Executor = "threads",
    json: Json = False,
    html: Html = None,
) -> None:
    """Put two designs, runs or sweeps side by side: what differs, what moved, and whether beyond noise.

    Designs are run with the same seeds, on the same packets, and compared seed by seed.

    **Examples**

        linecard compare example_smartnic example_smartnic --set-b packets.part=hbm2 --packets 5000

        linecard compare my_chip.toml my_next_chip.toml --trace edge.pcap --json

        linecard compare before.json after.json
    """
    from linecard.explore.compare import compare as ask
    from linecard.explore.execute import Interrupted
    from linecard.explore.store import Store
    from linecard.files import check_outputs

    check_outputs(html)
    try:
        with screen.progress("Simulating", "runs") as progress:
            result = ask(
                a,
                b,
                set=_settings(set or []),
                set_a=_settings(set_a or []),
                set_b=_settings(set_b or []),
                app=app_name,
                trace=trace,
                packets=packets,
                seeds=seeds,
                seed=seed,
                store=None if a.endswith(".json") else store,
                jobs=jobs,
                executor=executor,
                progress=progress,
            )
    except Interrupted as stopped:
        _say_how_to_go_on(stopped, Store(store))
        raise
    if json:
        screen.print_json(result.to_dict())
    else:
        print_compare(result)
    counts = result.counts
    if counts.found + counts.run:
        screen.note(f"{counts.found:,} runs found, {counts.run:,} run; kept in {store}")
    if html is not None:
        screen.note_written([result.write_html(html, command=command_line())])


_KEYS_SHOWN, _MOVED_SHOWN = 30, 12


def print_compare(result: CompareResult) -> None:
    """What differs, then what moved."""
    from linecard.explore.wording import cell_text, change_text, noise_text

    parts: list[Any] = [Padding(Text(f"{result.a}  and  {result.b}"), (1, 0, 0, 2))]
    if result.limits is not None:
        limits = screen.grid("l", "w")
        for side, limit in zip(("a", "b"), result.limits, strict=True):
            limits.add_row(f"limit of {side}", Text(limit, style="bold"))
        parts.append(screen.section(limits))
    keys = screen.grid("l", "l", "l", "l")
    keys.add_row(*(Text(name, style=screen.DIM) for name in ("key", "a", "b", "unit")))
    for each in result.configuration[:_KEYS_SHOWN]:
        keys.add_row(each.key, cell_text(each.a), cell_text(each.b), each.unit)
    if not result.configuration:
        keys.add_row("nothing differs")
    more = len(result.configuration) - _KEYS_SHOWN
    if more > 0:
        keys.add_row(Text(f"{more:,} more: --json has all", style=screen.DIM))
    parts.append(screen.section(screen.heading("What differs"), keys))
    for title, several in (("What moved", result.metrics), ("Parts that moved", result.measurements[:_MOVED_SHOWN])):
        if not several:
            continue
        rows = screen.grid("l", "r", "r", "r", "l", "l")
        names = ("number", "a", "b", "change", "beyond noise", "95 % of the difference")
        rows.add_row(*(Text(name, style=screen.DIM) for name in names))
        for moved in several:
            style = "bold" if moved.beyond_noise else ""
            cells = (moved.name, cell_text(moved.a), cell_text(moved.b), change_text(moved), noise_text(moved))
            between = "" if moved.low is None or moved.high is None else f"{moved.low:.3g} to {moved.high:.3g}"
            rows.add_row(*(Text(cell, style=style) for cell in (*cells, between)))
        parts.append(screen.section(screen.heading(title, result.basis), rows))
    if result.notes:
        parts.append(screen.section(*(Text(note, style="yellow") for note in result.notes)))
    screen.show(*parts)


def optimize(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help='A space with objectives: `kind = "optimize"`.')],
    budget: Annotated[
        int | None, typer.Option(metavar="N", help="Points that may be run, in place of the file's.")
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Of all points; repeatable.")
    ] = None,
    store: StoreOption = STORE,
    jobs: Jobs = None,
    executor: Executor = "threads",
    json: Json = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the front as CSV.")] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained page to explore it in.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw runs and front: .png or .svg (extra: plot).")
    ] = None,
) -> None:
    """Find the best designs of a space, for one objective or several that pull apart.

    Where the budget holds every point, all are run. Otherwise a search chooses which; it depends on the file alone, not
    on `--jobs`. Prints the points that no other one beats, the best compromise marked.

    **Examples**

        linecard optimize examples/explore/small_nic.toml

        linecard optimize examples/explore/dram_part.toml --budget 1000 --json

        linecard optimize my_space.toml --set packets=5000 --csv front.csv
    """
    from linecard.explore.execute import Interrupted
    from linecard.explore.optimize import optimize as ask
    from linecard.explore.store import Store
    from linecard.files import check_outputs, write_text
    from linecard.tables import csv_text

    check_outputs(csv, html, plot)
    try:
        with screen.progress("Simulating", "runs") as progress:
            result = ask(
                file,
                budget=budget,
                set=_settings(set or []),
                store=store,
                jobs=jobs,
                executor=executor,
                progress=progress,
            )
    except Interrupted as stopped:
        _say_how_to_go_on(stopped, Store(store))
        raise
    # The result goes out before anything that can still fail.
    if json:
        screen.print_json(result.to_dict())
    else:
        print_optimize(result)
    counts = result.counts
    screen.note(f"{counts.found:,} runs found, {counts.run:,} run, {counts.refused:,} refused; kept in {store}")
    if csv is not None:
        columns = (*result.axes, *result.objectives, "knee", "command")
        rows = [
            [*(row[name] for name in result.axes), *row["objectives"], row["knee"], row["command"]]
            for row in result.front
        ]
        screen.note_written([write_text(csv, csv_text(columns, rows))])
    if html is not None:
        screen.note_written([result.write_html(html)])
    if plot is not None:
        screen.note_written([result.write_plot(plot)])


_FRONT_SHOWN = 40


def print_optimize(result: OptimizeResult) -> None:
    """The front, and how it was found."""
    from linecard.explore.wording import cell_text

    facts = screen.grid("l", "w")
    how = "all of them" if result.method == "exhaustive" else "chosen by search"
    shorter = f", after {result.short_runs:,} shorter runs" if result.short_runs else ""
    facts.add_row("Run", f"{result.runs:,} of {result.points:,} points, {how}{shorter}")
    if result.refused or result.beyond_limits:
        facts.add_row("", f"{result.refused:,} were refused or failed, {result.beyond_limits:,} break a limit")
    for text, best, worst in zip(result.objectives, result.best, result.worst, strict=True):
        facts.add_row("Objective", f"{text}: {best:,.5g} at best, {worst:,.5g} at worst")
    facts.add_row("Front", f"{len(result.front):,} points; it covers {result.hypervolume:.1%} of the box between these")
    names = (*result.axes, *result.objectives)
    table = screen.grid(
        *("r" if any(isinstance(row.get(n), (int, float)) for row in result.front) else "l" for n in result.axes),
        *("r" for _ in result.objectives),
        "l",
    )
    table.add_row(*(Text(name, style=screen.DIM) for name in (*names, "")))
    for row in result.front[:_FRONT_SHOWN]:
        style = "bold" if row["knee"] else ""
        values = [cell_text(row[name]) for name in result.axes]
        objectives = [_with_interval(*each) for each in zip(row["objectives"], row["low"], row["high"], strict=True)]
        mark = "best compromise" if row["knee"] else ""
        table.add_row(*(Text(cell, style=style) for cell in (*values, *objectives, mark)))
    parts: list[Any] = [table]
    if len(result.front) > _FRONT_SHOWN:
        parts.append(Text(f"{len(result.front) - _FRONT_SHOWN:,} more: --csv and --json have all", style=screen.DIM))
    knee = next(row for row in result.front if row["knee"])
    parts.append(Text(f"again: {knee['command']}", style=screen.DIM))
    screen.show(
        Padding(Text(result.title), (1, 0, 0, 2)),
        screen.section(facts),
        screen.section(screen.heading("The best", "no other point is as good in all and better in one"), *parts),
    )


def _with_interval(value: float, low: float | None, high: float | None) -> str:
    return f"{value:,.5g}" if low is None or high is None else f"{value:,.5g} ± {(high - low) / 2:.2g}"


_LIFTS_SHOWN, _LIMITS_SHOWN, _ELASTICITIES_SHOWN = 12, 8, 10


def _between(low: float | None, high: float | None, form: str) -> str:
    return "" if low is None or high is None else f"{low:{form}} to {high:{form}}"


def print_why(result: WhyResult) -> None:
    """The verdict, then bounds, gains and elasticities."""
    facts = screen.grid("l", "w")
    facts.add_row("Limit", Text(result.verdict, style="bold"))
    facts.add_row("", Text(result.why))
    load = "a packet always waits" if result.load == "saturated" else "as given"
    facts.add_row("Leaves", f"{result.throughput_mpps:,.4g} Mpps, {result.throughput_gbps:,.4g} Gbit/s; load: {load}")
    facts.add_row("Loss", f"{result.loss_fraction:.3%}")
    bounds = screen.grid("l", "r", "r")
    bounds.add_row(*(Text(name, style=screen.DIM) for name in ("part", "busy", "at most, Mpps")))
    for limit in result.limits[:_LIMITS_SHOWN]:
        bounds.add_row(limit.component, screen.percent(limit.utilization), f"{limit.bound_mpps:,.4g}")
    gains = screen.grid("l", "r", "l")
    gains.add_row(*(Text(name, style=screen.DIM) for name in ("with", "more leaves", "95 %")))
    for lift in result.lifts[:_LIFTS_SHOWN]:
        style = "bold" if lift.counts else ""
        gains.add_row(
            Text(lift.text, style=style), Text(f"{lift.gain:+.1%}", style=style), _between(lift.low, lift.high, "+.0%")
        )
    slopes = screen.grid("l", "r", "r", "l")
    slopes.add_row(*(Text(name, style=screen.DIM) for name in ("parameter", "now", "elasticity", "95 %")))
    for each in result.elasticities[:_ELASTICITIES_SHOWN]:
        slopes.add_row(
            each.parameter,
            f"{each.now:g} {each.unit}".rstrip() if each.unit else f"{each.now:g}",
            f"{each.value:+.2f}",
            _between(each.low, each.high, "+.2f"),
        )
    lacks = f"; the timing of {', '.join(result.out_of_reach)} is not in it" if result.out_of_reach else ""
    check = Text(
        f"Over rates less times they add up to {result.elasticity_sum:.2f} "
        f"({_between(result.elasticity_sum_low, result.elasticity_sum_high, '.2f') or 'one seed'}); "
        f"1 where everything scales{lacks}.",
        style=screen.DIM,
    )
    parts = [
        Padding(Text(result.chip), (1, 0, 0, 2)),
        screen.section(facts),
        screen.section(screen.heading("What each part can carry", "at this use of it"), bounds),
        screen.section(screen.heading("What would help", f"{result.seeds} seeds of {result.packets:,} packets"), gains),
        screen.section(screen.heading("Elasticities", "1: throughput grows in proportion"), slopes, check),
    ]
    if result.sensitivities:
        shares = screen.grid("l", "r", "r", "r", "r")
        names = ("parameter", "Morris", "its spread", "Sobol alone", "with others")
        shares.add_row(*(Text(name, style=screen.DIM) for name in names))
        for found in result.sensitivities[:_ELASTICITIES_SHOWN]:
            indices = ["–" if x is None else f"{x:.2f}" for x in (found.sobol_first, found.sobol_total)]
            shares.add_row(found.parameter, f"{found.morris_mean:.3f}", f"{found.morris_spread:.3f}", *indices)
        parts.append(screen.section(screen.heading("Over half to twice each", "effects on ln throughput"), shares))
    if result.not_tried:
        several = [Text(f"not tried: {reason}", style=screen.DIM) for reason in result.not_tried[:_REASONS_SHOWN]]
        parts.append(screen.section(*several))
    screen.show(*parts)


@app.command("list")
def list_runs(store: StoreOption = STORE, json: Json = False) -> None:
    """Say what a store holds: runs by what was run, and how full it is.

    **Examples**

        linecard results list

        linecard results list --store shared/store --json
    """
    from linecard.explore.content import code_version
    from linecard.explore.store import Store
    from linecard.explore.store_contents import contents

    kept = Store(store, make=False)
    found = contents(kept)
    if json:
        screen.print_json(found)
        return
    rows = screen.grid("l", "l", "r", "r", "r", "l")
    rows.add_row(*(Text(name, style=screen.DIM) for name in ("what", "of", "runs", "failed", "seconds", "made by")))
    for row in found["groups"]:
        by = "this version" if row["code"] == code_version() else "another version"
        rows.add_row(row["what"], row["of"], f"{row['runs']:,}", f"{row['failed']:,}", f"{row['seconds']:,.1f}", by)
    screen.show(
        Padding(
            Text(f"{store}: {_fill(kept.use())}"),
            (1, 0, 0, 2),
        ),
        screen.section(rows),
    )
    if found["damaged"]:
        screen.diagnose(f"{found['damaged']:,} files are damaged; `linecard results prune` removes them")


@app.command("prune")
def prune(
    store: StoreOption = STORE,
    to: Annotated[
        float | None,
        typer.Option("--to", min=0.0, metavar="MB", help="Remove what was used least recently, down to this."),
    ] = None,
    other_versions: Annotated[
        bool, typer.Option("--other-versions", help="Remove runs that another version of Linecard made.")
    ] = False,
    limit: Annotated[
        float | None, typer.Option("--limit", min=0.0, metavar="MB", help="From now on let it hold no more than this.")
    ] = None,
    json: Json = False,
) -> None:
    """Remove from a store: damaged files always, and what the options say.

    **Examples**

        linecard results prune

        linecard results prune --to 500 --other-versions

        linecard results prune --limit 2000
    """
    from linecard.explore.store import Store
    from linecard.explore.store_contents import prune as prune_store

    kept = Store(store, make=False)
    if limit is not None:
        kept.set_limit(round(limit * 1e6))
    removed, freed = prune_store(kept, None if to is None else round(to * 1e6), other_versions=other_versions)
    use = kept.use()
    if json:
        from linecard.records import plain

        screen.print_json({"removed": removed, "freed_bytes": freed, "use": plain(use)})
        return
    screen.show(
        Padding(
            Text(f"removed {removed:,} runs, {freed / 1e6:,.1f} MB; left: {_fill(use)}"),
            (0, 0, 0, 2),
        )
    )


@app.command("export")
def export(
    store: StoreOption = STORE,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="CSV to write; - is stdout.")] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="FILE", help="Parquet to write (extra: frames).")
    ] = None,
) -> None:
    """Write every measurement of every kept run as one tidy table: run, component, metric, unit, value.

    **Examples**

        linecard results export --parquet runs.parquet

        linecard results export --store shared/store --csv runs.csv
    """
    from linecard.explore.store import Store
    from linecard.explore.store_contents import write_measurements
    from linecard.files import check_outputs
    from linecard.records import need_polars

    if csv is None and parquet is None:
        raise ConfigError.of(
            [ConfigProblem("results export", "", "found no file to write, expected --csv or --parquet")]
        )
    if parquet is not None:
        need_polars()
    check_outputs(csv, parquet)
    kept = Store(store, make=False)
    for path, kind in ((csv, "csv"), (parquet, "parquet")):
        if path is not None:
            screen.note_written([write_measurements(kept, path, kind)])
