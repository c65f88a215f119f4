//! Registers whose upper 32 bits are zero for certain, in front of each operation.

use crate::code::{Code, Kind, Op};

/// r0 to r5, which calls and helpers leave unknown.
const LOST_IN_CALLS: u16 = 0b11_1111;

/// For each operation the registers, a bit each, whose upper half is zero on every way to it from `starts`.
#[must_use]
pub fn upper_zero_before(code: &Code, starts: &[u32]) -> Vec<u16> {
    let ops: Vec<Op> = (0..code.ops().len() as u32).map(|index| code.original(index)).collect();
    // Nothing has come by yet: all of them, until a way says otherwise.
    let mut before = vec![u16::MAX; ops.len()];
    let functions = ops.iter().filter(|op| op.kind == Kind::Call).map(|op| op.to as u32);
    let mut open: Vec<usize> = starts.iter().copied().chain(functions).map(|index| index as usize).collect();
    open.iter().for_each(|&index| before[index] = 0);
    let mut seen = vec![false; ops.len()];
    while let Some(index) = open.pop() {
        seen[index] = true;
        let op = ops[index];
        let zero = after(op, before[index]);
        let next = match op.kind {
            Kind::Exit | Kind::Guarded | Kind::Illegal | Kind::End => [None, None],
            Kind::Ja => [None, Some(op.to as usize)],
            _ if op.jumps() => [Some(index + 1), Some(op.to as usize)],
            _ => [Some(index + 1), None],
        };
        for to in next.into_iter().flatten().filter(|&to| to < ops.len()) {
            let both = before[to] & zero;
            if both != before[to] || !seen[to] {
                before[to] = both;
                open.push(to);
            }
        }
    }
    before
}

/// The same behind an operation.
fn after(op: Op, before: u16) -> u16 {
    let kept = match op.kind {
        Kind::Call | Kind::Helper => return before & !LOST_IN_CALLS,
        _ => before & !op.writes(),
    };
    if makes_zero(op, before) { kept | op.writes() } else { kept }
}

/// Whether the upper half of what an operation makes is zero.
fn makes_zero(op: Op, before: u16) -> bool {
    use Kind as K;
    let is = |register: u8| before >> register & 1 == 1;
    let word = u64::try_from(op.imm).is_ok_and(|value| value <= u64::from(u32::MAX));
    match op.kind {
        K::Ld1 | K::Ld2 | K::Ld4 | K::Le16 | K::Le32 | K::Be16 | K::Be32 | K::MovSW8 | K::MovSW16 => true,
        kind if (K::AddWI as u8..=K::NegW as u8).contains(&(kind as u8)) => true,
        K::MovI | K::Const => word,
        K::AndI => word || is(op.dst),
        K::OrI | K::XorI => word && is(op.dst),
        K::RshI => op.imm >= 32 || is(op.dst),
        K::DivI | K::ModI => is(op.dst),
        K::MovR => is(op.src),
        K::AndR => is(op.dst) || is(op.src),
        K::OrR | K::XorR => is(op.dst) && is(op.src),
        K::RshR | K::DivR | K::ModR => is(op.dst),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use crate::insn::Slot;
    use crate::object::CodeSection;
    use std::collections::BTreeMap;

    #[test]
    fn an_upper_half_is_zero_where_every_way_makes_it_so() {
        let lines: [(u8, u8, u8, i16, i32); 8] = [
            (0x71, 2, 1, 0, 0),  // r2 = a byte
            (0x79, 3, 1, 0, 0),  // r3 = eight bytes
            (0x15, 2, 0, 2, 7),  // if r2 == 7 goto 5
            (0xbf, 3, 2, 0, 0),  // r3 = r2
            (0x07, 2, 0, 0, 1),  // r2 += 1, which may carry
            (0xb7, 4, 0, 0, -1), // r4 = -1
            (0xbc, 4, 4, 0, 0),  // w4 = w4
            (0x95, 0, 0, 0, 0),
        ];
        let slot = |&(opcode, dst, src, offset, imm): &(u8, u8, u8, i16, i32)| Slot {
            opcode,
            dst,
            src,
            offset,
            imm,
        };
        let slots = lines.iter().map(slot).collect();
        let section =
            CodeSection { name: String::new(), slots, references: BTreeMap::new(), functions: vec![] };
        let zero = upper_zero_before(&decode(&[section]), &[0]);
        let of =
            |index: usize| (2..5).filter(|register| zero[index] >> register & 1 == 1).collect::<Vec<_>>();
        assert_eq!([of(0), of(1), of(2)], [vec![], vec![2], vec![2]]);
        // Behind the branch r3 is r2, and r2 may have carried: where ways meet neither is known.
        assert_eq!([of(4), of(5), of(6), of(7)], [vec![2, 3], vec![], vec![], vec![4]]);
    }
}
