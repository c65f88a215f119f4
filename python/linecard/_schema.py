"""Requests. Written by `make docs` from requests of crates/platform."""

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
        preset: Name of a shipped preset, or path of a TOML file.
        app: Application: a name, or a file of steps; the preset's own if left out. In Python also a
            ``linecard.Program``.
        trace: Capture to replay, or a described link (``edge``, ``core``, a ``.toml`` file); the preset's generator if
            left out.
        set: Changes of parameters. ``{"dram.banks": 2}``, or ``["dram.banks=2"]``.
        seed: Seed of every random stream. The same request with the same seed gives an equal result.
        packets: Packets that must leave or be dropped while statistics are on; 0 runs a capture to its end, once. If
            left out: 0 with a capture, else 100,000.
        warmup_packets: Packets that leave or are dropped before statistics start. If left out, the chip finds out when
            it is steady.
        map_addresses: Move addresses that match no route into routed space, as anonymised captures need.
        strict: Stop at the first damaged record of the capture.
        timeline: Write a timeline for ui.perfetto.dev; compressed if its name ends in ``.gz``.
        timeline_from_us: Where the timeline begins, microseconds after the start of the measured time.
        timeline_for_us: Length of the timeline, microseconds; as much as fits if left out.
        pcap_out: Write what leaves and what is lost as a capture (pcapng, for Wireshark). Packets stand at their times
            from the beginning of the run: an interface for each port and for each reason, and a comment on the packet
            that waited longest.
        program: XDP or C program to execute on the packets: a shipped one (``linecard program list``), a C file, an
            object file. The chip's own program is run if left out.
        section: Of an XDP object with several programs: function or section.
        entry: Of a C program: function that packets go to, if not ``app_packet``.
        maps: Files (CSV or TOML) that fill maps of an XDP program before the run.
        defines: Macros of a C file or a shipped XDP program, which is then compiled anew.
        fib: Routes that ``bpf_fib_lookup`` finds, as CSV.
        control: What ``app_init`` of a C program is given; shipped programs have theirs.
        cpus: Processors that per-processor maps have values for; packets take turns.
        budget: Instructions that a packet may take of the program; a million of XDP programs and twenty million of C if
            left out.
        unchecked: Let a C program touch bytes beyond its packet, beyond blocks of the heap, and of freed ones.
        cflags: Further flags of the compiler for a C file, as a shell splits them: ``-O1 -fno-inline``.
        bits: What a C file is compiled for: RISC-V of 32 or 64 bits.
        precision: Lengthen the run until half the 95 % interval of the throughput is at most so much of it, such as 1%.
            In Python 0.01 is 1 %. The run is made again, four times as long, until it is steady and so precise, up to
            256,000 packets (once, where 64,000 or more are asked for). Where that does not suffice, ``warnings`` say
            what was tried and what to change.
        band: Run what the intervals leave open, too, that sources give values of the chip's file: each at its own ends,
            then together by their effect. These are 2n + 2 runs more for n intervals, on all cores.
        verdict: Find out what limits the run, by runs with one part made better; that is several times the work of a
            short run.
    """

    preset: str | PathLike[str]
    app: str | PathLike[str] | Program | None = None
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
    program: str | PathLike[str] | None = None
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
        format: Format of the trace: csv (columns ``arrival,op,address`` and, if wanted, ``bytes``), dramsim3 (``address
            OP clock``) or ramulator (``LD address``); found out from the first line if left out.
        pattern: Pattern instead of a trace: stream, random, bank_conflicts or packet_cells.
        count: Requests of the pattern; 100,000 if left out.
        spacing: Clocks between requests of the pattern; 0, or as fast as they are accepted, if left out.
        reads: Share of reads of the pattern; 1, of random 2/3, if left out.
        narrow: Share of accesses of the pattern that move half as many bytes.
        seed: Seed of the pattern.
        in_flight: Requests accepted and not yet completed, at most.
        set: Changes of values of the part or the policy. ``{"timing.tRCD": "15 ns", "policy.page": "closed"}``.
        requests: Write what became of each request, as CSV.
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
        program: XDP or C program to execute on the packets: a shipped one (``linecard program list``), a C file, an
            object file. The chip's own program is run if left out.
        section: Of an XDP object with several programs: function or section.
        entry: Of a C program: function that packets go to, if not ``app_packet``.
        maps: Files (CSV or TOML) that fill maps of an XDP program before the run.
        defines: Macros of a C file or a shipped XDP program, which is then compiled anew.
        fib: Routes that ``bpf_fib_lookup`` finds, as CSV.
        control: What ``app_init`` of a C program is given; shipped programs have theirs.
        cpus: Processors that per-processor maps have values for; packets take turns.
        unchecked: Let a C program touch bytes beyond its packet, beyond blocks of the heap, and of freed ones.
        cflags: Further flags of the compiler for a C file, as a shell splits them: ``-O1 -fno-inline``.
        bits: What a C file is compiled for: RISC-V of 32 or 64 bits.
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
        budget: Instructions that a packet may take of the program; a million of XDP programs and twenty million of C if
            left out.
    """

    budget: int | None
