//! Moves between components, of one or several instructions.

use linecard_program::script::{Access, RoleId, Steps};

/// Most bytes that an instruction moves between components (Spalink 2000, section 2.1).
const INSTRUCTION_BYTES: u16 = 32;

/// Instructions that a move of so many bytes takes.
pub(crate) fn instructions(bytes: u16) -> u32 {
    u32::from(bytes.div_ceil(INSTRUCTION_BYTES))
}

/// Move `bytes` bytes along the path of a role, an instruction after another; each is waited for. The second one finds the
/// row of DRAM open. `cycles_before` tells the cycles before the instruction of a number.
pub(crate) fn transfer(
    role: RoleId,
    bytes: u16,
    mut cycles_before: impl FnMut(u32) -> u32,
    steps: &mut Steps,
) {
    let mut moved = 0;
    for number in 0..instructions(bytes) {
        let part = (bytes - moved).min(INSTRUCTION_BYTES);
        steps.compute(cycles_before(number));
        let kind = if moved > 0 { Access::Continue } else { Access::Read };
        steps.access(role, kind, part, 0);
        moved += part;
    }
}
