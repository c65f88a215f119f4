"""The shipped programs for RISC-V, their files, and the module that compiles these programs."""

from __future__ import annotations

import importlib.util
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from linecard.errors import ConfigError
from linecard.listed import Listed

PROGRAMS = Path(__file__).parent.parent / "_programs"


@dataclass(frozen=True, slots=True)
class ProgramInfo:
    """A shipped program for RISC-V.

    Attributes:
        name: Name.
        title: The operation that the program performs.
        functionality: Class of the program in Table 1 of Mudigonda 2007.
        source: Document that specifies the program.
        reads: Part of the packet that determines the program's work: ``header`` or ``payload``.
        shared: Data that threads share while they process different packets.
        control: Default control file; ``None`` if the program requires no control file.
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


def programs() -> Listed[ProgramInfo]:
    """The shipped programs for RISC-V, in the order of Table 1 of Mudigonda 2007."""
    return Listed(
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
    )


def program_info(name: str) -> ProgramInfo | None:
    """Return the shipped program with the given name."""
    return next((program for program in programs() if program.name == name), None)


@cache
def toolchain() -> Any:
    """The module ``programs/build.py``, which compiles programs."""
    spec = importlib.util.spec_from_file_location("linecard_programs_build", PROGRAMS / "build.py")
    if spec is None or spec.loader is None:
        raise ConfigError(f"{PROGRAMS / 'build.py'} cannot be read; reinstall linecard")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
