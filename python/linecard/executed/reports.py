"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

import msgspec

from linecard._methods import ExecutedProgramMethods, HotWordMethods


class ProgramReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Statistics of a C program on the packets of the traffic; ``linecard.core`` simulates the same program on cores.

    Attributes:
        elf: Path of the ELF file.
        traffic: Packets.
        instructions: Number of instructions, summed over all packets.
        instructions_per_packet: Mean number of instructions per packet; ``least_instructions`` and
            ``most_instructions`` are the minimum and maximum.
        least_instructions: Minimum number of instructions that the program executed for a packet.
        most_instructions: Maximum number of instructions that the program executed for a packet.
        runs_per_packet: Number of straight-line instruction sequences, from one jump to the next, that the program
            executes per packet.
        packet_accesses_per_packet: Loads and stores of packet data, per packet.
        table_accesses_per_packet: Loads and stores of heap data, of objects marked as state (``LC_STATE``), or of
            control data, per packet.
        other_accesses_per_packet: Loads and stores of stack data or of global variables, per packet; the stack and the
            global variables are on-chip.
        locks_per_packet: Number of lock acquisitions per packet.
        locks: Number of different locks that the program takes.
        trace_bytes_per_instruction: Size of the trace in bytes per instruction.
        segments: Number of distinct instruction sequences that the program executes between two data accesses.
        results: Values that the program returned, the most frequent first.
        functions: Functions, sorted by number of instructions.
        lines: Source lines, sorted by number of instructions; empty if the program was compiled without line
            information.
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
        packets: Number of IP packets.
        not_ip: Number of omitted non-IP packets.
        flows: Number of unidirectional flows.
        mean_bytes: Mean size of an IP packet.
        median_packets_between: Median number of packets between two consecutive packets of the same flow.
        address_map: How IPv4 addresses were mapped into routed prefixes; ``None`` if they were not.
        merged_flows: Number of flows that became the same as another flow, because the map moved distinct addresses to
            one address.
        damaged_records: Number of damaged records in the capture that were skipped.
        first_damage: The first damaged record of the capture.
    """

    title: str
    packets: int
    not_ip: int
    flows: int
    mean_bytes: float
    median_packets_between: int
    address_map: str | None
    merged_flows: int
    damaged_records: int
    first_damage: str | None


class Share(msgspec.Struct, frozen=True, omit_defaults=True):
    """One item of a list, with its count and its percentage of the total.

    Attributes:
        name: What.
        count: Count of the item: a number of packets or of instructions.
        percent: Percentage of the total.
    """

    name: str
    count: int
    percent: float


class XdpReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of an XDP program that was executed on packets.

    Attributes:
        name: The name of the program, as given in the request.
        program: Name of the program's function in the object file.
        traffic: Statistics of the packets, which are Ethernet frames without a frame check sequence.
        verdicts: Verdicts, the most frequent first.
        instructions: Number of instructions, summed over all packets; a 64-bit constant or a helper call counts as one
            instruction.
        instructions_per_packet: Mean number of instructions per packet; ``least_instructions`` and
            ``most_instructions`` are the minimum and maximum.
        least_instructions: Minimum number of instructions that the program executed for a packet.
        most_instructions: Maximum number of instructions that the program executed for a packet.
        mean_bytes_left: Mean size of the packets after the program processed them.
        regions: Accesses that instructions and helpers make to each memory region.
        helpers: Number of calls to each helper.
        lines: Source lines, sorted by number of instructions.
        maps: Final contents of the maps.
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
    """Accesses per packet to one memory region: ``packet``, ``context``, ``stack``, a map's values, or ``NAME.index``.

    Attributes:
        name: Name of the memory region.
        reads_per_packet: Reads.
        writes_per_packet: Writes.
        atomics_per_packet: Atomic operations per packet.
        bytes_per_packet: Bytes per packet of all reads, writes and atomic operations.
    """

    name: str
    reads_per_packet: float
    writes_per_packet: float
    atomics_per_packet: float
    bytes_per_packet: float


class XdpMap(msgspec.Struct, frozen=True, omit_defaults=True):
    """Final contents of a map; ``listed`` contains the first entries, or the first nonzero entries of an array.

    Attributes:
        name: Name.
        kind: Type of the map, such as ``HASH``.
        key_bytes: Size of a key in bytes.
        value_bytes: Size of a value in bytes.
        most_entries: Maximum number of entries in the map.
        entries: Number of entries in the map.
        listed: The first entries of the map, or the first nonzero entries of an array.
        records: Number of records that the program wrote to a ring buffer or emitted as perf events.
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
    """One key of a map, and its values; ``numbers`` contains values with a size of 1, 2, 4 or 8 bytes.

    Attributes:
        key: The key, in hexadecimal.
        values: The value of the key for each processor, in hexadecimal.
        numbers: The values as numbers; ``None`` if the size of a value is not 1, 2, 4 or 8 bytes.
    """

    key: str
    values: tuple[str, ...]
    numbers: tuple[int, ...] | None


class RowsReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The schedule of an XDP program: all instructions of a row execute in the same cycle.

    Attributes:
        name: The name of the program, as given in the request.
        program: Name of the program's function in the object file.
        instructions: Number of instructions; a 64-bit constant counts as one instruction.
        lanes: Number of rows for each number of lanes, starting with one lane.
        blocks: Basic blocks in program order, scheduled with the requested number of lanes.
    """

    name: str
    program: str
    instructions: int
    lanes: tuple[LaneRows, ...]
    blocks: tuple[BlockRows, ...]


class LaneRows(msgspec.Struct, frozen=True, omit_defaults=True):
    """The schedule of a program for a given number of lanes: the number of rows, and the instructions per row.

    Attributes:
        lanes: Number of lanes, which is the maximum number of instructions in one row.
        rows: Number of rows in the program.
        instructions_per_row: Instructions per row.
    """

    lanes: int
    rows: int
    instructions_per_row: float


class BlockRows(msgspec.Struct, frozen=True, omit_defaults=True):
    """The rows and the instructions of one basic block, and the origin of the action with which the block exits.

    ``exit`` is the origin of this action: ``constant`` or ``register``, or ``None`` if the program does not end in this
    block.

    Attributes:
        place: Beginning.
        rows: Rows.
        instructions: Number of instructions in the block, without the instructions that the scheduler removes.
        exit: Origin of the action with which the program exits: ``constant`` or ``register``; ``None`` if the program
            does not end in this block.
    """

    place: str
    rows: int
    instructions: int
    exit: str | None


class CachedTrace(msgspec.Struct, frozen=True, omit_defaults=True):
    """One trace in a trace folder; ``program``, ``traffic`` and ``packets`` are ``None`` if the file cannot be used.

    Attributes:
        file: Name of the trace file.
        bytes: Size.
        unused_seconds: Seconds since the last use of the file.
        program: Name of the program; ``None`` if the file cannot be used.
        traffic: Traffic.
        packets: Number of traced packets.
        problem: The reason why the file cannot be used; ``None`` if the file can be used.
    """

    file: str
    bytes: int
    unused_seconds: int
    program: str | None
    traffic: str | None
    packets: int | None
    problem: str | None


class ExecutedProgram(ExecutedProgramMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """The profile of an executed program. Source lines are sorted by cycles, and call stacks are sorted by name.

    Attributes:
        name: Name of the program.
        packets: Number of packets for which the program was executed.
        instructions_per_packet: Instructions per packet.
        cycles_per_packet: Engine cycles per packet, without the cycles in which the engine issues accesses.
        stall_cycles_per_packet: Cycles per packet in which threads wait for the program's accesses.
        accesses_per_packet: Memory accesses per packet.
        memories: Accesses per packet to each memory.
        results: Results of the program, with the number of packets for each result.
        lines: Source lines, sorted by cycles.
        stacks: Call stacks of the program, with their cycles.
        hot: The data that the program accesses most often in each memory, and the lock that the program takes most
            often.
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
    """Accesses of an executed program, or of one of its source lines, to one memory.

    Attributes:
        memory: Name of the memory.
        accesses_per_packet: Accesses per packet.
    """

    memory: str
    accesses_per_packet: float


class ProgramResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """Number of packets for which an executed program returned the same result: an XDP verdict or a value.

    Attributes:
        result: The XDP verdict, or the value in hexadecimal.
        packets: Number of packets.
    """

    result: str
    packets: int


class SourceLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """The cost per packet of a source line of an executed program, or of a function if the line information is missing.

    Attributes:
        line: File, number and text of the source line, or the name of the function.
        file: The source file as passed to the compiler; ``None`` for a function.
        number: Line number, counted from 1; ``None`` for a function.
        instructions_per_packet: Instructions per packet.
        cycles_per_packet: Engine cycles per packet, without the cycles in which the engine issues accesses.
        stall_cycles_per_packet: Cycles per packet in which the thread waits for accesses; meanwhile, the engine may
            execute other threads.
        accesses_per_packet: Memory accesses per packet.
        memories: Accesses per packet to each memory.
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
    """A call stack, and the engine cycles in the innermost function, summed over all packets.

    Attributes:
        functions: Function names, from the outermost to the innermost.
        cycles: Engine cycles in the innermost function, summed over all packets.
    """

    functions: tuple[str, ...]
    cycles: int


class HotWord(HotWordMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """The data that an executed program accesses most often in a memory, or the lock that the program takes most often.

    Attributes:
        memory: Name of the memory, or ``locks``.
        bank: The busiest bank, if the address selects the bank; otherwise ``None``.
        name: Name of the data: a map and its key, a variable, or a heap block and the source line that allocated it.
        lines: Source lines that access the data, the most frequent first.
        share: Accesses to the data as a fraction of the program's accesses to this bank or memory; for a lock, the
            fraction of all lock acquisitions.
    """

    memory: str
    bank: int | None
    name: str
    lines: tuple[str, ...]
    share: float
