"""Points of a sweep that are programs: one traced on a core's instruction set, or an XDP program run on frames.

A shipped program is named, not a file: what the name stands for counts as a part of the run's content, and so do the
headers beside a C file and what every C file is compiled with.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.explore.subjects import Outcome, flat

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from linecard.explore.subjects import Progress, Request

# Of its traffic what a table needs no column for.
_LEFT_OUT = ("elf", "name", "program", "traffic.title", "traffic.first_damage")


def run_trace(request: Request, progress: Progress) -> Outcome:
    """Trace a program on packets; results as shares of packets, in per cent."""
    from linecard.program import program_trace

    asked = dict(request.arguments)
    found = program_trace(asked.pop("program"), asked.pop("traffic", "edge"), **asked, progress=progress)
    return _outcome(found.to_dict(), "results", "functions")


def run_xdp(request: Request, progress: Progress) -> Outcome:
    """Run an XDP program on frames; verdicts as shares of packets, in per cent."""
    from linecard.results import plain
    from linecard.xdp import xdp_run

    asked = dict(request.arguments)
    define = asked.pop("define", None)
    defines = [] if define is None else [str(define)]
    found = xdp_run(asked.pop("program"), asked.pop("traffic", "edge"), defines=defines, **asked, progress=progress)
    whole: dict[str, Any] = plain(found)
    outcome = _outcome(whole, "verdicts", "helpers")
    for region in found.regions:
        for name in ("reads", "writes", "atomics", "bytes"):
            value = float(getattr(region, f"{name}_per_packet"))
            outcome.measurements.append((region.name, f"{name}_per_packet", "", value))
    return outcome


def _outcome(whole: Mapping[str, Any], of_packets: str, others: str) -> Outcome:
    """Scalars and the shares of what happened to packets are the table's; other shares are measurements only."""
    numbers = {name: value for name, value in flat(whole).items() if name not in _LEFT_OUT}
    # What was done first: a screen shows as many columns as it takes.
    numbers = dict(sorted(numbers.items(), key=lambda item: item[0].startswith("traffic.")))
    rows = [
        ("program", name, "", float(value))
        for name, value in numbers.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    numbers |= {f"{of_packets}.{share['name']}_percent": share["percent"] for share in whole[of_packets]}
    for kind in (of_packets, others):
        rows += [(kind, share["name"], "%", float(share["percent"])) for share in whole[kind]]
    return Outcome(numbers, rows)


def carried_by(request: Request) -> Iterator[tuple[str, Path]]:
    """Files that a program is made of and the request does not name, each with a name that is the same anywhere."""
    from linecard.program import PROGRAMS, program_info

    name = str(request.arguments["program"])
    is_c = name.endswith(".c")
    if is_c:
        beside = sorted(Path(name).parent.glob("*.h"))
        yield from ((path.name, path) for path in beside)
    if request.subject != "program":
        yield from _shipped_xdp(name, is_c=is_c or "define" in request.arguments)
    if request.subject == "xdp":
        return
    shipped = program_info(name)
    if shipped is not None:
        yield "elf", PROGRAMS / "prebuilt" / f"{name}.elf"
        if shipped.control is not None:
            yield "control", Path(shipped.control)
    elif is_c:
        parts = [PROGRAMS / "build.py", *(PROGRAMS / "include").glob("*"), *(PROGRAMS / "runtime").glob("*")]
        yield from ((path.relative_to(PROGRAMS).as_posix(), path) for path in sorted(parts))


def _shipped_xdp(name: str, *, is_c: bool) -> Iterator[tuple[str, Path]]:
    from linecard.xdp import XDP

    if (XDP / f"{name}.c").is_file():
        yield "object", XDP / "prebuilt" / f"{name}.o"
        yield "object of version 1", XDP / "prebuilt" / "v1" / f"{name}.o"
        yield "source", XDP / f"{name}.c"
    if is_c:
        parts = sorted(path for path in XDP.rglob("*.h") if path.is_file())
        yield from ((path.relative_to(XDP).as_posix(), path) for path in parts)
