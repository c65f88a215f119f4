"""`linecard dram`: DRAM parts alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import linecard
from linecard.cli.options import JSON_HELP, Html
from linecard.cli.written import Csv, Files, Parquet
from linecard.errors import NotWrittenError


def run(
    device: Annotated[
        str, typer.Option("--device", "-d", metavar="D", help="DRAM part: a shipped preset, or path of a TOML file.")
    ],
    policy: Annotated[
        str,
        typer.Option(
            "--policy", "-p", metavar="P", help="Controller's policy: a shipped preset, or path of a TOML file."
        ),
    ] = "frfcfs_open",
    trace: Annotated[
        Path | None, typer.Option("--trace", metavar="FILE", help="Requests to replay, plain or gzip.")
    ] = None,
    format: Annotated[  # noqa: A002 # the word of the option
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="csv, dramsim3 or ramulator; found out from the first line if left out.",
        ),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            "--pattern", metavar="NAME", help="stream, random, bank_conflicts or packet_cells, instead of a trace."
        ),
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", metavar="N", help="Requests of the pattern; 100,000 if left out.")
    ] = None,
    spacing: Annotated[
        int | None,
        typer.Option("--spacing", metavar="CLOCKS", help="Clocks between them; as fast as accepted if left out."),
    ] = None,
    reads: Annotated[
        float | None, typer.Option("--reads", metavar="SHARE", help="Share of reads; 1, of random 2/3, if left out.")
    ] = None,
    narrow: Annotated[
        float | None, typer.Option("--narrow", metavar="SHARE", help="Share of accesses that move half as many bytes.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of the pattern.")] = 1,
    in_flight: Annotated[
        int | None,
        typer.Option("--in-flight", metavar="N", help="Requests accepted and not yet completed, at most."),
    ] = None,
    set: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a value of the part or the policy; repeatable."),
    ] = None,
    requests: Annotated[
        Path | None,
        typer.Option("--requests", metavar="FILE", help="Write what became of each request, as CSV."),
    ] = None,
    commands: Annotated[
        Path | None, typer.Option("--commands", metavar="FILE", help="Write every command, as CSV.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Run a DRAM part under a trace of requests or a pattern.

    Prints bandwidth, latencies and what they are made of, what kept the data bus from moving data, the banks, the
    commands and, where the part has currents, the energy. Formats of traces: `csv` with the columns `arrival`, `op`,
    `address` and, if wanted, `bytes`; `dramsim3` (`address OP clock`); `ramulator` (`LD address`). Arrivals are clocks
    of the memory. In the file of requests `accept` and `complete` are clocks too; `complete` is -1 for a write that
    was never sent.

    **Examples**

        linecard dram run --device ddr4_2400 --pattern random

        linecard dram run --device hbm2 --policy split_open --pattern packet_cells --count 20000 --json

        linecard dram run -d sdr100 -p fcfs_open --trace my_requests.csv --requests requests.csv

        linecard dram run -d ddr3_1600 --pattern random --set policy.page=closed --set "timing.tRCD=15 ns"
    """
    from linecard.cli import stderr, stdout
    from linecard.cli.dram.run_screen import print_memory
    from linecard.tables import records

    files = Files(csv, parquet, html)
    unwritten = None
    with stderr.progress("Simulating", "requests") as progress:
        try:
            result = linecard.dram(
                device,
                policy,
                trace=trace,
                format=format,
                pattern=pattern,
                count=count,
                spacing=spacing,
                reads=reads,
                narrow=narrow,
                seed=seed,
                in_flight=in_flight,
                set=set,
                requests=requests,
                commands=commands,
                progress=progress,
            )
        except NotWrittenError as error:
            result, unwritten = error.result, error
    if json:
        stdout.print_json(result.to_dict())
    else:
        print_memory(result)
    files.write(records(result.metrics()), f"{result.device}, {result.policy}", f"{result.requests:,} requests")
    if unwritten is not None:
        raise unwritten
    stderr.note_written([path for path in (requests, commands) if path is not None])
