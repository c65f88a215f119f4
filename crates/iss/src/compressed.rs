//! Expands 16-bit instructions to their 32-bit equivalents (RISC-V unprivileged specification, chapter 16).

use crate::word::Width;

/// Returns the 32-bit instruction, or `None` if the width has none (floating point is not supported).
#[must_use]
pub fn expand(width: Width, half: u16) -> Option<u32> {
    let rv64 = width == Width::Rv64;
    let h = u32::from(half);
    let field = |from: u32, bits: u32| (h >> from) & ((1 << bits) - 1);
    // Moves `bits` bits at `from` to `to`.
    let place = |from: u32, bits: u32, to: u32| field(from, bits) << to;
    let sign = |value: u32, bits: u32| ((value << (32 - bits)) as i32 >> (32 - bits)) as u32;
    // Registers x8 to x15, in three bits.
    let (near_low, near_high) = (8 + field(2, 3), 8 + field(7, 3));
    let (full_low, full_high) = (field(2, 5), field(7, 5));
    let six = field(12, 1) << 5 | field(2, 5);
    let imm6 = sign(six, 6);

    Some(match (h & 3, h >> 13) {
        (0, 0) => {
            let imm = place(11, 2, 4) | place(7, 4, 6) | place(6, 1, 2) | place(5, 1, 3);
            if imm == 0 {
                return None; // the all-zero word, and reserved
            }
            i_type(0x13, 0, near_low, 2, imm) // c.addi4spn
        }
        (0, 2) => i_type(0x03, 2, near_low, near_high, near_offset(h)), // c.lw
        (0, 3) if rv64 => i_type(0x03, 3, near_low, near_high, near_double_offset(h)), // c.ld
        (0, 6) => s_type(2, near_high, near_low, near_offset(h)),       // c.sw
        (0, 7) if rv64 => s_type(3, near_high, near_low, near_double_offset(h)), // c.sd
        (1, 0) => i_type(0x13, 0, full_high, full_high, imm6),          // c.addi, c.nop
        (1, 1) if rv64 && full_high == 0 => return None,
        (1, 1) if rv64 => i_type(0x1b, 0, full_high, full_high, imm6), // c.addiw
        (1, 1) => j_type(1, jump_offset(h)),                           // c.jal
        (1, 2) => i_type(0x13, 0, full_high, 0, imm6),                 // c.li
        (1, 3) if full_high == 2 => {
            let imm = place(12, 1, 9) | place(6, 1, 4) | place(5, 1, 6) | place(3, 2, 7) | place(2, 1, 5);
            if imm == 0 {
                return None;
            }
            i_type(0x13, 0, 2, 2, sign(imm, 10)) // c.addi16sp
        }
        (1, 3) => {
            if imm6 == 0 {
                return None;
            }
            imm6 << 12 | full_high << 7 | 0x37 // c.lui
        }
        (1, 4) => {
            match field(10, 2) {
                0 | 1 if six > 31 && !rv64 => return None, // shifts of 32 and more
                0 => i_type(0x13, 5, near_high, near_high, six), // c.srli
                1 => i_type(0x13, 5, near_high, near_high, six | 0x400), // c.srai
                2 => i_type(0x13, 7, near_high, near_high, imm6), // c.andi
                _ if field(12, 1) == 1 => match field(5, 2) {
                    0 if rv64 => r_type(0x3b, 0x20, 0, near_high, near_high, near_low), // c.subw
                    1 if rv64 => r_type(0x3b, 0, 0, near_high, near_high, near_low),    // c.addw
                    _ => return None,
                },
                _ => match field(5, 2) {
                    0 => r_type(0x33, 0x20, 0, near_high, near_high, near_low), // c.sub
                    1 => r_type(0x33, 0, 4, near_high, near_high, near_low),    // c.xor
                    2 => r_type(0x33, 0, 6, near_high, near_high, near_low),    // c.or
                    _ => r_type(0x33, 0, 7, near_high, near_high, near_low),    // c.and
                },
            }
        }
        (1, 5) => j_type(0, jump_offset(h)),              // c.j
        (1, 6) => b_type(0, near_high, branch_offset(h)), // c.beqz
        (1, 7) => b_type(1, near_high, branch_offset(h)), // c.bnez
        (2, 0) if six <= 31 || rv64 => i_type(0x13, 1, full_high, full_high, six), // c.slli
        (2, 2) if full_high != 0 => {
            let offset = place(12, 1, 5) | place(4, 3, 2) | place(2, 2, 6);
            i_type(0x03, 2, full_high, 2, offset) // c.lwsp
        }
        (2, 3) if rv64 && full_high != 0 => {
            let offset = place(12, 1, 5) | place(5, 2, 3) | place(2, 3, 6);
            i_type(0x03, 3, full_high, 2, offset) // c.ldsp
        }
        (2, 4) => match (field(12, 1), full_high, full_low) {
            (0, 0, 0) => return None,
            (0, target, 0) => i_type(0x67, 0, 0, target, 0), // c.jr
            (0, rd, source) => r_type(0x33, 0, 0, rd, 0, source), // c.mv
            (_, 0, 0) => 0x0010_0073,                        // c.ebreak
            (_, target, 0) => i_type(0x67, 0, 1, target, 0), // c.jalr
            (_, rd, source) => r_type(0x33, 0, 0, rd, rd, source), // c.add
        },
        (2, 6) => s_type(2, 2, full_low, place(9, 4, 2) | place(7, 2, 6)), // c.swsp
        (2, 7) if rv64 => s_type(3, 2, full_low, place(10, 3, 3) | place(7, 3, 6)), // c.sdsp
        _ => return None,
    })
}

fn near_double_offset(h: u32) -> u32 {
    (h >> 10 & 7) << 3 | (h >> 5 & 3) << 6
}

fn near_offset(h: u32) -> u32 {
    (h >> 10 & 7) << 3 | (h >> 6 & 1) << 2 | (h >> 5 & 1) << 6
}

fn jump_offset(h: u32) -> u32 {
    let bit = |from: u32, to: u32| (h >> from & 1) << to;
    let offset = bit(12, 11)
        | bit(11, 4)
        | (h >> 9 & 3) << 8
        | bit(8, 10)
        | bit(7, 6)
        | bit(6, 7)
        | (h >> 3 & 7) << 1
        | bit(2, 5);
    ((offset << 20) as i32 >> 20) as u32
}

fn branch_offset(h: u32) -> u32 {
    let offset =
        (h >> 12 & 1) << 8 | (h >> 10 & 3) << 3 | (h >> 5 & 3) << 6 | (h >> 3 & 3) << 1 | (h >> 2 & 1) << 5;
    ((offset << 23) as i32 >> 23) as u32
}

fn i_type(opcode: u32, funct3: u32, rd: u32, rs1: u32, imm: u32) -> u32 {
    imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn s_type(funct3: u32, rs1: u32, rs2: u32, imm: u32) -> u32 {
    (imm >> 5) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (imm & 31) << 7 | 0x23
}

fn r_type(opcode: u32, funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn b_type(funct3: u32, rs1: u32, imm: u32) -> u32 {
    (imm >> 12 & 1) << 31
        | (imm >> 5 & 0x3f) << 25
        | rs1 << 15
        | funct3 << 12
        | (imm >> 1 & 0xf) << 8
        | (imm >> 11 & 1) << 7
        | 0x63
}

fn j_type(rd: u32, imm: u32) -> u32 {
    (imm >> 20 & 1) << 31
        | (imm >> 1 & 0x3ff) << 21
        | (imm >> 11 & 1) << 20
        | (imm >> 12 & 0xff) << 12
        | rd << 7
        | 0x6f
}
