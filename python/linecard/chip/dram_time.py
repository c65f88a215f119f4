"""The use of the time of a chip's DRAM data bus."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DramTime:
    """Use of the time of the DRAM data bus: fractions of the simulated time that add up to 1.

    ``spacing`` is the time between column commands of an open row; ``None`` if it is not counted separately.
    ``row_hit_rate`` is the fraction of accesses that hit an open row.

    Attributes:
        data: Data moved.
        row_miss: Waiting for a precharge or an activate.
        turnaround: The bus changed its direction.
        refresh: Refreshes.
        idle: No request.
        row_hit_rate: Fraction of accesses that hit an open row.
        spacing: Between column commands of an open row; ``None`` if it is not counted separately.
    """

    data: float
    row_miss: float
    turnaround: float
    refresh: float
    idle: float
    row_hit_rate: float
    spacing: float | None = None
