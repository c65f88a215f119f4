"""Methods of the core's report classes.

The class ``NAME`` inherits from ``NAMEMethods``, if this module defines ``NAMEMethods``.

`make docs` generates the report classes in each package's `reports.py`. Each class in this module declares the report
fields that its methods use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.words import Value, value_text

if TYPE_CHECKING:
    from linecard.executed.reports import CallStack
    from linecard.flowcache.reports import LruRow


class ParameterMethods:
    """Methods of the class ``Parameter``, which describes a preset parameter."""

    __slots__ = ()
    value: Value

    @property
    def text(self) -> str:
        """The value as text, in the format that the option ``--set`` accepts."""
        return value_text(self.value)


class SizeBinMethods:
    """Methods of the class ``SizeBin``, which describes a bin in the distribution of packet sizes."""

    __slots__ = ()
    from_bytes: int
    to_bytes: int

    @property
    def label(self) -> str:
        """The range of the bin as text, such as ``65–127``."""
        return f"≥ {self.from_bytes}" if self.to_bytes >= 0xFFFF_FFFF else f"{self.from_bytes}–{self.to_bytes}"


class DiagnosticMethods:
    """Methods of the class ``Diagnostic``, which describes a problem in a capture."""

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
    """Methods of the class ``HotWord``, which describes the data that a program accesses most often."""

    __slots__ = ()
    memory: str
    bank: int | None

    @property
    def where(self) -> str:
        """The memory's name, followed by the number of the bank if the bank is known."""
        return self.memory if self.bank is None else f"{self.memory} bank {self.bank}"


class ExecutedProgramMethods:
    """Methods of the class ``ExecutedProgram``, which contains the profile of an executed program."""

    __slots__ = ()
    name: str
    stacks: tuple[CallStack, ...]

    def folded(self) -> str:
        """The call stacks as text for flame graph tools.

        Each line contains the functions of one call stack, joined by ``;``, and the engine cycles of this call stack.
        """
        names = [";".join(each.replace(";", ":") for each in (self.name, *stack.functions)) for stack in self.stacks]
        lines = zip(names, self.stacks, strict=True)
        return "".join(f"{functions} {stack.cycles}\n" for functions, stack in lines)


class NotIpFramesMethods:
    """Methods of the class ``NotIpFrames``, which counts the frames that are not IP."""

    __slots__ = ()
    punted: int
    dropped_by_choice: int

    @property
    def set_aside(self) -> int:
        """Number of frames that the chip dropped or punted on purpose; the loss does not include these frames."""
        return self.punted + self.dropped_by_choice


class PartMethods:
    """Methods of the class ``Part``, which describes a group of packets in a run."""

    __slots__ = ()
    of: str
    port: str | None
    traffic_class: str | None

    @property
    def name(self) -> str:
        """The name of the packet group, for display."""
        return " ".join(each for each in (self.port, self.traffic_class) if each) or self.of


class ValueRangeMethods:
    """Methods of the class ``ValueRange``, which describes a chip parameter whose sources state an interval."""

    __slots__ = ()
    key: str
    low: float
    high: float

    @property
    def ends(self) -> tuple[str, str]:
        """Two settings: the first sets the parameter to the lower end of its interval, the second to the upper end."""
        return f"{self.key}={self.low:.12g}", f"{self.key}={self.high:.12g}"


class CacheRowMethods:
    """Methods of the class ``CacheRow``, which contains the results of one cache for all packets of the traffic."""

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
    """Methods of the class ``CacheCurves``, which contains the hit-rate curves of LRU caches."""

    __slots__ = ()
    lru: tuple[LruRow, ...]
    curve: tuple[LruRow, ...]

    def row(self, sets: int, ways: int) -> LruRow:
        """The result of the LRU cache with the given numbers of sets and ways.

        Raises:
            KeyError: The simulation included no cache with these numbers of sets and ways; the error lists the
                simulated caches.
        """
        for row in (*self.lru, *(self.curve if sets == 1 else ())):
            if (row.sets, row.ways) == (sets, ways):
                return row
        shapes = sorted({row.sets for row in self.lru})
        raise KeyError(
            f"no row with {sets} sets and {ways} ways; expected 1 to 16 ways and one of these numbers of sets: {shapes}"
        )
