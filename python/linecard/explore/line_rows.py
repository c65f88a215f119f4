"""Extracts the costs of source lines from the measurements of a run, for comparisons by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# Prefix of the components of these measurements.
LINE = "line "
COSTS = {"cycles": "cycles", "stall_cycles": "cycles", "instructions": "instructions"}


def line_rows(report: Mapping[str, Any]) -> list[tuple[str, str, str, float]]:
    """For each line of the executed programs, return cycles, stall cycles and instructions per packet."""
    return [
        (LINE + line["line"], name, unit, line[f"{name}_per_packet"])
        for program in report.get("programs", ())
        for line in program["lines"]
        for name, unit in COSTS.items()
    ]
