"""The result of a traced program: instructions, accesses and return values for each packet."""

from __future__ import annotations

from typing import Any, ClassVar

from linecard.executed.reports import ProgramReport
from linecard.result import ResultOfRun


class ProgramTrace(ResultOfRun, ProgramReport, frozen=True, kw_only=True):
    """Statistics of a program that was executed on packets.

    Attributes:
        name: Name of the program.
        traced: Recorded execution, which `linecard.core` replays on simulated cores; not part of the dictionary that
            ``to_dict`` returns.
        notes: Problems found in the trace folder; not part of the dictionary that ``to_dict`` returns.
    """

    TABLE: ClassVar[str] = "functions"
    ASKED: ClassVar[tuple[str, ...]] = ("name", "elf", "traffic")
    INPUT: ClassVar[str] = "elf"
    APART: ClassVar[tuple[str, ...]] = ("traced", "notes")
    CHANCE: ClassVar[tuple[str, ...]] = APART

    name: str = ""
    traced: Any = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"<ProgramTrace {self.name} on {self.traffic.title}: {self.traffic.packets} packets, "
            f"{self.instructions_per_packet:.0f} instructions each>"
        )
