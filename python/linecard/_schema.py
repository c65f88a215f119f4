"""Requests. Written by `make docs` from the requests of the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from linecard.chip.steps import Program
    from linecard.request import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The request of `linecard.run`.

    Attributes:
        chip: Name of a shipped chip, or path of a TOML file.
        trace: Capture to replay, or a described link (``edge``, ``core``, a ``.toml`` file); the chip's generator if
            left out.
        set: Changes of parameters. ``{"dram.banks": 2}``, or ``["dram.banks=2"]``.
        seed: Seed of every random stream. Equal requests with equal seeds return equal results.
        packets: Packets to measure: sent or dropped while statistics are on. 0 replays a capture to its end, once.
            Default: 0 with a capture, otherwise 100,000.
        warmup_packets: Packets that leave or are dropped before statistics start. By default the run detects the steady
            state.
        map_addresses: Map addresses without a route into routed space, for anonymised captures.
        strict: Stop at the first damaged record of the capture.
        timeline: Write a timeline for ui.perfetto.dev; compressed if its name ends in ``.gz``.
        timeline_from_us: Start of the timeline, in microseconds after the start of the measurement.
        timeline_for_us: Length of the timeline in microseconds; by default as much as fits.
        pcap_out: Write departing and lost packets as a capture (pcapng, for Wireshark). Times count from the beginning
            of the run. Each port and each reason for a loss is an interface. A comment marks the packet that waited
            longest.
        program: Program of each packet: an application such as ``nat``, a shipped program to execute (``linecard
            program list``), or a file: steps (``.toml``), C, XDP or an object. The default is the chip's own. The name
            of a file has a suffix or a separator. The other options are for a program to execute.
        section: Function or section of an XDP object with several programs.
        entry: Function of a C program that processes packets, if not ``app_packet``.
        maps: Files (CSV or TOML) that fill maps of an XDP program before the run.
        defines: Macros of a C file or a shipped XDP program, which is then recompiled.
        fib: Routes that ``bpf_fib_lookup`` finds, as CSV.
        control: Input of ``app_init`` of a C program; shipped programs have their own.
        cpus: Number of processors of per-processor maps; packets use them in turn.
        budget: Maximum instructions of the program per packet; by default a million for XDP and twenty million for C.
        unchecked: Let a C program access bytes outside of its packet and its heap blocks, and freed blocks.
        cflags: Additional compiler flags for a C file, split as in a shell: ``-O1 -fno-inline``.
        bits: Target of a C file: RISC-V with 32 or 64 bits.
        precision: Lengthen the run until the throughput is known within ± this fraction (95 % interval), such as 1%. In
            Python 0.01 is 1 %. The run is repeated, four times as long, until it is steady and precise enough. It takes
            at most 256,000 packets (or one repetition, from 64,000 requested packets on). If that does not suffice,
            ``warnings`` list the attempts and what to change.
        band: Also run at both ends of the intervals that sources state for values of the chip's file. Each interval
            runs at both of its ends, then all intervals together by their effect: 2n + 2 more runs for n intervals, on
            all cores.
        verdict: Find the bottleneck by runs with one improved part each; this takes several times the work of a short
            run.
    """

    chip: str | PathLike[str]
    trace: str | PathLike[str] | None = None
    set: Settings | None = None
    seed: int = 1
    packets: int | None = None
    warmup_packets: int | None = None
    map_addresses: bool = False
    strict: bool = False
    timeline: str | PathLike[str] | None = None
    timeline_from_us: float = 0.0
    timeline_for_us: float | None = None
    pcap_out: str | PathLike[str] | None = None
    program: str | PathLike[str] | Program | None = None
    section: str | None = None
    entry: str | None = None
    maps: Mapping[str, str | PathLike[str]] | None = None
    defines: Sequence[str] = ()
    fib: str | PathLike[str] | None = None
    control: str | PathLike[str] | None = None
    cpus: int = 1
    budget: int | None = None
    unchecked: bool = False
    cflags: str = ""
    bits: int = 32
    precision: float | None = None
    band: bool = False
    verdict: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Dram:
    """The request of `linecard.dram`.

    Attributes:
        device: DRAM part: a shipped preset, or path of a TOML file.
        policy: Policy of the controller: a shipped preset, or path of a TOML file.
        trace: Requests to replay, plain or gzip.
        format: Format of the trace: csv (columns ``arrival,op,address`` and optionally ``bytes``), dramsim3 (``address
            OP clock``) or ramulator (``LD address``); by default detected from the first line.
        pattern: Pattern instead of a trace: stream, random, bank_conflicts or packet_cells.
        count: Requests of the pattern; default 100,000.
        spacing: Clocks between requests of the pattern; default 0, as fast as they are accepted.
        reads: Share of reads of the pattern; default 1, or 2/3 for random.
        narrow: Share of accesses of the pattern that move half as many bytes.
        seed: Seed of the pattern.
        in_flight: Maximum number of outstanding requests.
        set: Changes of values of the part or the policy. ``{"timing.tRCD": "15 ns", "policy.page": "closed"}``.
        requests: Write the outcome of each request, as CSV.
        commands: Write every command, as CSV.
        frames: Keep requests and commands as polars data frames in the result (extra ``frames``).
    """

    device: str | PathLike[str]
    policy: str | PathLike[str] = "frfcfs_open"
    trace: str | PathLike[str] | None = None
    format: str | None = None
    pattern: str | None = None
    count: int | None = None
    spacing: int | None = None
    reads: float | None = None
    narrow: float | None = None
    seed: int = 1
    in_flight: int | None = None
    set: Settings | None = None
    requests: str | PathLike[str] | None = None
    commands: str | PathLike[str] | None = None
    frames: bool = False


class Executed(TypedDict, total=False):
    """A program that a chip executes.

    Attributes:
        program: Program of each packet: an application such as ``nat``, a shipped program to execute (``linecard
            program list``), or a file: steps (``.toml``), C, XDP or an object. The default is the chip's own. The name
            of a file has a suffix or a separator. The other options are for a program to execute.
        section: Function or section of an XDP object with several programs.
        entry: Function of a C program that processes packets, if not ``app_packet``.
        maps: Files (CSV or TOML) that fill maps of an XDP program before the run.
        defines: Macros of a C file or a shipped XDP program, which is then recompiled.
        fib: Routes that ``bpf_fib_lookup`` finds, as CSV.
        control: Input of ``app_init`` of a C program; shipped programs have their own.
        cpus: Number of processors of per-processor maps; packets use them in turn.
        unchecked: Let a C program access bytes outside of its packet and its heap blocks, and freed blocks.
        cflags: Additional compiler flags for a C file, split as in a shell: ``-O1 -fno-inline``.
        bits: Target of a C file: RISC-V with 32 or 64 bits.
    """

    program: str | PathLike[str] | None
    section: str | None
    entry: str | None
    maps: Mapping[str, str | PathLike[str]] | None
    defines: Sequence[str]
    fib: str | PathLike[str] | None
    control: str | PathLike[str] | None
    cpus: int
    unchecked: bool
    cflags: str
    bits: int


class ProgramOptions(Executed, total=False):
    """The same with the instructions that a packet may take.

    Attributes:
        budget: Maximum instructions of the program per packet; by default a million for XDP and twenty million for C.
    """

    budget: int | None
