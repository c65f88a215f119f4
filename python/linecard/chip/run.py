"""`linecard.run`. `make docs` writes this module from the requests of the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

from linecard._arguments import plain
from linecard._schema import Run
from linecard.chip.simulate import simulate

if TYPE_CHECKING:
    from linecard.chip.result import RunResult
    from linecard.chip.steps import Program
    from linecard.request import ProgressCallback, Settings


@plain
def run(
    chip: str | PathLike[str],
    *,
    trace: str | PathLike[str] | None = None,
    set: Settings | None = None,
    seed: int = 1,
    packets: int | None = None,
    warmup_packets: int | None = None,
    map_addresses: bool = False,
    strict: bool = False,
    timeline: str | PathLike[str] | None = None,
    timeline_from_us: float = 0.0,
    timeline_for_us: float | None = None,
    pcap_out: str | PathLike[str] | None = None,
    program: str | PathLike[str] | Program | None = None,
    section: str | None = None,
    entry: str | None = None,
    maps: Mapping[str, str | PathLike[str]] | None = None,
    defines: Sequence[str] = (),
    fib: str | PathLike[str] | None = None,
    control: str | PathLike[str] | None = None,
    cpus: int = 1,
    budget: int | None = None,
    unchecked: bool = False,
    cflags: str = "",
    bits: int = 32,
    precision: float | None = None,
    band: bool = False,
    verdict: bool = True,
    progress: ProgressCallback | None = None,
) -> RunResult:
    """Simulate one design under one traffic load.

    The simulation runs in compiled code and releases the GIL, so that several threads can simulate at the same time.
    Ctrl-C stops the simulation.

    Args:
        chip: Name of a shipped chip, or path to a TOML file.
        trace: Capture to replay, or a link profile (``edge``, ``core``, a ``.toml`` file); by default, the chip's
            traffic generator.
        set: New values for parameters. For example ``{"dram.banks": 2}``, or ``["dram.banks=2"]``.
        seed: Seed of every random stream. Two runs with the same request and the same seed return identical results.
        packets: Number of packets to measure: packets sent or dropped during the measurement. With 0 packets, a capture
            is replayed once, to its end. Default: 0 with a capture, otherwise 100,000.
        warmup_packets: Length of the warm-up: packets that leave or are dropped before the statistics start. By
            default, the warm-up ends when the run detects steady state.
        map_addresses: Move addresses that have no route into routed prefixes, for anonymised captures.
        strict: Stop at the first damaged record of the capture.
        timeline: Write a timeline for ui.perfetto.dev, compressed if the file name ends in ``.gz``.
        timeline_from_us: Start of the timeline, in microseconds after the start of the measurement.
        timeline_for_us: Length of the timeline in microseconds; by default, the timeline ends at the maximum number of
            events.
        pcap_out: Write sent and dropped packets to a capture (pcapng, for Wireshark). Timestamps count from the
            beginning of the run. Each port and each reason for a drop is a separate interface in the capture. In this
            capture, a comment marks the packet with the longest latency.
        program: Program to run for each packet: an application such as ``nat``, a shipped program (``linecard program
            list``), or a file (``.toml`` steps, C, XDP, object). The default is the chip's own program. A program name
            with a suffix or a path separator refers to a file. The other program options apply only to executed
            programs.
        section: Function or section to run, if an XDP object contains several programs.
        entry: Name of the C function that processes a packet; by default, ``app_packet``.
        maps: CSV or TOML files that fill maps of an XDP program before the run.
        defines: Macros for recompiling a C file or a shipped XDP program.
        fib: CSV file with the routes for ``bpf_fib_lookup``.
        control: Input file for a C program's ``app_init``; by default, the file that ships with the program.
        cpus: Number of processors for per-processor maps; Linecard assigns packets to the processors in turn.
        budget: Maximum number of instructions that the program executes per packet; default: 1 million for XDP, 20
            million for C.
        unchecked: Let a C program access freed heap blocks, and bytes outside of its packet and its heap blocks.
        cflags: Additional compiler flags for a C file in shell syntax, such as ``-O1 -fno-inline``.
        bits: Target of a C file: 32-bit or 64-bit RISC-V.
        precision: Lengthen the run until the 95 % interval of the throughput is within ± this fraction (such as 1%) of
            the mean. In Python, 0.01 means 1 %. Linecard repeats the run with four times as many packets, until the run
            is steady and precise enough. If fewer than 64,000 packets are requested, Linecard extends the run to at
            most 256,000 packets. A run with more requested packets is repeated at most once. If the precision is not
            reached, ``warnings`` lists the attempts and suggests changes.
        band: Also simulate both ends of each interval that a source states for a value in the chip's file. For n
            intervals, Linecard adds 2n + 2 parallel runs: one for each end of an interval, and two that combine ends.
            One of the combining runs uses all ends that raise the result; the other one uses all ends that lower the
            result.
        verdict: Find the bottleneck with additional runs, each of which improves one part; together, these runs take
            several times as long as a short run.
        progress: Progress callback with two arguments: packets done and total packets. The callback runs in the thread
            that calls ``run``.

    Returns:
        The result of the run; see :class:`linecard.RunResult`.

    Raises:
        ConfigError: The preset, a key or a value is wrong; the error lists every problem.
        TrafficError: The capture cannot be used.
        RunError: The simulation stopped without a result.

    Example:
        >>> import linecard
        >>> result = linecard.run("ixp1200", program="l3fwd16", set={"dram.banks": 2}, packets=2000, warmup_packets=500)
        >>> result.summary.throughput_gbps > 0
        True
    """
    asked = {name: value for name, value in locals().items() if name != "progress"}
    return simulate(Run(**asked), progress)
