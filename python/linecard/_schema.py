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
    """The request of `linecard.run`, which documents the fields."""

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
    """The request of `linecard.dram`, which documents the fields."""

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
