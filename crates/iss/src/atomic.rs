//! What atomic read-modify-write instructions leave behind (RISC-V unprivileged specification, chapter 8).

use crate::decode::{Amo, Op};

/// What stands in memory afterwards.
pub fn changed(op: Op, old: u32, operand: u32) -> u32 {
    match op.amo() {
        Some(Amo::Swap) | None => operand,
        Some(Amo::Add) => old.wrapping_add(operand),
        Some(Amo::Xor) => old ^ operand,
        Some(Amo::And) => old & operand,
        Some(Amo::Or) => old | operand,
        Some(Amo::Min) => (old as i32).min(operand as i32) as u32,
        Some(Amo::Max) => (old as i32).max(operand as i32) as u32,
        Some(Amo::Minu) => old.min(operand),
        Some(Amo::Maxu) => old.max(operand),
    }
}
