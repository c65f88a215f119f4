//! Cycles of a scalar in-order pipeline, instruction by instruction: the cycles of each class, and the delays of an
//! instruction that needs the loaded or shifted value of the previous one.

use super::costs::RiscvCycles;
use linecard_iss::{Class, Code, Step};

/// Returns the cycles of an instruction that depend only on its class.
pub(super) fn by_class(class: Class, c: &RiscvCycles) -> u32 {
    match class {
        Class::Alu => c.alu_cycles,
        Class::Shift => c.shift_cycles,
        Class::Multiply => c.multiply_cycles,
        Class::Divide => c.divide_cycles,
        Class::Load => c.load_cycles,
        Class::Store => c.store_cycles,
        Class::Atomic => c.atomic_cycles,
        Class::Branch => c.branch_cycles,
        Class::Jump => c.jump_cycles,
        Class::Lock | Class::Unlock => c.lock_cycles,
        Class::Mark => 0,
    }
}

/// The state that the previous instruction leaves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pipeline {
    /// Registers that it loads from memory, one bit each.
    loaded: u32,
    /// Registers that it shifts.
    shifted: u32,
}

impl Pipeline {
    /// Returns the cycles of the next instruction, which has the class `class` and takes `own` cycles by itself.
    pub fn next(&mut self, code: &Code, step: &Step, class: Class, own: u32, c: &RiscvCycles) -> u32 {
        let mut cycles = own;
        if self.loaded | self.shifted != 0 {
            let reads = code.reads(step.index);
            if reads & self.loaded != 0 {
                cycles += c.load_use_cycles;
            }
            if reads & self.shifted != 0 {
                cycles += c.shift_use_cycles;
            }
        }
        if step.taken {
            cycles += c.taken_cycles;
        }
        let writes = |is: bool| if is { code.writes(step.index) } else { 0 };
        let loads = matches!(class, Class::Load | Class::Atomic);
        *self = Self { loaded: writes(loads), shifted: writes(class == Class::Shift) };
        cycles
    }

    /// Records that the value of the last load delays its users elsewhere.
    pub fn loads_nothing(&mut self) {
        self.loaded = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::riscv::tests::code;
    use super::*;

    /// Returns the delays of a five-stage core with full bypass, like the processor of the Rosebud project.
    fn five_stages() -> RiscvCycles {
        RiscvCycles { taken_cycles: 2, load_use_cycles: 1, shift_use_cycles: 1, ..RiscvCycles::plain() }
    }

    /// Returns the cycles of `words` from the first to the last, which jumps back, in the second of two rounds.
    fn round(words: &[u32]) -> u32 {
        let (code, c) = (code(words), five_stages());
        let (mut pipeline, mut cycles) = (Pipeline::default(), 0);
        for _ in 0..2 {
            cycles = 0;
            for at in 0..words.len() as u32 {
                let step = Step { index: at * 2, address: None, taken: at + 1 == words.len() as u32 };
                let class = code.class(step.index);
                cycles += pipeline.next(&code, &step, class, by_class(class, &c), &c);
            }
        }
        cycles
    }

    /// Both loops were measured on the register-transfer code of a processor.
    #[test]
    fn two_loops_take_what_a_real_core_takes() {
        // lbu a1,140(zero); bne a1,a0; lw a1,132(zero); sw a1,12(zero); lw a1,128(zero); sw a1,8(zero);
        // sb a0,44(zero); sb zero,40(zero); j back: nine instructions, three uses of a value just loaded, and the
        // jump.
        let forward = [
            0x08c0_4583,
            0xfea5_9ee3,
            0x0840_2583,
            0x00b0_2623,
            0x0800_2583,
            0x00b0_2423,
            0x02a0_0623,
            0x0200_0423,
            0xfe1f_f06f,
        ];
        assert_eq!(round(&forward), 14);
        // The same loop with both loads before their uses.
        let hoisted = [
            0x08c0_4583,
            0xfea5_9ee3,
            0x0800_2603,
            0x0840_2683,
            0x02a0_0623,
            0x00c0_2423,
            0x00d0_2623,
            0x0200_0423,
            0xfe1f_f06f,
        ];
        assert_eq!(round(&hoisted), 12);
    }

    #[test]
    fn what_was_just_shifted_is_waited_for_once() {
        // slli a1,a1,2; add a2,a1,a1; add a2,a1,a1; j back: four instructions, one wait, and the jump.
        assert_eq!(round(&[0x0025_9593, 0x00b5_8633, 0x00b5_8633, 0xff5f_f06f]), 4 + 1 + 2);
    }
}
