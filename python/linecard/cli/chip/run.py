"""`linecard run`: one design under one traffic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import linecard
from linecard.cli import completion
from linecard.cli.executed.program_options import takes_program
from linecard.cli.options import JSON_HELP, Exit, Html, Precision, command_line
from linecard.errors import ConfigError, ConfigProblem, NotWrittenError


@takes_program
def run(
    preset: Annotated[
        str,
        typer.Argument(
            metavar="PRESET",
            help="Name of a shipped preset, or path of a TOML file.",
            autocompletion=completion.chips,
        ),
    ],
    app: Annotated[
        str | None, typer.Option("--app", metavar="NAME", help="Application; the preset's own if left out.")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace",
            metavar="CAPTURE",
            help="Capture to replay, or a described link (edge, core, a .toml file); else the preset's generator.",
        ),
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of every random stream.")] = 1,
    packets: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Packets that must leave or be dropped while statistics are on; 0 runs a capture to its end. "
            "If left out: 0 with a capture, else 100,000.",
        ),
    ] = None,
    warmup: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Packets that leave or are dropped before statistics start. If left out: a chip finds out when "
            "it is steady; on other machines 1,000 with a capture, else 10,000.",
        ),
    ] = None,
    precision: Precision = None,
    map_addresses: Annotated[
        bool, typer.Option("--map-addresses", help="Move addresses that match no route into routed space.")
    ] = False,
    band: Annotated[
        bool,
        typer.Option(
            "--band/--no-band",
            help="Run what the intervals leave open, too, that sources give values of the chip's file: each at its own "
            "ends, then together by their effect.",
        ),
    ] = True,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first damaged record.")] = False,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Write every measurement as CSV, a manifest beside it."),
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="FILE", help="The same as Parquet (extra: frames).")
    ] = None,
    html: Html = None,
    timeline: Annotated[
        Path | None, typer.Option("--timeline", metavar="FILE", help="Write a timeline for ui.perfetto.dev.")
    ] = None,
    folded: Annotated[
        Path | None,
        typer.Option("--folded", metavar="FILE", help="Write the cycles of an executed program's call stacks, folded."),
    ] = None,
    latency: Annotated[
        Path | None,
        typer.Option("--latency", metavar="FILE.hgrm", help="Write the latency's percentiles as HdrHistogram's text."),
    ] = None,
    pcap_out: Annotated[
        Path | None,
        typer.Option(
            "--pcap-out", metavar="FILE.pcapng", help="Write what leaves and what is lost as a capture (Wireshark)."
        ),
    ] = None,
    timeline_from: Annotated[
        float,
        typer.Option("--timeline-from", min=0.0, metavar="US", help="Of a chip: begin so late in the measured time."),
    ] = 0.0,
    timeline_for: Annotated[
        float | None,
        typer.Option("--timeline-for", min=0.0, metavar="US", help="Of a chip: length; as much as fits if left out."),
    ] = None,
    *,
    executed: dict[str, Any],
) -> None:
    """Simulate one design under one traffic.

    Prints throughput, loss, latency, the bottleneck and why, how busy every resource was, where the DRAM's and the
    packets' time went. With `--json`, the same command and seed print the same bytes.

    **Examples**

        linecard run ixp1200 --app l3fwd16

        linecard run ixp1200 --app nat --trace examples/captures/edge-mix.pcap.gz --map-addresses

        linecard run hasan2003_all_pf --set dram.banks=2 --packets 50000 --json

        linecard run example_smartnic --packets 5000 --precision 1%

        linecard run my_chip.toml --set island.threads=4 --set packets.part=hbm2

        linecard run example_smartnic --program firewall --packets 20000

        linecard run nfp4000 --program my_xdp.c -D N=8 --trace edge

        linecard run nfp4000 --program balancer --folded cycles.txt

        linecard run ixp1200 --csv result.csv --timeline run.json

        linecard run example_smartnic --latency latency.hgrm --pcap-out left.pcapng

        linecard run ixp2400 --set traffic.kind=PSC --set program.scheme=FCB+TB
    """
    from linecard.cli import stderr, stdout
    from linecard.cli.chip.run_screen import print_run
    from linecard.files import check_outputs, write_text
    from linecard.records import need_polars

    if folded is not None and executed["program"] is None:
        message = "has no effect without a program to execute (--program)"
        raise ConfigError.of([ConfigProblem("folded", "", message)])
    # Better now than after a long run.
    if parquet is not None:
        need_polars()
    check_outputs(csv, parquet, html, timeline, folded, latency, pcap_out)
    unwritten = None
    with stderr.progress("Simulating", "packets") as progress:
        try:
            result = linecard.run(
                preset,
                app=app,
                trace=trace,
                set=set,
                seed=seed,
                packets=packets,
                warmup_packets=warmup,
                precision=precision,
                map_addresses=map_addresses,
                strict=strict,
                band=band,
                timeline=timeline,
                timeline_from_us=timeline_from,
                timeline_for_us=timeline_for,
                pcap_out=pcap_out,
                progress=progress,
                **executed,
            )
        except NotWrittenError as error:
            result, unwritten = error.result, error
    # The result goes out before anything that can still fail.
    if json:
        stdout.print_json(result.to_dict())
    else:
        print_run(result)
    if csv is not None:
        stderr.note_written([csv, result.write_csv(csv)])
    if parquet is not None:
        stderr.note_written([parquet, result.write_parquet(parquet)])
    if html is not None:
        stderr.note_written([result.write_html(html, command=command_line())])
    if latency is not None:
        stderr.note_written([result.write_latency(latency)])
    if folded is not None:
        stderr.note_written([write_text(folded, "".join(each.folded() for each in result.programs))])
    if unwritten is not None:
        raise unwritten
    if pcap_out is not None:
        stderr.note_written([pcap_out])
    if timeline is not None:
        stderr.note_written([timeline])
        for warning in result.warnings:
            if warning.startswith("the timeline is "):
                stderr.diagnose(warning)
    _end(result, trace, precision)


def _end(result: linecard.RunResult, trace: Path | None, precision: float | None) -> None:
    """Say what is wrong with a result that was printed, and end with its status."""
    from linecard.chip.length import NOT_REACHED
    from linecard.cli import stderr

    if result.capture_damage:
        stderr.diagnose(f"{trace}: damaged in {result.capture_damage} places; what could be read was used")
        raise typer.Exit(Exit.CAPTURE)
    if precision is not None:
        lacks = next((each for each in result.warnings if each.startswith(NOT_REACHED)), None)
        if lacks is not None:
            stderr.diagnose(lacks)
            raise typer.Exit(Exit.RUN)
