"""Operations of the virtual router processor: what each takes, and the step of a program that it is."""

from __future__ import annotations

# Each operation: the resource, and what its number is called.
OPERATIONS = {
    "compute": ("cycles", "cycles"),
    "dram_read": ("dram_reads", "bytes"),
    "dram_write": ("dram_writes", "bytes"),
    "sram_read": ("sram_transfers", "bytes"),
    "sram_write": ("sram_transfers", "bytes"),
    "hash": ("hashes", "count"),
}
# The same as steps of a program, and the role that they ask for.
_STEPS = {
    "dram_read": ("transfer", "dram_to_engine"),
    "dram_write": ("transfer", "engine_to_dram"),
    "sram_read": ("read", "table"),
    "sram_write": ("write", "table"),
    "hash": ("ask", "hash"),
}
# Bytes of a word of SRAM, and of what is hashed.
_WORD_BYTES = 4


def step(op: str, number: int, times: int) -> dict[str, str | int]:
    """An operation of an extension as a step of the program, done so many times one after another."""
    if op == "compute":
        return {"cycles": number * times}
    does, at = _STEPS[op]
    size = {"transfer": number, "ask": number * _WORD_BYTES}.get(does, -(-number // _WORD_BYTES) * _WORD_BYTES)
    return {"op": does, "at": at, "bytes": size, "times": times}


def probe(role: str, size: int) -> list[str]:
    """What the program `probe` measures, as changes of a preset."""
    return [f"program.step[transfer].at={role}", f"program.step[transfer].bytes={size}"]
