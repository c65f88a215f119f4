"""XDP programs (eBPF): functions that compile the programs and run them on a capture.

A program is specified as the name of a shipped program, a C file, or an object file that clang compiled for eBPF. A
program may also be a file of raw eBPF instructions with eight bytes per instruction. A C file requires the compiler
from the Python package ``ziglang`` (extra ``programs``). A program processes one packet after another. A run stops with
an error if the program has a fault for which the kernel's verifier would reject the program. The error message contains
the instruction and the source line of the fault.
"""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.errors import ConfigError, did_you_mean
from linecard.executed.compiling import WIDTHS, check_source, compile_c, compiler_folder, wrong_compilation
from linecard.executed.shipped import PROGRAMS, toolchain
from linecard.executed.xdp_result import XdpProgramInfo, XdpRows, XdpRun
from linecard.listed import Listed

if TYPE_CHECKING:
    Progress = Callable[[int, int], object]

XDP = PROGRAMS / "xdp"
BUDGET = 1_000_000
# Versions of the instruction set, and the default one.
ISAS = range(1, 5)
ISA = 3
# The default number of lanes of the machine that executes rows.
LANES = 4
# The number of eBPF among the machines of ELF files, and its offset.
EM_BPF = 247
MACHINE_AT = 18
SLOT_BYTES = 8
# Text that only sources of XDP programs contain.
XDP_SOURCE = re.compile(
    r'\bSEC\s*\(|#\s*include\s*[<"](linux/bpf\.h|bpf/bpf_helpers\.h|linecard_bpf\.h|lx_packet\.h)[>"]'
)


@cache
def xdp_programs() -> Listed[XdpProgramInfo]:
    """The shipped XDP programs."""
    table = tomllib.loads((XDP / "xdp.toml").read_text(encoding="utf-8"))
    return Listed(
        XdpProgramInfo(name, each["title"], each["source"], each.get("parameters", {}), tuple(each.get("maps", ())))
        for name, each in table.items()
    )


def is_xdp(program: str | PathLike[str]) -> bool:
    """Whether a name refers to an XDP program: a shipped program, a C file with XDP includes, or an object file."""
    if any(each.name == str(program) for each in xdp_programs()):
        return True
    path = Path(program)
    try:
        if path.suffix == ".c":
            return XDP_SOURCE.search(path.read_text(encoding="utf-8", errors="replace")) is not None
        with path.open("rb") as file:
            head = file.read(MACHINE_AT + 2)
        if head.startswith(b"\x7fELF"):
            return int.from_bytes(head[MACHINE_AT:], "little") == EM_BPF
        return bool(head) and path.stat().st_size % SLOT_BYTES == 0
    except OSError:
        return False


def xdp_flags(isa: int) -> tuple[list[str], Path]:
    """Return the compiler flags of XDP programs, and the folder with their shipped headers.

    Raises:
        MissingExtraError: The compiler is not installed.
    """
    tools, include = toolchain(), XDP / "include"
    # Lines of the shipped headers have the names by which they are included.
    return [
        *tools.xdp_flags(isa),
        "-c",
        *tools.kernel_headers(compiler_folder()),
        f"-ffile-prefix-map={include}/=",
    ], include


@plain
def xdp_build(
    source: str | PathLike[str],
    output: str | PathLike[str] | None = None,
    defines: Sequence[str] = (),
    *,
    isa: int = ISA,
    cflags: str = "",
) -> Path:
    """Compile a C file into an eBPF object file, with types and line numbers (BTF).

    Args:
        source: The C file; ``<linux/bpf.h>``, ``<linecard_bpf.h>`` and ``<bpf/bpf_helpers.h>`` are on the include path.
        output: Object file to write; the default is a file beside the source, with the suffix ``.o``.
        defines: Macros, each ``NAME`` or ``NAME=VALUE``.
        isa: Version of the instruction set, from 1 to 4; version 1 has no 32-bit arithmetic and no 32-bit jumps.
        cflags: Additional compiler flags in shell syntax. If flags conflict, the last one applies.

    Returns:
        Path of the object file.

    Raises:
        CompileError: The compiler rejected the file; the error contains the compiler's message.
        MissingExtraError: The compiler is not installed.
        ConfigError: The file does not exist.
    """
    source = Path(source)
    check_source(source)
    if isa not in ISAS:
        raise ConfigError.at("isa", "", f"found {isa}, expected a version of eBPF, 1 to 4")
    ConfigError.check(wrong_compilation(cflags, WIDTHS[0], is_xdp=True))
    flags, include = xdp_flags(isa)
    target = Path(output) if output is not None else source.with_suffix(".o")
    return compile_c(source, target, flags, include, defines, cflags)


@contextmanager
def _object(program: str | PathLike[str], defines: Sequence[str], isa: int = ISA) -> Iterator[str]:
    """Yield the object of a program; one that is compiled for it exists until the context ends."""
    name, path = str(program), Path(program)
    known = [each.name for each in xdp_programs()]
    source = path if path.suffix == ".c" else None
    if name in known:
        path = prebuilt(name, isa)
        source = XDP / f"{name}.c" if defines else None
    elif source is None and defines:
        message = f"found the object file {name!r}; macros apply only to C files and shipped programs"
        raise ConfigError.at("define", "", message)
    elif not path.is_file():
        hint = f"; {did_you_mean(name, known, '`linecard program list --xdp` lists shipped programs')}"
        message = f"found no program {name!r}, expected a shipped program, a C file or an object file{hint}"
        raise ConfigError.at("program", "", message)
    elif source is not None and not is_xdp(source):
        message = (
            "found a C file without SEC(…), expected an XDP program; `linecard program trace` runs other C programs"
        )
        raise ConfigError.at(name, "", message)
    with tempfile.TemporaryDirectory() if source is not None else nullcontext("") as scratch:
        if source is not None:
            path = xdp_build(source, Path(scratch) / f"{source.stem}.o", defines, isa=isa)
        yield str(path)


def prebuilt(name: str, isa: int = ISA) -> Path:
    """The object file of a shipped program, compiled for the given version of the eBPF instruction set."""
    return XDP / "prebuilt" / ("" if isa >= ISA else "v1") / f"{name}.o"


@plain
def xdp_rows(
    program: str | PathLike[str],
    *,
    section: str | None = None,
    defines: Sequence[str] = (),
    lanes: int = LANES,
    isa: int = 1,
    kept_arguments: bool = True,
    path_exits: bool = False,
) -> XdpRows:
    """Schedule an XDP program into rows of instructions, for a processor that executes one row per cycle.

    Args:
        program: Name of a shipped program, or path of a C file or an object file.
        section: Function or section to schedule, if the object has several programs.
        defines: Macros (``NAME=VALUE``) with which a C file or a shipped program is recompiled.
        lanes: Number of lanes, from 1 to 8: the maximum number of instructions per row. The result contains the
            number of rows for this number of lanes and for every smaller number.
        isa: Version of the eBPF instruction set for which a C file is compiled.
        kept_arguments: Whether helpers preserve the registers r1 to r5.
        path_exits: Whether the scheduler duplicates the end of the program for each path that sets a constant action.
            Each copy of the program's end exits with the action of its path.

    Returns:
        The number of rows that the program needs with each number of lanes, and the number of rows of each basic block.

    Raises:
        ConfigError: The program or an argument cannot be used.
        CompileError: The C file does not compile.
        MissingExtraError: The compiler is not installed.
    """
    with _object(program, defines, isa) as path:
        request = {
            "object": path,
            "name": str(program),
            "program": section,
            "lanes": lanes,
            "kept_arguments": kept_arguments,
            "path_exits": path_exits,
        }
        return convert(_core.xdp_rows(request), XdpRows)


@plain
def xdp_run(
    program: str | PathLike[str],
    trace: str | PathLike[str] = "edge",
    *,
    section: str | None = None,
    maps: Mapping[str, str | PathLike[str]] | None = None,
    fib: str | PathLike[str] | None = None,
    defines: Sequence[str] = (),
    packets: int = 20_000,
    payload: str = "random",
    seed: int = 1,
    routes: str | PathLike[str] | None = None,
    strict: bool = False,
    budget: int = BUDGET,
    cpus: int = 1,
    interface: int = 1,
    progress: Progress | None = None,
) -> XdpRun:
    """Run an XDP program on the frames of a capture.

    Args:
        program: Name of a shipped program, or path of a C file or an object file.
        trace: Path of a capture, or a link profile (``edge``, ``core``, a ``.toml`` file).
        section: Function or section to run, if the object has several programs.
        maps: CSV or TOML file for each map, by map name; Linecard fills each map from its file before the run.
        fib: CSV file with the routes for ``bpf_fib_lookup``.
        defines: Macros (``NAME=VALUE``) with which a C file or a shipped program is recompiled.
        packets: Maximum number of packets; 0 for the whole capture.
        payload: Contents generated for payload bytes that are missing from the capture: ``random``, or ``pages`` for
            text that resembles web pages.
        seed: Seed of the random generator for payload bytes, mapped addresses and the program's random numbers.
        routes: Route table; Linecard maps the IPv4 addresses of the packets to the table's prefixes.
        strict: Stop at the first damaged record.
        budget: Maximum number of instructions that the program executes per packet.
        cpus: Number of processors for per-CPU maps; Linecard assigns packets to the processors in turn.
        interface: Index of the receiving network interface.
        progress: Progress callback ``progress(done, total)``; both numbers count packets, or both count bytes of the
            capture.

    Returns:
        The statistics of the program, and the contents of its maps.

    Raises:
        ConfigError: The program, a map's file or an argument cannot be used; the error lists unsupported features.
        CompileError: The C file does not compile.
        RunError: The program has a fault for which the kernel's verifier would reject the program; the error names the
            instruction and the source line.
        TrafficError: The capture cannot be used.
    """
    with _object(program, defines) as path:
        request = {
            "object": path,
            "name": str(program),
            "program": section,
            "packets": {
                "traffic": os.fspath(trace),
                "packets": packets,
                "payload": payload,
                "seed": seed,
                "routes": None if routes is None else os.fspath(routes),
                "strict": strict,
            },
            "maps": [(each, os.fspath(file)) for each, file in (maps or {}).items()],
            "routes": None if fib is None else os.fspath(fib),
            "budget": budget,
            "cpus": cpus,
            "interface": interface,
        }
        return convert(_core.xdp_run(request, progress=progress), XdpRun)
