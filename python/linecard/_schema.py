"""Types of the requests that Python sends to the core. `make docs` writes this module from the requests of the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from linecard.chip.steps import Program
    from linecard.request import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The request of `linecard.run`, whose docstring describes the fields."""

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
    """The request of `linecard.dram`, whose docstring describes the fields."""

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
    """Options of a program that a chip executes; the docstring of `linecard.run` describes them."""

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
    """Options of a program, and a limit on instructions per packet; the docstring of `linecard.run` describes them."""

    budget: int | None
