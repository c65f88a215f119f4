"""Compiles C files with the compiler of the Python package ``ziglang``, and checks compiler options."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from linecard.errors import CompileError, ConfigError, ConfigProblem, MissingExtraError

# Bits of the RISC-V that C programs are compiled for, the usual one first.
WIDTHS = (32, 64)


def wrong_compilation(cflags: str, bits: int, *, is_xdp: bool) -> list[ConfigProblem]:
    """Return a list of problems with the compiler flags and with the RISC-V word width (32 or 64 bits)."""
    problems = []
    if bits not in WIDTHS:
        problems.append(ConfigProblem("bits", "", f"found {bits}, expected 32 or 64"))
    elif is_xdp and bits != WIDTHS[0]:
        problems.append(
            ConfigProblem("bits", "", "has no effect on an XDP program, because eBPF has only one word width; omit it")
        )
    try:
        shlex.split(cflags)
    except ValueError as error:
        problems.append(ConfigProblem("cflags", "", f"found {cflags!r}, expected flags in shell syntax: {error}"))
    return problems


def check_source(source: Path) -> None:
    """Raise an error if a C file does not exist."""
    if not source.is_file():
        raise ConfigError.at(str(source), "", "found no such file, expected a C file")


def compiler_folder() -> Path:
    """Return the folder of the compiler.

    Raises:
        MissingExtraError: The compiler is not installed.
    """
    found = find_spec("ziglang")
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError("a compiler for C files", "programs")
    return Path(found.submodule_search_locations[0])


def _command(source: Path, flags: Iterable[str], include: Path, defines: Sequence[str], cflags: str) -> list[str]:
    # The compiler reads an argument that begins with @ as a file of arguments, and one with - as an option.
    named = str(source) if not str(source).startswith(("@", "-")) else f"./{source}"
    command = [sys.executable, "-m", "ziglang", "cc", *(flag for flag in flags if flag != "-Werror")]
    command += [*(f"-D{define}" for define in defines), *shlex.split(cflags)]
    return [*command, "-I", str(include), "-I", named.rpartition("/")[0] or ".", named]


def included_files(source: Path, flags: Iterable[str], include: Path, defines: Sequence[str], cflags: str) -> list[str]:
    """Return a C file and the files that it includes, directly or through others, except shipped headers.

    The arguments are those of `compile_c`. The list is empty if the compiler rejects the file.
    """
    command = [*_command(source, flags, include, defines, cflags), "-M"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        return []
    # A rule of a makefile: a backslash precedes blanks in names, and ends lines that go on.
    names = re.findall(r"(?:\\[ #]|[^\s\\]|\\(?!\n))+", done.stdout.partition(":")[2])
    found = [re.sub(r"\\([ #])", r"\1", name).replace("$$", "$") for name in names]
    shipped = (f"{include}/", f"{compiler_folder()}/")
    return [name for name in found if not name.startswith(shipped)]


def compile_c(
    source: Path, target: Path, flags: Iterable[str], include: Path, defines: Sequence[str], cflags: str, *last: str
) -> Path:
    """Compile a C file; the output file appears only if the compilation succeeds.

    Args:
        source: The C file; its folder is on the include path.
        target: The file to write.
        flags: The compiler flags that Linecard uses for all programs of the same type (C or XDP).
        include: The folder with the shipped headers.
        defines: Macros, each ``NAME`` or ``NAME=VALUE``.
        cflags: Additional compiler flags in shell syntax.
        *last: Compiler arguments that follow the C file on the command line.

    Raises:
        CompileError: The compiler rejected the file; the error contains the compiler's message.
    """
    with tempfile.TemporaryDirectory(dir=target.parent if target.parent.is_dir() else None) as scratch:
        made = Path(scratch) / target.name
        command = [*_command(source, flags, include, defines, cflags), *last, "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0 or not made.exists():
            raise CompileError(f"{source}: the compiler rejected the file:\n{(done.stderr or done.stdout).strip()}")
        if done.stderr.strip():
            sys.stderr.write(done.stderr)
        made.replace(target)
    return target
