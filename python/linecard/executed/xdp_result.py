"""The results of an XDP program on frames, and of its schedule into rows."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from linecard.executed.traffic import ProgramTraffic, Share  # noqa: TC001 # msgspec reads the annotations
from linecard.result import Result


class XdpProgramInfo(msgspec.Struct, frozen=True):
    """A shipped XDP program.

    Attributes:
        name: Its name.
        title: Its purpose.
        source: Document that defines it.
        parameters: Macros that ``defines`` sets, with their defaults.
        maps: Maps that must be filled before it runs.
    """

    name: str
    title: str
    source: str
    parameters: dict[str, int]
    maps: tuple[str, ...]


class RegionUse(msgspec.Struct, frozen=True):
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


class XdpMapEntry(msgspec.Struct, frozen=True):
    """One key of a map; ``numbers`` are its values if they have 1, 2, 4 or 8 bytes.

    Attributes:
        key: The key, in hexadecimal.
        values: Its value of each processor, in hexadecimal.
        numbers: Its values as numbers, if they have 1, 2, 4 or 8 bytes.
    """

    key: str
    values: tuple[str, ...]
    numbers: tuple[int, ...] | None


class XdpMap(msgspec.Struct, frozen=True):
    """The content of a map at the end; ``listed`` are the first of its ``entries``, of arrays those that are not zero.

    Attributes:
        name: Its name.
        kind: Its kind, such as ``HASH``.
        key_bytes: Bytes of a key.
        value_bytes: Bytes of a value.
        most_entries: Maximum number of entries.
        entries: Entries in it.
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


class XdpRun(Result, msgspec.Struct, frozen=True, kw_only=True):
    """The result of an XDP program on its packets.

    Attributes:
        name: The requested program.
        program: The program, by function.
        traffic: Its packets: Ethernet frames without their check sequence.
        verdicts: Their verdicts, most frequent first.
        instructions: Instructions of all packets; a 64-bit constant counts once, a call of a helper once.
        instructions_per_packet: Their mean; ``least_instructions`` and ``most_instructions`` the extremes.
        least_instructions: Instructions of the shortest packet.
        most_instructions: Instructions of the longest.
        mean_bytes_left: Mean size of packets after the program.
        regions: Accesses by region, of instructions and helpers.
        helpers: Calls of helpers.
        lines: Source lines by instructions.
        maps: Content of the maps.
    """

    TABLE: ClassVar[str] = "lines"
    ASKED: ClassVar[tuple[str, ...]] = ("name", "program", "traffic")
    INPUT: ClassVar[str] = "name"

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

    def map(self, name: str) -> XdpMap:
        """The map with this name.

        Raises:
            KeyError: The program has no such map.
        """
        for found in self.maps:
            if found.name == name:
                return found
        raise KeyError(name)


class LaneRows(msgspec.Struct, frozen=True):
    """Rows of a program with a number of lanes, and its instructions by rows.

    Attributes:
        lanes: Instructions that fit in a row.
        rows: Rows of the program.
        instructions_per_row: Its instructions by rows.
    """

    lanes: int
    rows: int
    instructions_per_row: float


class BlockRows(msgspec.Struct, frozen=True):
    """Rows of a block: its beginning, its remaining instructions, and the origin of the action at its exit.

    ``exit`` is ``constant``, ``register``, or ``None`` if the program does not end there.

    Attributes:
        place: Its beginning.
        rows: Its rows.
        instructions: Its remaining instructions.
        exit: Origin of the action at its exit: ``constant``, ``register``, or ``None`` if the program does not end
            there.
    """

    place: str
    rows: int
    instructions: int
    exit: str | None


class XdpRows(Result, msgspec.Struct, frozen=True, kw_only=True):
    """The schedule of an XDP program into rows.

    Attributes:
        name: The requested program.
        program: The program, by function.
        instructions: Its instructions; a 64-bit constant counts once.
        lanes: Rows by lanes, from one on.
        blocks: Blocks in order, with the requested number of lanes.
    """

    TABLE: ClassVar[str] = "blocks"
    ASKED: ClassVar[tuple[str, ...]] = ("name", "program", "instructions")
    INPUT: ClassVar[str] = "name"

    name: str
    program: str
    instructions: int
    lanes: tuple[LaneRows, ...]
    blocks: tuple[BlockRows, ...]
