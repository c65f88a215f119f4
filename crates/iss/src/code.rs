//! The code of a program, decoded once: an operation at every halfword, so that an index is an address.

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
    /// What stands at each halfword.
    pub ops: Vec<Op>,
    /// See [`Code::rest`].
    rest: Vec<u32>,
}

/// What an instruction is to a pipeline.
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
    /// Load, also one that reserves its word.
    Load,
    /// Store, also one that may fail.
    Store,
    /// Atomic read-modify-write: an access of its own, not a load and a store.
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

    /// Address of an index.
    #[inline]
    #[must_use]
    pub fn pc(&self, index: u32) -> u32 {
        self.low.wrapping_add(index << 1)
    }

    /// Instructions from each index to the end of the code if nothing jumps, packet marks left out; as many as `ops`.
    #[inline(always)]
    pub(crate) fn rest(&self) -> &[u32] {
        &self.rest[..self.ops.len()]
    }

    /// What the instruction at an index is to a pipeline.
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

    /// Bytes that a load, a store or an atomic instruction works on; 0 of anything else.
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

    /// Registers read, a bit each; `x0` is none.
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

    /// Register written, as a bit.
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
