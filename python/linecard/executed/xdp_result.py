"""The results of an XDP program on frames, and of its schedule into rows."""

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
        source: Document that defines it.
        parameters: Macros that ``defines`` sets, with their defaults.
        maps: Maps that must be filled before it runs.
    """

    name: str
    title: str
    source: str
    parameters: dict[str, int]
    maps: tuple[str, ...]


class XdpRun(Result, XdpReport, frozen=True):
    """What an XDP program did with its packets."""

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
    """What an XDP program comes to in rows."""

    TABLE: ClassVar[str] = "blocks"
    ASKED: ClassVar[tuple[str, ...]] = ("name", "program", "instructions")
    INPUT: ClassVar[str] = "name"
