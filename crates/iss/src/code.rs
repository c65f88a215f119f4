//! The decoded code of a program: an operation at every halfword, so that an index determines an address.

use crate::decode::{Op, Opcode, SINK, decode};
use crate::image::Image;
use crate::word::Width;

/// Decoded code.
#[derive(Clone, Debug)]
pub struct Code {
    /// Width of the registers that it is for.
    pub width: Width,
    /// Address of the first halfword.
    pub low: u32,
    /// The operation at each halfword.
    pub ops: Vec<Op>,
    /// See [`Code::rest`].
    rest: Vec<u32>,
}

/// The class of an instruction for a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Arithmetic, logic, constants.
    Alu,
    /// Shift.
    Shift,
    /// Multiplication.
    Multiply,
    /// Division.
    Divide,
    /// Load, including one that reserves its word.
    Load,
    /// Store, including one that may fail.
    Store,
    /// Atomic read-modify-write: one separate access, not a load and a store.
    Atomic,
    /// Conditional branch.
    Branch,
    /// `jal`, `jalr`.
    Jump,
    /// Takes a lock.
    Lock,
    /// Releases a lock.
    Unlock,
    /// Packet marks: not counted as instructions.
    Mark,
}

impl Code {
    /// Decodes the executable segments.
    #[must_use]
    pub fn new(image: &Image) -> Self {
        let (low, high) = image.code_span();
        let low = low & !1;
        let mut halves = vec![0u16; ((high - low) as usize).div_ceil(2) + 1];
        for segment in image.segments.iter().filter(|segment| segment.executable) {
            for (offset, &byte) in segment.bytes.iter().enumerate() {
                let at = (segment.address - low) as usize + offset;
                halves[at / 2] |= u16::from(byte) << (8 * (at % 2));
            }
        }
        let pcs = (low..).step_by(2);
        let ops: Vec<Op> =
            halves.windows(2).zip(pcs).map(|(pair, pc)| decode(image.width, pc, pair[0], pair[1])).collect();
        let rest = rest(&ops);
        Self { width: image.width, low, ops, rest }
    }

    /// Returns the address of an index.
    #[inline]
    #[must_use]
    pub fn pc(&self, index: u32) -> u32 {
        self.low.wrapping_add(index << 1)
    }

    /// Returns the instructions from each index to the end of the code without a jump, packet marks excluded;
    /// as many as `ops`.
    #[inline(always)]
    pub(crate) fn rest(&self) -> &[u32] {
        &self.rest[..self.ops.len()]
    }

    /// Returns the class of the instruction at an index.
    #[must_use]
    pub fn class(&self, index: u32) -> Class {
        use Opcode as C;
        match self.ops[index as usize].code {
            C::Slli | C::Srli | C::Srai | C::Sll | C::Srl | C::Sra => Class::Shift,
            C::Slliw | C::Srliw | C::Sraiw | C::Sllw | C::Srlw | C::Sraw => Class::Shift,
            C::Mul | C::Mulh | C::Mulhsu | C::Mulhu | C::Mulw => Class::Multiply,
            C::Div | C::Divu | C::Rem | C::Remu | C::Divw | C::Divuw | C::Remw | C::Remuw => Class::Divide,
            C::Lb | C::Lh | C::Lw | C::Lbu | C::Lhu | C::Lwu | C::Ld | C::LrW | C::LrD => Class::Load,
            C::Sb | C::Sh | C::Sw | C::Sd | C::ScW | C::ScD => Class::Store,
            C::AmoW | C::AmoD => Class::Atomic,
            C::Beq | C::Bne | C::Blt | C::Bge | C::Bltu | C::Bgeu => Class::Branch,
            C::Jal | C::Jalr => Class::Jump,
            C::Lock => Class::Lock,
            C::Unlock => Class::Unlock,
            C::Begin | C::End => Class::Mark,
            _ => Class::Alu,
        }
    }

    /// Returns the bytes of a load, a store or an atomic instruction; 0 for others.
    #[must_use]
    pub fn access_bytes(&self, index: u32) -> u16 {
        use Opcode as C;
        match self.ops[index as usize].code {
            C::Lb | C::Lbu | C::Sb => 1,
            C::Lh | C::Lhu | C::Sh => 2,
            C::Lw | C::Lwu | C::Sw | C::LrW | C::ScW | C::AmoW => 4,
            C::Ld | C::Sd | C::LrD | C::ScD | C::AmoD => 8,
            _ => 0,
        }
    }

    /// Returns the registers read, one bit each; `x0` does not count.
    #[must_use]
    pub fn reads(&self, index: u32) -> u32 {
        use Opcode as C;
        let op = self.ops[index as usize];
        let (first, second) = (1u32 << op.rs1, 1u32 << op.rs2());
        let mask = match op.code {
            C::Illegal
            | C::Const
            | C::Auipc
            | C::Jal
            | C::Fence
            | C::System
            | C::Begin
            | C::End
            | C::Time => 0,
            C::Jalr | C::Lock | C::Unlock | C::Lb | C::Lh | C::Lw | C::Lbu | C::Lhu => first,
            C::Lwu | C::Ld | C::LrW | C::LrD | C::Addiw | C::Slliw | C::Srliw | C::Sraiw => first,
            C::Addi | C::Slti | C::Sltiu | C::Xori | C::Ori | C::Andi | C::Slli | C::Srli | C::Srai => first,
            _ => first | second,
        };
        mask & !1
    }

    /// Returns the register written, as a bit.
    #[must_use]
    pub fn writes(&self, index: u32) -> u32 {
        let op = self.ops[index as usize];
        let none =
            op.rd == SINK || matches!(op.code, Opcode::Begin | Opcode::End | Opcode::Lock | Opcode::Unlock);
        if none { 0 } else { 1 << op.rd }
    }
}

fn rest(ops: &[Op]) -> Vec<u32> {
    let mut rest = vec![0; ops.len()];
    for (index, op) in ops.iter().enumerate().rev() {
        let behind = rest.get(index + op.halfwords() as usize).copied().unwrap_or(0);
        rest[index] = behind + u32::from(!matches!(op.code, Opcode::Begin | Opcode::End));
    }
    rest
}
