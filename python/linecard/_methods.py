"""Methods for the core's reports: a report class ``NAME`` inherits from the class ``NAMEMethods``, if one exists.

`make docs` writes the report classes (`reports.py` of each package). Each class in this module declares the fields that
it reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.words import Value, value_text

if TYPE_CHECKING:
    from linecard.executed.reports import CallStack
    from linecard.flowcache.reports import LruRow


class ParameterMethods:
    """Methods of the class ``Parameter``, a preset parameter."""

    __slots__ = ()
    value: Value

    @property
    def text(self) -> str:
        """The value in the format of ``--set``."""
        return value_text(self.value)


class SizeBinMethods:
    """Methods of the class ``SizeBin``, a bin in the size distribution of packets."""

    __slots__ = ()
    from_bytes: int
    to_bytes: int

    @property
    def label(self) -> str:
        """The range of the bin as text, such as ``65–127``."""
        return f"≥ {self.from_bytes}" if self.to_bytes >= 0xFFFF_FFFF else f"{self.from_bytes}–{self.to_bytes}"


class DiagnosticMethods:
    """Methods of the class ``Diagnostic``, a finding about a capture."""

    __slots__ = ()
    file: str
    byte_offset: int
    packet: int
    line: int | None
    found: str
    expected: str
    action: str

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}, "
        return (
            f"{self.file}: {line}byte offset {self.byte_offset}, packet {self.packet}: "
            f"found {self.found}, expected {self.expected}; {self.action}"
        )


class HotWordMethods:
    """Methods of the class ``HotWord``, the data that a program accesses most often."""

    __slots__ = ()
    memory: str
    bank: int | None

    @property
    def where(self) -> str:
        """The name of the memory, with the number of its bank."""
        return self.memory if self.bank is None else f"{self.memory} bank {self.bank}"


class ExecutedProgramMethods:
    """Methods of the class ``ExecutedProgram``, the profile of an executed program."""

    __slots__ = ()
    name: str
    stacks: tuple[CallStack, ...]

    def folded(self) -> str:
        """The call stacks for flame graph tools: each line contains functions, joined by ``;``, and engine cycles."""
        names = [";".join(each.replace(";", ":") for each in (self.name, *stack.functions)) for stack in self.stacks]
        lines = zip(names, self.stacks, strict=True)
        return "".join(f"{functions} {stack.cycles}\n" for functions, stack in lines)


class NotIpFramesMethods:
    """Methods of the class ``NotIpFrames``, the counts of frames that are not IP."""

    __slots__ = ()
    punted: int
    dropped_by_choice: int

    @property
    def set_aside(self) -> int:
        """Number of frames that the chip dropped or punted on purpose; they do not count as lost."""
        return self.punted + self.dropped_by_choice


class PartMethods:
    """Methods of the class ``Part``, a group of packets in a run."""

    __slots__ = ()
    of: str
    port: str | None
    traffic_class: str | None

    @property
    def name(self) -> str:
        """The readable name of the group."""
        return " ".join(each for each in (self.port, self.traffic_class) if each) or self.of


class ValueRangeMethods:
    """Methods of the class ``ValueRange``, a chip parameter whose sources state an interval."""

    __slots__ = ()
    key: str
    low: float
    high: float

    @property
    def ends(self) -> tuple[str, str]:
        """The two settings that set the parameter to the lower and to the upper end of the interval."""
        return f"{self.key}={self.low:.12g}", f"{self.key}={self.high:.12g}"


class CacheRowMethods:
    """Methods of the class ``CacheRow``, the results of one cache for all packets of the traffic."""

    __slots__ = ()
    ways: int
    sets: int
    packets: int
    hits: int

    @property
    def hit_rate(self) -> float:
        """Fraction of packets that hit in the cache."""
        return self.hits / self.packets

    @property
    def shape(self) -> str:
        """The associativity as text, such as ``4-way``."""
        return "full" if self.sets == 1 else f"{self.ways}-way"


class CacheCurvesMethods:
    """Methods of the class ``CacheCurves``, the hit-rate curves of LRU caches."""

    __slots__ = ()
    lru: tuple[LruRow, ...]
    curve: tuple[LruRow, ...]

    def row(self, sets: int, ways: int) -> LruRow:
        """The result of the LRU cache with this number of sets and ways.

        Raises:
            KeyError: The simulation did not cover this cache; the message lists the caches that it covered.
        """
        for row in (*self.lru, *(self.curve if sets == 1 else ())):
            if (row.sets, row.ways) == (sets, ways):
                return row
        shapes = sorted({row.sets for row in self.lru})
        raise KeyError(
            f"no row with {sets} sets and {ways} ways; expected a number of sets in {shapes}, and 1 to 16 ways"
        )
