"""`linecard run`: simulate one design under one traffic load."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import linecard
from linecard.cli.asked import takes
from linecard.cli.options import Exit
from linecard.cli.output import Outputs
from linecard.errors import ConfigError, NotWrittenError


@takes("run", "question", "program")
def run(
    outputs: Outputs,
    folded: Annotated[
        Path | None,
        typer.Option(
            "--folded",
            metavar="FILE",
            help="Write the cycles of an executed program by call stack, in the folded format of flame graphs.",
        ),
    ] = None,
    latency: Annotated[
        Path | None,
        typer.Option(
            "--latency",
            metavar="FILE.hgrm",
            help="Write the percentiles of the latency in the text format of HdrHistogram.",
        ),
    ] = None,
    *,
    asked: dict[str, Any],
) -> None:
    """Simulate one design under one traffic load.

    The command prints throughput, loss, latency, the bottleneck with its cause, and the utilisation of every resource.
    The command also prints breakdowns of DRAM time and of packet time. With `--json`, the same command with the same
    seed prints byte-identical output.

    **Examples**

        linecard run ixp1200 --program l3fwd16

        linecard run ixp1200 --program nat --trace examples/captures/edge-mix.pcap.gz --map-addresses

        linecard run hasan2003_all_pf --set dram.banks=2 --packets 50000 --json

        linecard run example_smartnic --packets 5000 --precision 1%

        linecard run my_chip.toml --set island.threads=4 --set packets.part=hbm2

        linecard run example_smartnic --program stateful_firewall --packets 20000

        linecard run nfp4000 --program my_xdp.c -D N=8 --trace edge

        linecard run nfp4000 --program balancer --folded cycles.txt

        linecard run ixp1200 -o run.html -o run.csv --timeline run.json

        linecard run example_smartnic --latency latency.hgrm --pcap-out left.pcapng

        linecard run ixp2400 --set traffic.kind=PSC --set program.scheme=FCB+TB
    """
    from rich.padding import Padding
    from rich.text import Text

    from linecard.chip.program import is_listed
    from linecard.cli import stderr, stdout
    from linecard.cli.pieces import DIM
    from linecard.files import check_outputs, write_text

    if folded is not None and (asked["program"] is None or is_listed(asked["program"])):
        raise ConfigError.at("folded", "", "needs a program to execute; add --program")
    timeline, pcap_out = asked["timeline"], asked["pcap_out"]
    check_outputs(timeline, folded, latency, pcap_out)
    unwritten = None
    try:
        result = outputs.of(linecard.run, asked, "Simulating", "packets")
    except NotWrittenError as error:
        result, unwritten = error.result, error
    if outputs.screen:
        stdout.show(Padding(Text(f"{result.wall_seconds:.2f} s real", style=DIM), (0, 0, 1, 2)))
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
    _end(result, asked["trace"], asked["precision"])


def _end(result: linecard.RunResult, trace: Path | None, precision: float | None) -> None:
    """Report the problems of a printed result, and exit with its status."""
    from linecard.chip.length import NOT_REACHED
    from linecard.cli import stderr

    if result.capture_damage:
        stderr.diagnose(f"{trace}: found {result.capture_damage} damaged records; the run used all other records")
        raise typer.Exit(Exit.CAPTURE)
    if precision is not None:
        lacks = next((each for each in result.warnings if each.startswith(NOT_REACHED)), None)
        if lacks is not None:
            stderr.diagnose(lacks)
            raise typer.Exit(Exit.RUN)
