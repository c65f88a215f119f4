"""Operations of the virtual router processor: their demand for resources, and their steps in a program."""

from __future__ import annotations

import math

# For each operation: the name of its number, the resource that it takes besides cycles, and the key of `[vrp]` with its
# cost in cycles.
OPERATIONS = {
    "compute": ("cycles", "", ""),
    "dram_read": ("bytes", "dram_transfers", "dram_read_cycles"),
    "dram_write": ("bytes", "dram_transfers", "dram_write_cycles"),
    "sram_read": ("bytes", "sram_transfers", "sram_cycles"),
    "sram_write": ("bytes", "sram_transfers", "sram_cycles"),
    "hash": ("count", "hashes", ""),
}
# Bytes of a transfer of a memory.
TRANSFER_BYTES = 32
# The same operations as steps of a program, and the role that each accesses.
_STEPS = {
    "dram_read": ("transfer", "dram_to_engine"),
    "dram_write": ("transfer", "engine_to_dram"),
    "sram_read": ("read", "table"),
    "sram_write": ("write", "table"),
    "hash": ("ask", "hash"),
}
# Bytes of a word of SRAM, and of hashed data.
_WORD_BYTES = 4


def units(op: str, number: int) -> float:
    """An operation's demand for its resource; DRAM transfers are rounded up, and SRAM transfers can be fractional."""
    name, resource, _ = OPERATIONS[op]
    if name != "bytes":
        return number
    transfers = number / TRANSFER_BYTES
    return transfers if resource == "sram_transfers" else math.ceil(transfers)


def step(op: str, number: int, times: int) -> dict[str, str | int]:
    """Convert an operation of an extension to a step of the program, with ``times`` repetitions."""
    if op == "compute":
        return {"cycles": number * times}
    does, at = _STEPS[op]
    size = {"transfer": number, "ask": number * _WORD_BYTES}.get(does, -(-number // _WORD_BYTES) * _WORD_BYTES)
    return {"op": does, "at": at, "bytes": size, "times": times}


def probe(role: str, size: int) -> list[str]:
    """The chip settings with which the program `probe` measures an operation."""
    return [f"program.step[transfer].at={role}", f"program.step[transfer].bytes={size}"]
