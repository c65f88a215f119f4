"""The result of a traced program: instructions, accesses and results of each packet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.result import Result

if TYPE_CHECKING:
    from linecard.executed.traffic import ProgramTraffic, Share


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ProgramTrace(Result):
    """A program traced on its packets; `linecard.core` runs it on cores.

    Attributes:
        elf: The ELF file.
        traffic: Its packets.
        instructions: Instructions of all packets.
        instructions_per_packet: Their mean; ``least_instructions`` and ``most_instructions`` the extremes.
        least_instructions: Instructions of the shortest packet.
        most_instructions: Instructions of the longest.
        runs_per_packet: Basic blocks: instructions without a jump.
        packet_accesses_per_packet: Loads and stores of the packet.
        table_accesses_per_packet: Loads and stores of other data: heap, marked state, control data.
        other_accesses_per_packet: Loads and stores of stack and globals, which are on the chip.
        locks_per_packet: Locks taken.
        locks: Distinct locks.
        trace_bytes_per_instruction: Size of the trace.
        segments: Distinct code segments between two accesses to data.
        results: Return values, most frequent first.
        functions: Functions by instructions.
        lines: Source lines by instructions; empty if the program was compiled without them.
        name: Name of the program.
        traced: The work for cores; not part of the plain data.
        notes: Problems of the folder of kept traces; not part of the plain data.
    """

    TABLE: ClassVar[str] = "functions"
    ASKED: ClassVar[tuple[str, ...]] = ("name", "elf", "traffic")
    INPUT: ClassVar[str] = "elf"
    APART: ClassVar[tuple[str, ...]] = ("traced", "notes")

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
    lines: tuple[Share, ...]
    name: str = ""
    # The work for cores, and what went wrong with the folder of kept traces; not part of the plain data.
    traced: Any = field(default=None, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return (
            f"<ProgramTrace {self.name} on {self.traffic.title}: {self.traffic.packets} packets, "
            f"{self.instructions_per_packet:.0f} instructions each>"
        )
