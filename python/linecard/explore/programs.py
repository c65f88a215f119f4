"""Result values of points that execute a program, and the program files that affect these values.

The request of a run with a shipped program contains the name of the program, but not its files. The hash of a run also
covers the files of a shipped program, and for a C file the files that every compilation uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.executed import shipped
from linecard.executed.xdp import XDP
from linecard.explore.subject import Outcome, flat, measurements_of

if TYPE_CHECKING:
    from linecard.explore.subject import Request

# Results without a column in the table.
_LEFT_OUT = ("elf", "name", "program", "traffic.title", "traffic.first_damage")


def outcome_of_program(whole: Mapping[str, Any], of_packets: str, others: str) -> Outcome:
    """Convert the results of a program to columns of the result table and to a list of measurements.

    The columns contain scalars, and fractions of the packets, such as the fraction with each verdict. All other
    fractions, such as the fraction of each function, are in the list of measurements only.
    """
    numbers = {name: value for name, value in flat(whole).items() if name not in _LEFT_OUT}
    # Results of the program come first: a screen shows only the columns that fit.
    numbers = dict(sorted(numbers.items(), key=lambda item: item[0].startswith("traffic.")))
    rows = measurements_of("program", numbers)
    numbers |= {f"{of_packets}.{share['name']}_percent": share["percent"] for share in whole[of_packets]}
    for kind in (of_packets, others):
        rows += [(kind, share["name"], "%", float(share["percent"])) for share in whole[kind]]
    return Outcome(numbers, rows)


def carried_program(request: Request) -> Iterator[tuple[str, Path]]:
    """Yield the files of the program that a chip executes, if the request has a program."""
    if request.arguments.get("program") is not None:
        yield from carried_by(request)


def carried_by(request: Request) -> Iterator[tuple[str, Path]]:
    """Yield the program files whose paths are not in the request, each with a machine-independent name."""
    name = str(request.arguments["program"])
    is_c = name.endswith(".c")
    if request.subject != "program":
        yield from _shipped_xdp(name, is_c=is_c or "define" in request.arguments or "cflags" in request.arguments)
    if request.subject == "xdp":
        return
    info = shipped.program_info(name)
    if info is not None:
        yield "elf", shipped.PROGRAMS / "prebuilt" / f"{name}.elf"
        if info.control is not None:
            yield "control", Path(info.control)
    elif is_c:
        folder = shipped.PROGRAMS
        parts = [folder / "build.py", *(folder / "include").glob("*"), *(folder / "runtime").glob("*")]
        yield from ((path.relative_to(folder).as_posix(), path) for path in sorted(parts))


def _shipped_xdp(name: str, *, is_c: bool) -> Iterator[tuple[str, Path]]:
    if (XDP / f"{name}.c").is_file():
        yield "object", XDP / "prebuilt" / f"{name}.o"
        yield "object of version 1", XDP / "prebuilt" / "v1" / f"{name}.o"
        yield "source", XDP / f"{name}.c"
    if is_c:
        parts = sorted(path for path in XDP.rglob("*.h") if path.is_file())
        yield from ((path.relative_to(XDP).as_posix(), path) for path in parts)
