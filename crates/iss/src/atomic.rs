//! Results of atomic read-modify-write instructions (RISC-V unprivileged specification, chapter 8).

use crate::decode::{Amo, Op};
use crate::word::Word;

/// Returns the new value in memory.
pub fn changed<W: Word>(op: Op, old: W, operand: W) -> W {
    let less = if old.is_below(operand) { (old, operand) } else { (operand, old) };
    match op.amo() {
        Some(Amo::Swap) | None => operand,
        Some(Amo::Add) => old.plus(operand),
        Some(Amo::Xor) => old ^ operand,
        Some(Amo::And) => old & operand,
        Some(Amo::Or) => old | operand,
        Some(Amo::Min) => less.0,
        Some(Amo::Max) => less.1,
        Some(Amo::Minu) => old.min(operand),
        Some(Amo::Maxu) => old.max(operand),
    }
}
