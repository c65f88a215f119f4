//! Decodes slots to operations (RFC 9669, sections 4 and 5).

use crate::code::{CMPXCHG, Code, FETCH, Kind, NO_OP, Op, XCHG};
use crate::insn::{LDDW, Slot};
use crate::memory;
use crate::object::{CodeSection, Reference};
use std::collections::BTreeMap;

/// Kinds by the upper four bits of arithmetic opcodes: the 64-bit and the 32-bit kind with an immediate operand;
/// [`nth`] returns those with a register operand.
const ALU: [(u8, Kind, Kind); 12] = [
    (0x00, Kind::AddI, Kind::AddWI),
    (0x10, Kind::SubI, Kind::SubWI),
    (0x20, Kind::MulI, Kind::MulWI),
    (0x30, Kind::DivI, Kind::DivWI),
    (0x40, Kind::OrI, Kind::OrWI),
    (0x50, Kind::AndI, Kind::AndWI),
    (0x60, Kind::LshI, Kind::LshWI),
    (0x70, Kind::RshI, Kind::RshWI),
    (0x90, Kind::ModI, Kind::ModWI),
    (0xa0, Kind::XorI, Kind::XorWI),
    (0xb0, Kind::MovI, Kind::MovWI),
    (0xc0, Kind::ArshI, Kind::ArshWI),
];
/// The same for conditional jumps.
const JUMPS: [(u8, Kind, Kind); 11] = [
    (0x10, Kind::JeqI, Kind::JeqWI),
    (0x20, Kind::JgtI, Kind::JgtWI),
    (0x30, Kind::JgeI, Kind::JgeWI),
    (0x40, Kind::JsetI, Kind::JsetWI),
    (0x50, Kind::JneI, Kind::JneWI),
    (0x60, Kind::JsgtI, Kind::JsgtWI),
    (0x70, Kind::JsgeI, Kind::JsgeWI),
    (0xa0, Kind::JltI, Kind::JltWI),
    (0xb0, Kind::JleI, Kind::JleWI),
    (0xc0, Kind::JsltI, Kind::JsltWI),
    (0xd0, Kind::JsleI, Kind::JsleWI),
];
/// Frame pointer, which is read-only.
const FRAME: u8 = 10;

/// Decodes all sections. An invalid instruction becomes [`Kind::Illegal`]: it matters only if a program reaches
/// it.
pub(crate) fn decode(sections: &[CodeSection]) -> Code {
    let mut code = Code::default();
    let mut next = 0;
    for section in sections {
        let mut indices = Vec::with_capacity(section.slots.len());
        let mut slots = section.slots.iter();
        while let Some(slot) = slots.next() {
            indices.push(next);
            if slot.opcode == LDDW && slots.next().is_some() {
                indices.push(NO_OP);
            }
            next += 1;
        }
        // The end of the section, which control must not reach.
        next += 1;
        code.sections.push(indices);
    }
    for (number, section) in sections.iter().enumerate() {
        let reader = Reader { section, number, starts: &code.sections, references: &section.references };
        for (slot, &index) in (0u32..).zip(&code.sections[number]) {
            if index == NO_OP {
                continue;
            }
            code.places.push((number as u16, slot));
            code.ops.push(reader.op(slot).unwrap_or_else(|problem| {
                code.problems.push((index, problem));
                Op { imm: 0, to: 0, kind: Kind::Illegal, dst: 0, src: 0 }
            }));
        }
        code.places.push((number as u16, section.slots.len() as u32));
        code.ops.push(Op { imm: 0, to: 0, kind: Kind::End, dst: 0, src: 0 });
    }
    code
}

struct Reader<'a> {
    section: &'a CodeSection,
    number: usize,
    starts: &'a [Vec<u32>],
    references: &'a BTreeMap<u32, Reference>,
}

impl Reader<'_> {
    fn op(&self, at: u32) -> Result<Op, String> {
        let slot = self.section.slots[at as usize];
        let unknown = || Err(format!("{:02x?} is not an instruction of ISA v1 to v4", slot.write()));
        if slot.dst > FRAME || (slot.src > FRAME && slot.opcode & 7 != 5) {
            return unknown();
        }
        let made = match slot.opcode & 7 {
            4 => arithmetic(slot, false),
            7 => arithmetic(slot, true),
            5 | 6 => return self.jump(at, slot),
            0 if slot.opcode == LDDW => return self.constant(at, slot),
            1 => load(slot),
            2 | 3 => store(slot),
            _ => None,
        };
        match made {
            Some(op) if op.writes() & 1 << FRAME != 0 => {
                Err("a write to r10, the frame pointer, which is read-only".to_owned())
            }
            Some(op) => Ok(op),
            None => unknown(),
        }
    }

    /// Returns the index of the operation at a distance in slots.
    fn target(&self, at: u32, distance: i64) -> Result<i32, String> {
        let to = i64::from(at) + 1 + distance;
        let indices = &self.starts[self.number];
        let found = usize::try_from(to).ok().and_then(|to| indices.get(to)).filter(|&&index| index != NO_OP);
        let found = found.ok_or_else(|| format!("a jump to slot {to}, where no instruction begins"))?;
        Ok(*found as i32)
    }

    fn jump(&self, at: u32, slot: Slot) -> Result<Op, String> {
        let wide = slot.opcode & 7 == 5;
        let op = |kind, to, imm| Op { imm, to, kind, dst: slot.dst, src: slot.src };
        let by_register = slot.opcode & 8 != 0;
        match (slot.opcode & 0xf0, by_register) {
            (0x00, false) => {
                let distance = if wide { i64::from(slot.offset) } else { i64::from(slot.imm) };
                Ok(op(Kind::Ja, self.target(at, distance)?, 0))
            }
            (0x80, false) if wide => self.call(at, slot),
            (0x90, false) if wide => Ok(op(Kind::Exit, 0, 0)),
            (row, _) => {
                let row = JUMPS.iter().find(|(bits, ..)| *bits == row);
                let &(_, first, word) = row
                    .filter(|_| slot.src <= FRAME)
                    .ok_or_else(|| format!("{:02x?} is not a jump", slot.write()))?;
                let kind = nth(if wide { first } else { word }, by_register);
                Ok(op(kind, self.target(at, slot.offset.into())?, slot.imm.into()))
            }
        }
    }

    fn call(&self, at: u32, slot: Slot) -> Result<Op, String> {
        let op = |kind, to, imm| Op { imm, to, kind, dst: 0, src: 0 };
        match (slot.src, self.references.get(&at)) {
            (_, Some(Reference::Extern(name))) => Err(format!(
                "the kernel function `{name}`; kernel functions other than helpers are not supported"
            )),
            (_, Some(&Reference::Code { section, slot })) => {
                let found = self.starts.get(section).and_then(|slots| slots.get(slot as usize));
                let found = found.filter(|&&index| index != NO_OP);
                let index =
                    found.ok_or_else(|| format!("a call to slot {slot}, where no function begins"))?;
                Ok(op(Kind::Call, *index as i32, 0))
            }
            (0, None) => Ok(op(Kind::Helper, 0, slot.imm.into())),
            (1, None) => Ok(op(Kind::Call, self.target(at, slot.imm.into())?, 0)),
            (kind, _) => Err(format!("a call of kind {kind}, which is not supported")),
        }
    }

    fn constant(&self, at: u32, slot: Slot) -> Result<Op, String> {
        let Some(second) = self.section.slots.get(at as usize + 1) else {
            return Err("an incomplete 64-bit constant".to_owned());
        };
        let imm = match (self.references.get(&at), slot.src) {
            (Some(Reference::Map(map)), _) => memory::map_handle(*map),
            (Some(Reference::Data { map, offset }), _) => memory::values(*map).address(0, (*offset).into()),
            (Some(Reference::Extern(name)), _) => {
                return Err(format!("`{name}`, which the object does not define"));
            }
            (Some(Reference::Code { .. }), _) => {
                return Err(
                    "the address of a function; helpers that take a callback are not supported".to_owned()
                );
            }
            (None, 0) => u64::from(slot.imm as u32) | u64::from(second.imm as u32) << 32,
            (None, kind) => return Err(format!("a constant of kind {kind} without a relocation")),
        };
        if slot.dst == FRAME {
            return Err("a write to r10, the frame pointer, which is read-only".to_owned());
        }
        Ok(Op { imm: imm as i64, to: 0, kind: Kind::Const, dst: slot.dst, src: 0 })
    }
}

/// Returns the kind with an immediate operand itself, or the corresponding kind with a register operand.
fn nth(first: Kind, by_register: bool) -> Kind {
    if !by_register {
        return first;
    }
    ROWS.iter().find(|(immediate, _)| *immediate == first).map_or(first, |&(_, register)| register)
}

/// Kinds by immediate, and the same by register.
#[rustfmt::skip]
const ROWS: [(Kind, Kind); 50] = {
    use Kind::*;
    [
        (AddI, AddR), (SubI, SubR), (MulI, MulR), (DivI, DivR), (OrI, OrR), (AndI, AndR), (LshI, LshR), (RshI, RshR),
        (ModI, ModR), (XorI, XorR), (MovI, MovR), (ArshI, ArshR), (SdivI, SdivR), (SmodI, SmodR),
        (AddWI, AddWR), (SubWI, SubWR), (MulWI, MulWR), (DivWI, DivWR), (OrWI, OrWR), (AndWI, AndWR),
        (LshWI, LshWR), (RshWI, RshWR), (ModWI, ModWR), (XorWI, XorWR), (MovWI, MovWR), (ArshWI, ArshWR),
        (SdivWI, SdivWR), (SmodWI, SmodWR),
        (JeqI, JeqR), (JneI, JneR), (JgtI, JgtR), (JgeI, JgeR), (JltI, JltR), (JleI, JleR), (JsetI, JsetR),
        (JsgtI, JsgtR), (JsgeI, JsgeR), (JsltI, JsltR), (JsleI, JsleR),
        (JeqWI, JeqWR), (JneWI, JneWR), (JgtWI, JgtWR), (JgeWI, JgeWR), (JltWI, JltWR), (JleWI, JleWR),
        (JsetWI, JsetWR), (JsgtWI, JsgtWR), (JsgeWI, JsgeWR), (JsltWI, JsltWR), (JsleWI, JsleWR),
    ]
};

fn arithmetic(slot: Slot, wide: bool) -> Option<Op> {
    let by_register = slot.opcode & 8 != 0;
    let op = |kind| Some(Op { imm: slot.imm.into(), to: 0, kind, dst: slot.dst, src: slot.src });
    match slot.opcode & 0xf0 {
        0x80 if !by_register => return op(if wide { Kind::Neg } else { Kind::NegW }),
        0xd0 => return swap(slot, wide),
        0xb0 if slot.offset != 0 => {
            let kind = match (slot.offset, wide) {
                (8, true) => Kind::MovS8,
                (16, true) => Kind::MovS16,
                (32, true) => Kind::MovS32,
                (8, false) => Kind::MovSW8,
                (16, false) => Kind::MovSW16,
                _ => return None,
            };
            return if by_register { op(kind) } else { None };
        }
        _ => {}
    }
    let &(row, first, word) = ALU.iter().find(|(bits, ..)| *bits == slot.opcode & 0xf0)?;
    let first = match (row, slot.offset) {
        (_, 0) => {
            if wide {
                first
            } else {
                word
            }
        }
        (0x30, 1) => {
            if wide {
                Kind::SdivI
            } else {
                Kind::SdivWI
            }
        }
        (0x90, 1) => {
            if wide {
                Kind::SmodI
            } else {
                Kind::SmodWI
            }
        }
        _ => return None,
    };
    op(nth(first, by_register))
}

/// Decodes byte-order instructions: to little or big endian, or (in the 64-bit class) an unconditional swap.
fn swap(slot: Slot, wide: bool) -> Option<Op> {
    let to_big = slot.opcode & 8 != 0;
    let kind = match (wide, to_big, slot.imm) {
        (false, false, 16) => Kind::Le16,
        (false, false, 32) => Kind::Le32,
        (false, false, 64) => Kind::Le64,
        (false, true, 16) => Kind::Be16,
        (false, true, 32) => Kind::Be32,
        (false, true, 64) => Kind::Be64,
        (true, false, 16) => Kind::Swap16,
        (true, false, 32) => Kind::Swap32,
        (true, false, 64) => Kind::Swap64,
        _ => return None,
    };
    Some(Op { imm: 0, to: 0, kind, dst: slot.dst, src: slot.dst })
}

fn load(slot: Slot) -> Option<Op> {
    let kind = match slot.opcode {
        0x71 => Kind::Ld1,
        0x69 => Kind::Ld2,
        0x61 => Kind::Ld4,
        0x79 => Kind::Ld8,
        0x91 => Kind::Lds1,
        0x89 => Kind::Lds2,
        0x81 => Kind::Lds4,
        _ => return None,
    };
    Some(Op { imm: 0, to: slot.offset.into(), kind, dst: slot.dst, src: slot.src })
}

fn store(slot: Slot) -> Option<Op> {
    let kind = match slot.opcode {
        0x72 => Kind::St1,
        0x6a => Kind::St2,
        0x62 => Kind::St4,
        0x7a => Kind::St8,
        0x73 => Kind::Stx1,
        0x6b => Kind::Stx2,
        0x63 => Kind::Stx4,
        0x7b => Kind::Stx8,
        0xc3 => Kind::Atomic4,
        0xdb => Kind::Atomic8,
        _ => return None,
    };
    let imm = i64::from(slot.imm);
    if matches!(kind, Kind::Atomic4 | Kind::Atomic8)
        && !matches!(imm, XCHG | CMPXCHG)
        && !matches!(imm & !FETCH, 0x00 | 0x40 | 0x50 | 0xa0)
    {
        return None;
    }
    Some(Op { imm, to: slot.offset.into(), kind, dst: slot.dst, src: slot.src })
}
