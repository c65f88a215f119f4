"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec

from linecard._methods import ExecutedProgramMethods, HotWordMethods


class ProgramReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a program did on its packets; ``linecard.core`` runs it on cores.

    Attributes:
        elf: The ELF file.
        traffic: Its packets.
        instructions: Instructions of all packets.
        instructions_per_packet: Their mean; ``least_instructions`` and ``most_instructions`` the extremes.
        least_instructions: Instructions of the shortest packet.
        most_instructions: Instructions of the longest.
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
    """The packets that a program was given.

    Attributes:
        title: What the traffic is.
        packets: IP packets.
        not_ip: Packets that are none, left out.
        flows: One-way flows.
        mean_bytes: Mean size of an IP packet.
        median_packets_between: Median number of packets between two of one flow.
        damaged_records: Damaged records of the capture, passed over.
        first_damage: The first of them.
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
    """Something, how often, and in per cent of all.

    Attributes:
        name: What.
        count: How many packets or instructions.
        percent: Of all, in per cent.
    """

    name: str
    count: int
    percent: float


class XdpReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an XDP program did with its packets.

    Attributes:
        name: The program as it was given.
        program: The program, by function.
        traffic: Its packets: Ethernet frames without their check sequence.
        verdicts: What became of them, most frequent first.
        instructions: Instructions of all packets; a 64-bit constant counts once, a call of a helper once.
        instructions_per_packet: Their mean; ``least_instructions`` and ``most_instructions`` the extremes.
        least_instructions: Instructions of the shortest packet.
        most_instructions: Instructions of the longest.
        mean_bytes_left: Mean size of packets as the program left them.
        regions: Accesses by region, of instructions and helpers.
        helpers: Calls of helpers.
        lines: Source lines by instructions.
        maps: What maps hold.
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
    """Accesses to a region a packet: ``packet``, ``context``, ``stack``, a map's values, or ``NAME.index``.

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
    """What a map holds in the end; ``listed`` are the first of its ``entries``, of arrays those that are not zero.

    Attributes:
        name: Its name.
        kind: Its kind, such as ``HASH``.
        key_bytes: Bytes of a key.
        value_bytes: Bytes of a value.
        most_entries: Entries that it has room for.
        entries: Entries that it holds.
        listed: The first of them; of arrays those that are not zero.
        records: Records of a ring buffer or of events.
        record_bytes: Their bytes.
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
    """One key of a map; ``numbers`` are its values where they have 1, 2, 4 or 8 bytes.

    Attributes:
        key: The key, in hexadecimal.
        values: Its value of each processor, in hexadecimal.
        numbers: Its values as numbers, where they have 1, 2, 4 or 8 bytes.
    """

    key: str
    values: tuple[str, ...]
    numbers: tuple[int, ...] | None


class RowsReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an XDP program comes to in rows.

    Attributes:
        name: The program as it was given.
        program: The program, by function.
        instructions: Its instructions; a 64-bit constant counts once.
        lanes: Rows by lanes, from one on.
        blocks: Blocks in order, with as many lanes as were asked for.
    """

    name: str
    program: str
    instructions: int
    lanes: tuple[LaneRows, ...]
    blocks: tuple[BlockRows, ...]


class LaneRows(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows of a program with a number of lanes, and its instructions by rows.

    Attributes:
        lanes: Instructions that a row has room for.
        rows: Rows of the program.
        instructions_per_row: Its instructions by rows.
    """

    lanes: int
    rows: int
    instructions_per_row: float


class BlockRows(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows of a block: where it begins, the instructions left in it, and where its exit takes the action from.

    ``exit`` is ``constant``, ``register`` or ``None`` where the program does not end.

    Attributes:
        place: Where it begins.
        rows: Its rows.
        instructions: Instructions left in it.
        exit: Where its exit takes the action from: ``constant``, ``register``, or ``None`` where the program does not
            end.
    """

    place: str
    rows: int
    instructions: int
    exit: str | None


class CachedTrace(msgspec.Struct, frozen=True, omit_defaults=True):
    """One trace that a folder keeps; program, traffic and packets are ``None`` where the file cannot be used.

    Attributes:
        file: Name of the file.
        bytes: Its size.
        unused_seconds: Seconds since it was used.
        program: The program; nothing where the file cannot be used.
        traffic: Its traffic.
        packets: Packets traced.
        problem: Why it cannot be used.
    """

    file: str
    bytes: int
    unused_seconds: int
    program: str | None
    traffic: str | None
    packets: int | None
    problem: str | None


class ExecutedProgram(ExecutedProgramMethods, msgspec.Struct, frozen=True, omit_defaults=True):
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
    hot: tuple[HotWord, ...]


class MemoryUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """How often an executed program, or a line of it, asks a memory for something.

    Attributes:
        memory: The memory.
        accesses_per_packet: Accesses.
    """

    memory: str
    accesses_per_packet: float


class ProgramResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """How often a program came to a result.

    Attributes:
        result: The verdict, or the value in hexadecimal.
        packets: How many packets.
    """

    result: str
    packets: int


class SourceLine(msgspec.Struct, frozen=True, omit_defaults=True):
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


class CallStack(msgspec.Struct, frozen=True, omit_defaults=True):
    """Functions from the outermost to the innermost, and the engine's cycles in the innermost, of all packets.

    Attributes:
        functions: From the outermost to the innermost.
        cycles: Engine cycles in the innermost, of all packets.
    """

    functions: tuple[str, ...]
    cycles: int


class HotWord(HotWordMethods, msgspec.Struct, frozen=True, omit_defaults=True):
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
