"""Two results of an XDP program: `XdpRun` (execution on frames) and `XdpRows` (instructions grouped into rows)."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from linecard.executed.reports import RowsReport, XdpMap, XdpReport
from linecard.result import Result


class XdpProgramInfo(msgspec.Struct, frozen=True):
    """A shipped XDP program.

    Attributes:
        name: Name.
        title: Purpose.
        source: Document that specifies the program.
        parameters: Macros that the argument ``defines`` can set, with the default of each macro.
        maps: Maps that must be filled before the program runs.
    """

    name: str
    title: str
    source: str
    parameters: dict[str, int]
    maps: tuple[str, ...]


class XdpRun(Result, XdpReport, frozen=True):
    """The result of an XDP program that was executed on packets."""

    TABLE: ClassVar[str] = "lines"
    ASKED: ClassVar[tuple[str, ...]] = ("name", "program", "traffic")
    INPUT: ClassVar[str] = "name"

    def map(self, name: str) -> XdpMap:
        """Return the map with the given name.

        Raises:
            KeyError: The program has no map with the given name.
        """
        for found in self.maps:
            if found.name == name:
                return found
        raise KeyError(name)


class XdpRows(Result, RowsReport, frozen=True):
    """The schedule of an XDP program, whose instructions are grouped into rows."""

    TABLE: ClassVar[str] = "blocks"
    ASKED: ClassVar[tuple[str, ...]] = ("name", "program", "instructions")
    INPUT: ClassVar[str] = "name"
