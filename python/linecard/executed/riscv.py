"""Packet programs in C on RISC-V: functions that compile the programs, and trace their execution on a capture.

A program defines the function ``uint32_t app_packet(uint8_t *packet, uint32_t bytes)``, which processes one IP packet
(``programs/include/linecard.h``). A program is specified as the name of a shipped program, a C file, or an ELF file for
32-bit or 64-bit RISC-V. Shipped programs (Table 1 of Mudigonda 2007) are already compiled; a C file requires the
compiler from the Python package ``ziglang`` (extra ``programs``).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.errors import ConfigError, MissingExtraError, did_you_mean
from linecard.executed.compiling import (
    WIDTHS,
    check_source,
    compile_c,
    compiler_folder,
    included_files,
    wrong_compilation,
)
from linecard.executed.shipped import PROGRAMS, program_info, programs, toolchain
from linecard.executed.trace_result import ProgramTrace
from linecard.files import check_apart

if TYPE_CHECKING:
    Progress = Callable[[int, int], object]

BUDGET = 20_000_000
RUN_BUDGET = 1_000_000_000


def _flags(bits: int) -> list[str]:
    tools = toolchain()
    return [flag if bits == WIDTHS[0] else tools.FLAGS64.get(flag, flag) for flag in tools.FLAGS]


def program_includes(source: str, defines: Sequence[str] = (), *, cflags: str = "", bits: int = 32) -> list[str]:
    """Return the files that a C file includes if it is compiled with these arguments of `program_build`.

    The compiler finds also files that macros name. The list omits the headers of Linecard and of the compiler. It is
    empty if the file cannot be compiled; then a run reports the reason.
    """
    from linecard.executed.xdp import ISA, is_xdp, xdp_flags

    xdp = is_xdp(source)
    if wrong_compilation(cflags, bits, is_xdp=xdp):
        return []
    try:
        flags, include = xdp_flags(ISA) if xdp else (_flags(bits), PROGRAMS / "include")
        return included_files(Path(source), flags, include, defines, cflags)
    except MissingExtraError:
        return []


@plain
def program_build(
    source: str | PathLike[str],
    output: str | PathLike[str] | None = None,
    defines: Sequence[str] = (),
    entry: str | None = None,
    *,
    cflags: str = "",
    bits: int = 32,
) -> Path:
    """Compile a C file and the program runtime into an ELF file for RISC-V; compile an XDP program into an object file.

    Args:
        source: Path of the C file. A file with ``SEC(…)`` or ``<linux/bpf.h>`` is an XDP program, which
            `linecard.xdp_build` compiles.
        output: ELF file to write; the default is a file beside the source, with the suffix ``.elf`` (``.o`` for an XDP
            program).
        defines: Macros, each ``NAME`` or ``NAME=VALUE``.
        entry: Name of the function that processes each packet; ``None`` for ``app_packet``.
        cflags: Additional compiler flags in shell syntax, such as ``"-O1 -fno-inline"``. If flags conflict, the last
            one applies.
        bits: Word width: 32 for RV32IMA, or 64 for RV64IMAC; only for C programs.

    Returns:
        Path of the ELF file.

    Raises:
        CompileError: The compiler rejected the file; the error contains the compiler's message.
        MissingExtraError: The compiler is not installed.
        ConfigError: The file does not exist.
    """
    source = Path(source)
    check_source(source)
    from linecard.executed.xdp import is_xdp, xdp_build

    check_apart({"output": output}, source)
    ConfigError.check(wrong_compilation(cflags, bits, is_xdp=is_xdp(source)))
    if is_xdp(source):
        return xdp_build(source, output, defines, cflags=cflags)
    compiler_folder()
    tools = toolchain()
    flags = _flags(bits)
    runtime = map(str, sorted((PROGRAMS / "runtime").glob("*.c")))
    link = [flag.replace("app_packet", entry or "app_packet") for flag in tools.LINK]
    script = f"-Wl,-T,{PROGRAMS / 'runtime' / 'linecard.ld'}"
    target = Path(output) if output is not None else source.with_suffix(".elf")
    return compile_c(source, target, flags, PROGRAMS / "include", defines, cflags, *runtime, *link, script)


@plain
def program_trace(
    program: str | PathLike[str],
    trace: str | PathLike[str] = "edge",
    *,
    entry: str | None = None,
    defines: Sequence[str] = (),
    control: str | PathLike[str] | None = None,
    packets: int = 20_000,
    payload: str = "random",
    seed: int = 1,
    routes: str | PathLike[str] | None = None,
    strict: bool = False,
    budget: int = BUDGET,
    unchecked: bool = False,
    cache: str | PathLike[str] | None = None,
    cache_bytes: int | None = None,
    progress: Progress | None = None,
) -> ProgramTrace:
    """Execute a program on packets, and record a trace of the execution.

    Args:
        program: Name of a shipped program, or path of a C file or an ELF file.
        trace: Path of a capture, or a link profile (``edge``, ``core``, a ``.toml`` file).
        entry: Name of the function that processes each packet; by default, ``app_packet``.
        defines: Macros for a C file, each ``NAME`` or ``NAME=VALUE``.
        control: Control file that ``app_init`` reads; by default, the control file of the shipped program.
        packets: Maximum number of packets; 0 for the whole capture.
        payload: Contents generated for payload bytes that are missing from the capture: ``random``, or ``pages`` for
            text that resembles web pages.
        seed: Seed of the random generator for payload bytes and mapped addresses.
        routes: Route table; Linecard maps IPv4 addresses to the table's prefixes, for captures with anonymised
            addresses. By default, a shipped route-lookup program uses the routes in its control file.
        strict: Stop at the first damaged record.
        budget: Maximum number of instructions that the program executes per packet.
        unchecked: Permit accesses to freed heap blocks, and to bytes outside the packet and the heap blocks.
        cache: Folder in which Linecard keeps traces, each identified by the hash of its inputs; by default, Linecard
            keeps no traces. A damaged trace file is replaced; the ``notes`` of the result report the damage.
        cache_bytes: Maximum size of the trace folder, by default 4 GiB; Linecard removes the least recently used traces
            to keep this limit.
        progress: Progress callback ``progress(done, total)``; both numbers count packets, or both count bytes of the
            capture.

    Returns:
        The statistics of the program.

    Raises:
        ConfigError: The program or an argument cannot be used.
        CompileError: The C file does not compile.
        RunError: The program causes a fault; the message contains the PC, the symbol and the packet.
        TrafficError: The capture cannot be used.
    """
    name = str(program)
    with _linked(name, Path(program), entry, defines) as (title, elf):
        shipped = program_info(name)
        if shipped is not None:
            control = control if control is not None else shipped.control
            if routes is None and shipped.functionality == "route lookup":
                routes = control
        request = {
            "elf": str(elf),
            "entry": entry,
            "control": None if control is None else os.fspath(control),
            "packets": {
                "traffic": os.fspath(trace),
                "packets": packets,
                "payload": payload,
                "seed": seed,
                "routes": None if routes is None else os.fspath(routes),
                "strict": strict,
            },
            "budget": budget,
            "checked": not unchecked,
        }
        folder = None if cache is None else os.fspath(cache)
        traced = _core.program_trace(request, cache=folder, cache_bytes=cache_bytes, progress=progress)
    own = {"name": title, "traced": traced, "notes": _core.traced_notes(traced)}
    return convert({**_core.traced_report(traced), **own}, ProgramTrace)


@contextmanager
def _linked(name: str, path: Path, entry: str | None, defines: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield a program's name and its ELF file; a file that is compiled for it exists until the context ends."""
    from linecard.executed.xdp import is_xdp

    if defines and (program_info(name) is not None or path.suffix != ".c"):
        raise ConfigError.at("define", "", f"has no effect on {name!r}; macros apply only to C files")
    if program_info(name) is not None:
        yield name, PROGRAMS / "prebuilt" / f"{name}.elf"
        return
    if path.suffix in (".c", ".o") and is_xdp(path):
        message = "found an XDP program, expected a program with app_packet; `linecard program run` runs XDP programs"
        raise ConfigError.at(name, "", message)
    if path.suffix == ".c":
        with tempfile.TemporaryDirectory() as scratch:
            elf = program_build(path, Path(scratch) / f"{path.stem}.elf", defines, entry)
            try:
                yield path.stem, elf
            except ConfigError as error:
                # The error names the file that the user knows.
                own = [replace(found, place=name) if found.place == str(elf) else found for found in error.problems]
                raise ConfigError.of(own) from None
        return
    if not path.is_file():
        hint = did_you_mean(
            name, [known.name for known in programs()], "`linecard program list` lists shipped programs"
        )
        message = f"found no program {name!r}, expected a shipped program, a C file or an ELF file; {hint}"
        raise ConfigError.at("program", "", message)
    yield path.stem, path


@plain
def program_run(
    elf: str | PathLike[str], budget: int = RUN_BUDGET, *, progress: Progress | None = None
) -> tuple[int, int]:
    """Run a program without packets until it exits (``ecall`` with ``a7`` = 93), for tests of the instruction set.

    Args:
        elf: Path of an ELF file for RISC-V.
        budget: Maximum number of instructions.
        progress: Progress callback ``progress(executed, budget)``; both numbers count instructions.

    Returns:
        The value of register ``a0``, and the number of executed instructions.

    Raises:
        ConfigError: The file is not an ELF file for RISC-V.
        RunError: The program causes a fault, or exceeds the instruction budget.
    """
    return _core.program_run(os.fspath(elf), budget, progress)
