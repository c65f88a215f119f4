"""The types of the requests of the core. `make docs` writes this module from the requests of the core."""

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
    """The request of `linecard.run`; that function documents the fields."""

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
    """The request of `linecard.dram`; that function documents the fields."""

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
    """Options of a program that a chip executes.

    Attributes:
        program: Program that each packet runs: an application such as ``nat``, a shipped program (``linecard program
            list``), or a file: steps (``.toml``), C, XDP or an object. The default is the chip's own program. A program
            name with a suffix or a path separator is a file. The other options apply only to a program that is
            executed.
        section: Function or section to run from an XDP object with several programs.
        entry: C function that processes a packet, if it is not ``app_packet``.
        maps: CSV or TOML files that fill maps of an XDP program before the run.
        defines: Macros with which a C file or a shipped XDP program is recompiled.
        fib: CSV file with the routes for ``bpf_fib_lookup``.
        control: Input file for ``app_init`` of a C program; by default, the file of the shipped program.
        cpus: Number of processors for per-processor maps; packets use the processors in turn.
        unchecked: Let a C program access freed heap blocks, and bytes outside of its packet and its heap blocks.
        cflags: Additional compiler flags for a C file, split as in a shell: ``-O1 -fno-inline``.
        bits: Target of a C file: 32-bit or 64-bit RISC-V.
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
    """Options of a program that a chip executes, with a limit on instructions per packet.

    Attributes:
        budget: Maximum number of instructions that the program executes per packet; default: 1 million for XDP, 20
            million for C.
    """

    budget: int | None
