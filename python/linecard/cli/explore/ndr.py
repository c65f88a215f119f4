"""`linecard ndr`: rates without loss, by frame size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from linecard.cli import pieces, stderr, stdout
from linecard.cli.executed.program_options import takes_program
from linecard.cli.explore.options import (
    STORE,
    Executor,
    Jobs,
    Json,
    StoreOption,
    end_by_store,
    read_settings,
    say_how_to_go_on,
)
from linecard.cli.options import CAPTURE_HELP, Chip, Exit, Html, command_line, read_share
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from linecard.explore.ndr_result import NdrResult


@takes_program
def ndr(
    chip: Chip,
    size: Annotated[
        str | None,
        typer.Option(metavar="BYTES,…", help="Frame sizes, imix, rfc2544 or mixes of the chip; its own if left out."),
    ] = None,
    trace: Annotated[
        str | None, typer.Option(metavar="CAPTURE", help=f"{CAPTURE_HELP} Replayed faster or slower.")
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value; repeatable.")
    ] = None,
    app_name: Annotated[str | None, typer.Option("--app", metavar="NAME", help="Another program.")] = None,
    packets: Annotated[int, typer.Option(metavar="N", help="Packets of each trial.")] = 20_000,
    seeds: Annotated[int, typer.Option(metavar="N", help="Seeds of each trial.")] = 1,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The first of them.")] = 1,
    width: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Relative width of the answers; 0.005 if left out.")
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option("--precision", metavar="SHARE", parser=read_share, help="The same, such as 1%."),
    ] = None,
    store: StoreOption = STORE,
    jobs: Jobs = None,
    executor: Executor = "threads",
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw rates and losses: .png or .svg (extra: plot).")
    ] = None,
    html: Html = None,
    *,
    executed: dict[str, Any],
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
    from linecard.files import check_outputs
    from linecard.tables import Table

    files = Files(csv, parquet)
    check_outputs(plot, html)
    try:
        with stderr.progress("Simulating", "runs") as progress:
            result = ask(
                chip,
                None if size is None else [part.strip() for part in size.split(",") if part.strip()],
                trace=trace,
                set=read_settings(set or []),
                app=app_name,
                packets=packets,
                seeds=seeds,
                seed=seed,
                width=width,
                precision=precision,
                store=store,
                jobs=jobs,
                executor=executor,
                progress=progress,
                **executed,
            )
    except Interrupted as stopped:
        say_how_to_go_on(stopped, Store(store))
        raise
    # The result goes out before anything that can still fail.
    if json:
        stdout.print_json(result.to_dict())
    else:
        print_ndr(result)
    counts = result.counts
    stderr.note(f"{counts.found:,} runs found, {counts.run:,} run; kept in {store}")
    files.write(Table(*result.table()))
    if plot is not None:
        stderr.note_written([result.write_plot(plot)])
    if html is not None:
        stderr.note_written([result.write_html(html, command=command_line())])
    end_by_store(counts)
    if not any(row.answered for row in result.rows):
        raise typer.Exit(Exit.RUN)


def print_ndr(result: NdrResult) -> None:
    """The classical table: rates by frame size, latencies below."""
    names = ("line, Mpps", "NDR, Mpps", "Gbit/s", "PDR, Mpps", "Gbit/s", "of line", "trials", "confirmed by")
    rates = pieces.lined(("frames", "l"), *((name, "r") for name in names))
    for row in result.rows:
        rates.add_row(
            row.traffic,
            f"{row.line_mpps:,.3f}",
            Text(f"{row.ndr_mpps:,.3f}", style="bold"),
            f"{row.ndr_gbps:,.2f}",
            Text(f"{row.pdr_mpps:,.3f}", style="bold"),
            f"{row.pdr_gbps:,.2f}",
            pieces.percent(row.pdr_mpps / row.line_mpps),
            str(row.trials),
            f"{row.confirmed_packets:,} packets" if row.confirmed else "–",
        )
    latencies = pieces.lined(("frames", "l"), ("of PDR", "r"), ("p50", "r"), ("p90", "r"), ("p99", "r"), ("max", "r"))
    for row in result.rows:
        for at in row.latency:
            times = [pieces.si_time(each) for each in (at.p50_ns, at.p90_ns, at.p99_ns, at.max_ns)]
            latencies.add_row(row.traffic, pieces.percent(at.share_of_pdr, 0), *times)
    limits = [f"{row.traffic}: {row.limited_by()}" for row in result.rows]
    limits += [f"{row.traffic}: {said}" for row in result.rows if (said := row.doubt())]
    length = f"{result.packets:,} packets and {result.seeds} seed{'s' if result.seeds > 1 else ''} a trial"
    stdout.show(
        Padding(Text(result.chip), (1, 0, 0, 2)),
        pieces.section(pieces.heading("Rates", f"to {result.width:.1%}; {length}"), rates),
        pieces.section(pieces.heading("Limit", "at the lowest load that lost packets"), *map(Text, limits)),
        pieces.section(pieces.heading("Latency", "from a packet's last bit in to its last bit out"), latencies),
    )
