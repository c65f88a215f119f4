#!/usr/bin/env python3
"""Makes random programs and runs them in QEMU: random32.txt (RV32IMAC) and random64.txt (RV64IMAC), one a line, its result
first.

    apt-get install qemu-user && python crates/iss/tests/golden/make_random.py

A program begins with registers set to awkward values, does some hundred instructions of every kind (loads and stores in
1 KiB of its own, branches and jumps forward), and ends with a hash of its registers and that memory in a0. QEMU prints
the hash, of 64 bits the halves together; the bytes are code from 0x10000 on, with the memory at 0x20000.

After ``lr`` comes ``sc`` at once, or not at all: between them QEMU compares what was stored, which is one way among many.
"""

from __future__ import annotations

import random
import struct
import subprocess
import tempfile
from pathlib import Path

BASE, DATA, DATA_BYTES = 0x10000, 0x20000, 1024
PROGRAMS, LENGTH = 48, 260
AWKWARD = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF0000, 0x0000FFFF, 0x55555555, 31, 32, 0xDEADBEEF]
FREE = [register for register in range(1, 31) if register not in (2, 8)]  # x2, x8 and x31 point into the memory
R_TYPE = [(0, f) for f in range(8)] + [(0x20, 0), (0x20, 5)] + [(1, f) for f in range(8)]
R_TYPE_W = [(0, 0), (0x20, 0), (0, 1), (0, 5), (0x20, 5), (1, 0), (1, 4), (1, 5), (1, 6), (1, 7)]  # of RV64
AMO = [0x01, 0x00, 0x04, 0x0C, 0x08, 0x10, 0x14, 0x18, 0x1C]
LR, SC = 0x02, 0x03


def r(opcode: int, rd: int, f3: int, rs1: int, rs2: int, f7: int) -> bytes:
    return struct.pack("<I", f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode)


def i(opcode: int, rd: int, f3: int, rs1: int, imm: int) -> bytes:
    return struct.pack("<I", (imm & 0xFFF) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode)


def s(f3: int, rs1: int, rs2: int, imm: int) -> bytes:
    return struct.pack("<I", (imm >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | 0x23)


def b(f3: int, rs1: int, rs2: int, imm: int) -> bytes:
    word = (imm >> 12 & 1) << 31 | (imm >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12
    return struct.pack("<I", word | (imm >> 1 & 15) << 8 | (imm >> 11 & 1) << 7 | 0x63)


def j(rd: int, imm: int) -> bytes:
    word = (imm >> 20 & 1) << 31 | (imm >> 1 & 0x3FF) << 21 | (imm >> 11 & 1) << 20 | (imm >> 12 & 0xFF) << 12
    return struct.pack("<I", word | rd << 7 | 0x6F)


def c(half: int) -> bytes:
    return struct.pack("<H", half)


def constant(rd: int, value: int) -> bytes:
    high = (value + 0x800) >> 12 & 0xFFFFF
    return struct.pack("<I", high << 12 | rd << 7 | 0x37) + i(0x13, rd, 0, rd, value & 0xFFF)


def wide_constant(rd: int, value: int, bits: int) -> bytes:
    if bits == 32:
        return constant(rd, value)
    low = value & 0xFFF
    rest = (value - (low - 0x1000 if low > 0x7FF else low)) >> 12 & (1 << 52) - 1
    twenty = rest & 0xFFFFF
    code = constant(rd, rest >> 20) + i(0x13, rd, 1, rd, 20)
    # Twenty bits more, in two parts that are no negative immediates.
    code += i(0x13, 31, 0, 0, twenty >> 10) + i(0x13, 31, 1, 31, 10) + i(0x13, 31, 6, 31, twenty & 0x3FF)
    return code + r(0x33, rd, 6, rd, 31, 0) + i(0x13, rd, 1, rd, 12) + i(0x13, rd, 0, rd, low)


def compressed64(draw: random.Random) -> bytes:
    """What RV64C has in place of others, or beside them."""
    rd, rs2 = draw.choice(FREE), draw.choice(FREE)
    low, high = draw.randrange(9, 16) - 8, draw.randrange(9, 16) - 8
    six = draw.randrange(1, 64)
    split = (six >> 5) << 12 | (six & 31) << 2
    double = draw.randrange(32) << 3
    near_offset = (double >> 3 & 7) << 10 | (double >> 6 & 3) << 5
    stack = draw.randrange(64) << 3
    load_stack = (stack >> 5 & 1) << 12 | (stack >> 3 & 3) << 5 | (stack >> 6 & 7) << 2
    store_stack = (stack >> 3 & 7) << 10 | (stack >> 6 & 7) << 7
    kinds = [
        0x2001 | rd << 7 | split,  # c.addiw
        0x9C01 | high << 7 | low << 2,  # c.subw
        0x9C21 | high << 7 | low << 2,  # c.addw
        0x8001 | high << 7 | split,  # c.srli
        0x8401 | high << 7 | split,  # c.srai
        0x0002 | rd << 7 | split,  # c.slli
        0x6000 | near_offset | low << 2,  # c.ld from x8
        0xE000 | near_offset | low << 2,  # c.sd to x8
        0x6002 | rd << 7 | load_stack,  # c.ldsp
        0xE002 | rs2 << 2 | store_stack,  # c.sdsp
    ]
    return c(draw.choice(kinds))


def atomic(draw: random.Random, bits: int) -> bytes:
    pointer, rd, rs2 = (draw.choice(FREE) for _ in range(3))
    size = draw.choice([4, 8]) if bits == 64 else 4
    f3 = 3 if size == 8 else 2
    offset = draw.randrange(-512, 512) // size * size
    order = draw.randrange(4)
    code = i(0x13, pointer, 0, 31, offset)
    choice = draw.randrange(6)
    if choice < 4:
        return code + r(0x2F, draw.choice([rd, rd, 0]), f3, pointer, rs2, draw.choice(AMO) << 2 | order)
    if choice == 4:  # nothing is reserved, or another word
        other = draw.choice([r(0x2F, 0, f3, 31, 0, LR << 2), b""])
        return code + other + r(0x2F, rd, f3, pointer, rs2, SC << 2)
    if rd == pointer:
        rd = 0
    pair = r(0x2F, rd, f3, pointer, 0, LR << 2 | order) + r(0x2F, rs2, f3, pointer, rd, SC << 2 | order)
    return code + pair


def only64(draw: random.Random) -> bytes:
    rd, rs1, rs2 = (draw.choice(FREE) for _ in range(3))
    kind = draw.randrange(4)
    if kind == 0:
        f7, f3 = draw.choice(R_TYPE_W)
        return r(0x3B, draw.choice([rd, rd, 0]), f3, rs1, rs2, f7)
    if kind == 1:
        f3 = draw.choice([0, 1, 5])
        imm = draw.randrange(-2048, 2048)
        if f3:
            imm = draw.randrange(32) | (0x400 if f3 == 5 and draw.random() < 0.5 else 0)
        return i(0x1B, rd, f3, rs1, imm)
    if kind == 2:
        f3 = draw.choice([1, 5])
        return i(0x13, rd, f3, rs1, draw.randrange(64) | (0x400 if f3 == 5 and draw.random() < 0.5 else 0))
    f3, size = draw.choice([(3, 8), (3, 8), (6, 4)])
    offset = draw.randrange(-512, 512) // size * size
    return i(0x03, rd, f3, 31, offset) if draw.random() < 0.5 or f3 > 3 else s(f3, 31, rs1, offset)


def compressed(draw: random.Random, bits: int) -> bytes:
    if bits == 64 and draw.random() < 0.5:
        return compressed64(draw)
    rd, rs2 = draw.choice(FREE), draw.choice(FREE)
    near = [register for register in range(9, 16)]  # x8 to x15 without x8
    low, high = draw.choice(near) - 8, draw.choice(near) - 8
    six = draw.randrange(1, 64)
    split = (six >> 5) << 12 | (six & 31) << 2
    word = draw.randrange(32) << 2  # offset of a near load, 0 to 124
    near_offset = (word >> 3 & 7) << 10 | (word >> 2 & 1) << 6 | (word >> 6 & 1) << 5
    stack = draw.randrange(64) << 2
    load_stack = (stack >> 5 & 1) << 12 | (stack >> 2 & 7) << 4 | (stack >> 6 & 3) << 2
    store_stack = (stack >> 2 & 15) << 9 | (stack >> 6 & 3) << 7
    wide = draw.randrange(1, 256) << 2  # c.addi4spn
    add4 = (wide >> 4 & 3) << 11 | (wide >> 6 & 15) << 7 | (wide >> 2 & 1) << 6 | (wide >> 3 & 1) << 5
    kinds = [
        0x0001 | rd << 7 | split,  # c.addi
        0x4001 | rd << 7 | split,  # c.li
        0x6001 | rd << 7 | split,  # c.lui
        0x8001 | high << 7 | (six & 31 or 1) << 2,  # c.srli
        0x8401 | high << 7 | (six & 31 or 1) << 2,  # c.srai
        0x8801 | high << 7 | split,  # c.andi
        0x8C01 | high << 7 | low << 2,  # c.sub
        0x8C21 | high << 7 | low << 2,  # c.xor
        0x8C41 | high << 7 | low << 2,  # c.or
        0x8C61 | high << 7 | low << 2,  # c.and
        0x0002 | rd << 7 | (six & 31 or 1) << 2,  # c.slli
        0x8002 | rd << 7 | rs2 << 2,  # c.mv
        0x9002 | rd << 7 | rs2 << 2,  # c.add
        0x4000 | near_offset | low << 2,  # c.lw from x8
        0xC000 | near_offset | low << 2,  # c.sw to x8
        0x4002 | rd << 7 | load_stack,  # c.lwsp
        0xC002 | rs2 << 2 | store_stack,  # c.swsp
        0x0000 | add4 | low << 2,  # c.addi4spn
    ]
    return c(draw.choice(kinds))


def instruction(draw: random.Random, bits: int) -> bytes:
    if bits == 64 and draw.random() < 0.3:
        return only64(draw)
    rd, rs1, rs2 = (draw.choice(FREE) for _ in range(3))
    kind = draw.randrange(13)
    if kind < 4:
        f7, f3 = draw.choice(R_TYPE)
        return r(0x33, draw.choice([rd, rd, 0]), f3, rs1, rs2, f7)
    if kind < 6:
        f3 = draw.choice([0, 2, 3, 4, 6, 7, 1, 5])
        imm = draw.randrange(-2048, 2048)
        if f3 in (1, 5):
            imm = draw.randrange(32) | (0x400 if f3 == 5 and draw.random() < 0.5 else 0)
        return i(0x13, rd, f3, rs1, imm)
    if kind < 8:
        f3, size = draw.choice([(0, 1), (1, 2), (2, 4), (4, 1), (5, 2)])
        offset = draw.randrange(-512, 512) // size * size
        return i(0x03, rd, f3, 31, offset) if draw.random() < 0.5 or f3 > 2 else s(f3, 31, rs1, offset)
    if kind == 8:
        skipped = instruction(draw, bits) if draw.random() < 0.5 else compressed(draw, bits)
        return b(draw.choice([0, 1, 4, 5, 6, 7]), rs1, rs2, 4 + len(skipped)) + skipped
    if kind == 9:
        choice = draw.randrange(4)
        skipped = compressed(draw, bits)
        if choice == 0:
            return j(draw.choice([0, rd]), 4 + len(skipped)) + skipped
        if choice == 1:  # auipc and jalr over two bytes; also lui
            return struct.pack("<I", rd << 7 | 0x17) + i(0x67, rs1, 0, rd, 8 + len(skipped)) + skipped
        if choice == 2:  # c.j over two bytes: offset 4
            return c(0xA001 | (4 >> 1 & 7) << 3) + skipped
        beqz = draw.choice([0xC001, 0xE001]) | (draw.randrange(8, 16) - 8) << 7 | (4 >> 1 & 3) << 3
        return c(beqz) + skipped
    return atomic(draw, bits) if kind == 10 else compressed(draw, bits)


def program(seed: int, bits: int) -> bytes:
    draw = random.Random(seed)
    awkward = AWKWARD if bits == 32 else [*AWKWARD, 1 << 63, (1 << 63) - 1, (1 << 64) - 1, 0xFFFFFFFF << 32, 63, 64]
    values = [draw.choice([*awkward, draw.randrange(1 << bits)]) for _ in FREE]
    code = b"".join(wide_constant(register, value, bits) for register, value in zip(FREE, values, strict=True))
    code += constant(2, DATA) + constant(8, DATA + 256) + constant(31, DATA + 512)
    for _ in range(LENGTH):
        code += instruction(draw, bits)
    # a0 = hash of x1 to x30 and of the memory; x31 holds 31 meanwhile.
    code += constant(31, 31)
    for register in range(1, 31):
        if register != 10:
            code += r(0x33, 10, 0, 10, 31, 1) + r(0x33, 10, 0, 10, register, 0)
    code += constant(5, DATA) + constant(6, DATA + DATA_BYTES)
    loop = i(0x03, 7, 2, 5, 0) + r(0x33, 10, 0, 10, 31, 1) + r(0x33, 10, 4, 10, 7, 0) + i(0x13, 5, 0, 5, 4)
    code += loop + b(1, 5, 6, -len(loop))
    if bits == 64:
        code += i(0x13, 5, 5, 10, 32) + r(0x33, 10, 4, 10, 5, 0)
    # write(1, DATA, 4) of the hash, then exit with it.
    code += constant(5, DATA) + s(2, 5, 10, 0) + i(0x13, 18, 0, 10, 0)
    code += i(0x13, 10, 0, 0, 1) + i(0x13, 11, 0, 5, 0) + i(0x13, 12, 0, 0, 4) + i(0x13, 17, 0, 0, 64)
    code += struct.pack("<I", 0x73) + i(0x13, 10, 0, 18, 0) + i(0x13, 17, 0, 0, 93)
    return code + struct.pack("<I", 0x73)


def elf64(code: bytes) -> bytes:
    header = struct.pack(
        "<4sBBBB8xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 2, 243, 1, BASE, 64, 0, 1, 64, 56, 2, 0, 0, 0
    )
    offset = 0x1000
    header += struct.pack("<IIQQQQQQ", 1, 5, offset, BASE, BASE, len(code), len(code), 0x1000)
    header += struct.pack("<IIQQQQQQ", 1, 6, 0, DATA, DATA, 0, DATA_BYTES, 0x1000)
    return header.ljust(offset, b"\0") + code


def elf32(code: bytes) -> bytes:
    header = struct.pack(
        "<4sBBBB8xHHIIIIIHHHHHH", b"\x7fELF", 1, 1, 1, 0, 2, 243, 1, BASE, 52, 0, 1, 52, 32, 2, 0, 0, 0
    )
    offset = 0x1000
    header += struct.pack("<8I", 1, offset, BASE, BASE, len(code), len(code), 5, 0x1000)
    header += struct.pack("<8I", 1, 0, DATA, DATA, 0, DATA_BYTES, 6, 0x1000)
    return header.ljust(offset, b"\0") + code


def make(bits: int) -> None:
    lines = []
    elf = elf32 if bits == 32 else elf64
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(PROGRAMS):
            code = program(seed, bits)
            file = Path(scratch) / "program"
            file.write_bytes(elf(code))
            file.chmod(0o755)
            done = subprocess.run([f"qemu-riscv{bits}", str(file)], capture_output=True, check=False)
            if len(done.stdout) != 4 or done.returncode != done.stdout[0]:
                raise SystemExit(f"program {seed}: QEMU ended with {done.returncode}, {done.stdout!r}, {done.stderr!r}")
            lines.append(f"{int.from_bytes(done.stdout, 'little'):08x} {code.hex()}\n")
    Path(__file__).with_name(f"random{bits}.txt").write_text("".join(lines), encoding="ascii")


def main() -> None:
    make(32)
    make(64)


if __name__ == "__main__":
    main()
