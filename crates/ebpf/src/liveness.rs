//! Registers, and their upper halves, that are live after each operation.

use crate::code::{Code, Kind, Op};
use crate::executor::reads;

/// The arguments of functions, which calls read; they and r0 are lost in a call.
const ARGUMENTS: u16 = 0b11_1110;
const LOST_IN_CALLS: u16 = 0b11_1111;

/// Returns for each operation the registers, one bit each, that may be read after it before they are written
/// again.
///
/// It is the greatest set that no path contradicts: a function does not know which registers its caller needs,
/// except r0.
#[must_use]
pub fn wanted_after(code: &Code) -> Vec<u16> {
    wanted(code, Op::reads)
}

/// Returns the same for the upper 32 bits of registers: operations on 32 bits and stores of at most four bytes
/// ignore them.
#[must_use]
pub fn upper_wanted_after(code: &Code) -> Vec<u16> {
    wanted(code, reads_upper)
}

/// Returns the registers whose upper half an operation reads, one bit each.
fn reads_upper(op: Op) -> u16 {
    use Kind as K;
    match op.kind {
        K::St1 | K::St2 | K::St4 | K::St8 | K::Stx1 | K::Stx2 | K::Stx4 | K::Atomic4 => 1 << op.dst,
        K::Le16 | K::Le32 | K::Be16 | K::Be32 => 0,
        kind if (K::AddWI as u8..=K::NegW as u8).contains(&(kind as u8)) => 0,
        kind if (K::JeqWI as u8..=K::JsleWR as u8).contains(&(kind as u8)) => 0,
        K::MovSW8 | K::MovSW16 => 0,
        _ => op.reads(),
    }
}

fn wanted(code: &Code, read_by: impl Fn(Op) -> u16) -> Vec<u16> {
    let ops: Vec<Op> = (0..code.ops().len() as u32).map(|index| code.original(index)).collect();
    let mut before = vec![0u16; ops.len() + 1];
    let mut after = vec![0u16; ops.len()];
    loop {
        let mut changed = false;
        for (index, op) in ops.iter().enumerate().rev() {
            let follows = before[index + 1];
            let jumped = || before.get(op.to as usize).copied().unwrap_or(0);
            after[index] = match op.kind {
                Kind::Exit | Kind::Guarded | Kind::Illegal | Kind::End => 0,
                Kind::Ja => jumped(),
                _ if op.jumps() => follows | jumped(),
                _ => follows,
            };
            let (read, written) = match op.kind {
                Kind::Exit => (1, 0),
                Kind::Call => (ARGUMENTS, LOST_IN_CALLS),
                Kind::Helper => (reads(*op), LOST_IN_CALLS),
                _ => (read_by(*op), op.writes()),
            };
            let now = read | (after[index] & !written);
            changed |= now != before[index];
            before[index] = now;
        }
        if !changed {
            return after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use crate::insn::Slot;
    use crate::object::CodeSection;
    use std::collections::BTreeMap;

    /// Opcode, destination, source, offset and immediate of each.
    fn after(slots: &[(u8, u8, u8, i16, i32)]) -> Vec<u16> {
        let slots = slots
            .iter()
            .map(|&(opcode, dst, src, offset, imm)| Slot { opcode, dst, src, offset, imm })
            .collect();
        let section =
            CodeSection { name: String::new(), slots, references: BTreeMap::new(), functions: vec![] };
        wanted_after(&decode(&[section]))
    }

    #[test]
    fn a_value_is_wanted_up_to_its_last_reader_on_any_path() {
        // r0 = 0; r1 = 1; if r2 == 0 goto the exit; r0 = r1; exit; the end of the section
        let found = after(&[
            (0xb7, 0, 0, 0, 0),
            (0xb7, 1, 0, 0, 1),
            (0x15, 2, 0, 1, 0),
            (0xbf, 0, 1, 0, 0),
            (0x95, 0, 0, 0, 0),
        ]);
        assert_eq!(found, [0b101, 0b111, 0b011, 0b001, 0, 0]);
    }

    #[test]
    fn an_upper_half_is_wanted_by_operations_on_64_bits_alone() {
        // r2 = *(u32 *)(r10 - 4); *(u32 *)(r10 - 8) = r2; r2 = *(u32 *)(r10 - 8); r0 = 0; r0 += r2; exit
        let slots: Vec<Slot> = [
            (0x61, 2, 10, -4, 0),
            (0x63, 10, 2, -8, 0),
            (0x61, 2, 10, -8, 0),
            (0xb7, 0, 0, 0, 0),
            (0x0f, 0, 2, 0, 0),
            (0x95, 0, 0, 0, 0),
        ]
        .map(|(opcode, dst, src, offset, imm)| Slot { opcode, dst, src, offset, imm })
        .to_vec();
        let section =
            CodeSection { name: String::new(), slots, references: BTreeMap::new(), functions: vec![] };
        let found = upper_wanted_after(&decode(&[section]));
        assert_eq!(found.iter().map(|wanted| wanted >> 2 & 1).collect::<Vec<_>>(), [0, 0, 1, 1, 0, 0, 0]);
    }

    #[test]
    fn what_an_atomic_operation_fetches_is_wanted_if_something_reads_it() {
        // r2 = 1; fetch and add to the stack; r0 = r2 or 0; exit
        let fetch = |last| after(&[(0xb7, 2, 0, 0, 1), (0xdb, 10, 2, -8, 1), last, (0x95, 0, 0, 0, 0)]);
        assert_eq!(fetch((0xbf, 0, 2, 0, 0))[1] >> 2 & 1, 1);
        assert_eq!(fetch((0xb7, 0, 0, 0, 0))[1] >> 2 & 1, 0);
    }

    #[test]
    fn loops_carry_values_back_and_calls_read_their_arguments() {
        // r6 = 3; r6 += -1; if r6 != 0 goto back; r1 = 5; call what takes no argument; exit
        let found = after(&[
            (0xb7, 6, 0, 0, 3),
            (0x07, 6, 0, 0, -1),
            (0x55, 6, 0, -2, 0),
            (0xb7, 1, 0, 0, 5),
            (0x85, 0, 0, 0, 7),
            (0x95, 0, 0, 0, 0),
        ]);
        assert_eq!(found, [1 << 6, 1 << 6, 1 << 6, 0, 1, 0, 0]);
    }
}
