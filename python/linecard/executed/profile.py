"""What a program that a chip executed cost: by result, memory, source line and call stack."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """How often an executed program came to a result: a verdict of XDP, or what a C program returned.

    Attributes:
        result: The verdict, or the value in hexadecimal.
        packets: How many packets.
    """

    result: str
    packets: int


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """How often an executed program, or a line of it, asks a memory for something.

    Attributes:
        memory: The memory.
        accesses_per_packet: Accesses.
    """

    memory: str
    accesses_per_packet: float


@dataclass(frozen=True, slots=True)
class SourceLine:
    """What a source line of an executed program costs a packet, or a function where there are no lines.

    Attributes:
        line: File, number and text, or the function.
        file: The file as the compiler was given it, where it is a line.
        number: Its number, from 1, where it is a line.
        instructions_per_packet: Instructions.
        cycles_per_packet: Cycles of the engine, without those to issue accesses.
        stall_cycles_per_packet: Cycles that the thread waited for accesses; its engine may have run others meanwhile.
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
    """Functions from the outermost to the innermost, and the engine's cycles in the innermost, of all packets.

    Attributes:
        functions: From the outermost to the innermost.
        cycles: Engine cycles in the innermost, of all packets.
    """

    functions: tuple[str, ...]
    cycles: int


@dataclass(frozen=True, slots=True)
class HotWord:
    """What an executed program asks for most in a memory, or the lock that it takes most.

    Attributes:
        place: The memory, or ``locks``.
        bank: Its busiest bank, where addresses decide which bank serves them.
        name: What stands there: a map and its key, a variable, or a block of the heap by the line that allocated it.
        lines: Lines that ask for it, the most frequent first.
        share: Share of the program's accesses of that bank, or of that memory; of the locks that it takes.
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
    """What an executed program came to; its lines stand in order of their cycles, its stacks in that of their names.

    Attributes:
        name: The program.
        packets: Packets that it was executed for.
        instructions_per_packet: Instructions.
        cycles_per_packet: Engine cycles, without those to issue accesses.
        stall_cycles_per_packet: Cycles that threads waited for what it asked for.
        accesses_per_packet: Accesses that it asked for.
        memories: The same by memory.
        results: What it came to.
        lines: Source lines, in order of their cycles.
        stacks: Functions by who called them.
        hot: What it asks for most in each memory, and the lock that it takes most.
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
        """Its stacks as flame graphs take them: functions joined by ``;`` and cycles of the engine, a line each."""
        names = [";".join(each.replace(";", ":") for each in (self.name, *stack.functions)) for stack in self.stacks]
        lines = zip(names, self.stacks, strict=True)
        return "".join(f"{functions} {stack.cycles}\n" for functions, stack in lines)
