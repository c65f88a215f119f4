//! The hart that executes a packet program, of the register width of its code.

use crate::code::Code;
use crate::cpu::{A0, Cpu, Faulted, Hook, RA, SP, STOP};
use crate::memory::Memory;
use crate::word::{Width, Word};

/// A hart of either width.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a machine has one")]
pub enum Hart {
    Rv32(Cpu<u32>),
    Rv64(Cpu<u64>),
}

/// The same for both.
macro_rules! either {
    ($hart:expr, $cpu:ident => $what:expr) => {
        match $hart {
            Hart::Rv32($cpu) => $what,
            Hart::Rv64($cpu) => $what,
        }
    };
}

impl Hart {
    pub fn new(width: Width) -> Self {
        match width {
            Width::Rv32 => Self::Rv32(Cpu::default()),
            Width::Rv64 => Self::Rv64(Cpu::default()),
        }
    }

    /// Prepares the registers for the call of a function, which will return to [`STOP`].
    pub fn call(&mut self, stack_top: u32, arguments: [u32; 2]) {
        either!(self, cpu => begin(cpu, stack_top, arguments));
    }

    pub fn run<H: Hook>(
        &mut self,
        code: &Code,
        memory: &mut Memory,
        hook: &mut H,
        pc: u32,
        budget: u64,
    ) -> Result<(), Faulted> {
        either!(self, cpu => cpu.run(code, memory, hook, pc, budget))
    }

    /// Sets the value of the time mark.
    pub fn set_time(&mut self, time_us: u32) {
        either!(self, cpu => cpu.time_us = time_us);
    }

    /// Returns the instructions executed.
    pub fn instructions(&self) -> u64 {
        either!(self, cpu => cpu.instructions)
    }

    /// Returns the first argument or result, its lowest 32 bits.
    pub fn a0(&self) -> u32 {
        either!(self, cpu => cpu.registers[A0].low())
    }

    /// Returns the lowest 32 bits of a register.
    pub fn register(&self, number: usize) -> u32 {
        either!(self, cpu => cpu.registers[number].low())
    }

    pub fn set_register(&mut self, number: usize, value: u32) {
        either!(self, cpu => cpu.registers[number] = Word::unsigned(value));
    }

    /// Returns the locks held.
    pub fn held(&self) -> &[u32] {
        either!(self, cpu => &cpu.held)
    }
}

fn begin<W: Word>(cpu: &mut Cpu<W>, stack_top: u32, arguments: [u32; 2]) {
    cpu.registers.fill(W::default());
    cpu.held.clear();
    cpu.reserved = None;
    cpu.registers[RA] = W::unsigned(STOP);
    cpu.registers[SP] = W::unsigned(stack_top);
    for (register, argument) in cpu.registers[A0..].iter_mut().zip(arguments) {
        *register = W::unsigned(argument);
    }
}
