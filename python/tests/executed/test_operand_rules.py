"""Do the operands of an eBPF instruction determine its cost on the nfp4000, as its driver's compiler translates them?

Cycles are worked out by hand: the card's instructions for each, and four cycles for a taken branch.
"""

import re
import struct

import pytest

import linecard

R0, R1, R2, R3, R4, R10 = 0, 1, 2, 3, 4, 10
# Opcode, destination, source, offset, constant; then the cycles.
PROGRAM = [
    ((0xB7, R3, 0, 0, 0x10000), 2 + 2),  # a move of 16 bits in the upper half; and the entry of the program
    ((0xB7, R3, 0, 0, 0x12345), 3),  # its low half takes two moves
    ((0x47, R3, 0, 0, 0x20), 1),  # or of a byte: the upper half stays
    ((0x47, R3, 0, 0, 0x2020), 2),
    ((0x47, R3, 0, 0, 0x202020), 3),
    ((0xA7, R3, 0, 0, 0x20), 1),
    ((0x57, R3, 0, 0, 0x20), 2),  # and clears the upper half
    ((0x57, R3, 0, 0, -2), 2),  # and of a negative constant: one move of the low half
    ((0x07, R3, 0, 0, -8), 2),  # a subtraction of 8
    ((0x07, R3, 0, 0, -300), 3),
    ((0x67, R3, 0, 0, 56), 2),
    ((0xC7, R3, 0, 0, 56), 3),  # the sign is read first
    ((0xC7, R3, 0, 0, 32), 2),
    ((0x18, R3, 0, 0, -4096), 2),  # 0xfffff000: both halves are one move
    ((0x00, 0, 0, 0, 0), None),
    ((0x18, R3, 0, 0, 0x2C1B3C6D), 3),
    ((0x00, 0, 0, 0, 0), None),
    ((0x18, R3, 0, 0, 0x2C1B3C6D), 4),
    ((0x00, 0, 0, 0, 0x297A2D39), None),
    ((0xB7, R3, 0, 0, 9), 2),
    ((0x15, R3, 0, 0, 8), 3),  # compare, combine, branch
    ((0x55, R3, 0, 0, 9), 4),  # two compares and branches
    ((0x55, R3, 0, 0, 8), 5),  # taken after the first compare: 1 + 4
    ((0x55, R3, 0, 0, 0x1234), 6),
    ((0x18, R3, 0, 0, 9), 2),
    ((0x00, 0, 0, 0, 1), None),
    ((0x55, R3, 0, 0, 9), 7),  # the low words are equal, so it is taken after the second compare: 3 + 4
    ((0xB7, R4, 0, 0, 2), 2),
    ((0x4D, R3, R4, 0, 0), 4),  # no bit in common: two tests and branches
    ((0x4D, R4, R4, 0, 0), 5),  # one in the low words: 1 + 4
    ((0xB7, R3, 0, 0, 9), 2),
    ((0x15, R3, 0, 0, 9), 6),  # taken: 2 + 4
    ((0x25, R3, 0, 0, 8), 6),  # 2 + 4
    ((0x65, R3, 0, 0, -1), 8),  # both halves of the constant are moved: 4 + 4
    ((0x45, R3, 0, 0, 16), 2),  # a bit that is not set; the upper half is not tested
    ((0x7B, R10, R3, -8, 0), 2),
    ((0x63, R10, R3, -16, 0), 1),
    ((0x61, R4, R10, -16, 0), 1),  # no instruction reads its upper half
    ((0x63, R10, R4, -12, 0), 1),
    ((0x61, R4, R10, -12, 0), 2),  # the next instruction reads it
    ((0x0F, R3, R4, 0, 0), 2),
    ((0xDC, R3, 0, 0, 32), 3),
    ((0x61, R2, R1, 0, 0), 2),
    ((0x61, R3, R2, 16, 0), 2),  # one read of 12 bytes, with the two loads after it
    ((0x61, R4, R2, 26, 0), 3),  # out of two words
    ((0x0F, R3, R4, 0, 0), 2),
    ((0x71, R4, R2, 27, 0), 2),
    ((0x0F, R3, R4, 0, 0), 2),
    ((0x63, R2, R3, 16, 0), 1),
    ((0xB7, R0, 0, 0, 1), 2),
    ((0x95, 0, 0, 0, 0), 4),
]


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    file = tmp_path_factory.mktemp("rules") / "rules.bin"
    slots = [(*op[:1], op[1] | op[2] << 4, *op[3:]) for op, _ in PROGRAM]
    file.write_bytes(b"".join(struct.pack("<BBhi", *slot) for slot in slots))
    one_engine = {"island.count": 1, "island.engines": 1}
    return linecard.run("nfp4000", program=file, packets=100, warmup_packets=50, set=one_engine).programs[0]


def test_each_instruction_costs_what_its_operands_make_it(executed):
    found = {int(re.search(r"instruction (\d+)", line.line)[1]): line.cycles_per_packet for line in executed.lines}
    expected = {slot: cycles for slot, (_, cycles) in enumerate(PROGRAM) if cycles is not None}
    assert found == expected


def test_loads_by_one_register_are_one_read_and_a_store_waits(executed):
    assert executed.accesses_per_packet == 2
    # The program waits for the read, and for the write, which is a swap on this card.
    assert executed.stall_cycles_per_packet > 2 * 50
