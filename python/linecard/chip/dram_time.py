"""Where the time of the data bus of a chip's DRAM goes, and what people call it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DramTime:
    """Where the time of the DRAM data bus went: shares of the simulated time that add up to 1.

    ``spacing`` is time between columns of an open row; ``None`` where it is not told apart. ``row_hit_rate`` is the
    share of accesses that found their row open.

    Attributes:
        data: Data moved.
        row_miss: A row had to be closed or opened.
        turnaround: The bus changed its direction.
        refresh: Refreshes.
        idle: No request.
        row_hit_rate: Accesses that found their row open.
        spacing: Between columns of an open row; ``None`` where it is not told apart.
    """

    data: float
    row_miss: float
    turnaround: float
    refresh: float
    idle: float
    row_hit_rate: float
    spacing: float | None = None
