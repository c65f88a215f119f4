//! The executor: one instruction after another, with a hook that costs nothing where it does nothing.

use crate::atomic;
use crate::code::Code;
use crate::decode::{Op, Opcode};
use crate::error::Fault;
use crate::memory::Memory;

/// Return address of a function that was called from outside: even, and no address of code.
pub const STOP: u32 = 0xffff_fffe;
/// Number of the return-address register.
pub const RA: usize = 1;
/// Number of the stack-pointer register.
pub const SP: usize = 2;
/// Number of the first argument and result.
pub const A0: usize = 10;

/// Listens to an execution. Every default does nothing and is compiled away.
pub trait Hook {
    /// Instructions from index `first` to index `last`, one after the other, were executed; a jump, a mark or the end
    /// follows.
    #[inline(always)]
    fn run(&mut self, first: u32, last: u32) {
        let _ = (first, last);
    }

    /// A load, a store (also one that failed, for want of a reservation), or an atomic instruction.
    #[inline(always)]
    fn access(&mut self, address: u32) {
        let _ = address;
    }

    /// A lock taken or released.
    #[inline(always)]
    fn lock(&mut self, address: u32) {
        let _ = address;
    }

    /// The mark that the traced part begins (`true`) or ends.
    #[inline(always)]
    fn mark(&mut self, begins: bool) {
        let _ = begins;
    }

    /// A system instruction: what to do.
    ///
    /// # Errors
    /// The default: a packet program has no operating system.
    fn system(&mut self, word: u32, pc: u32, registers: &mut [u32; 64]) -> Result<System, Fault> {
        let _ = (pc, registers);
        Err(Fault::System { word })
    }
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Hook for Silent {}

/// What follows a system instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// The next instruction.
    Next,
    /// A jump.
    Jump(u32),
    /// The program ends.
    Exit,
}

/// Registers and counters.
#[derive(Clone, Debug)]
pub struct Cpu {
    /// `x0` to `x31`, the sink of writes to `x0`, and padding that makes every index valid.
    pub registers: [u32; 64],
    /// Instructions executed, without packet marks.
    pub instructions: u64,
    /// What the time mark reads.
    pub time_us: u32,
    /// Locks held.
    pub held: Vec<u32>,
    /// Address that the last `lr` reserved, until an `sc`.
    pub reserved: Option<u32>,
}

impl Default for Cpu {
    fn default() -> Self {
        Self { registers: [0; 64], instructions: 0, time_us: 0, held: Vec::new(), reserved: None }
    }
}

/// A fault and the index of its instruction.
pub type Faulted = (Fault, u32);

impl Cpu {
    /// Executes from address `pc` until the program returns to [`STOP`] or exits, or until `budget` more instructions
    /// were executed (looked at when a jump is taken).
    ///
    /// # Errors
    /// The fault, and the index of the instruction in `code`.
    pub fn run<H: Hook>(
        &mut self,
        code: &Code,
        memory: &mut Memory,
        hook: &mut H,
        pc: u32,
        budget: u64,
    ) -> Result<(), Faulted> {
        let mut registers = self.registers;
        let result = self.execute(code, memory, hook, pc, budget, &mut registers);
        self.registers = registers;
        result
    }

    #[inline(always)]
    fn execute<H: Hook>(
        &mut self,
        code: &Code,
        memory: &mut Memory,
        hook: &mut H,
        pc: u32,
        budget: u64,
        x: &mut [u32; 64],
    ) -> Result<(), Faulted> {
        use Opcode as C;
        let ops = code.ops.as_slice();
        let low = code.low;
        let mut index = pc.wrapping_sub(low) >> 1;
        let mut first = index;
        let mut left = budget as i64;

        // Ends the run at the instruction at hand and goes on at an index.
        macro_rules! jump {
            ($to:expr) => {{
                hook.run(first, index);
                index = $to;
                first = index;
                if left < 0 {
                    self.instructions += (budget as i64 - left) as u64;
                    return Err((Fault::Runaway { budget }, index));
                }
                continue;
            }};
        }
        macro_rules! fault {
            ($fault:expr) => {{
                self.instructions += (budget as i64 - left) as u64;
                return Err(($fault, index));
            }};
        }
        macro_rules! tried {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(fault) => fault!(fault),
                }
            };
        }
        loop {
            let Some(&op) = ops.get(index as usize) else {
                fault!(Fault::Jump { target: low.wrapping_add(index << 1) })
            };
            left -= 1;
            let a = x[(op.rs1 & 63) as usize];
            let b = x[op.rs2() as usize];
            let d = (op.rd & 63) as usize;
            let address = a.wrapping_add(op.imm as u32);
            macro_rules! branch {
                ($taken:expr) => {
                    if $taken {
                        jump!(index.wrapping_add((op.imm >> 1) as u32))
                    }
                };
            }
            macro_rules! load {
                ($load:ident, $as:ty) => {{
                    let value = tried!(memory.$load(address));
                    hook.access(address);
                    x[d] = value as $as as u32;
                }};
            }
            macro_rules! store {
                ($store:ident, $as:ty) => {{
                    tried!(memory.$store(address, b as $as));
                    hook.access(address);
                }};
            }
            match op.code {
                C::Const => x[d] = op.imm as u32,
                C::Jal => {
                    x[d] = low.wrapping_add(index.wrapping_add(op.halfwords()) << 1);
                    jump!(index.wrapping_add((op.imm >> 1) as u32))
                }
                C::Jalr => {
                    let target = address & !1;
                    x[d] = low.wrapping_add(index.wrapping_add(op.halfwords()) << 1);
                    if target == STOP {
                        hook.run(first, index);
                        self.instructions += (budget as i64 - left) as u64;
                        return Ok(());
                    }
                    let offset = target.wrapping_sub(low);
                    if offset as usize >= ops.len() * 2 {
                        fault!(Fault::Jump { target })
                    }
                    jump!(offset >> 1)
                }
                C::Beq => branch!(a == b),
                C::Bne => branch!(a != b),
                C::Blt => branch!((a as i32) < b as i32),
                C::Bge => branch!(a as i32 >= b as i32),
                C::Bltu => branch!(a < b),
                C::Bgeu => branch!(a >= b),
                C::Lb => load!(load_u8, i8),
                C::Lh => load!(load_u16, i16),
                C::Lw => load!(load_u32, u32),
                C::Lbu => load!(load_u8, u8),
                C::Lhu => load!(load_u16, u16),
                C::Sb => store!(store_u8, u8),
                C::Sh => store!(store_u16, u16),
                C::Sw => store!(store_u32, u32),
                C::Addi => x[d] = address,
                C::Slti => x[d] = u32::from((a as i32) < op.imm),
                C::Sltiu => x[d] = u32::from(a < op.imm as u32),
                C::Xori => x[d] = a ^ op.imm as u32,
                C::Ori => x[d] = a | op.imm as u32,
                C::Andi => x[d] = a & op.imm as u32,
                C::Slli => x[d] = a << (op.imm & 31),
                C::Srli => x[d] = a >> (op.imm & 31),
                C::Srai => x[d] = (a as i32 >> (op.imm & 31)) as u32,
                C::Add => x[d] = a.wrapping_add(b),
                C::Sub => x[d] = a.wrapping_sub(b),
                C::Sll => x[d] = a << (b & 31),
                C::Slt => x[d] = u32::from((a as i32) < b as i32),
                C::Sltu => x[d] = u32::from(a < b),
                C::Xor => x[d] = a ^ b,
                C::Srl => x[d] = a >> (b & 31),
                C::Sra => x[d] = (a as i32 >> (b & 31)) as u32,
                C::Or => x[d] = a | b,
                C::And => x[d] = a & b,
                C::Mul => x[d] = a.wrapping_mul(b),
                C::Mulh => x[d] = ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32,
                C::Mulhsu => x[d] = ((i64::from(a as i32) * i64::from(b)) >> 32) as u32,
                C::Mulhu => x[d] = ((u64::from(a) * u64::from(b)) >> 32) as u32,
                C::Div | C::Divu | C::Rem | C::Remu => x[d] = divide(op, a, b),
                C::LrW => {
                    let value = tried!(memory.atomic_u32(a));
                    self.reserved = Some(a);
                    hook.access(a);
                    x[d] = value;
                }
                C::ScW => {
                    tried!(memory.atomic_u32(a));
                    let succeeds = self.reserved.take() == Some(a);
                    if succeeds {
                        tried!(memory.store_u32(a, b));
                    }
                    hook.access(a);
                    x[d] = u32::from(!succeeds);
                }
                C::AmoW => {
                    let old = tried!(memory.atomic_u32(a));
                    tried!(memory.store_u32(a, atomic::changed(op, old, b)));
                    hook.access(a);
                    x[d] = old;
                }
                C::Fence => {}
                C::Time => x[d] = self.time_us,
                C::Begin | C::End => {
                    left += 1;
                    hook.run(first, index);
                    hook.mark(op.code == C::Begin);
                    first = index + op.halfwords();
                }
                C::Lock => {
                    if self.held.contains(&a) {
                        fault!(Fault::LockedTwice { address: a })
                    }
                    self.held.push(a);
                    hook.lock(a);
                }
                C::Unlock => {
                    let Some(at) = self.held.iter().position(|&held| held == a) else {
                        fault!(Fault::NotLocked { address: a })
                    };
                    self.held.swap_remove(at);
                    hook.lock(a);
                }
                C::System => {
                    let pc = low.wrapping_add(index << 1);
                    match tried!(hook.system(op.imm as u32, pc, x)) {
                        System::Next => {}
                        System::Jump(target) => jump!(target.wrapping_sub(low) >> 1),
                        System::Exit => {
                            hook.run(first, index);
                            self.instructions += (budget as i64 - left) as u64;
                            return Ok(());
                        }
                    }
                }
                C::Illegal => fault!(Fault::Illegal { word: op.imm as u32 }),
            }
            index += op.halfwords();
        }
    }
}

/// Division as chapter 7 of the specification defines it: no traps.
#[inline(always)]
fn divide(op: Op, a: u32, b: u32) -> u32 {
    match op.code {
        Opcode::Divu => a.checked_div(b).unwrap_or(u32::MAX),
        Opcode::Remu => a.checked_rem(b).unwrap_or(a),
        Opcode::Div if b == 0 => u32::MAX,
        Opcode::Div => (a as i32).wrapping_div(b as i32) as u32,
        _ if b == 0 => a,
        _ => (a as i32).wrapping_rem(b as i32) as u32,
    }
}
