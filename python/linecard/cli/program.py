"""`linecard program` and `linecard core`: packet programs in C and XDP, traced, on cores of every shape."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import screen
from linecard.cli.common import JSON_HELP, Html, command_line

if TYPE_CHECKING:
    from linecard.core.result import CoreResult
    from linecard.executed.trace import ProgramTrace
    from linecard.executed.traffic import ProgramTraffic

CAPTURE_DAMAGED = 3

app = typer.Typer(
    help="Packet programs: C on RISC-V, traced on a capture; XDP (eBPF), run on a capture.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Program = Annotated[
    str, typer.Argument(metavar="PROGRAM", help="Name of a shipped program, a C file, or an ELF file for RISC-V.")
]
TRACE_HELP = "A capture, or a described link: edge, core, or a TOML file like those in presets/traffic."
Trace = Annotated[str, typer.Option("--trace", metavar="CAPTURE", help=TRACE_HELP)]
Control = Annotated[
    Path | None, typer.Option("--control", metavar="FILE", help="What app_init is given; shipped programs have theirs.")
]
Entry = Annotated[str | None, typer.Option("--entry", metavar="NAME", help="Function of a packet, if not app_packet.")]
Packets = Annotated[int, typer.Option(min=0, metavar="N", help="Packets at most; 0 for the whole capture.")]
Payload = Annotated[str, typer.Option(metavar="KIND", help="Payload that the capture lacks: random or pages.")]
Routes = Annotated[
    Path | None,
    typer.Option("--map-addresses", metavar="ROUTES", help="Move IPv4 addresses into the space of a route table."),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of what is made up.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first damaged record.")]
Budget = Annotated[int, typer.Option(min=1, metavar="N", help="Instructions that a packet may take.")]
Cache = Annotated[
    Path | None, typer.Option("--cache", metavar="FOLDER", help="Keep traces here, by the hash of what they depend on.")
]
CacheLimit = Annotated[
    int, typer.Option("--cache-limit", min=1, metavar="MB", help="What the folder may hold; the least used go.")
]
Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]


@app.command("list")
def list_programs(
    xdp: Annotated[bool, typer.Option("--xdp", help="The XDP programs, instead of those for RISC-V.")] = False,
    json: Json = False,
) -> None:
    """List the shipped programs.

    **Examples**

        linecard program list

        linecard program list --xdp

        linecard program list --json
    """
    from linecard.cli import xdp as xdp_cli
    from linecard.records import plain

    if xdp:
        xdp_cli.show_list(json=json)
        return
    found = linecard.programs()
    if json:
        screen.print_json(plain(found))
        return
    table = screen.lined(("program", "l"), ("class", "l"), ("reads", "l"), ("what it does", "w"), ("after", "w"))
    for each in found:
        table.add_row(Text(each.name, style="bold"), each.functionality, each.reads, each.title, each.source)
    screen.show(Text(""), Padding(table, (0, 0, 0, 2)), Text(""))


@app.command("build")
def build(
    source: Annotated[Path, typer.Argument(metavar="FILE.c", help="A C file with app_packet, or an XDP program.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="What is made. If left out: FILE.elf, FILE.o.")
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", metavar="NAME", help="A macro; repeatable.")
    ] = None,
) -> None:
    """Compile a C file for RV32IMA, with the runtime of the programs, or an XDP program for eBPF (extra: programs).

    A file with `SEC(…)` or `<linux/bpf.h>` is an XDP program and becomes an object. The compiler is that of the Python
    package ziglang. What it refuses is shown in its own words (exit status 2).

    **Examples**

        linecard program build my_filter.c

        linecard program build my_filter.c -o filter.elf -D BITS=16

        linecard program build my_xdp.c -D N=8
    """
    screen.note_written([linecard.program_build(source, output, define or ())])


@app.command("trace")
def trace(
    program: Program,
    trace: Trace = "edge",
    entry: Entry = None,
    control: Control = None,
    packets: Packets = 20_000,
    payload: Payload = "random",
    map_addresses: Routes = None,
    seed: Seed = 1,
    strict: Strict = False,
    budget: Budget = 20_000_000,
    cache: Cache = None,
    cache_limit: CacheLimit = 4096,
    json: Json = False,
    html: Html = None,
) -> None:
    """Execute a program on the packets of a capture and say what it does.

    Prints instructions, accesses to packet and tables, and locks a packet, what the program returned, and where its
    instructions are. A program that faults is an error with the packet, the address and the function (exit status 4).

    **Examples**

        linecard program trace my_filter.c --trace edge.pcap

        linecard program trace patricia --trace core --packets 50000 --json

        linecard program trace my_lookup.elf --control routes.txt --map-addresses routes.txt --trace edge.pcap
    """
    from linecard.files import check_outputs

    check_outputs(html)
    with screen.progress("Tracing", "packets") as progress:
        found = linecard.program_trace(
            program,
            trace,
            entry=entry,
            control=control,
            packets=packets,
            payload=payload,
            seed=seed,
            routes=map_addresses,
            strict=strict,
            budget=budget,
            cache=cache,
            cache_bytes=cache_limit << 20,
            progress=progress,
        )
    _note(found)
    if json:
        screen.print_json(found.to_dict())
    else:
        _print_trace(found)
    if html is not None:
        screen.note_written([found.write_html(html, command=command_line())])
    _finish(found)


@app.command("run")
def run(
    program: Annotated[
        str,
        typer.Argument(metavar="PROGRAM", help="An XDP program (shipped, FILE.c, FILE.o), or an ELF file for RISC-V."),
    ],
    trace: Trace = "edge",
    section: Annotated[
        str | None, typer.Option("--section", metavar="NAME", help="Function or section, where an object has several.")
    ] = None,
    fill: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="NAME=FILE", help="Fill a map from a CSV or TOML file; repeatable."),
    ] = None,
    fib: Annotated[
        Path | None, typer.Option("--fib", metavar="FILE.csv", help="Routes that bpf_fib_lookup finds.")
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", metavar="NAME", help="A macro for a C file; repeatable.")
    ] = None,
    packets: Packets = 20_000,
    payload: Payload = "random",
    map_addresses: Routes = None,
    seed: Seed = 1,
    strict: Strict = False,
    cpus: Annotated[int, typer.Option(min=1, metavar="N", help="Processors; packets take turns.")] = 1,
    interface: Annotated[int, typer.Option(min=0, metavar="N", help="Interface that packets come by.")] = 1,
    budget: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Instructions: of an XDP program a packet (1000000), else in all (10^9)."
        ),
    ] = None,
    json: Json = False,
    html: Html = None,
) -> None:
    """Run an XDP program on a capture, or a program for RISC-V by itself.

    An XDP program gets every frame, one after another. Prints verdicts, instructions, accesses by region, source lines
    and what maps hold in the end. What is not supported is named before the run; what the kernel's verifier would
    refuse ends it with instruction and source line (exit status 4).

    A program for RISC-V runs from its entry until `ecall` with 93 in a7: tests of the instruction set. Exit status 0 if
    it left 0 in a0, else 1.

    **Examples**

        linecard program run my_xdp.c --trace edge.pcap

        linecard program run my_xdp.o --section xdp --map routes=routes.csv --trace edge.pcap --json

        linecard program run reads --define N=8

        linecard program run rv32ui-p-add
    """
    from linecard.cli import xdp as xdp_cli
    from linecard.errors import ConfigError, ConfigProblem
    from linecard.executed.riscv import RUN_BUDGET
    from linecard.executed.xdp import BUDGET, is_xdp
    from linecard.files import check_outputs

    check_outputs(html)
    if is_xdp(program) or not Path(program).is_file() or program.endswith(".c"):
        with screen.progress("Running", "packets") as progress:
            found = linecard.xdp_run(
                program,
                trace,
                section=section,
                maps=xdp_cli.maps(fill or ()),
                fib=fib,
                defines=define or (),
                packets=packets,
                payload=payload,
                seed=seed,
                routes=map_addresses,
                strict=strict,
                budget=budget or BUDGET,
                cpus=cpus,
                interface=interface,
                progress=progress,
            )
        if json:
            screen.print_json(found.to_dict())
        else:
            xdp_cli.show_run(found)
        if html is not None:
            screen.note_written([found.write_html(html, command=command_line())])
        _note_damage(found.traffic)
        return
    if html is not None:
        message = "has no effect on a program for RISC-V, of which one number is told; use program trace for a page"
        raise ConfigError.of([ConfigProblem("--html", "", message)])
    with screen.progress("Running", "instructions") as progress:
        result, instructions = linecard.program_run(program, budget or RUN_BUDGET, progress=progress)
    if json:
        screen.print_json({"program": program, "result": result, "instructions": instructions})
    else:
        screen.show(Text(f"  a0 = {result} after {instructions:,} instructions"))
    if result != 0:
        raise typer.Exit(1)


@app.command("rows")
def rows(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="An XDP program: name of a shipped one, a C file, an object file.")
    ],
    lanes: Annotated[int, typer.Option(min=1, max=8, metavar="N", help="Instructions of a row at most.")] = 4,
    section: Annotated[
        str | None, typer.Option("--section", metavar="NAME", help="Function or section, where an object has several.")
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", metavar="NAME", help="A macro for a C file; repeatable.")
    ] = None,
    isa: Annotated[
        int, typer.Option("--isa", min=1, max=4, metavar="N", help="Version of eBPF that a C file is compiled for.")
    ] = 1,
    json: Json = False,
) -> None:
    """Schedule an XDP program into rows, as for a processor that carries out several instructions a cycle.

    Prints rows of the whole program for one lane up to N, and those of each block with N. A list scheduler stands for
    the compiler of such a machine (preset hxdp); rows that a packet takes are those of the blocks on its way.

    **Examples**

        linecard program rows parse_count

        linecard program rows my_xdp.c --lanes 8 -D N=8

        linecard program rows my_xdp.o --section xdp --json
    """
    from linecard.cli import xdp as xdp_cli

    found = linecard.xdp_rows(program, section=section, defines=define or (), lanes=lanes, isa=isa)
    if json:
        screen.print_json(found.to_dict())
    else:
        xdp_cli.show_rows(found)


def core(
    program: Annotated[
        str, typer.Option("--program", metavar="PROGRAM", help="A shipped program, C file or ELF file.")
    ],
    trace: Trace = "edge",
    latency: Annotated[str, typer.Option(metavar="L,…", help="Cycles of an access off chip; several in turn.")] = "150",
    bandwidth: Annotated[float, typer.Option(metavar="B", help="References that memory serves a cycle.")] = 0.64,
    area: Annotated[int, typer.Option(metavar="A", help="Thread-equivalents for threads and cache.")] = 16,
    threads: Annotated[int | None, typer.Option(metavar="N", help="One number of threads only.")] = None,
    adapt: Annotated[
        int, typer.Option("--adapt", min=0, metavar="N", help="Packets through a malleable core that adapts; 0: none.")
    ] = 300_000,
    clock_mhz: Annotated[
        int, typer.Option("--clock-mhz", min=0, metavar="F", help="Packets come by the capture's time; 0: at once.")
    ] = 0,
    entry: Entry = None,
    control: Control = None,
    packets: Packets = 20_000,
    cache: Cache = None,
    cache_limit: CacheLimit = 4096,
    events: Annotated[int, typer.Option(min=1, metavar="N", help="Events that each simulation counts.")] = 400_000,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the splits as PNG; several latencies: a map.")
    ] = None,
    html: Html = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Simulations at a time.")] = None,
    json: Json = False,
) -> None:
    """Find the best split of a core's area between threads and data cache for a program.

    Simulates every split on one execution trace: throughput, what limits it, the best split, and what a malleable core
    of the same area reaches that finds its number of threads by itself.

    **Examples**

        linecard core --program classify --latency 150 --bandwidth 0.64 --area 16

        linecard core --program my_filter.c --trace edge.pcap --latency 300 --plot splits.png

        linecard core --program classify --latency 50,100,200,300 --plot map.png --json
    """
    from linecard.errors import ConfigError, ConfigProblem
    from linecard.files import check_outputs
    from linecard.plot.core import write_heat_map, write_splits

    check_outputs(plot, html)
    try:
        latencies = [int(part) for part in latency.split(",")]
    except ValueError:
        message = f"found {latency!r}, expected cycles: 150, or 50,100,300"
        raise ConfigError.of([ConfigProblem("--latency", "", message)]) from None
    with screen.progress("Tracing", "packets") as progress:
        traced = linecard.program_trace(
            program,
            trace,
            entry=entry,
            control=control,
            packets=packets,
            cache=cache,
            cache_bytes=cache_limit << 20,
            progress=progress,
        )
    _note(traced)
    results = []
    for cycles in latencies:
        with screen.progress("Simulating", "splits") as progress:
            results.append(
                linecard.core(
                    traced,
                    latency=cycles,
                    bandwidth=bandwidth,
                    area=area,
                    threads=threads,
                    clock_mhz=clock_mhz,
                    adapt_packets=adapt,
                    events=events,
                    jobs=jobs,
                    progress=progress,
                )
            )
    if json:
        found = [result.to_dict() for result in results]
        screen.print_json(found[0] if len(found) == 1 else {"cores": found})
    else:
        for result in results:
            _print_core(result)
    if plot is not None:
        written = write_splits(results[0], plot) if len(results) == 1 else write_heat_map(results, plot)
        screen.note_written([written])
    if html is not None:
        from linecard.report.core import write_cores

        screen.note_written([write_cores(results, html, command_line())])
    _finish(traced)


def _note(traced: ProgramTrace) -> None:
    """What went wrong with kept traces; the result is right all the same."""
    for each in traced.notes:
        screen.note(each)


def _finish(traced: ProgramTrace) -> None:
    _note_damage(traced.traffic)


def _note_damage(traffic: ProgramTraffic) -> None:
    if traffic.damaged_records:
        screen.diagnose(f"{traffic.damaged_records} damaged records, the first: {traffic.first_damage}")
        raise typer.Exit(CAPTURE_DAMAGED)


def _print_trace(found: ProgramTrace) -> None:
    facts = screen.grid("l", "w")

    def fact(name: str, value: str) -> None:
        facts.add_row(Text(name, style=screen.DIM), value)

    traffic = found.traffic
    left_out = f", {traffic.not_ip:,} others left out" if traffic.not_ip else ""
    fact("Packets", f"{traffic.packets:,} IP{left_out}; {traffic.flows:,} flows, mean {traffic.mean_bytes:.0f} bytes")
    between = f"median {traffic.median_packets_between:,} packets between two of a flow"
    fact("Traffic", f"{traffic.title}; {between}")
    fact(
        "Instructions",
        f"{found.instructions_per_packet:,.0f} a packet ({found.least_instructions:,} to {found.most_instructions:,})",
    )
    fact(
        "Accesses",
        f"{found.packet_accesses_per_packet:.1f} packet, {found.table_accesses_per_packet:.1f} tables, "
        f"{found.other_accesses_per_packet:.1f} stack and globals",
    )
    fact("Locks", f"{found.locks_per_packet:.2f} a packet, {found.locks:,} different" if found.locks else "none")
    fact("Trace", f"{found.trace_bytes_per_instruction:.2f} bytes an instruction, {found.segments:,} segments of code")
    functions = screen.lined(("function", "l"), ("instructions", "r"), ("", "l"))
    for share in found.functions:
        functions.add_row(share.name, screen.percent(share.percent / 100), screen.bar(share.percent / 100, "blue"))
    results = screen.lined(("returned", "l"), ("packets", "r"), ("", "l"))
    for share in found.results:
        results.add_row(share.name, f"{share.count:,}", screen.bar(share.percent / 100, "green"))
    screen.show(
        Padding(Text(found.name, style="bold"), (1, 0, 0, 2)),
        screen.section(facts),
        screen.section(screen.heading("Functions", "share of instructions"), functions),
        screen.section(screen.heading("Results", "what the program returned, most frequent first"), results),
        Text(""),
    )


def _print_core(result: CoreResult) -> None:
    from linecard.core.result import PLATEAUS_PERCENT

    table = screen.lined(
        ("threads", "r"),
        ("cache", "r"),
        ("pkts/Mcycle", "r"),
        ("", "l"),
        ("hits", "r"),
        ("bus", "r"),
        ("busy", "r"),
        ("switch", "r"),
        ("idle", "r"),
        ("limit", "l"),
    )
    most = result.best_packets_per_mcycle or 1.0
    for row in result.rows:
        best = row.threads == result.best_threads
        idle = row.idle_memory_percent + row.idle_other_percent
        busy = row.instructions_percent + row.pipeline_percent + row.load_use_percent
        table.add_row(
            Text(str(row.threads), style="bold green" if best else ""),
            f"{row.cache_kb:g} KB",
            Text(f"{row.packets_per_mcycle:,.1f}", style="bold" if best else ""),
            screen.bar(row.packets_per_mcycle / most, "green" if best else "blue", 10),
            screen.percent(row.hit_percent / 100, 0) if row.cache_kb else "–",
            screen.percent(row.bandwidth_percent / 100, 0),
            screen.percent(busy / 100, 0),
            screen.percent(row.switches_percent / 100, 0),
            screen.percent(idle / 100, 0),
            row.limit,
        )
    best_row = result.best
    verdict = f"Best: {best_row.threads} threads and {best_row.cache_kb:g} KB of cache; limit: {best_row.limit}"
    parts = [
        Padding(
            Text(
                f"{result.program.name}: {result.latency_cycles} cycles, {result.refs_per_cycle:g} references/cycle, "
                f"{result.area} thread-equivalents",
                style="bold",
            ),
            (1, 0, 0, 2),
        ),
        screen.section(table),
        screen.section(Text(verdict, style="bold green")),
    ]
    flat = [
        f"{low} to {high} threads within {percent:g} %"
        for percent in PLATEAUS_PERCENT
        for low, high in (result.plateau(percent),)
        if low < high
    ]
    if flat:
        parts.append(Padding(Text(", ".join(flat), style=screen.DIM), (0, 0, 0, 2)))
    if not result.single_peak and len(result.rows) > 1:
        parts.append(screen.section(Text("Throughput over threads has several peaks", style="yellow")))
    adapted = result.adapted
    if adapted is not None:
        trials = sum(stretch.trial for stretch in adapted.history)
        share = adapted.steady_packets_per_mcycle / most if most else 0.0
        parts.append(
            screen.section(
                Text(
                    f"Malleable, adapting: {adapted.threads} threads after {trials} trials, "
                    f"{adapted.steady_packets_per_mcycle:,.1f} packets/Mcycle ({share:.1%} of the best split)"
                )
            )
        )
    screen.show(*parts, Text(""))
