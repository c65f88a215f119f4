"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec

from linecard._methods import ExecutedProgramMethods, HotWordMethods


class ProgramReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a program did on its packets; ``linecard.core`` runs it on cores.

    Attributes:
        elf: The ELF file.
        traffic: Packets.
        instructions: Instructions of all packets.
        instructions_per_packet: Mean; ``least_instructions`` and ``most_instructions`` the extremes.
        least_instructions: Instructions of the shortest packet.
        most_instructions: Instructions of the longest packet.
        runs_per_packet: Stretches of instructions without a jump.
        packet_accesses_per_packet: Loads and stores of the packet.
        table_accesses_per_packet: Loads and stores of other data: heap, marked state, control data.
        other_accesses_per_packet: Loads and stores of stack and globals, which are on the chip.
        locks_per_packet: Locks taken.
        locks: Different locks.
        trace_bytes_per_instruction: Size of the trace.
        segments: Different stretches of code between two accesses to data.
        results: What the program returned, most frequent first.
        functions: Functions by instructions.
        lines: Source lines by instructions; empty of a program that was compiled without them.
    """

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


class ProgramTraffic(msgspec.Struct, frozen=True, omit_defaults=True):
    """The packets that a program processed.

    Attributes:
        title: Title of the traffic.
        packets: IP packets.
        not_ip: Packets that are not IP, left out.
        flows: One-way flows.
        mean_bytes: Mean size of an IP packet.
        median_packets_between: Median number of packets between two of one flow.
        damaged_records: Damaged records of the capture, which were skipped.
        first_damage: The first damaged record.
    """

    title: str
    packets: int
    not_ip: int
    flows: int
    mean_bytes: float
    median_packets_between: int
    damaged_records: int
    first_damage: str | None


class Share(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item, its count, and its percentage of the total.

    Attributes:
        name: What.
        count: Number of packets or instructions.
        percent: Percentage of the total.
    """

    name: str
    count: int
    percent: float


class XdpReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The results of an XDP program on its packets.

    Attributes:
        name: The requested program.
        program: The program, by function.
        traffic: Packets: Ethernet frames without their check sequence.
        verdicts: Verdicts, most frequent first.
        instructions: Instructions of all packets; a 64-bit constant counts once, a call of a helper once.
        instructions_per_packet: Mean; ``least_instructions`` and ``most_instructions`` the extremes.
        least_instructions: Instructions of the shortest packet.
        most_instructions: Instructions of the longest packet.
        mean_bytes_left: Mean size of packets after the program.
        regions: Accesses by region, of instructions and helpers.
        helpers: Calls of helpers.
        lines: Source lines by instructions.
        maps: Content of the maps.
    """

    name: str
    program: str
    traffic: ProgramTraffic
    verdicts: tuple[Share, ...]
    instructions: int
    instructions_per_packet: float
    least_instructions: int
    most_instructions: int
    mean_bytes_left: float
    regions: tuple[RegionUse, ...]
    helpers: tuple[Share, ...]
    lines: tuple[Share, ...]
    maps: tuple[XdpMap, ...]


class RegionUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """Accesses to a region per packet: ``packet``, ``context``, ``stack``, a map's values, or ``NAME.index``.

    Attributes:
        name: The region.
        reads_per_packet: Reads.
        writes_per_packet: Writes.
        atomics_per_packet: Atomic operations.
        bytes_per_packet: Bytes of all of them.
    """

    name: str
    reads_per_packet: float
    writes_per_packet: float
    atomics_per_packet: float
    bytes_per_packet: float


class XdpMap(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of a map at the end; ``listed`` holds the first ``entries``, of arrays the nonzero ones.

    Attributes:
        name: Name.
        kind: Kind, such as ``HASH``.
        key_bytes: Bytes of a key.
        value_bytes: Bytes of a value.
        most_entries: Maximum number of entries.
        entries: Number of entries.
        listed: The first entries; of arrays the nonzero ones.
        records: Records of a ring buffer or of events.
        record_bytes: Bytes.
    """

    name: str
    kind: str
    key_bytes: int
    value_bytes: int
    most_entries: int
    entries: int
    listed: tuple[XdpMapEntry, ...]
    records: int
    record_bytes: int


class XdpMapEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One key of a map; ``numbers`` are its values if they have 1, 2, 4 or 8 bytes.

    Attributes:
        key: The key, in hexadecimal.
        values: Value of each processor, in hexadecimal.
        numbers: Values as numbers, if they have 1, 2, 4 or 8 bytes.
    """

    key: str
    values: tuple[str, ...]
    numbers: tuple[int, ...] | None


class RowsReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The schedule of an XDP program into rows.

    Attributes:
        name: The requested program.
        program: The program, by function.
        instructions: Instructions; a 64-bit constant counts once.
        lanes: Rows by lanes, from one on.
        blocks: Blocks in order, with the requested number of lanes.
    """

    name: str
    program: str
    instructions: int
    lanes: tuple[LaneRows, ...]
    blocks: tuple[BlockRows, ...]


class LaneRows(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows of a program with a number of lanes, and its instructions by rows.

    Attributes:
        lanes: Instructions that fit in a row.
        rows: Rows of the program.
        instructions_per_row: Instructions by rows.
    """

    lanes: int
    rows: int
    instructions_per_row: float


class BlockRows(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows of a block: its beginning, its remaining instructions, and the origin of the action at its exit.

    ``exit`` is ``constant``, ``register``, or ``None`` if the program does not end there.

    Attributes:
        place: Beginning.
        rows: Rows.
        instructions: Remaining instructions.
        exit: Origin of the action at its exit: ``constant``, ``register``, or ``None`` if the program does not end
            there.
    """

    place: str
    rows: int
    instructions: int
    exit: str | None


class CachedTrace(msgspec.Struct, frozen=True, omit_defaults=True):
    """One trace that a folder keeps; program, traffic and packets are ``None`` where the file cannot be used.

    Attributes:
        file: Name of the file.
        bytes: Size.
        unused_seconds: Seconds since it was used.
        program: The program; ``None`` if the file cannot be used.
        traffic: Traffic.
        packets: Packets traced.
        problem: Reason why the file cannot be used.
    """

    file: str
    bytes: int
    unused_seconds: int
    program: str | None
    traffic: str | None
    packets: int | None
    problem: str | None


class ExecutedProgram(ExecutedProgramMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """The profile of an executed program. Its lines are in order of cycles, its stacks in order of names.

    Attributes:
        name: The program.
        packets: Packets on which it was executed.
        instructions_per_packet: Instructions.
        cycles_per_packet: Engine cycles, without the cycles that issue accesses.
        stall_cycles_per_packet: Cycles that threads waited for its accesses.
        accesses_per_packet: Accesses.
        memories: The same by memory.
        results: Results.
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
    hot: tuple[HotWord, ...]


class MemoryUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """Accesses of an executed program, or of one of its lines, to a memory.

    Attributes:
        memory: The memory.
        accesses_per_packet: Accesses.
    """

    memory: str
    accesses_per_packet: float


class ProgramResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The number of packets with one result of an executed program: a verdict of XDP, or the value of a C program.

    Attributes:
        result: The verdict, or the value in hexadecimal.
        packets: Number of packets.
    """

    result: str
    packets: int


class SourceLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """The cost of a source line of an executed program per packet, or of a function without lines.

    Attributes:
        line: File, number and text, or the function.
        file: The file as passed to the compiler, of a line.
        number: Number, from 1, of a line.
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


class CallStack(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call stack, and the engine's cycles in its innermost function, of all packets.

    Attributes:
        functions: From the outermost to the innermost.
        cycles: Engine cycles in the innermost, of all packets.
    """

    functions: tuple[str, ...]
    cycles: int


class HotWord(HotWordMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """The data that an executed program accesses most in a memory, or the lock that it takes most.

    Attributes:
        place: The memory, or ``locks``.
        bank: Busiest bank, if addresses select the bank.
        name: The data: a map and its key, a variable, or a block of the heap by the line that allocated it.
        lines: Lines that access it, the most frequent first.
        share: Fraction of the program's accesses to that bank or memory, or of the locks that it takes.
    """

    place: str
    bank: int | None
    name: str
    lines: tuple[str, ...]
    share: float
