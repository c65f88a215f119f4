//! Instructions of RV32IMA and RV64IMA as flat operations, decoded once (RISC-V unprivileged specification, chapters 2, 7, 8 and 16).

use crate::compressed;
use crate::word::Width;

/// The kind of an operation. `rd` is the sink register if the program names `x0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Opcode {
    /// No valid instruction.
    Illegal,
    /// `rd = imm`; also `auipc` of RV32, whose sum is known at decoding.
    Const,
    /// `auipc` of RV64: `imm` is added to the address of the instruction.
    Auipc,
    /// `jal`: `imm` is the distance in bytes.
    Jal,
    /// `jalr`.
    Jalr,
    /// Branches: `imm` is the distance in bytes.
    Beq,
    /// See [`Opcode::Beq`].
    Bne,
    /// See [`Opcode::Beq`].
    Blt,
    /// See [`Opcode::Beq`].
    Bge,
    /// See [`Opcode::Beq`].
    Bltu,
    /// See [`Opcode::Beq`].
    Bgeu,
    /// Loads.
    Lb,
    /// See [`Opcode::Lb`].
    Lh,
    /// See [`Opcode::Lb`].
    Lw,
    /// See [`Opcode::Lb`].
    Lbu,
    /// See [`Opcode::Lb`].
    Lhu,
    /// RV64: the word without its sign.
    Lwu,
    /// RV64.
    Ld,
    /// Stores.
    Sb,
    /// See [`Opcode::Sb`].
    Sh,
    /// See [`Opcode::Sb`].
    Sw,
    /// RV64.
    Sd,
    /// With an immediate.
    Addi,
    /// See [`Opcode::Addi`].
    Slti,
    /// See [`Opcode::Addi`].
    Sltiu,
    /// See [`Opcode::Addi`].
    Xori,
    /// See [`Opcode::Addi`].
    Ori,
    /// See [`Opcode::Addi`].
    Andi,
    /// See [`Opcode::Addi`].
    Slli,
    /// See [`Opcode::Addi`].
    Srli,
    /// See [`Opcode::Addi`].
    Srai,
    /// Between registers.
    Add,
    /// See [`Opcode::Add`].
    Sub,
    /// See [`Opcode::Add`].
    Sll,
    /// See [`Opcode::Add`].
    Slt,
    /// See [`Opcode::Add`].
    Sltu,
    /// See [`Opcode::Add`].
    Xor,
    /// See [`Opcode::Add`].
    Srl,
    /// See [`Opcode::Add`].
    Sra,
    /// See [`Opcode::Add`].
    Or,
    /// See [`Opcode::Add`].
    And,
    /// Multiplication.
    Mul,
    /// See [`Opcode::Mul`].
    Mulh,
    /// See [`Opcode::Mul`].
    Mulhsu,
    /// See [`Opcode::Mul`].
    Mulhu,
    /// Division.
    Div,
    /// See [`Opcode::Div`].
    Divu,
    /// See [`Opcode::Div`].
    Rem,
    /// See [`Opcode::Div`].
    Remu,
    /// RV64: on the lowest 32 bits, and the result with its sign.
    Addiw,
    /// See [`Opcode::Addiw`].
    Slliw,
    /// See [`Opcode::Addiw`].
    Srliw,
    /// See [`Opcode::Addiw`].
    Sraiw,
    /// See [`Opcode::Addiw`].
    Addw,
    /// See [`Opcode::Addiw`].
    Subw,
    /// See [`Opcode::Addiw`].
    Sllw,
    /// See [`Opcode::Addiw`].
    Srlw,
    /// See [`Opcode::Addiw`].
    Sraw,
    /// See [`Opcode::Addiw`].
    Mulw,
    /// See [`Opcode::Addiw`].
    Divw,
    /// See [`Opcode::Addiw`].
    Divuw,
    /// See [`Opcode::Addiw`].
    Remw,
    /// See [`Opcode::Addiw`].
    Remuw,
    /// `lr.w`: a load that reserves its word.
    LrW,
    /// `sc.w`: a store that succeeds on a reserved word; `rd` = 0, or 1 if it failed.
    ScW,
    /// `amo….w`: reads a word, changes it and writes it back; `imm` names its [`Amo`].
    AmoW,
    /// `lr.d` of RV64.
    LrD,
    /// `sc.d` of RV64.
    ScD,
    /// `amo….d` of RV64.
    AmoD,
    /// `fence`, `fence.i`: memory is in order and code does not change.
    Fence,
    /// `ecall`, `ebreak`, `mret`, control registers: `imm` is the whole word.
    System,
    /// No instruction: it replaces the first one of a watched function.
    Watched,
    /// Mark: the traced part of a packet begins.
    Begin,
    /// Mark: it ends.
    End,
    /// Mark: acquires the lock whose address is in `rs1`.
    Lock,
    /// Mark: releases it.
    Unlock,
    /// Mark: `rd` = arrival time of the packet in microseconds.
    Time,
}

/// The operation of an atomic read-modify-write instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amo {
    /// Replaces the word by the operand.
    Swap,
    /// Adds the operand.
    Add,
    /// Exclusive or.
    Xor,
    /// And.
    And,
    /// Or.
    Or,
    /// The lesser of two signed numbers.
    Min,
    /// The greater.
    Max,
    /// The lesser of two unsigned numbers.
    Minu,
    /// The greater.
    Maxu,
}

impl Amo {
    /// All, each with the five bits that name it in an instruction.
    const CODES: [(Self, u32); 9] = [
        (Self::Swap, 0x01),
        (Self::Add, 0x00),
        (Self::Xor, 0x04),
        (Self::And, 0x0c),
        (Self::Or, 0x08),
        (Self::Min, 0x10),
        (Self::Max, 0x14),
        (Self::Minu, 0x18),
        (Self::Maxu, 0x1c),
    ];

    fn of(code: u32) -> Option<Self> {
        Self::CODES.iter().find(|(_, known)| *known == code).map(|(amo, _)| *amo)
    }
}

/// Register that replaces `x0` as a destination.
pub const SINK: u8 = 32;
/// The length in halfwords of an instruction is in the bits above its second source.
const HALFWORDS_AT: u32 = 6;
const SHORT: u8 = 1 << HALFWORDS_AT;
const LONG: u8 = 2 << HALFWORDS_AT;

/// One decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Op {
    /// Kind.
    pub code: Opcode,
    /// Destination, or [`SINK`].
    pub rd: u8,
    /// First source.
    pub rs1: u8,
    /// Second source, and from [`HALFWORDS_AT`] on the length in halfwords.
    second: u8,
    /// Immediate.
    pub imm: i32,
}

impl Op {
    /// Returns the second source.
    #[inline]
    #[must_use]
    pub fn rs2(self) -> u8 {
        self.second & 31
    }

    /// Returns the operation of an atomic read-modify-write instruction.
    #[must_use]
    pub fn amo(self) -> Option<Amo> {
        match self.code {
            Opcode::AmoW | Opcode::AmoD => Amo::of(self.imm as u32),
            _ => None,
        }
    }

    /// Returns its length in halfwords.
    #[inline]
    #[must_use]
    pub fn halfwords(self) -> u32 {
        u32::from(self.second >> HALFWORDS_AT)
    }
}

/// Decodes the instruction at `pc` for a register width, from the 16 bits there and the 16 behind them.
#[must_use]
pub fn decode(width: Width, pc: u32, low: u16, high: u16) -> Op {
    if low & 3 == 3 {
        return wide(width, pc, u32::from(low) | u32::from(high) << 16);
    }
    match compressed::expand(width, low) {
        Some(word) => {
            let op = wide(width, pc, word);
            Op { second: SHORT | op.rs2(), ..op }
        }
        None => Op { second: SHORT, ..illegal(u32::from(low)) },
    }
}

fn illegal(word: u32) -> Op {
    Op { code: Opcode::Illegal, rd: SINK, rs1: 0, second: LONG, imm: word as i32 }
}

fn wide(width: Width, pc: u32, word: u32) -> Op {
    use Opcode as C;
    let rv64 = width == Width::Rv64;
    let field = |from: u32, bits: u32| (word >> from) & ((1 << bits) - 1);
    let (funct3, funct7) = (field(12, 3), field(25, 7));
    let rd = match field(7, 5) as u8 {
        0 => SINK,
        register => register,
    };
    let (rs1, rs2) = (field(15, 5) as u8, field(20, 5) as u8);
    let signed = word as i32;
    let op = |code, imm| Op { code, rd, rs1, second: LONG | rs2, imm };
    let i_imm = signed >> 20;
    let s_imm = (signed >> 25) << 5 | field(7, 5) as i32;
    let b_imm = (signed >> 31) << 12 | (field(7, 1) << 11 | field(25, 6) << 5 | field(8, 4) << 1) as i32;
    let j_imm = (signed >> 31) << 20 | (field(12, 8) << 12 | field(20, 1) << 11 | field(21, 10) << 1) as i32;
    let u_imm = signed & !0xfff;
    match word & 0x7f {
        0x37 => op(C::Const, u_imm),
        0x17 if rv64 => op(C::Auipc, u_imm),
        0x17 => op(C::Const, (pc as i32).wrapping_add(u_imm)),
        0x6f => op(C::Jal, j_imm),
        0x67 if funct3 == 0 => op(C::Jalr, i_imm),
        0x63 => {
            let code = match funct3 {
                0 => C::Beq,
                1 => C::Bne,
                4 => C::Blt,
                5 => C::Bge,
                6 => C::Bltu,
                7 => C::Bgeu,
                _ => return illegal(word),
            };
            Op { rd: SINK, ..op(code, b_imm) }
        }
        0x03 => match funct3 {
            0 => op(C::Lb, i_imm),
            1 => op(C::Lh, i_imm),
            2 => op(C::Lw, i_imm),
            3 if rv64 => op(C::Ld, i_imm),
            4 => op(C::Lbu, i_imm),
            5 => op(C::Lhu, i_imm),
            6 if rv64 => op(C::Lwu, i_imm),
            _ => illegal(word),
        },
        0x23 => {
            let code = match funct3 {
                0 => C::Sb,
                1 => C::Sh,
                2 => C::Sw,
                3 if rv64 => C::Sd,
                _ => return illegal(word),
            };
            Op { rd: SINK, ..op(code, s_imm) }
        }
        0x13 => match (funct3, funct7) {
            (0, _) => op(C::Addi, i_imm),
            (2, _) => op(C::Slti, i_imm),
            (3, _) => op(C::Sltiu, i_imm),
            (4, _) => op(C::Xori, i_imm),
            (6, _) => op(C::Ori, i_imm),
            (7, _) => op(C::Andi, i_imm),
            // The lowest bit of funct7 is the sixth of the distance.
            (1, 0) => op(C::Slli, i_imm & 31),
            (5, 0) => op(C::Srli, i_imm & 31),
            (5, 0x20) => op(C::Srai, i_imm & 31),
            (1, 1) if rv64 => op(C::Slli, i_imm & 63),
            (5, 1) if rv64 => op(C::Srli, i_imm & 63),
            (5, 0x21) if rv64 => op(C::Srai, i_imm & 63),
            _ => illegal(word),
        },
        0x1b if rv64 => match (funct3, funct7) {
            (0, _) => op(C::Addiw, i_imm),
            (1, 0) => op(C::Slliw, i_imm & 31),
            (5, 0) => op(C::Srliw, i_imm & 31),
            (5, 0x20) => op(C::Sraiw, i_imm & 31),
            _ => illegal(word),
        },
        0x3b if rv64 => {
            let code = match (funct7, funct3) {
                (0, 0) => C::Addw,
                (0x20, 0) => C::Subw,
                (0, 1) => C::Sllw,
                (0, 5) => C::Srlw,
                (0x20, 5) => C::Sraw,
                (1, 0) => C::Mulw,
                (1, 4) => C::Divw,
                (1, 5) => C::Divuw,
                (1, 6) => C::Remw,
                (1, 7) => C::Remuw,
                _ => return illegal(word),
            };
            op(code, 0)
        }
        0x33 => {
            let code = match (funct7, funct3) {
                (0, 0) => C::Add,
                (0x20, 0) => C::Sub,
                (0, 1) => C::Sll,
                (0, 2) => C::Slt,
                (0, 3) => C::Sltu,
                (0, 4) => C::Xor,
                (0, 5) => C::Srl,
                (0x20, 5) => C::Sra,
                (0, 6) => C::Or,
                (0, 7) => C::And,
                (1, 0) => C::Mul,
                (1, 1) => C::Mulh,
                (1, 2) => C::Mulhsu,
                (1, 3) => C::Mulhu,
                (1, 4) => C::Div,
                (1, 5) => C::Divu,
                (1, 6) => C::Rem,
                (1, 7) => C::Remu,
                _ => return illegal(word),
            };
            op(code, 0)
        }
        // The order bits in funct7 have no effect: memory is in order and has no other user.
        0x2f if funct3 == 2 || rv64 && funct3 == 3 => {
            let (lr, sc, amo) =
                if funct3 == 2 { (C::LrW, C::ScW, C::AmoW) } else { (C::LrD, C::ScD, C::AmoD) };
            match funct7 >> 2 {
                0x02 if rs2 == 0 => op(lr, 0),
                0x03 => op(sc, 0),
                code if Amo::of(code).is_some() => op(amo, code as i32),
                _ => illegal(word),
            }
        }
        0x0f if funct3 <= 1 => Op { rd: SINK, ..op(C::Fence, 0) },
        0x73 => op(C::System, signed),
        // Marks: custom-0, `.insn r 0x0b, 0, funct7, rd, rs1, x0`.
        0x0b if funct3 == 0 => match funct7 {
            0 => op(C::Begin, 0),
            1 => op(C::End, 0),
            2 => op(C::Lock, 0),
            3 => op(C::Unlock, 0),
            4 => op(C::Time, 0),
            _ => illegal(word),
        },
        _ => illegal(word),
    }
}
