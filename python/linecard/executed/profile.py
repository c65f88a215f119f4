"""The cost of a program that a chip executed: by result, memory, source line and call stack."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The number of packets with one result of an executed program: a verdict of XDP, or the value of a C program.

    Attributes:
        result: The verdict, or the value in hexadecimal.
        packets: Its packets.
    """

    result: str
    packets: int


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Accesses of an executed program, or of one of its lines, to a memory.

    Attributes:
        memory: The memory.
        accesses_per_packet: Accesses.
    """

    memory: str
    accesses_per_packet: float


@dataclass(frozen=True, slots=True)
class SourceLine:
    """The cost of a source line of an executed program per packet, or of a function without lines.

    Attributes:
        line: File, number and text, or the function.
        file: The file as passed to the compiler, of a line.
        number: Its number, from 1, of a line.
        instructions_per_packet: Instructions.
        cycles_per_packet: Cycles of the engine, without those to issue accesses.
        stall_cycles_per_packet: Cycles that the thread waited for accesses; its engine may execute other threads
            meanwhile.
        accesses_per_packet: Accesses of memories.
        memories: The same by memory.
    """

    line: str
    file: str | None
    number: int | None
    instructions_per_packet: float
    cycles_per_packet: float
    stall_cycles_per_packet: float
    accesses_per_packet: float
    memories: tuple[MemoryUse, ...]


@dataclass(frozen=True, slots=True)
class CallStack:
    """A call stack, and the engine's cycles in its innermost function, of all packets.

    Attributes:
        functions: From the outermost to the innermost.
        cycles: Engine cycles in the innermost, of all packets.
    """

    functions: tuple[str, ...]
    cycles: int


@dataclass(frozen=True, slots=True)
class HotWord:
    """The data that an executed program accesses most in a memory, or the lock that it takes most.

    Attributes:
        place: The memory, or ``locks``.
        bank: Its busiest bank, if addresses select the bank.
        name: The data: a map and its key, a variable, or a block of the heap by the line that allocated it.
        lines: Lines that access it, the most frequent first.
        share: Fraction of the program's accesses to that bank or memory, or of the locks that it takes.
    """

    place: str
    bank: int | None
    name: str
    lines: tuple[str, ...]
    share: float

    @property
    def where(self) -> str:
        """The memory, with its bank."""
        return self.place if self.bank is None else f"{self.place} bank {self.bank}"


@dataclass(frozen=True, slots=True)
class ExecutedProgram:
    """The profile of an executed program. Its lines are in order of cycles, its stacks in order of names.

    Attributes:
        name: The program.
        packets: Packets on which it was executed.
        instructions_per_packet: Instructions.
        cycles_per_packet: Engine cycles, without the cycles that issue accesses.
        stall_cycles_per_packet: Cycles that threads waited for its accesses.
        accesses_per_packet: Its accesses.
        memories: The same by memory.
        results: Its results.
        lines: Source lines, in order of their cycles.
        stacks: Call stacks.
        hot: The data that it accesses most in each memory, and the lock that it takes most.
    """

    name: str
    packets: int
    instructions_per_packet: float
    cycles_per_packet: float
    stall_cycles_per_packet: float
    accesses_per_packet: float
    memories: tuple[MemoryUse, ...]
    results: tuple[ProgramResult, ...]
    lines: tuple[SourceLine, ...]
    stacks: tuple[CallStack, ...]
    hot: tuple[HotWord, ...] = ()

    def folded(self) -> str:
        """Its stacks in the folded format of flame graphs: per line functions joined by ``;``, and engine cycles."""
        names = [";".join(each.replace(";", ":") for each in (self.name, *stack.functions)) for stack in self.stacks]
        lines = zip(names, self.stacks, strict=True)
        return "".join(f"{functions} {stack.cycles}\n" for functions, stack in lines)
