"""Packet programs in C on RISC-V: build them, trace them on a capture.

A program has ``uint32_t app_packet(uint8_t *packet, uint32_t bytes)``, called once for each IP packet
(``programs/include/linecard.h``). It is given as the name of a shipped program, a C file, or an ELF file for RISC-V of
32 or 64 bits. The shipped ones (Table 1 of Mudigonda 2007) are built already; a C file needs the compiler of the Python
package ``ziglang`` (extra ``programs``).
"""

from __future__ import annotations

import difflib
import importlib.util
import os
import subprocess
import sys
import tempfile
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from linecard import _core, _html
from linecard._convert import convert
from linecard.errors import CompileError, ConfigError, ConfigProblem, MissingExtraError
from linecard.results import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    Progress = Callable[[int, int], object]

PROGRAMS = Path(__file__).parent / "_programs"
BUDGET = 20_000_000
RUN_BUDGET = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ProgramInfo:
    """A shipped program.

    Attributes:
        name: Its name.
        title: What it does.
        functionality: Class of Table 1.
        source: Document that defines it.
        reads: What of the packet decides its work: ``header`` or ``payload``.
        shared: What threads that work on different packets share.
        control: Its default control file; ``None`` where it needs none.
    """

    name: str
    title: str
    functionality: str
    source: str
    reads: str
    shared: str
    control: str | None


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((PROGRAMS / "programs.toml").read_text(encoding="utf-8"))


def programs() -> list[ProgramInfo]:
    """The shipped programs, in the order of Table 1."""
    return [
        ProgramInfo(
            name,
            entry["title"],
            entry["class"],
            entry["source"],
            entry["reads"],
            entry.get("shared", "nothing"),
            str(PROGRAMS / "control" / entry["control"]) if "control" in entry else None,
        )
        for name, entry in _table().items()
    ]


def program_info(name: str) -> ProgramInfo | None:
    """The shipped program of that name."""
    return next((program for program in programs() if program.name == name), None)


@cache
def toolchain() -> Any:
    """How programs are compiled: ``programs/build.py`` says it once."""
    spec = importlib.util.spec_from_file_location("linecard_programs_build", PROGRAMS / "build.py")
    if spec is None or spec.loader is None:
        raise ConfigError(f"{PROGRAMS / 'build.py'} cannot be read; install linecard again")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program_build(
    source: str | PathLike[str],
    output: str | PathLike[str] | None = None,
    defines: Sequence[str] = (),
    entry: str | None = None,
) -> Path:
    """Compile a C file with the runtime of the programs into an ELF file for RV32IMA; an XDP program into an object.

    Args:
        source: The C file. One with ``SEC(…)`` or ``<linux/bpf.h>`` is an XDP program: `linecard.xdp.xdp_build`.
        output: The ELF file; ``None`` puts it beside the source, ending in ``.elf`` (an XDP program: ``.o``).
        defines: Macros, ``NAME`` or ``NAME=VALUE``.
        entry: Function that packets go to; ``None`` takes ``app_packet``.

    Returns:
        The ELF file.

    Raises:
        CompileError: The compiler refused it; the message is the compiler's own.
        MissingExtraError: The compiler is not installed.
        ConfigError: There is no such file.
    """
    source = Path(source)
    if not source.is_file():
        raise ConfigError.of([ConfigProblem(str(source), "", "there is no such file; expected a C file")])
    from linecard import xdp

    if xdp.is_xdp(source):
        return xdp.xdp_build(source, output, defines)
    if find_spec("ziglang") is None:
        raise MissingExtraError("a compiler for C files", "programs")
    tools = toolchain()
    # The compiler takes what begins with @ for a file of arguments, and with - for an option.
    named = str(source) if not str(source).startswith(("@", "-")) else f"./{source}"
    target = Path(output) if output is not None else source.with_suffix(".elf")
    with tempfile.TemporaryDirectory(dir=target.parent if target.parent.is_dir() else None) as scratch:
        made = Path(scratch) / target.name
        command = [sys.executable, "-m", "ziglang", "cc"]
        command += [flag for flag in tools.FLAGS if flag != "-Werror"]
        command += [f"-D{define}" for define in defines]
        command += ["-I", str(PROGRAMS / "include"), "-I", named.rpartition("/")[0] or ".", named]
        command += map(str, sorted((PROGRAMS / "runtime").glob("*.c")))
        link = [flag.replace("app_packet", entry or "app_packet") for flag in tools.LINK]
        command += [*link, f"-Wl,-T,{PROGRAMS / 'runtime' / 'linecard.ld'}", "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0 or not made.exists():
            raise CompileError(f"{source}: the compiler refused it:\n{(done.stderr or done.stdout).strip()}")
        if done.stderr.strip():
            sys.stderr.write(done.stderr)
        made.replace(target)
    return target


@dataclass(frozen=True, slots=True)
class Share:
    """Something, how often, and in per cent of all."""

    name: str
    count: int
    percent: float


@dataclass(frozen=True, slots=True)
class ProgramTraffic:
    """The packets that a program was given.

    Attributes:
        title: What the traffic is.
        packets: IP packets.
        not_ip: Packets that are none, left out.
        flows: One-way flows.
        mean_bytes: Mean size of an IP packet.
        median_packets_between: Median number of packets between two of one flow.
        damaged_records: Damaged records of the capture, passed over.
        first_damage: The first of them.
    """

    title: str
    packets: int
    not_ip: int
    flows: int
    mean_bytes: float
    median_packets_between: int
    damaged_records: int
    first_damage: str | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ProgramTrace:
    """What a program did on its packets; `linecard.core` runs it on cores.

    Attributes:
        elf: The ELF file.
        traffic: Its packets.
        instructions: Instructions of all packets.
        instructions_per_packet: Their mean; ``least_instructions`` and ``most_instructions`` the extremes.
        runs_per_packet: Stretches of instructions without a jump.
        packet_accesses_per_packet: Loads and stores of the packet.
        table_accesses_per_packet: Loads and stores of other data: heap, marked state, control data.
        other_accesses_per_packet: Loads and stores of stack and globals, which are on the chip.
        locks_per_packet: Locks taken.
        locks: Different locks.
        trace_bytes_per_instruction: Size of the trace.
        segments: Different stretches of code between two accesses to data.
        results: What the program returned, most frequent first.
        functions: Functions by instructions.
    """

    elf: str
    traffic: ProgramTraffic
    instructions: int
    instructions_per_packet: float
    least_instructions: int
    most_instructions: int
    runs_per_packet: float
    packet_accesses_per_packet: float
    table_accesses_per_packet: float
    other_accesses_per_packet: float
    locks_per_packet: float
    locks: int
    trace_bytes_per_instruction: float
    segments: int
    results: tuple[Share, ...]
    functions: tuple[Share, ...]
    name: str = ""
    # The work for cores, and what went wrong with the folder of kept traces; not part of the plain data.
    traced: Any = field(default=None, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        names = [name for name in self.__slots__ if name not in ("traced", "notes")]
        return {name: plain(getattr(self, name)) for name in names}

    def write_html(self, path: str | Path, *, command: str | None = None) -> Path:
        """Write one self-contained page; ``command`` is shown as what repeats it."""
        from linecard.pages.program import write_trace

        return write_trace(self, path, command)

    def __repr__(self) -> str:
        return (
            f"<ProgramTrace {self.name} on {self.traffic.title}: {self.traffic.packets} packets, "
            f"{self.instructions_per_packet:.0f} instructions each>"
        )

    def _repr_html_(self) -> str:
        pairs = [
            ("packets", f"{self.traffic.packets:,} of {self.traffic.flows:,} flows"),
            ("instructions a packet", f"{self.instructions_per_packet:,.0f}"),
            ("accesses to the packet", f"{self.packet_accesses_per_packet:.1f} a packet"),
            ("accesses to tables", f"{self.table_accesses_per_packet:.1f} a packet"),
            ("locks", f"{self.locks_per_packet:.2f} a packet"),
        ]
        shares = [(share.name, share.percent / 100) for share in self.functions]
        return _html.block(self.name, _html.facts(pairs), _html.bars("Functions", shares))


def program_trace(
    program: str | PathLike[str],
    traffic: str | PathLike[str] = "edge",
    *,
    entry: str | None = None,
    control: str | PathLike[str] | None = None,
    packets: int = 20_000,
    payload: str = "random",
    seed: int = 1,
    routes: str | PathLike[str] | None = None,
    strict: bool = False,
    budget: int = BUDGET,
    cache: str | PathLike[str] | None = None,
    cache_bytes: int | None = None,
    progress: Progress | None = None,
) -> ProgramTrace:
    """Execute a program on packets and trace it.

    Args:
        program: Name of a shipped program, a C file, or an ELF file.
        traffic: A capture, or a link that a preset describes: ``edge``, ``core``, or a TOML file like those.
        entry: Function that packets go to; ``None`` takes ``app_packet``.
        control: What ``app_init`` is given; ``None`` takes the default of a shipped program.
        packets: Packets at most; 0 for the whole capture.
        payload: What payload that the capture lacks is like: ``random`` or ``pages``.
        seed: Seed of what is made up.
        routes: A route table into whose space IPv4 addresses are moved, as the source does it with anonymised captures;
            ``None`` takes the control file of a shipped route lookup.
        strict: Stop at the first damaged record.
        budget: Instructions that a packet may take.
        cache: A folder that keeps traces, by the hash of all that they depend on; ``None`` traces anew. A
            damaged file is made again; ``notes`` of the result say so.
        cache_bytes: What the folder may hold, 4 GiB if left out; what was used least recently goes.
        progress: Called now and then with (done, in all).

    Returns:
        What the program did.

    Raises:
        ConfigError: The program or an argument cannot be used.
        CompileError: The C file does not compile.
        RunError: The program faults: PC, symbol and packet are named.
        TrafficError: The capture cannot be used.
    """
    name = str(program)
    with _linked(name, Path(program), entry) as (title, elf):
        shipped = program_info(name)
        if shipped is not None:
            control = control if control is not None else shipped.control
            if routes is None and shipped.functionality == "route lookup":
                routes = control
        return _trace(
            title,
            elf,
            traffic,
            entry,
            control,
            packets,
            payload,
            seed,
            routes,
            strict,
            budget,
            cache,
            cache_bytes,
            progress,
        )


@contextmanager
def _linked(name: str, path: Path, entry: str | None) -> Iterator[tuple[str, Path]]:
    """What a program is called, and its ELF file; one that is compiled for it lasts as long as the context."""
    from linecard import xdp

    if program_info(name) is not None:
        yield name, PROGRAMS / "prebuilt" / f"{name}.elf"
        return
    if path.suffix in (".c", ".o") and xdp.is_xdp(path):
        message = "found an XDP program, expected one with app_packet; `linecard program run` runs XDP programs"
        raise ConfigError.of([ConfigProblem(name, "", message)])
    if path.suffix == ".c":
        with tempfile.TemporaryDirectory() as scratch:
            yield path.stem, program_build(path, Path(scratch) / f"{path.stem}.elf", entry=entry)
        return
    if not path.is_file():
        near = difflib.get_close_matches(name, [known.name for known in programs()], 1)
        hint = f"; did you mean {near[0]}?" if near else "; `linecard program list` names the shipped ones"
        message = f"found no program {name!r}, expected a shipped one, a C file or an ELF file{hint}"
        raise ConfigError.of([ConfigProblem("program", "", message)])
    yield path.stem, path


def _trace(
    name: str,
    elf: Path,
    traffic: str | PathLike[str],
    entry: str | None,
    control: str | PathLike[str] | None,
    packets: int,
    payload: str,
    seed: int,
    routes: str | PathLike[str] | None,
    strict: bool,
    budget: int,
    cache: str | PathLike[str] | None,
    cache_bytes: int | None,
    progress: Progress | None,
) -> ProgramTrace:
    traced = _core.program_trace(
        str(elf),
        entry=entry,
        control=None if control is None else os.fspath(control),
        traffic=os.fspath(traffic),
        packets=packets,
        payload=payload,
        seed=seed,
        routes=None if routes is None else os.fspath(routes),
        strict=strict,
        budget=budget,
        cache=None if cache is None else os.fspath(cache),
        cache_bytes=cache_bytes,
        progress=progress,
    )
    report = traced.report()
    report["traffic"] = convert(report["traffic"], ProgramTraffic)
    for shares in ("results", "functions"):
        report[shares] = tuple(convert(report[shares], list[Share]))
    return ProgramTrace(**report, name=name, traced=traced, notes=tuple(traced.notes()))


class CachedTrace(msgspec.Struct, frozen=True):
    """One trace that a folder keeps; program, traffic and packets are ``None`` where the file cannot be used."""

    file: str
    bytes: int
    unused_seconds: int
    program: str | None
    traffic: str | None
    packets: int | None
    problem: str | None


def cached_traces(folder: str | PathLike[str]) -> list[CachedTrace]:
    """The traces that a folder keeps (``program_trace(cache=folder)``), those used last first; each is checked.

    Raises:
        ConfigError: The folder cannot be read.
    """
    return convert(_core.cached_traces(os.fspath(folder)), list[CachedTrace])


def clear_cached_traces(folder: str | PathLike[str]) -> tuple[int, int]:
    """Remove the traces of a folder and nothing else in it: how many files and bytes went.

    Raises:
        ConfigError: The folder cannot be read, or a file not be removed.
    """
    return _core.clear_cached_traces(os.fspath(folder))


def program_run(
    elf: str | PathLike[str], budget: int = RUN_BUDGET, *, progress: Progress | None = None
) -> tuple[int, int]:
    """Run a program by itself until it exits (``ecall`` with ``a7`` = 93): tests of the instruction set.

    Args:
        elf: An ELF file for RISC-V.
        budget: Instructions at most.
        progress: Called now and then with (instructions, budget).

    Returns:
        What it left in ``a0``, and the instructions it took.

    Raises:
        ConfigError: It is no such file.
        RunError: It faults, or runs for longer.
    """
    return _core.program_run(os.fspath(elf), budget, progress)
