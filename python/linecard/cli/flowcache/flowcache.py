"""`linecard flowcache`: compare flow caches by size, number of ways and replacement policy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import linecard
from linecard.cli.options import Exit, Packets
from linecard.cli.output import Json, Output, Outputs
from linecard.errors import ConfigError, ConfigProblem


def flowcache(
    trace: Annotated[
        Path,
        typer.Argument(
            metavar="CAPTURE",
            help="A capture; a link profile (`edge`, `core`, a TOML file); or digests, each a little-endian u32.",
        ),
    ],
    entries: Annotated[str, typer.Option(metavar="N,…", help="Cache sizes, in entries.")] = "512,1024,2048",
    ways: Annotated[
        str, typer.Option(metavar="N,…", help="Ways (entries per set); `full` for fully associative.")
    ] = "4",
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME,…",
            help="Replacement policies, such as BIP32, or SECOND16+SP with a filter; case does not matter.",
        ),
    ] = "lru,sp,opt",
    format: Annotated[  # noqa: A002 # the name of the option
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="`u32le` for digests, `capture` for packets; by default, .u32le and .u32le.gz files hold digests.",
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="FIELDS",
            help="Key of a flow: 5-tuple, 2-tuple, or fields such as dst/24,protocol. Default: 5-tuple.",
        ),
    ] = None,
    hash: Annotated[  # noqa: A002 # the name of the option
        str | None,
        typer.Option(
            "--hash", metavar="NAME", help="Hash function of the digest: md5, crc32c, xxhash or h3. Default: md5."
        ),
    ] = None,
    width: Annotated[int, typer.Option(metavar="BITS", help="Number of low bits of the hash that form a digest.")] = 32,
    result_bits: Annotated[
        int,
        typer.Option(metavar="BITS", help="Bits of a classification result, which are part of the cost of an entry."),
    ] = 8,
    cold_window: Annotated[
        int, typer.Option(metavar="N", help="A miss is cold if none of the last N packets has the same digest.")
    ] = 10_000,
    foresight: Annotated[
        int, typer.Option(metavar="N", help="Number of future packets that the policy PRED sees.")
    ] = 10_000,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Seed for random policies and for the hash function h3.")
    ] = 1,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of caches simulated in parallel; by default, one per CPU core."),
    ] = None,
    false_hits: Annotated[
        bool, typer.Option("--false-hits", help="Count packets that receive the classification result of another flow.")
    ] = False,
    curves: Annotated[
        bool, typer.Option("--curves", help="Add reuse distances, and the results of LRU for all sizes and ways.")
    ] = False,
    traffic: Annotated[
        bool,
        typer.Option(
            "--traffic", help="Add flow statistics: the sizes of flows, and the number of flows active at once."
        ),
    ] = False,
    time_out: Annotated[
        float, typer.Option(metavar="SECONDS", help="Idle time that ends a flow, for --traffic.")
    ] = 1.0,
    packets: Packets = 0,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first damaged record.")] = False,
    json: Json = False,
    output: Output = None,
) -> None:
    """Compare the hit rate and the miss classes of flow caches by size, number of ways and replacement policy.

    A flow cache stores packet-classification results under a digest of the flow. For each cache, the command prints the
    hit rate and the miss classes (cold, capacity, conflict). For each size, the command prints the best policy that
    hardware can implement, compared with the optimal policy. The output does not depend on `--jobs`.

    **Examples**

        linecard flowcache examples/captures/edge-mix.pcap.gz

        linecard flowcache examples/captures/edge-mix.pcap.gz --entries 512,1024 --ways 4,full --policy lru,sp,srrip,opt

        linecard flowcache examples/captures/edge-mix.pcap.gz --key dst/24 --hash crc32c --width 16 --false-hits

        linecard flowcache examples/captures/edge-mix.pcap.gz --policy lru,sp,pred,opt_bypass -o caches.csv --json

        linecard flowcache examples/captures/edge-mix.pcap.gz --curves --traffic -o caches.html

        linecard flowcache core --policy lru,sp --packets 50000
    """
    from linecard.cli import stderr

    outputs = Outputs(json, output)
    with stderr.progress("Simulating", "") as progress:
        result = linecard.flowcache(
            trace,
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
            jobs=jobs,
            false_hits=false_hits,
            curves=curves,
            time_out_seconds=time_out if traffic else None,
            packets=packets,
            strict=strict,
            progress=progress,
        )
    outputs.give(result)
    stderr.diagnose_capture(result)
    if result.damaged_records:
        raise typer.Exit(Exit.CAPTURE)


def _words(text: str) -> list[str]:
    """The parts of a list separated by commas."""
    return [part for part in (part.strip() for part in text.split(",")) if part]


def _number(option: str, text: str) -> int:
    """A whole number of a list."""
    also = ", or full" if option == "--ways" else ""
    try:
        return int(text)
    except ValueError:
        problem = ConfigProblem(
            option, "", f"found {text!r}, expected whole numbers separated by commas, such as 4,8{also}"
        )
        raise ConfigError.of([problem]) from None
