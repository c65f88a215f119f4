"""The command line: `linecard run`, `flows`, `flowcache`, `queueing`, `dram`, `sweep`, `reproduce` and others.

Data goes to stdout, progress and diagnostics to stderr. Exit status, the same for every command:

| status | meaning |
|---|---|
| 0 | everything went well |
| 1 | `reproduce --check`: a limit was missed, or the list of deviations is not up to date; `vrp check`: refused |
| 1 | `compare-models`: the models differ by more than their limits |
| 2 | wrong usage, or a configuration error; every problem is listed |
| 3 | the capture is damaged (the result is still printed) or cannot be used |
| 4 | the run failed: a deadlock, or a packet that fits no buffer; `sweep`: one of its runs did (the table is printed) |
| 130 | interrupted |
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated

import typer

import linecard
from linecard._core import __version__
from linecard.cli import cache, chip, dram, explore, models, petri, program, queueing, shots, studies, vrp
from linecard.cli.common import EPILOG, JSON_HELP, Exit, Html, command_line
from linecard.errors import ConfigError, ConfigProblem, LinecardError, NotWrittenError

__all__ = ["Exit", "app", "main"]


app = typer.Typer(
    name="linecard",
    help="Simulate programmable packet processors: throughput, loss, latency, the bottleneck and why.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"linecard {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


@app.command(epilog=EPILOG)
def run(
    preset: Annotated[
        str,
        typer.Argument(
            metavar="PRESET", help="Name of a shipped preset, or path of a TOML file; ipv4_forward means ixp2400."
        ),
    ],
    app: Annotated[
        str | None, typer.Option("--app", metavar="NAME", help="Application; the preset's own if left out.")
    ] = None,
    program: Annotated[
        str | None,
        typer.Option(
            "--program",
            metavar="PROGRAM",
            help="Execute an XDP or C program: a shipped one (`linecard program list`), a C file, an object file.",
        ),
    ] = None,
    section: Annotated[
        str | None,
        typer.Option("--section", metavar="NAME", help="Of an XDP object with several: function or section."),
    ] = None,
    entry: Annotated[
        str | None,
        typer.Option("--entry", metavar="NAME", help="Of a C program: function of a packet, if not app_packet."),
    ] = None,
    fill_map: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="NAME=FILE", help="Fill a map of the XDP program from CSV or TOML; repeatable."),
    ] = None,
    define: Annotated[
        list[str] | None,
        typer.Option("--define", "-D", metavar="NAME=VALUE", help="A macro for the C file; repeatable."),
    ] = None,
    fib: Annotated[
        Path | None, typer.Option("--fib", metavar="FILE", help="Routes that bpf_fib_lookup finds, as CSV.")
    ] = None,
    control: Annotated[
        Path | None, typer.Option("--control", metavar="FILE", help="What app_init of a C program is given.")
    ] = None,
    cpus: Annotated[
        int, typer.Option("--cpus", min=1, max=1024, metavar="N", help="Processors of per-processor maps.")
    ] = 1,
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="Model of ixp2400: np (events) or petri (a Petri net).")
    ] = "np",
    budget: Annotated[
        int | None,
        typer.Option("--budget", min=1, metavar="N", help="Instructions that a packet may take of the program."),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace", metavar="CAPTURE", help="Capture to replay; the preset's traffic generator if left out."
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
            help="Packets that must leave while statistics are on; 0 runs a capture to its end. "
            "If left out: 0 with a capture, else 100,000.",
        ),
    ] = None,
    warmup: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Packets that leave before statistics start. If left out: a chip finds out when it is steady; "
            "on other machines 1,000 with a capture, else 10,000.",
        ),
    ] = None,
    map_addresses: Annotated[
        bool, typer.Option("--map-addresses", help="Move addresses that match no route into routed space.")
    ] = False,
    band: Annotated[
        bool,
        typer.Option(
            "--band/--no-band",
            help="Run with both ends of the intervals, too, that sources give values of the chip's file.",
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
    timeline_from: Annotated[
        float,
        typer.Option("--timeline-from", min=0.0, metavar="US", help="Of a chip: begin so late in the measured time."),
    ] = 0.0,
    timeline_for: Annotated[
        float | None,
        typer.Option("--timeline-for", min=0.0, metavar="US", help="Of a chip: length; as much as fits if left out."),
    ] = None,
) -> None:
    """Simulate one design under one traffic.

    Prints throughput, loss, latency, the bottleneck and why, how busy every resource was, where the DRAM's and the
    packets' time went. With `--json`, the same command and seed print the same bytes.

    **Examples**

        linecard run ixp1200 --app l3fwd16

        linecard run ixp1200 --app nat --trace edge.pcap.gz --map-addresses

        linecard run hasan2003_all_pf --set dram.banks=2 --packets 50000 --json

        linecard run my_chip.toml --set island.threads=4 --set packets.part=hbm2

        linecard run example_smartnic --program firewall --packets 20000

        linecard run nfp4000 --program my_xdp.c -D N=8 --trace edge.pcap.gz

        linecard run nfp4000 --program balancer --folded cycles.txt

        linecard run ixp1200 --csv result.csv --timeline run.json

        linecard run ipv4_forward --model np --set traffic.kind=PSC --set program.scheme=FCB+TB
    """
    from linecard.cli import screen
    from linecard.cli.xdp import maps
    from linecard.files import check_outputs, write_text
    from linecard.petri.models import APPLICATION, PRESET
    from linecard.records import need_polars

    if folded is not None and program is None:
        message = "has no effect without a program to execute (--program)"
        raise ConfigError.of([ConfigProblem("folded", "", message)])
    preset = PRESET if preset == APPLICATION else preset
    if model != "np":
        models.run_other(model, preset, set or (), seed, packets, warmup, json=json)
        return

    # Better now than after a long run.
    if parquet is not None:
        need_polars()
    check_outputs(csv, parquet, html, timeline, folded)
    unwritten = None
    with screen.progress("Simulating", "packets") as progress:
        try:
            result = linecard.run(
                preset,
                app=app,
                program=program,
                section=section,
                entry=entry,
                maps=maps(fill_map or ()),
                defines=define or (),
                fib=fib,
                control=control,
                cpus=cpus,
                budget=budget,
                trace=trace,
                set=set,
                seed=seed,
                packets=packets,
                warmup_packets=warmup,
                map_addresses=map_addresses,
                strict=strict,
                band=band,
                timeline=timeline,
                timeline_from_us=timeline_from,
                timeline_for_us=timeline_for,
                progress=progress,
            )
        except NotWrittenError as error:
            result, unwritten = error.result, error
    # The result goes out before anything that can still fail.
    if json:
        screen.print_json(result.to_dict())
    else:
        screen.print_run(result)
    if csv is not None:
        screen.note_written([csv, result.write_csv(csv)])
    if parquet is not None:
        screen.note_written([parquet, result.write_parquet(parquet)])
    if html is not None:
        screen.note_written([result.write_html(html, command=command_line())])
    if folded is not None:
        screen.note_written([write_text(folded, "".join(each.folded() for each in result.programs))])
    if unwritten is not None:
        raise unwritten
    if timeline is not None:
        screen.note_written([timeline])
    if result.capture_damage:
        screen.diagnose(f"{trace}: damaged in {result.capture_damage} places; what could be read was used")
        raise typer.Exit(Exit.CAPTURE)


@app.command(epilog=EPILOG)
def flows(
    capture: Annotated[
        Path, typer.Argument(metavar="CAPTURE", help="pcap, pcapng, ERF, TSH or CSV; plain, gzip, zstd or bzip2.")
    ],
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first damaged record.")] = False,
    most_flows: Annotated[
        int, typer.Option(min=1, max=1 << 40, metavar="N", help="Flows at which it gives up; 220 bytes of memory each.")
    ] = 20_000_000,
) -> None:
    """Count the packets and flows of a capture.

    Prints packets, bytes, duration, the size distribution, one-way flows, and what was skipped and why. What can be
    read of a damaged capture is read; the rest is reported with file, byte offset and packet number.

    **Examples**

        linecard flows edge.pcap.gz

        linecard flows sample.tsh --json

        linecard flows suspicious.pcapng --strict
    """
    from linecard.cli import screen

    with screen.progress("Reading", "bytes") as progress:
        statistics = linecard.flows(capture, strict=strict, most_flows=most_flows, progress=progress)
    if json:
        screen.print_json(statistics.to_dict())
    else:
        screen.print_flows(statistics)
    screen.diagnose_capture(statistics)
    if not statistics.clean:
        raise typer.Exit(Exit.CAPTURE)


@app.command(epilog=EPILOG)
def flowcache(
    source: Annotated[
        Path, typer.Argument(metavar="INPUT", help="A capture, or a file of digests: one little-endian u32 per packet.")
    ],
    entries: Annotated[str, typer.Option(metavar="N,…", help="Sizes.")] = "512,1024,2048",
    ways: Annotated[str, typer.Option(metavar="N,…", help="Entries of a set; `full` for one set of all.")] = "4",
    policy: Annotated[
        str, typer.Option(metavar="NAME,…", help="Policies in any case, such as BIP32, or SECOND16+SP with a filter.")
    ] = "lru,sp,opt",
    format: Annotated[  # noqa: A002 # the name of the option
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="`u32le` for digests, `capture` for packets; if left out, names in .u32le or .u32le.gz are digests.",
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="FIELDS",
            help="What makes a flow: 5-tuple, 2-tuple, or fields such as dst/24,protocol. If left out: 5-tuple.",
        ),
    ] = None,
    hash: Annotated[  # noqa: A002 # the name of the option
        str | None,
        typer.Option("--hash", metavar="NAME", help="md5, crc32c, xxhash or h3 for the digest. If left out: md5."),
    ] = None,
    width: Annotated[int, typer.Option(metavar="BITS", help="Bits of a digest, the low ones.")] = 32,
    result_bits: Annotated[int, typer.Option(metavar="BITS", help="Bits of a result, for the cost of an entry.")] = 8,
    cold_window: Annotated[
        int, typer.Option(metavar="N", help="A miss is cold if its digest is not in so many packets before.")
    ] = 10_000,
    foresight: Annotated[int, typer.Option(metavar="N", help="Packets that PRED looks ahead.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of policies that draw, and of the hash h3.")] = 1,
    threads: Annotated[
        int | None, typer.Option(metavar="N", help="Caches run at the same time; one per core if left out.")
    ] = None,
    false_hits: Annotated[
        bool, typer.Option("--false-hits", help="Count packets that get the result of another flow.")
    ] = False,
    curves: Annotated[
        bool, typer.Option("--curves", help="Add LRU of all sizes and ways, and reuse distances, from one pass.")
    ] = False,
    traffic: Annotated[
        bool, typer.Option("--traffic", help="Add what the flows are like: sizes, and how many are active at once.")
    ] = False,
    time_out: Annotated[float, typer.Option(metavar="SECONDS", help="Silence that ends a flow there.")] = 1.0,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first damaged record.")] = False,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the rows as CSV, a manifest beside it.")
    ] = None,
    html: Html = None,
    plots: Annotated[
        Path | None, typer.Option("--plots", metavar="DIR", help="Draw everything as PNG files (extra: plot).")
    ] = None,
) -> None:
    """Compare flow caches: hit rate and miss classes of every size, number of ways and policy.

    A cache keeps results of packet classification by the digest of the flow. Prints for each cache how many packets
    hit, why the others miss (cold, capacity, conflict), and for each size the best policy that can be built and how
    close it comes to the optimum. The same command prints the same bytes, whatever `--threads`.

    **Examples**

        linecard flowcache edge.pcap.gz

        linecard flowcache edge.pcap.gz --entries 512,1024,2048 --ways 4,8,full --policy lru,fifo,sp,srrip,opt

        linecard flowcache edge.pcap.gz --key dst/24 --hash crc32c --width 16 --false-hits

        linecard flowcache edge.pcap.gz --policy lru,sp,pred,opt_bypass --json --csv caches.csv

        linecard flowcache edge.pcap.gz --curves --traffic --plots caches/
    """
    from linecard.cli import screen
    from linecard.files import check_outputs

    check_outputs(csv, html, folders=[plots])
    with screen.progress("Simulating", "") as progress:
        result = linecard.flowcache(
            source,
            [_number("--entries", each) for each in _words(entries)],
            ["full" if each.lower() == "full" else _number("--ways", each) for each in _words(ways)],
            _words(policy),
            format=format,
            key=key,
            hash=hash,
            width=width,
            result_bits=result_bits,
            cold_window_packets=cold_window,
            foresight_packets=foresight,
            seed=seed,
            threads=threads,
            false_hits=false_hits,
            curves=curves,
            time_out_seconds=time_out if traffic else None,
            strict=strict,
            progress=progress,
        )
    # The result goes out before anything that can still fail.
    if json:
        screen.print_json(result.to_dict())
    else:
        screen.print_flowcache(result)
    screen.diagnose_capture(result)
    if csv is not None:
        screen.note_written([csv, result.write_csv(csv)])
    if html is not None:
        screen.note_written([result.write_html(html, command=command_line())])
    if plots is not None:
        screen.note_written(result.write_plots(plots))
    if result.damaged_records:
        raise typer.Exit(Exit.CAPTURE)


def _words(text: str) -> list[str]:
    """The parts of a list with commas."""
    return [part for part in (part.strip() for part in text.split(",")) if part]


def _number(option: str, text: str) -> int:
    """A whole number on a list."""
    also = ", or full" if option == "--ways" else ""
    try:
        return int(text)
    except ValueError:
        problem = ConfigProblem(option, "", f"found {text!r}, expected whole numbers with commas, such as 4,8{also}")
        raise ConfigError.of([problem]) from None


chip.register(app)
explore.register(app)
app.add_typer(dram.app, name="dram")


@app.command(epilog=EPILOG)
def presets(json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False) -> None:
    """List the shipped presets.

    **Examples**

        linecard presets

        linecard presets --json
    """
    from linecard.cli import screen
    from linecard.records import plain

    found = linecard.presets()
    if json:
        screen.print_json(plain(found))
    else:
        screen.print_presets(found)


@app.command(epilog=EPILOG)
def describe(
    preset: Annotated[str, typer.Argument(metavar="PRESET", help="Name of a shipped preset, or path of a TOML file.")],
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Show every parameter of a preset with unit and source, and what follows from them.

    **Examples**

        linecard describe ixp1200

        linecard describe hasan2003_all_pf --set dram.banks=2 --json
    """
    from linecard.cli import screen

    description = linecard.describe(preset, set)
    if json:
        screen.print_json(description.to_dict())
    else:
        screen.print_description(description)


@app.command(epilog=EPILOG)
def reproduce(
    study: Annotated[
        str | None, typer.Argument(metavar="[STUDY]", help="Name of a shipped study, or path of a study folder.")
    ] = None,
    table: Annotated[
        list[str] | None, typer.Option("--table", metavar="N", help="Only this table or figure; repeatable.")
    ] = None,
    chapter: Annotated[
        list[int] | None,
        typer.Option("--chapter", metavar="N", help="Only the tables and figures of this chapter; repeatable."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="One seed and fewer packets, for a first look.")] = False,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", help="Runs at the same time; one per core if left out.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Output folder; results/STUDY, or results/scorecard, if left out."),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="End with status 1 when a limit is missed or the deviations are not up to date."),
    ] = False,
    scorecard: Annotated[
        bool,
        typer.Option(
            "--scorecard", help="Every limit of studies/targets.csv, on full studies: STUDY, or all five that have any."
        ),
    ] = False,
    robustness: Annotated[
        bool,
        typer.Option(
            "--robustness", help="The mean error with eight seeds, and with each calibrated value a tenth up and down."
        ),
    ] = False,
) -> None:
    """Reproduce a published study: every number beside the published one.

    Writes tidy tables, plots and one self-contained HTML report into the output folder. The result does not depend
    on `--jobs`.

    **Examples**

        linecard reproduce hasan2003 --quick

        linecard reproduce hasan2003 --table 1 --table figure5

        linecard reproduce hasan2003 --json --jobs 2 --out results/mine

        linecard reproduce --scorecard spalink2000

        linecard reproduce hasan2003 --robustness
    """
    parts = bool(table or chapter)
    if scorecard and robustness:
        raise ConfigError.of(
            [ConfigProblem("--robustness", "", "found --scorecard beside it, expected one of the two")]
        )
    if scorecard:
        studies.scorecard(study, parts=parts, quick=quick, json=json, jobs=jobs, out=out, check=check)
        return
    if study is None:
        from linecard.study.spec import study_folders

        expected = f"expected one of {', '.join(sorted(study_folders()))}; --scorecard alone takes those with limits"
        raise ConfigError.of([ConfigProblem("reproduce", "", f"found no STUDY, {expected}")])
    if robustness:
        studies.robustness(study, parts=parts or quick or check, json=json, jobs=jobs, out=out)
        return
    from linecard.cli import screen
    from linecard.files import check_outputs
    from linecard.study.write import write_study

    folder = out if out is not None else Path("results") / Path(study).name
    check_outputs(folders=[folder])
    with screen.progress("Simulating", "packets") as progress:
        result = linecard.reproduce(study, tables=table, chapters=chapter, quick=quick, jobs=jobs, progress=progress)
    # The result goes out before anything that can still fail.
    if json:
        screen.print_json(result.to_dict())
    else:
        screen.print_study(result)
    written = write_study(result, out if out is not None else Path("results") / result.study.spec.id)
    screen.note_written(written.written, folder=True)
    for reason in written.left_out:
        screen.note(f"left out: {reason}")
    for failed, why in result.failures.items():
        screen.diagnose(f"{failed}: {why}")
    if check:
        for problem in result.problems:
            screen.diagnose(problem)
    if result.failures:
        raise typer.Exit(Exit.RUN)
    if check and result.problems:
        raise typer.Exit(Exit.CHECK_FAILED)


app.add_typer(queueing.app, name="queueing", epilog=EPILOG)
app.add_typer(petri.app, name="petri", epilog=EPILOG)
app.add_typer(vrp.app, name="vrp", epilog=EPILOG)
app.add_typer(program.app, name="program", epilog=EPILOG)
app.add_typer(cache.app, name="cache", epilog=EPILOG)
app.command("core", epilog=EPILOG)(program.core)
app.command("hierarchy", epilog=EPILOG)(vrp.hierarchy)
app.command("compare-models", epilog=EPILOG)(models.compare_models)
app.command("shot-noise", epilog=EPILOG)(shots.shot_noise)
app.command("buffer-size", epilog=EPILOG)(shots.buffer_size)


def _large_numbers(words: list[str]) -> list[str]:
    """The numbers of a command line that are negative or need more than 32 bits."""
    parts = [part for word in words for part in word.rpartition("=")[2].split(",")]
    return [part for part in parts if part.lstrip("-").isdigit() and not 0 <= int(part) < 1 << 32]


def main() -> None:
    """Entry point: run the command and turn every deliberate error into a message and an exit status."""
    from linecard.cli import interrupt, screen

    interrupt.end_within_a_second()
    for stream in (sys.stdout, sys.stderr):
        # A name of a file, or a line of a table, that the encoding lacks is no reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except LinecardError as error:
        screen.diagnose_error(error)
        sys.exit(error.exit_code)
    except UnicodeEncodeError as error:
        name = error.object[:200].encode(errors="backslashreplace").decode()
        screen.diagnose(f"{name}: a name that is not UTF-8; rename the file, or use a link to it")
        sys.exit(Exit.USAGE)
    except OverflowError as error:
        # The core says at which of its arguments it stopped; which option that was is seen in the value.
        at = " ".join(getattr(error, "__notes__", ())).removeprefix("while processing ").strip("'")
        values = ", ".join(_large_numbers(sys.argv[1:])) or str(error)
        screen.diagnose(
            f"{at or 'an option'}: found {values}, expected a number in range: not negative, and of 32 or 64 bits"
        )
        sys.exit(Exit.USAGE)
    except KeyboardInterrupt:
        screen.diagnose("interrupted")
        sys.exit(Exit.INTERRUPTED)
    except BrokenPipeError:
        # The reader of a pipe went away; whoever started it knows.
        sys.stderr.close()
        sys.exit(Exit.OK)
