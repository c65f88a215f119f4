//! Decoded code: one compact operation per instruction, with resolved targets.

/// The kind of an operation. `I` uses the immediate, `R` the source register; `W` works on the lower 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[rustfmt::skip] // one row of the instruction set per line
#[allow(missing_docs)] // the names state it, and the executor implements it
pub enum Kind {
    AddI, AddR, SubI, SubR, MulI, MulR, DivI, DivR, OrI, OrR, AndI, AndR, LshI, LshR, RshI, RshR,
    ModI, ModR, XorI, XorR, MovI, MovR, ArshI, ArshR, SdivI, SdivR, SmodI, SmodR, Neg,
    AddWI, AddWR, SubWI, SubWR, MulWI, MulWR, DivWI, DivWR, OrWI, OrWR, AndWI, AndWR, LshWI, LshWR, RshWI, RshWR,
    ModWI, ModWR, XorWI, XorWR, MovWI, MovWR, ArshWI, ArshWR, SdivWI, SdivWR, SmodWI, SmodWR, NegW,
    MovS8, MovS16, MovS32, MovSW8, MovSW16,
    Le16, Le32, Le64, Be16, Be32, Be64, Swap16, Swap32, Swap64,
    Ja,
    JeqI, JeqR, JneI, JneR, JgtI, JgtR, JgeI, JgeR, JltI, JltR, JleI, JleR, JsetI, JsetR,
    JsgtI, JsgtR, JsgeI, JsgeR, JsltI, JsltR, JsleI, JsleR,
    JeqWI, JeqWR, JneWI, JneWR, JgtWI, JgtWR, JgeWI, JgeWR, JltWI, JltWR, JleWI, JleWR, JsetWI, JsetWR,
    JsgtWI, JsgtWR, JsgeWI, JsgeWR, JsltWI, JsltWR, JsleWI, JsleWR,
    Const,
    Ld1, Ld2, Ld4, Ld8, Lds1, Lds2, Lds4,
    St1, St2, St4, St8, Stx1, Stx2, Stx4, Stx8,
    Atomic4, Atomic8,
    Helper, Call, Exit,
    /// May read an unwritten register, which is tested when it executes.
    Guarded,
    /// No valid instruction; [`Code::problem`] describes it.
    Illegal,
    /// Behind the last instruction of a section.
    End,
}

/// An operation, 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// Immediate value, extended as the operation needs it; number of a helper; operation of an atomic.
    pub imm: i64,
    /// Offset in bytes of an access, or the index of the operation to jump to.
    pub to: i32,
    /// Kind.
    pub kind: Kind,
    /// Destination register.
    pub dst: u8,
    /// Source register.
    pub src: u8,
}

/// The code of an object.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Operations of all sections, one section after another.
    pub(crate) ops: Vec<Op>,
    /// The original operations where one is guarded.
    pub(crate) guarded: Vec<(u32, Op)>,
    /// Section and slot of each operation.
    pub(crate) places: Vec<(u16, u32)>,
    /// Index of the first operation of each section, and for each of its slots the operation.
    pub(crate) sections: Vec<Vec<u32>>,
    /// The errors of illegal operations.
    pub(crate) problems: Vec<(u32, String)>,
}

/// Slot that is the second half of a constant.
pub(crate) const NO_OP: u32 = u32::MAX;

impl Code {
    /// Returns the operations; an index into them identifies an instruction.
    #[must_use]
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// Returns section (by number) and slot within it of an operation.
    #[must_use]
    pub fn place(&self, index: u32) -> (usize, u32) {
        self.places.get(index as usize).map_or((0, 0), |&(section, slot)| (usize::from(section), slot))
    }

    /// Returns the operation of a slot of a section.
    #[must_use]
    pub fn index(&self, section: usize, slot: u32) -> Option<u32> {
        self.sections.get(section)?.get(slot as usize).copied().filter(|&index| index != NO_OP)
    }

    /// Returns the error of an illegal operation.
    #[must_use]
    pub fn problem(&self, index: u32) -> Option<&str> {
        let at = self.problems.binary_search_by_key(&index, |(at, _)| *at).ok()?;
        Some(&self.problems[at].1)
    }

    /// Returns the operation at an index, without its guard.
    #[must_use]
    pub fn original(&self, index: u32) -> Op {
        *self.original_at(index)
    }

    pub(crate) fn original_at(&self, index: u32) -> &Op {
        let op = &self.ops[index as usize];
        if op.kind != Kind::Guarded {
            return op;
        }
        let at = self.guarded.binary_search_by_key(&index, |(at, _)| *at);
        at.map_or(op, |at| &self.guarded[at].1)
    }
}

impl Op {
    /// Destination as an index; it is read where it is needed, because not every operation has both registers.
    #[inline(always)]
    pub(crate) fn d(&self) -> usize {
        usize::from(self.dst)
    }

    /// Source, likewise.
    #[inline(always)]
    pub(crate) fn s(&self) -> usize {
        usize::from(self.src)
    }

    /// Returns the registers that it reads, one bit each; calls of functions and helpers are handled
    /// separately.
    #[must_use]
    pub fn reads(self) -> u16 {
        use Kind as K;
        let (dst, src) = (1u16 << self.dst, 1u16 << self.src);
        match self.kind {
            K::MovI
            | K::MovWI
            | K::Const
            | K::Ja
            | K::Illegal
            | K::End
            | K::Call
            | K::Helper
            | K::Guarded => 0,
            K::Exit => 1,
            K::MovR | K::MovWR | K::MovS8 | K::MovS16 | K::MovS32 | K::MovSW8 | K::MovSW16 => src,
            K::Ld1 | K::Ld2 | K::Ld4 | K::Ld8 | K::Lds1 | K::Lds2 | K::Lds4 => src,
            K::St1 | K::St2 | K::St4 | K::St8 => dst,
            K::Stx1 | K::Stx2 | K::Stx4 | K::Stx8 => dst | src,
            // Compare-and-exchange compares with r0.
            K::Atomic4 | K::Atomic8 if self.imm == CMPXCHG => dst | src | 1,
            K::Atomic4 | K::Atomic8 => dst | src,
            _ if self.by_register() => dst | src,
            _ => dst,
        }
    }

    /// Returns the registers that it writes, one bit each; for calls see [`Op::reads`].
    #[must_use]
    pub fn writes(self) -> u16 {
        use Kind as K;
        match self.kind {
            K::St1 | K::St2 | K::St4 | K::St8 | K::Stx1 | K::Stx2 | K::Stx4 | K::Stx8 => 0,
            K::Atomic4 | K::Atomic8 if self.imm == CMPXCHG => 1,
            K::Atomic4 | K::Atomic8 if self.imm & FETCH != 0 => 1 << self.src,
            K::Atomic4 | K::Atomic8 => 0,
            K::Ja | K::Call | K::Helper | K::Exit | K::Guarded | K::Illegal | K::End => 0,
            _ if self.jumps() => 0,
            _ => 1 << self.dst,
        }
    }

    /// Returns whether it is a conditional jump.
    #[must_use]
    pub fn jumps(self) -> bool {
        (Kind::JeqI as u8..=Kind::JsleWR as u8).contains(&(self.kind as u8))
    }

    /// Returns whether an arithmetic operation or a jump takes its second operand from a register: these are at
    /// an odd distance from the first of their row.
    pub(crate) fn by_register(self) -> bool {
        let kind = self.kind as u8;
        let rows = [
            (Kind::AddI as u8, Kind::SmodR as u8),
            (Kind::AddWI as u8, Kind::SmodWR as u8),
            (Kind::JeqI as u8, Kind::JsleR as u8),
            (Kind::JeqWI as u8, Kind::JsleWR as u8),
        ];
        rows.iter().any(|&(first, last)| (first..=last).contains(&kind) && (kind - first) % 2 == 1)
    }
}

/// Bit of an atomic operation: it returns the old value in the source register.
pub(crate) const FETCH: i64 = 0x01;
/// Atomic exchange.
pub(crate) const XCHG: i64 = 0xe1;
/// Atomic compare and exchange; it returns the old value in r0.
pub(crate) const CMPXCHG: i64 = 0xf1;
