"""The results of an XDP program on frames, and the results of its schedule in rows."""

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
        parameters: Macros that ``defines`` can set, with their defaults.
        maps: Maps that must be filled before the program runs.
    """

    name: str
    title: str
    source: str
    parameters: dict[str, int]
    maps: tuple[str, ...]


class XdpRun(Result, XdpReport, frozen=True):
    """The results of an XDP program over its packets."""

    TABLE: ClassVar[str] = "lines"
    ASKED: ClassVar[tuple[str, ...]] = ("name", "program", "traffic")
    INPUT: ClassVar[str] = "name"

    def map(self, name: str) -> XdpMap:
        """The map with this name.

        Raises:
            KeyError: The program has no such map.
        """
        for found in self.maps:
            if found.name == name:
                return found
        raise KeyError(name)


class XdpRows(Result, RowsReport, frozen=True):
    """The results of scheduling an XDP program in rows."""

    TABLE: ClassVar[str] = "blocks"
    ASKED: ClassVar[tuple[str, ...]] = ("name", "program", "instructions")
    INPUT: ClassVar[str] = "name"
