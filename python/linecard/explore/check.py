"""`linecard check`: check a chip file, and compute the unloaded latency and the peak rate of each memory and unit."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, ClassVar, Unpack

from msgspec.structs import replace

from linecard import _core
from linecard._arguments import plain as plain_arguments
from linecard._convert import convert
from linecard.explore.demand import Demand  # noqa: TC001 # msgspec reads the annotations
from linecard.explore.program_options import program_arguments
from linecard.explore.reports import CheckReport, MemoryCheck
from linecard.numbers import percent
from linecard.result import Result
from linecard.view import (
    BAR,
    SHOWN_SHARE,
    Bar,
    Cell,
    Fact,
    Facts,
    Notes,
    Part,
    Said,
    Table,
    Title,
    Verdict,
    load_tone,
    text,
    view,
)

if TYPE_CHECKING:
    from linecard._schema import ProgramOptions
    from linecard.request import Settings


class ChipCheck(Result, CheckReport, frozen=True, kw_only=True):
    """The result of `linecard check` for a valid chip file.

    Attributes:
        demands: The traffic load on each part, highest first; empty if the call names no program, capture or frame
            size.
        not_computed: Limits of the chip whose capacity ``demands`` does not contain, such as the window of an inbox.
        is_carried: Whether the chip lost or accumulated at most 5 % of the packets in a short run at the offered load.
            ``None`` without demands, if a part is overloaded, or if a part is so busy that a short run without losses
            proves nothing.
        lost_fraction: Fraction of the packets that full buffers lost in that run, if ``is_carried`` is true; else 0.
    """

    TABLE: ClassVar[str] = "accesses"
    ASKED: ClassVar[tuple[str, ...]] = ("chip", "title", "program")
    INPUT: ClassVar[str] = "chip"

    demands: tuple[Demand, ...] = ()
    not_computed: tuple[str, ...] = ()
    is_carried: bool | None = None
    lost_fraction: float = 0.0


@plain_arguments
def check(
    chip: str | PathLike[str],
    *,
    set: Settings | None = None,
    trace: str | PathLike[str] | None = None,
    size: int | str | None = None,
    **options: Unpack[ProgramOptions],
) -> ChipCheck:
    """Check a chip file, and list the unloaded latency and the peak rate of its memories and units.

    If the arguments name an application, a program, a capture or a frame size, the function also lists the traffic load
    on each part.

    Args:
        chip: Name of a shipped chip, or path to a TOML file.
        set: New values for parameters.
        trace: Source of the chip's traffic: a capture or a link profile (``"edge"``, ``"core"``, a ``.toml`` file); by
            default, the chip's own traffic generator.
        size: Frame size in bytes, ``"imix"``, ``"rfc2544"``, or a mix that the chip file defines.
        **options: Program of the chip (``program``) and its options; see :func:`linecard.run`.

    Returns:
        Unloaded latency and peak rate of each memory and unit, measured from each cluster that uses the memory or unit.

    Raises:
        ConfigError: The chip file is invalid; the error lists every problem with file and line.
        RunError: The run of the chip ends without a result, so the loads of its parts are unknown.

    Example:
        >>> import linecard
        >>> linecard.check("example_smartnic").threads
        640
    """
    from linecard.chip.facts import only_chips
    from linecard.chip.program import chip_program
    from linecard.explore.demand import demands
    from linecard.request import name_of, settings

    chip, changes = name_of("chip", chip), settings(set)
    only_chips(chip, changes, "check")
    with chip_program(options, chip=chip, overrides=changes) as program:
        found = convert(_core.check_chip({"chip": chip, "set": changes, "program": program}), ChipCheck)
    if trace is None and size is None and not program_arguments(options):
        return found
    load = demands(chip, set=set, trace=trace, size=size, program=options)
    return replace(
        found,
        demands=load.parts,
        not_computed=load.not_computed,
        is_carried=load.is_carried,
        lost_fraction=load.lost_fraction,
    )


@view.register
def _(result: ChipCheck) -> list[Part]:
    sides = ((result.receive_gbps, "in"), (result.transmit_gbps, "out"))
    ports = ", ".join(f"{rate:g} Gbit/s {way}" if rate else f"never busy {way}" for rate, way in sides)
    facts = [
        Fact("Program", result.program, "", "strong"),
        Fact("Engines", f"{result.engines:,}", f"with {result.threads:,} threads"),
        Fact("Ports", ports),
    ]
    if result.unused:
        facts.append(Fact("Unused", ", ".join(result.unused)))
    slowest = max((row.unloaded_ns for row in result.accesses), default=0.0) or 1.0
    return [
        Title(result.chip, result.title),
        Facts(facts),
        Table(
            "Unloaded read and peak",
            (
                *map(text, ("cluster", "role", "memory or unit")),
                "bytes",
                "unloaded",
                BAR,
                text("request + access + reply"),
                "peak",
                "Gbit/s",
            ),
            [_access(row, slowest) for row in result.accesses],
            said="over its route",
        ),
        *_demands(result),
        Notes(result.warnings),
        _verdict(result),
    ]


def _access(row: MemoryCheck, slowest: float) -> tuple[Cell, ...]:
    parts = f"{row.there_ns:.1f} + {row.memory_ns:.1f} + {row.back_ns:.1f} ns"
    most = ("no bound", "") if row.peak_mops is None else (f"{row.peak_mops:,.0f} M/s", f"{row.peak_gbps:,.1f}")
    unloaded = Said(f"{row.unloaded_ns:.1f} ns")
    bar = Bar(row.unloaded_ns / slowest)
    return row.cluster, row.role, row.memory, f"{row.bytes:,}", unloaded, bar, parts, *most


def _verdict(result: ChipCheck) -> Verdict:
    if result.warnings:
        return Verdict("The file is valid, but the chip may not work: see the warnings.", "", "warn")
    return Verdict("The file fits together.", "", "good")


def _demands(result: ChipCheck) -> list[Part]:
    """The load of each part, and a sentence on each overloaded part."""
    several = result.demands
    if not several:
        return []
    offered = several[0].offered_gbps
    rows = [
        (
            each.component,
            Bar(each.share, load_tone(each.share)),
            percent(each.share),
            f"{each.most_gbps:,.1f}",
            f"{each.most_mpps:,.2f}",
        )
        for each in several
        if each.share >= SHOWN_SHARE
    ]
    over = [
        Said(
            f"{each.component} is overloaded: {offered:,.4g} Gbit/s are offered, and its capacity is "
            f"{each.most_gbps:,.4g} Gbit/s.",
            "bad",
        )
        for each in several
        if each.share > 1
    ]
    below = over or [_carried(result)]
    if result.not_computed:
        below.append(Said(f"The table does not include {' and '.join(result.not_computed)}.", "warn"))
    columns = (text("part"), BAR, "load", "capacity, Gbit/s", "Mpps")
    return [Table("Demand", columns, rows, f"of {offered:,.4g} Gbit/s offered", below=below)]


def _carried(result: ChipCheck) -> Said:
    """What is known of a chip without an overloaded part."""
    if result.is_carried is False:
        return Said(
            "No part in the table is overloaded, but the chip loses or accumulates packets at this load; "
            "`linecard why` finds the limit.",
            "bad",
        )
    if result.is_carried is None:
        return Said(
            f"{result.demands[0].component} is nearly full: a short run cannot tell whether the chip carries the "
            "offered load; `linecard ndr` finds the highest rate without loss.",
            "warn",
        )
    parts = "Every part in the table" if result.not_computed else "Every part"
    if result.lost_fraction > 0:
        return Said(
            f"{parts} can carry the offered load, but bursts fill a buffer: a short run lost "
            f"{result.lost_fraction * 100:.2g} % of the packets.",
            "warn",
        )
    return Said(f"{parts} can carry the offered load.", "good")
