//! The executor: executes one instruction after another; hooks that do nothing cost nothing.

use crate::atomic;
use crate::code::Code;
use crate::decode::Opcode;
use crate::error::Fault;
use crate::memory::Memory;
use crate::word::{Width, Word};

/// Return address of a function that the simulator called: even, and outside of all code.
pub const STOP: u32 = 0xffff_fffe;
/// Return address of a watched function.
pub const WATCHED: u32 = STOP - 2;
/// Number of the return-address register.
pub const RA: usize = 1;
/// Number of the stack-pointer register.
pub const SP: usize = 2;
/// Number of the first argument and result.
pub const A0: usize = 10;

/// Size of the register array: any byte is a valid index, so that no bounds check is needed.
pub const REGISTERS: usize = 256;

/// Observes an execution. Every default does nothing and is compiled away.
pub trait Hook {
    /// The consecutive instructions from index `first` to index `last` were executed; a jump, a mark or the end
    /// follows.
    #[inline(always)]
    fn run(&mut self, first: u32, last: u32) {
        let _ = (first, last);
    }

    /// A load, a store (also one that failed, without a reservation), or an atomic instruction.
    #[inline(always)]
    fn access(&mut self, address: u32) {
        let _ = address;
    }

    /// A lock is acquired or released.
    #[inline(always)]
    fn lock(&mut self, address: u32) {
        let _ = address;
    }

    /// The mark that the traced part begins (`true`) or ends.
    #[inline(always)]
    fn mark(&mut self, begins: bool) {
        let _ = begins;
    }

    /// Handles a system instruction.
    ///
    /// # Errors
    ///
    /// The default returns a fault: a packet program has no operating system.
    fn system<W: Word>(
        &mut self,
        word: u32,
        pc: u32,
        registers: &mut [W; REGISTERS],
    ) -> Result<System, Fault> {
        let _ = (pc, registers);
        Err(Fault::System { word })
    }
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Hook for Silent {}

/// The continuation after a system instruction.
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
pub struct Cpu<W> {
    /// `x0` to `x31`, the sink of writes to `x0`, and padding.
    pub registers: [W; REGISTERS],
    /// Instructions executed, without packet marks.
    pub instructions: u64,
    /// The value of the time mark.
    pub time_us: u32,
    /// Locks held.
    pub held: Vec<u32>,
    /// Address that the last `lr` reserved, until an `sc`.
    pub reserved: Option<W>,
}

impl<W: Word> Default for Cpu<W> {
    fn default() -> Self {
        Self {
            registers: [W::default(); REGISTERS],
            instructions: 0,
            time_us: 0,
            held: Vec::new(),
            reserved: None,
        }
    }
}

/// A fault and the index of its instruction.
pub type Faulted = (Fault, u32);

impl<W: Word> Cpu<W> {
    /// Executes from address `pc` until the program returns to [`STOP`] or exits, or until `budget` more
    /// instructions were executed (tested at taken jumps).
    ///
    /// # Errors
    ///
    /// The fault, and the index of the instruction in `code`.
    pub fn run<H: Hook>(
        &mut self,
        code: &Code,
        memory: &mut Memory,
        hook: &mut H,
        pc: u32,
        budget: u64,
    ) -> Result<(), Faulted> {
        use Opcode as C;
        let Self { registers: x, instructions, time_us, held, reserved } = self;
        let wide = W::WIDTH == Width::Rv64;
        let ops = code.ops.as_slice();
        let low = code.low;
        let mut index = (pc.wrapping_sub(low) >> 1) as usize;
        // Instructions are counted per run: the rest of the budget is the limit plus the code behind the present
        // instruction.
        let rest = code.rest();
        let behind = |index: usize| i64::from(rest.get(index).copied().unwrap_or(0));
        let mut limit = budget as i64 - behind(index);

        'runs: loop {
            // The first of consecutive instructions changes only here. The loop over them would otherwise move it
            // between registers and the stack for each instruction.
            let first = index as u32;
            loop {
                macro_rules! pc {
                    () => {
                        low.wrapping_add((index as u32) << 1)
                    };
                }
                let Some(&op) = ops.get(index) else {
                    *instructions += (budget as i64 - limit) as u64;
                    return Err((Fault::Jump { target: pc!().into() }, index as u32));
                };
                macro_rules! left {
                    () => {
                        limit + i64::from(rest[index]) - 1
                    };
                }
                // Ends the run at the present instruction and continues at an index.
                macro_rules! jump {
                    ($to:expr) => {{
                        hook.run(first, index as u32);
                        let left = left!();
                        index = $to as usize;
                        if left < 0 {
                            *instructions += (budget as i64 - left) as u64;
                            return Err((Fault::Runaway { budget }, index as u32));
                        }
                        limit = left - behind(index);
                        continue 'runs;
                    }};
                }
                macro_rules! end {
                    ($result:expr) => {{
                        *instructions += (budget as i64 - left!()) as u64;
                        return $result;
                    }};
                }
                macro_rules! fault {
                    ($fault:expr) => {
                        end!(Err(($fault, index as u32)))
                    };
                }
                macro_rules! tried {
                    ($result:expr) => {
                        match $result {
                            Ok(value) => value,
                            Err(fault) => fault!(fault),
                        }
                    };
                }
                let a = x[usize::from(op.rs1)];
                let d = usize::from(op.rd);
                let imm = W::signed(op.imm);
                // Half of all instructions need neither the second operand nor the address, and this code executes
                // for every instruction.
                macro_rules! b {
                    () => {
                        x[usize::from(op.rs2())]
                    };
                }
                macro_rules! address {
                    () => {
                        a.plus(imm)
                    };
                }
                macro_rules! branch {
                    ($taken:expr) => {
                        if $taken {
                            jump!((index as u32).wrapping_add((op.imm >> 1) as u32))
                        }
                    };
                }
                macro_rules! load {
                    ($load:ident, $signed:ty) => {{
                        let (value, at) = tried!(memory.$load(address!()));
                        hook.access(at);
                        x[d] = W::signed(value as $signed as i32);
                    }};
                }
                macro_rules! store {
                    ($store:ident, $as:ty) => {{
                        let at = tried!(memory.$store(address!(), b!().low() as $as));
                        hook.access(at);
                    }};
                }
                macro_rules! mark {
                    ($begins:expr) => {{
                        hook.run(first, index as u32);
                        hook.mark($begins);
                        index += op.halfwords() as usize;
                        continue 'runs;
                    }};
                }
                // Operations of RV64 on the lowest 32 bits.
                macro_rules! on_low {
                    ($what:ident, $other:expr) => {
                        x[d] = W::signed(Word::$what(a.low(), $other) as i32)
                    };
                }
                macro_rules! reserve {
                    ($load:ident, $signed:ty) => {{
                        tried!(memory.check_atomic(a, size_of::<$signed>()));
                        let (value, at) = tried!(memory.$load(a));
                        *reserved = Some(a);
                        hook.access(at);
                        x[d] = W::cut(value as $signed as i64 as u64);
                    }};
                }
                macro_rules! conditional {
                    ($store:ident, $as:ty) => {{
                        tried!(memory.check_atomic(a, size_of::<$as>()));
                        let succeeds = reserved.take() == Some(a);
                        if succeeds {
                            tried!(memory.$store(a, Into::<u64>::into(b!()) as $as));
                        }
                        hook.access(memory.kept_at(a.low()));
                        x[d] = W::unsigned(u32::from(!succeeds));
                    }};
                }
                macro_rules! atomic {
                    ($load:ident, $store:ident, $as:ty, $signed:ty) => {{
                        tried!(memory.check_atomic(a, size_of::<$as>()));
                        let (old, at) = tried!(memory.$load(a));
                        tried!(memory.$store(a, atomic::changed(op, old, Into::<u64>::into(b!()) as $as)));
                        hook.access(at);
                        x[d] = W::cut(old as $signed as i64 as u64);
                    }};
                }
                match op.code {
                    C::Const => x[d] = imm,
                    C::Auipc if wide => x[d] = W::unsigned(pc!()).plus(imm),
                    C::Jal => {
                        x[d] = W::unsigned(pc!().wrapping_add(op.halfwords() << 1));
                        jump!((index as u32).wrapping_add((op.imm >> 1) as u32))
                    }
                    C::Jalr => {
                        let target = address!() & W::signed(!1);
                        x[d] = W::unsigned(pc!().wrapping_add(op.halfwords() << 1));
                        if target == W::unsigned(STOP) {
                            hook.run(first, index as u32);
                            end!(Ok(()))
                        }
                        let offset = target.offset(low);
                        if offset >= ops.len() * 2 {
                            if target == W::unsigned(WATCHED) {
                                hook.run(first, index as u32);
                                fault!(Fault::Returned)
                            }
                            fault!(Fault::Jump { target: target.into() })
                        }
                        jump!((offset >> 1) as u32)
                    }
                    C::Beq => branch!(a == b!()),
                    C::Bne => branch!(a != b!()),
                    C::Blt => branch!(a.is_below(b!())),
                    C::Bge => branch!(!a.is_below(b!())),
                    C::Bltu => branch!(a < b!()),
                    C::Bgeu => branch!(a >= b!()),
                    C::Lb => load!(load_u8, i8),
                    C::Lh => load!(load_u16, i16),
                    C::Lw => load!(load_u32, i32),
                    C::Lbu => load!(load_u8, u8),
                    C::Lhu => load!(load_u16, u16),
                    C::Sb => store!(store_u8, u8),
                    C::Sh => store!(store_u16, u16),
                    C::Sw => store!(store_u32, u32),
                    C::Lwu if wide => {
                        let (value, at) = tried!(memory.load_u32(address!()));
                        hook.access(at);
                        x[d] = W::unsigned(value);
                    }
                    C::Ld if wide => {
                        let (value, at) = tried!(memory.load_u64(address!()));
                        hook.access(at);
                        x[d] = W::cut(value);
                    }
                    C::Sd if wide => {
                        let at = tried!(memory.store_u64(address!(), b!().into()));
                        hook.access(at);
                    }
                    C::Addi => x[d] = address!(),
                    C::Slti => x[d] = W::unsigned(u32::from(a.is_below(imm))),
                    C::Sltiu => x[d] = W::unsigned(u32::from(a < imm)),
                    C::Xori => x[d] = a ^ imm,
                    C::Ori => x[d] = a | imm,
                    C::Andi => x[d] = a & imm,
                    C::Slli => x[d] = a.left(op.imm as u32),
                    C::Srli => x[d] = a.right(op.imm as u32),
                    C::Srai => x[d] = a.signed_right(op.imm as u32),
                    C::Add => x[d] = a.plus(b!()),
                    C::Sub => x[d] = a.minus(b!()),
                    C::Sll => x[d] = a.left(b!().low()),
                    C::Slt => x[d] = W::unsigned(u32::from(a.is_below(b!()))),
                    C::Sltu => x[d] = W::unsigned(u32::from(a < b!())),
                    C::Xor => x[d] = a ^ b!(),
                    C::Srl => x[d] = a.right(b!().low()),
                    C::Sra => x[d] = a.signed_right(b!().low()),
                    C::Or => x[d] = a | b!(),
                    C::And => x[d] = a & b!(),
                    C::Mul => x[d] = a.times(b!()),
                    C::Mulh => x[d] = a.high_signed(b!()),
                    C::Mulhsu => x[d] = a.high_mixed(b!()),
                    C::Mulhu => x[d] = a.high_unsigned(b!()),
                    C::Div => x[d] = a.quotient(b!()),
                    C::Divu => x[d] = a.unsigned_quotient(b!()),
                    C::Rem => x[d] = a.remainder(b!()),
                    C::Remu => x[d] = a.unsigned_remainder(b!()),
                    C::Addiw if wide => on_low!(plus, op.imm as u32),
                    C::Slliw if wide => on_low!(left, op.imm as u32),
                    C::Srliw if wide => on_low!(right, op.imm as u32),
                    C::Sraiw if wide => on_low!(signed_right, op.imm as u32),
                    C::Addw if wide => on_low!(plus, b!().low()),
                    C::Subw if wide => on_low!(minus, b!().low()),
                    C::Sllw if wide => on_low!(left, b!().low()),
                    C::Srlw if wide => on_low!(right, b!().low()),
                    C::Sraw if wide => on_low!(signed_right, b!().low()),
                    C::Mulw if wide => on_low!(times, b!().low()),
                    C::Divw if wide => on_low!(quotient, b!().low()),
                    C::Divuw if wide => on_low!(unsigned_quotient, b!().low()),
                    C::Remw if wide => on_low!(remainder, b!().low()),
                    C::Remuw if wide => on_low!(unsigned_remainder, b!().low()),
                    C::LrW => reserve!(load_u32, i32),
                    C::ScW => conditional!(store_u32, u32),
                    C::AmoW => atomic!(load_u32, store_u32, u32, i32),
                    C::LrD if wide => reserve!(load_u64, i64),
                    C::ScD if wide => conditional!(store_u64, u64),
                    C::AmoD if wide => atomic!(load_u64, store_u64, u64, i64),
                    C::Fence => {}
                    C::Time => x[d] = W::unsigned(*time_us),
                    C::Watched => {
                        // The watched instruction was not executed.
                        *instructions += (budget as i64 - left!() - 1) as u64;
                        return Err((Fault::Called, index as u32));
                    }
                    C::Begin => mark!(true),
                    C::End => mark!(false),
                    C::Lock => {
                        let lock = a.low();
                        if held.contains(&lock) {
                            fault!(Fault::LockedTwice { address: lock })
                        }
                        held.push(lock);
                        hook.lock(memory.kept_at(lock));
                    }
                    C::Unlock => {
                        let lock = a.low();
                        let Some(at) = held.iter().position(|&held| held == lock) else {
                            fault!(Fault::NotLocked { address: lock })
                        };
                        held.swap_remove(at);
                        hook.lock(memory.kept_at(lock));
                    }
                    C::System => {
                        let pc = pc!();
                        match tried!(hook.system(op.imm as u32, pc, x)) {
                            System::Next => {}
                            System::Jump(target) => jump!(target.wrapping_sub(low) >> 1),
                            System::Exit => {
                                hook.run(first, index as u32);
                                end!(Ok(()))
                            }
                        }
                    }
                    _ => fault!(Fault::Illegal { word: op.imm as u32 }),
                }
                index += op.halfwords() as usize;
            }
        }
    }
}
