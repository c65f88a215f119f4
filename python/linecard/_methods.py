"""Methods of some reports of the core: the class ``NAME`` inherits from ``NAMEMethods``.

`make docs` writes the classes (`reports.py` of each package). A class here declares the fields that it reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.words import Value, value_text

if TYPE_CHECKING:
    from linecard.executed.reports import CallStack
    from linecard.flowcache.reports import LruRow


class ParameterMethods:
    """Methods of a parameter of a preset."""

    __slots__ = ()
    value: Value

    @property
    def text(self) -> str:
        """The value as ``--set`` takes it."""
        return value_text(self.value)


class SizeBinMethods:
    """Methods of a bin of sizes."""

    __slots__ = ()
    from_bytes: int
    to_bytes: int

    @property
    def label(self) -> str:
        """The bin in words, such as ``65–127``."""
        return f"≥ {self.from_bytes}" if self.to_bytes >= 0xFFFF_FFFF else f"{self.from_bytes}–{self.to_bytes}"


class DiagnosticMethods:
    """Methods of a finding in a capture."""

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
    """Methods of the data that a program accesses most."""

    __slots__ = ()
    place: str
    bank: int | None

    @property
    def where(self) -> str:
        """The memory, with its bank."""
        return self.place if self.bank is None else f"{self.place} bank {self.bank}"


class ExecutedProgramMethods:
    """Methods of the profile of an executed program."""

    __slots__ = ()
    name: str
    stacks: tuple[CallStack, ...]

    def folded(self) -> str:
        """The call stacks as flame graphs take them: one line each, functions joined by ``;``, and engine cycles."""
        names = [";".join(each.replace(";", ":") for each in (self.name, *stack.functions)) for stack in self.stacks]
        lines = zip(names, self.stacks, strict=True)
        return "".join(f"{functions} {stack.cycles}\n" for functions, stack in lines)


class NotIpFramesMethods:
    """Methods of the counts of frames that are not IP."""

    __slots__ = ()
    punted: int
    dropped_by_choice: int

    @property
    def set_aside(self) -> int:
        """Number of frames that the chip dropped or punted by choice; none of them is lost."""
        return self.punted + self.dropped_by_choice


class PartMethods:
    """Methods of a group of packets of a run."""

    __slots__ = ()
    of: str
    port: str | None
    traffic_class: str | None

    @property
    def name(self) -> str:
        """The name that people use."""
        return " ".join(each for each in (self.port, self.traffic_class) if each) or self.of


class ValueRangeMethods:
    """Methods of a value of the chip's file with an interval in its sources."""

    __slots__ = ()
    key: str
    low: float
    high: float

    @property
    def ends(self) -> tuple[str, str]:
        """The settings that set the value to its lower and to its upper end."""
        return f"{self.key}={self.low:.12g}", f"{self.key}={self.high:.12g}"


class CacheRowMethods:
    """Methods of one cache over the whole traffic."""

    __slots__ = ()
    ways: int
    sets: int
    packets: int
    hits: int

    @property
    def hit_rate(self) -> float:
        """Fraction of packets that hit."""
        return self.hits / self.packets

    @property
    def shape(self) -> str:
        """The number of ways in words."""
        return "full" if self.sets == 1 else f"{self.ways}-way"


class CacheCurvesMethods:
    """Methods of the curves of LRU."""

    __slots__ = ()
    lru: tuple[LruRow, ...]
    curve: tuple[LruRow, ...]

    def row(self, sets: int, ways: int) -> LruRow:
        """The LRU row of one size and number of ways.

        Raises:
            KeyError: The pass did not cover this cache; the text lists the covered ones.
        """
        for row in (*self.lru, *(self.curve if sets == 1 else ())):
            if (row.sets, row.ways) == (sets, ways):
                return row
        shapes = sorted({row.sets for row in self.lru})
        raise KeyError(f"no row with {sets} sets and {ways} ways; expected sets {shapes} and ways 1 to 16")
