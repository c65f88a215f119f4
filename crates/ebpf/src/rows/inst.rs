//! The scheduler's view of an instruction.

use super::place::Range;
use crate::code::{Kind, Op};
use crate::executor::reads;

/// The kind of an instruction, for scheduling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// A move or a constant.
    Move,
    Alu,
    Load,
    Store,
    /// Reads and writes memory in one.
    Atomic,
    /// A helper.
    Helper,
    /// A function of the program: nothing passes it.
    Call,
    Branch,
    Goto,
    /// The end of the program, or of a function; whether it contains its action.
    Exit {
        constant: bool,
    },
}

/// An instruction of the machine: one of the program, or several that were joined.
#[derive(Clone, Debug)]
pub(super) struct Inst {
    /// Operation; the last one if there are several.
    pub at: u32,
    pub op: Op,
    pub does: Does,
    /// Left operand of arithmetic: the destination, until a move is merged into it.
    pub left: u8,
    pub reads: u16,
    pub writes: u16,
    /// Bytes of memory that it reads, and that it writes.
    pub loads: Vec<Range>,
    pub stores: Vec<Range>,
}

/// The registers that pass arguments to helpers and functions.
pub(super) const ARGUMENTS: u16 = 0b11_1110;

impl Inst {
    pub fn new(at: u32, op: Op) -> Self {
        use Kind as K;
        let does = match op.kind {
            K::MovI | K::MovR | K::MovWI | K::MovWR | K::Const => Does::Move,
            K::Ld1 | K::Ld2 | K::Ld4 | K::Ld8 | K::Lds1 | K::Lds2 | K::Lds4 => Does::Load,
            K::St1 | K::St2 | K::St4 | K::St8 | K::Stx1 | K::Stx2 | K::Stx4 | K::Stx8 => Does::Store,
            K::Atomic4 | K::Atomic8 => Does::Atomic,
            K::Helper => Does::Helper,
            K::Call => Does::Call,
            K::Ja => Does::Goto,
            K::Exit | K::Illegal | K::End | K::Guarded => Does::Exit { constant: false },
            _ if op.jumps() => Does::Branch,
            _ => Does::Alu,
        };
        let (read, written) = match does {
            Does::Exit { .. } => (1, 0),
            Does::Call => (ARGUMENTS, 1),
            Does::Helper => (reads(op), 1),
            _ => (op.reads(), op.writes()),
        };
        Self { at, op, does, left: op.dst, reads: read, writes: written, loads: vec![], stores: vec![] }
    }

    /// Returns whether a block ends with it.
    pub fn ends(&self) -> bool {
        matches!(self.does, Does::Branch | Does::Goto | Does::Exit { .. })
    }

    /// Returns whether only its result matters.
    pub fn is_pure(&self) -> bool {
        matches!(self.does, Does::Move | Does::Alu | Does::Load)
    }

    /// Returns the register that holds the address of a load or store.
    pub fn base(&self) -> u8 {
        if self.does == Does::Load { self.op.src } else { self.op.dst }
    }

    /// Returns whether no instruction may move across it.
    pub fn is_wall(&self) -> bool {
        self.does == Does::Call
    }

    /// Makes this an exit with a constant action, which reads no register.
    pub fn exit_of_constant(&mut self) {
        self.does = Does::Exit { constant: true };
        self.reads = 0;
    }

    /// Bytes of its access.
    pub fn bytes(&self) -> i64 {
        use Kind as K;
        match self.op.kind {
            K::Ld1 | K::Lds1 | K::St1 | K::Stx1 => 1,
            K::Ld2 | K::Lds2 | K::St2 | K::Stx2 => 2,
            K::Ld4 | K::Lds4 | K::St4 | K::Stx4 | K::Atomic4 => 4,
            _ => 8,
        }
    }
}
