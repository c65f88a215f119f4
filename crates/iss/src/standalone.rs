//! Standalone programs, from their entry to `ecall` with `a7` = 93: test suites of the instruction set.
//!
//! The part of machine mode that their start-up code needs: control registers hold the values written to them
//! (initially 0, also `mhartid`), `mret` goes to `mepc`, and any other `ecall` traps to `mtvec`, if it is set.
//! Otherwise the output of `ecall` 64 is discarded.

use crate::code::Code;
use crate::cpu::{A0, Cpu, Hook, REGISTERS, SP, System};
use crate::error::{Fault, IssError, Place};
use crate::image::Image;
use crate::memory::Memory;
use crate::word::{Width, Word};
use linecard_words::Mismatch;
use std::ops::ControlFlow;

const EXIT: u64 = 93;
const WRITE: u64 = 64;
const A7: usize = 17;
const MTVEC: usize = 0x305;
const MEPC: usize = 0x341;
const MCAUSE: usize = 0x342;
const ECALL: u32 = 0x73;
const MRET: u32 = 0x3020_0073;
const WFI: u32 = 0x1050_0073;
const ECALL_FROM_MACHINE_MODE: u64 = 11;
/// Word to which test programs without `ecall` write their result, again and again: twice the result plus one.
const TOHOST: &str = "tohost";
/// Instructions between two tests of it.
const LOOK: u64 = 100_000;
/// Bytes of the stack behind the image.
const STACK_BYTES: u32 = 64 << 10;

struct MachineMode {
    control: Vec<u64>,
}

impl Hook for MachineMode {
    fn system<W: Word>(
        &mut self,
        word: u32,
        pc: u32,
        registers: &mut [W; REGISTERS],
    ) -> Result<System, Fault> {
        let asked: u64 = registers[A7].into();
        match word {
            ECALL if asked == EXIT => return Ok(System::Exit),
            // The output of the program is discarded.
            ECALL if asked == WRITE && self.control[MTVEC] == 0 => {
                registers[A0] = registers[A0 + 2];
                return Ok(System::Next);
            }
            ECALL if self.control[MTVEC] != 0 => {
                self.control[MEPC] = pc.into();
                self.control[MCAUSE] = ECALL_FROM_MACHINE_MODE;
                return jump(self.control[MTVEC] & !3);
            }
            MRET => return jump(self.control[MEPC]),
            WFI => return Ok(System::Next),
            _ => {}
        }
        let (funct3, rd, source) = (word >> 12 & 7, (word >> 7 & 31) as usize, word >> 15 & 31);
        let register = &mut self.control[(word >> 20) as usize];
        let operand = if funct3 & 4 != 0 { source.into() } else { registers[source as usize].into() };
        let old = *register;
        match funct3 & 3 {
            1 => *register = operand,
            2 => *register |= operand,
            3 => *register &= !operand,
            _ => return Err(Fault::System { word }),
        }
        if rd != 0 {
            registers[rd] = W::cut(old);
        }
        Ok(System::Next)
    }
}

fn jump(target: u64) -> Result<System, Fault> {
    u32::try_from(target).map(System::Jump).map_err(|_| Fault::Jump { target })
}

/// Runs a program from its entry. Returns the value of `a0` at its exit (its lowest 32 bits), and the
/// instructions executed.
///
/// # Errors
///
/// If it faults, or exceeds `budget` instructions.
pub fn run_standalone(image: &Image, budget: u64) -> Result<(u32, u64), IssError> {
    run_standalone_until(image, budget, &mut |_| ControlFlow::Continue(()))
}

/// As `run_standalone`; `progress` is called periodically with the instructions so far, and may end it.
///
/// # Errors
///
/// As [`run_standalone`], and if `progress` ended it.
pub fn run_standalone_until(
    image: &Image,
    budget: u64,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(u32, u64), IssError> {
    match image.width {
        Width::Rv32 => run_on::<u32>(image, budget, progress),
        Width::Rv64 => run_on::<u64>(image, budget, progress),
    }
}

fn run_on<W: Word>(
    image: &Image,
    budget: u64,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(u32, u64), IssError> {
    let code = Code::new(image);
    let (low, high) = image.span();
    let top = high.checked_add(STACK_BYTES + 15).map(|top| top & !15).ok_or_else(|| {
        IssError::Image(Mismatch::new(
            image.file.clone(),
            format!("an image that ends at {high:#x}"),
            "space for a stack above the image",
        ))
    })?;
    let mut memory = Memory::new(low, top, (0, 0));
    memory.allow_misaligned();
    for segment in &image.segments {
        memory.fill(segment.address, &segment.bytes);
    }
    let mut cpu = Cpu::<W>::default();
    cpu.registers[SP] = W::unsigned(top);
    let mut mode = MachineMode { control: vec![0; 4096] };
    let tohost = image.symbol(TOHOST);
    let mut pc = image.entry;
    loop {
        let look = LOOK.min(budget.saturating_sub(cpu.instructions)).max(1);
        match cpu.run(&code, &mut memory, &mut mode, pc, look) {
            Ok(()) => return Ok((cpu.registers[A0].low(), cpu.instructions)),
            Err((Fault::Runaway { .. }, index)) => {
                pc = code.pc(index);
                let written =
                    tohost.and_then(|address| memory.load_u32(address).ok()).map_or(0, |(word, _)| word);
                if written != 0 {
                    return Ok((written >> 1, cpu.instructions));
                }
                if progress(cpu.instructions).is_break() {
                    return Err(IssError::Interrupted);
                }
                if cpu.instructions >= budget {
                    return Err(image.fault(Place::Alone, Fault::Runaway { budget }, pc));
                }
            }
            Err((fault, index)) => return Err(image.fault(Place::Alone, fault, code.pc(index))),
        }
    }
}

impl Image {
    /// Returns a fault, with its function, and the source line if known.
    #[must_use]
    pub fn fault(&self, place: Place, fault: Fault, pc: u32) -> IssError {
        let (symbol, line) = self.where_is(pc);
        IssError::Fault { place, fault, pc, symbol, line }
    }

    /// Returns function and offset of an instruction, and its line if known.
    pub fn where_is(&self, pc: u32) -> (String, Option<String>) {
        let symbol = match self.nearest(pc) {
            Some((name, 0)) => name.to_owned(),
            Some((name, offset)) => format!("{name}+{offset:#x}"),
            None => "no symbol".to_owned(),
        };
        (symbol, self.line(pc).map(|line| line.to_string()))
    }
}
