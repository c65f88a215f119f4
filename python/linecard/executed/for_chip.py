"""Programs that a chip executes: an XDP program or a C program, specified by name, source or object file.

The core expects an object file, so Linecard first compiles source files; the compilation requires the extra
``programs``. Shipped programs are already compiled.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from linecard import _core
from linecard.errors import ConfigError, ConfigProblem, did_you_mean
from linecard.executed.compiling import WIDTHS, wrong_compilation

# Instructions that a packet may take.
XDP_BUDGET = 1_000_000
C_BUDGET = 20_000_000
# The line by which a file states that it is a list of steps.
STEPS = re.compile(r'^kind\s*=\s*"program"', re.MULTILINE)
ISA_KEY = re.compile(r"cluster\.[^.]+\.ebpf\.isa")


def _instruction_set(chip: str, overrides: Sequence[str]) -> int | None:
    """The version of eBPF for which XDP programs are compiled: the oldest one of the chip's clusters."""
    try:
        parameters = _core.describe(chip, list(overrides))["parameters"]
    except ConfigError:
        # The run reports the error.
        return None
    return min((int(each["value"]) for each in parameters if ISA_KEY.fullmatch(each["key"])), default=None)


def is_program(name: str) -> bool:
    """Whether a name refers to a program: an application, a shipped program, or a file with a program."""
    path = Path(name)
    if path.suffix == ".toml":
        return path.is_file() and STEPS.search(path.read_text(errors="replace")) is not None
    return path.suffix in {".c", ".o", ".elf"} or name in _known()


def _known() -> list[str]:
    """Names of applications and of shipped programs."""
    from linecard.executed.shipped import programs
    from linecard.executed.xdp import xdp_programs

    return [*_core.applications(), *(each.name for each in xdp_programs()), *(each.name for each in programs())]


@contextmanager
def executed(
    name: str,
    chip: str,
    overrides: Sequence[str],
    options: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    """A program to execute, in the form that the core expects; compiled files are deleted when the ``with`` block ends.

    ``options`` has the values of all options of an executed program.

    Raises:
        ConfigError: The program does not exist, or one of the arguments has no effect on the program.
        CompileError: The source does not compile.
        MissingExtraError: The compiler is not installed.
    """
    from linecard.executed.riscv import program_build
    from linecard.executed.shipped import PROGRAMS, program_info
    from linecard.executed.xdp import ISA, XDP, is_xdp, prebuilt, xdp_build, xdp_programs

    defines, cflags, bits, budget = (options[each] for each in ("defines", "cflags", "bits", "budget"))
    maps, control, unchecked = options["maps"] or {}, options["control"], options["unchecked"]
    path = Path(name)
    is_name = not path.suffix and name == path.name
    known_xdp = [each.name for each in xdp_programs()]
    shipped = program_info(name)
    xdp = name in known_xdp or (path.is_file() and is_xdp(path))
    if name not in _known() and (is_name or not path.is_file()):
        # An error of the chip is reported first.
        _core.describe(chip, list(overrides))
        hint = f"; {did_you_mean(name, _known(), '`linecard program list [--xdp]` lists shipped programs')}"
        hint = f"; a file is ./{name}" if path.is_file() else hint
        message = f"found no program {name!r}, expected an application, a shipped program or a file{hint}"
        raise ConfigError.at("program", "", message)
    files = {"fib": options["fib"], "control": control, **{f"map {each}": file for each, file in maps.items()}}
    gone = {what: file for what, file in files.items() if file is not None and not Path(file).is_file()}
    ConfigError.check([ConfigProblem(what, "", f"found no file {str(file)!r}") for what, file in gone.items()])
    source, isa, table = None, ISA, None
    # An object has a fixed instruction set.
    if xdp and (name in known_xdp or path.suffix == ".c"):
        isa = _instruction_set(chip, overrides) or isa
    if xdp and name in known_xdp:
        source = XDP / f"{name}.c" if defines or cflags else None
        path = prebuilt(name, isa)
    elif not xdp and shipped is not None:
        path = PROGRAMS / "prebuilt" / f"{name}.elf"
        control = control if control is not None else shipped.control
        # As `program trace` does: the addresses of a capture have hardly any route in a shipped table.
        table = control if shipped.functionality == "route lookup" else None
    elif path.suffix == ".c":
        source = path
    if source is None:
        compiled = {"define": defines, "cflags": cflags, "bits": bits != WIDTHS[0]}
        reach = "macros and flags apply only to C files and shipped XDP programs, and widths only to C files for RISC-V"
        if named := [each for each, value in compiled.items() if value]:
            raise ConfigError.at(", ".join(named), "", f"has no effect on {name!r}; {reach}")
    ConfigError.check(wrong_compilation(cflags, bits, is_xdp=xdp))
    if budget is not None and not 1 <= budget < 1 << 64:
        raise ConfigError.at("budget", "", f"found {budget}, expected 1 to 2^64 - 1 instructions")
    if unchecked and xdp:
        raise ConfigError.at(
            "unchecked", "", "has no effect on an XDP program, whose accesses are all checked; omit it"
        )
    with tempfile.TemporaryDirectory() as scratch:
        if source is not None:
            made = Path(scratch) / source.stem
            if xdp:
                path = xdp_build(source, made.with_suffix(".o"), defines, isa=isa, cflags=cflags)
            else:
                path = program_build(
                    source, made.with_suffix(".elf"), defines, options["entry"], cflags=cflags, bits=bits
                )
        yield {
            "path": os.fspath(path),
            "name": name,
            **{each: options[each] for each in ("section", "entry", "cpus")},
            "maps": [(each, os.fspath(file)) for each, file in maps.items()],
            "fib": None if options["fib"] is None else os.fspath(options["fib"]),
            "control": None if control is None else os.fspath(control),
            "table": None if table is None else os.fspath(table),
            "budget": budget if budget is not None else XDP_BUDGET if xdp else C_BUDGET,
            "checked": not unchecked,
        }
