//! The executor: executes one operation after another; hooks that do nothing cost nothing.

use crate::code::{CMPXCHG, Code, FETCH, Kind, Op, XCHG};
use crate::error::Fault;
use crate::helpers;
use crate::hook::{Access, AccessKind, At, Hook, Watch};
use crate::memory::{CONTEXT, Doing, STACK, STACK_BYTES};
use crate::world::{MOST_FRAMES, World};
use std::slice;

/// The value of unwritten registers. Only operations that may read one test for it, so that no program can
/// compute it by chance.
pub(crate) const UNWRITTEN: u64 = 0xdead_beef_0bad_f00d;
const TAIL_CALL: u32 = 12;
/// Most consecutive tail calls, as in the kernel.
const MOST_TAIL_CALLS: u32 = 33;
/// Number of the frame pointer.
const FRAME: usize = 10;

/// The return address of a function, and the saved registers of its caller.
#[derive(Clone, Copy, Debug)]
struct Frame {
    back: u32,
    kept: [u64; 4],
}

/// Registers and calls of the present packet, kept between packets only because creating them takes time.
#[derive(Clone, Debug)]
pub(crate) struct Processor {
    /// One for each value of a byte, so that no index needs a check; programs have eleven.
    registers: Box<[u64; 256]>,
    frames: [Frame; MOST_FRAMES],
}

impl Default for Processor {
    fn default() -> Self {
        let frame = Frame { back: 0, kept: [0; 4] };
        Self { registers: Box::new([UNWRITTEN; 256]), frames: [frame; MOST_FRAMES] }
    }
}

/// A fault and its operation.
pub(crate) type Failed = (Fault, u32);

/// The end of an execution.
pub(crate) struct Ended {
    /// The value of r0, or the fault and its operation.
    pub result: Result<u64, Box<Failed>>,
    /// Instructions executed.
    pub instructions: u64,
}

/// Executes from an operation until the program ends.
pub(crate) fn execute<H: Hook>(
    code: &Code,
    world: &mut World,
    processor: &mut Processor,
    hook: &mut H,
    entry: u32,
    budget: u64,
) -> Ended {
    begin(&mut processor.registers, CONTEXT.address(0, 0), STACK.address(0, STACK_BYTES));
    let mut instructions = 0;
    let result = run(code, world, processor, hook, entry, budget, &mut instructions);
    Ended { result, instructions }
}

/// Prepares the registers for the first operation of a program.
#[inline(always)]
fn begin(x: &mut [u64; 256], context: u64, frame: u64) {
    x[..FRAME].fill(UNWRITTEN);
    (x[1], x[FRAME]) = (context, frame);
}

#[inline(always)]
fn run<H: Hook>(
    code: &Code,
    world: &mut World,
    processor: &mut Processor,
    hook: &mut H,
    entry: u32,
    budget: u64,
    instructions: &mut u64,
) -> Result<u64, Box<Failed>> {
    use Kind as K;
    let ops = code.ops.as_slice();
    let Processor { registers: x, frames } = processor;
    let x = &mut **x;
    let (mut depth, mut tail_calls) = (0, 0);
    let mut index = entry as usize;
    // Instructions executed before the present run of code, less the index of its first operation: it changes only
    // where a run ends.
    let mut before = 0u64.wrapping_sub(entry.into());

    hook.begins(entry);
    'run: loop {
        // Stepping through a slice takes fewer instructions than finding the operation of an index each time. The index
        // is counted nevertheless: computed from the slice, it would be computed for each operation.
        let mut next = ops.get(index..).unwrap_or_default().iter();
        macro_rules! executed {
            () => {
                before.wrapping_add(index as u64 + 1)
            };
        }
        macro_rules! at {
            () => {
                At { index: index as u32, executed: executed!() }
            };
        }
        macro_rules! fault {
            ($fault:expr) => {{
                let fault = $fault;
                *instructions = executed!();
                return Err(failed(fault, index as u32));
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
            // Ends the run at the current operation and continues at an index.
            macro_rules! jump {
                ($to:expr) => {{
                    hook.leaves(index as u32);
                    let (done, to) = (executed!(), $to as u32);
                    if done > budget {
                        fault!(Fault::Runaway { budget })
                    }
                    before = done.wrapping_sub(to.into());
                    index = to as usize;
                    continue 'run;
                }};
            }
            // A reference: a copy would go through memory before it can be read.
            let Some(op) = next.next() else {
                match ops.get(index) {
                    // The operation behind a guarded one.
                    Some(_) => continue 'run,
                    None => fault!(Fault::NoExit),
                }
            };
            macro_rules! alu {
                ($with:expr, |$a:ident, $b:ident| $made:expr) => {{
                    let ($a, $b) = (x[op.d()], $with as u64);
                    x[op.d()] = $made;
                }};
            }
            macro_rules! word {
                ($with:expr, |$a:ident, $b:ident| $made:expr) => {{
                    let ($a, $b) = (x[op.d()] as u32, $with as u32);
                    x[op.d()] = u64::from($made);
                }};
            }
            macro_rules! branch {
                ($taken:expr) => {
                    if $taken {
                        jump!(op.to)
                    }
                };
            }
            // Taken if one of the bits is set.
            macro_rules! branch_on {
                ($bits:expr) => {{
                    let bits: u64 = $bits;
                    if bits != 0 {
                        if bits as u32 == 0 {
                            hook.upper_half(index as u32);
                        }
                        jump!(op.to)
                    }
                }};
            }
            macro_rules! accessed {
                ($kind:expr, $traced:expr, $bytes:expr) => {
                    if H::ACCESSES {
                        let (region, address) = $traced;
                        let access = Access { region, kind: $kind, bytes: $bytes as u32, address };
                        hook.access(at!(), access);
                    }
                };
            }
            macro_rules! load {
                ($type:ty, |$value:ident| $as:expr) => {{
                    const BYTES: usize = size_of::<$type>();
                    let address = x[op.s()].wrapping_add_signed(op.to.into());
                    let Some((bytes, traced)) = world.memory.load::<BYTES>(address) else {
                        fault!(world.memory.fault(Doing::Read, address, BYTES as u64))
                    };
                    accessed!(AccessKind::Read, traced, BYTES);
                    let $value = <$type>::from_le_bytes(bytes);
                    x[op.d()] = $as;
                }};
            }
            macro_rules! store {
                ($type:ty, $value:expr) => {{
                    const BYTES: usize = size_of::<$type>();
                    let address = x[op.d()].wrapping_add_signed(op.to.into());
                    let value = ($value as $type).to_le_bytes();
                    let Some(traced) = world.memory.store::<BYTES>(address, value) else {
                        fault!(world.memory.fault(Doing::Write, address, BYTES as u64))
                    };
                    accessed!(AccessKind::Write, traced, BYTES);
                }};
            }
            macro_rules! atomic {
                ($type:ty) => {{
                    const BYTES: usize = size_of::<$type>();
                    let address = x[op.d()].wrapping_add_signed(op.to.into());
                    tried!(world.memory.atomic(address, BYTES as u64));
                    let Some((bytes, _)) = world.memory.load::<BYTES>(address) else {
                        fault!(world.memory.fault(Doing::Atomic, address, BYTES as u64))
                    };
                    let old = <$type>::from_le_bytes(bytes);
                    let with = x[op.s()] as $type;
                    let new = match op.imm & !FETCH {
                        0x00 => old.wrapping_add(with),
                        0x40 => old | with,
                        0x50 => old & with,
                        0xa0 => old ^ with,
                        _ if op.imm == XCHG => with,
                        // Compare and exchange.
                        _ => {
                            if old == x[0] as $type {
                                with
                            } else {
                                old
                            }
                        }
                    };
                    let Some(traced) = world.memory.store::<BYTES>(address, new.to_le_bytes()) else {
                        fault!(world.memory.fault(Doing::Atomic, address, BYTES as u64))
                    };
                    accessed!(AccessKind::Atomic, traced, BYTES);
                    if op.imm == CMPXCHG {
                        x[0] = u64::from(old);
                    } else if op.imm & FETCH != 0 {
                        x[op.s()] = u64::from(old);
                    }
                }};
            }
            match op.kind {
                K::AddI => alu!(op.imm, |a, b| a.wrapping_add(b)),
                K::AddR => alu!(x[op.s()], |a, b| a.wrapping_add(b)),
                K::SubI => alu!(op.imm, |a, b| a.wrapping_sub(b)),
                K::SubR => alu!(x[op.s()], |a, b| a.wrapping_sub(b)),
                K::MulI => alu!(op.imm, |a, b| a.wrapping_mul(b)),
                K::MulR => alu!(x[op.s()], |a, b| a.wrapping_mul(b)),
                K::DivI => alu!(op.imm, |a, b| a.checked_div(b).unwrap_or(0)),
                K::DivR => alu!(x[op.s()], |a, b| a.checked_div(b).unwrap_or(0)),
                K::OrI => alu!(op.imm, |a, b| a | b),
                K::OrR => alu!(x[op.s()], |a, b| a | b),
                K::AndI => alu!(op.imm, |a, b| a & b),
                K::AndR => alu!(x[op.s()], |a, b| a & b),
                K::LshI => alu!(op.imm, |a, b| a << (b & 63)),
                K::LshR => alu!(x[op.s()], |a, b| a << (b & 63)),
                K::RshI => alu!(op.imm, |a, b| a >> (b & 63)),
                K::RshR => alu!(x[op.s()], |a, b| a >> (b & 63)),
                K::ModI => alu!(op.imm, |a, b| a.checked_rem(b).unwrap_or(a)),
                K::ModR => alu!(x[op.s()], |a, b| a.checked_rem(b).unwrap_or(a)),
                K::XorI => alu!(op.imm, |a, b| a ^ b),
                K::XorR => alu!(x[op.s()], |a, b| a ^ b),
                K::MovI | K::Const => x[op.d()] = op.imm as u64,
                K::MovR => x[op.d()] = x[op.s()],
                K::ArshI => alu!(op.imm, |a, b| (a as i64 >> (b & 63)) as u64),
                K::ArshR => alu!(x[op.s()], |a, b| (a as i64 >> (b & 63)) as u64),
                K::SdivI => alu!(op.imm, |a, b| signed_divide(a, b)),
                K::SdivR => alu!(x[op.s()], |a, b| signed_divide(a, b)),
                K::SmodI => alu!(op.imm, |a, b| signed_remainder(a, b)),
                K::SmodR => alu!(x[op.s()], |a, b| signed_remainder(a, b)),
                K::Neg => x[op.d()] = x[op.d()].wrapping_neg(),
                K::AddWI => word!(op.imm, |a, b| a.wrapping_add(b)),
                K::AddWR => word!(x[op.s()], |a, b| a.wrapping_add(b)),
                K::SubWI => word!(op.imm, |a, b| a.wrapping_sub(b)),
                K::SubWR => word!(x[op.s()], |a, b| a.wrapping_sub(b)),
                K::MulWI => word!(op.imm, |a, b| a.wrapping_mul(b)),
                K::MulWR => word!(x[op.s()], |a, b| a.wrapping_mul(b)),
                K::DivWI => word!(op.imm, |a, b| a.checked_div(b).unwrap_or(0)),
                K::DivWR => word!(x[op.s()], |a, b| a.checked_div(b).unwrap_or(0)),
                K::OrWI => word!(op.imm, |a, b| a | b),
                K::OrWR => word!(x[op.s()], |a, b| a | b),
                K::AndWI => word!(op.imm, |a, b| a & b),
                K::AndWR => word!(x[op.s()], |a, b| a & b),
                K::LshWI => word!(op.imm, |a, b| a << (b & 31)),
                K::LshWR => word!(x[op.s()], |a, b| a << (b & 31)),
                K::RshWI => word!(op.imm, |a, b| a >> (b & 31)),
                K::RshWR => word!(x[op.s()], |a, b| a >> (b & 31)),
                K::ModWI => word!(op.imm, |a, b| a.checked_rem(b).unwrap_or(a)),
                K::ModWR => word!(x[op.s()], |a, b| a.checked_rem(b).unwrap_or(a)),
                K::XorWI => word!(op.imm, |a, b| a ^ b),
                K::XorWR => word!(x[op.s()], |a, b| a ^ b),
                K::MovWI => x[op.d()] = u64::from(op.imm as u32),
                K::MovWR => x[op.d()] = u64::from(x[op.s()] as u32),
                K::ArshWI => word!(op.imm, |a, b| (a as i32 >> (b & 31)) as u32),
                K::ArshWR => word!(x[op.s()], |a, b| (a as i32 >> (b & 31)) as u32),
                K::SdivWI => word!(op.imm, |a, b| signed_divide_word(a, b)),
                K::SdivWR => word!(x[op.s()], |a, b| signed_divide_word(a, b)),
                K::SmodWI => word!(op.imm, |a, b| signed_remainder_word(a, b)),
                K::SmodWR => word!(x[op.s()], |a, b| signed_remainder_word(a, b)),
                K::NegW => x[op.d()] = u64::from((x[op.d()] as u32).wrapping_neg()),
                K::MovS8 => x[op.d()] = x[op.s()] as i8 as u64,
                K::MovS16 => x[op.d()] = x[op.s()] as i16 as u64,
                K::MovS32 => x[op.d()] = x[op.s()] as i32 as u64,
                K::MovSW8 => x[op.d()] = u64::from(x[op.s()] as i8 as u32),
                K::MovSW16 => x[op.d()] = u64::from(x[op.s()] as i16 as u32),
                K::Le16 => x[op.d()] &= 0xffff,
                K::Le32 => x[op.d()] &= 0xffff_ffff,
                K::Le64 => {}
                K::Be16 | K::Swap16 => x[op.d()] = u64::from((x[op.d()] as u16).swap_bytes()),
                K::Be32 | K::Swap32 => x[op.d()] = u64::from((x[op.d()] as u32).swap_bytes()),
                K::Be64 | K::Swap64 => x[op.d()] = x[op.d()].swap_bytes(),
                K::Ja => jump!(op.to),
                K::JeqI => branch!(x[op.d()] == op.imm as u64),
                K::JeqR => branch!(x[op.d()] == x[op.s()]),
                K::JneI => branch_on!(x[op.d()] ^ op.imm as u64),
                K::JneR => branch_on!(x[op.d()] ^ x[op.s()]),
                K::JgtI => branch!(x[op.d()] > op.imm as u64),
                K::JgtR => branch!(x[op.d()] > x[op.s()]),
                K::JgeI => branch!(x[op.d()] >= op.imm as u64),
                K::JgeR => branch!(x[op.d()] >= x[op.s()]),
                K::JltI => branch!(x[op.d()] < op.imm as u64),
                K::JltR => branch!(x[op.d()] < x[op.s()]),
                K::JleI => branch!(x[op.d()] <= op.imm as u64),
                K::JleR => branch!(x[op.d()] <= x[op.s()]),
                K::JsetI => branch_on!(x[op.d()] & op.imm as u64),
                K::JsetR => branch_on!(x[op.d()] & x[op.s()]),
                K::JsgtI => branch!(x[op.d()] as i64 > op.imm),
                K::JsgtR => branch!(x[op.d()] as i64 > x[op.s()] as i64),
                K::JsgeI => branch!(x[op.d()] as i64 >= op.imm),
                K::JsgeR => branch!(x[op.d()] as i64 >= x[op.s()] as i64),
                K::JsltI => branch!((x[op.d()] as i64) < op.imm),
                K::JsltR => branch!((x[op.d()] as i64) < x[op.s()] as i64),
                K::JsleI => branch!(x[op.d()] as i64 <= op.imm),
                K::JsleR => branch!(x[op.d()] as i64 <= x[op.s()] as i64),
                K::JeqWI => branch!(x[op.d()] as u32 == op.imm as u32),
                K::JeqWR => branch!(x[op.d()] as u32 == x[op.s()] as u32),
                K::JneWI => branch!(x[op.d()] as u32 != op.imm as u32),
                K::JneWR => branch!(x[op.d()] as u32 != x[op.s()] as u32),
                K::JgtWI => branch!(x[op.d()] as u32 > op.imm as u32),
                K::JgtWR => branch!(x[op.d()] as u32 > x[op.s()] as u32),
                K::JgeWI => branch!(x[op.d()] as u32 >= op.imm as u32),
                K::JgeWR => branch!(x[op.d()] as u32 >= x[op.s()] as u32),
                K::JltWI => branch!((x[op.d()] as u32) < op.imm as u32),
                K::JltWR => branch!((x[op.d()] as u32) < x[op.s()] as u32),
                K::JleWI => branch!(x[op.d()] as u32 <= op.imm as u32),
                K::JleWR => branch!(x[op.d()] as u32 <= x[op.s()] as u32),
                K::JsetWI => branch!(x[op.d()] as u32 & op.imm as u32 != 0),
                K::JsetWR => branch!(x[op.d()] as u32 & x[op.s()] as u32 != 0),
                K::JsgtWI => branch!(x[op.d()] as i32 > op.imm as i32),
                K::JsgtWR => branch!(x[op.d()] as i32 > x[op.s()] as i32),
                K::JsgeWI => branch!(x[op.d()] as i32 >= op.imm as i32),
                K::JsgeWR => branch!(x[op.d()] as i32 >= x[op.s()] as i32),
                K::JsltWI => branch!((x[op.d()] as i32) < op.imm as i32),
                K::JsltWR => branch!((x[op.d()] as i32) < x[op.s()] as i32),
                K::JsleWI => branch!(x[op.d()] as i32 <= op.imm as i32),
                K::JsleWR => branch!(x[op.d()] as i32 <= x[op.s()] as i32),
                K::Ld1 => load!(u8, |value| u64::from(value)),
                K::Ld2 => load!(u16, |value| u64::from(value)),
                K::Ld4 => load!(u32, |value| u64::from(value)),
                K::Ld8 => load!(u64, |value| value),
                K::Lds1 => load!(i8, |value| value as u64),
                K::Lds2 => load!(i16, |value| value as u64),
                K::Lds4 => load!(i32, |value| value as u64),
                K::St1 => store!(u8, op.imm),
                K::St2 => store!(u16, op.imm),
                K::St4 => store!(u32, op.imm),
                K::St8 => store!(u64, op.imm),
                K::Stx1 => store!(u8, x[op.s()]),
                K::Stx2 => store!(u16, x[op.s()]),
                K::Stx4 => store!(u32, x[op.s()]),
                K::Stx8 => store!(u64, x[op.s()]),
                K::Atomic4 => atomic!(u32),
                K::Atomic8 => atomic!(u64),
                K::Helper => {
                    let at = at!();
                    hook.helper(at, op.imm as u32);
                    let mut watch = Watch { hook: &mut *hook, at };
                    let number = op.imm as u32;
                    // Most programs call this helper most often.
                    let found = match number {
                        helpers::MAP_LOOKUP => helpers::lookup(world, x[1], x[2], &mut watch),
                        _ => None,
                    };
                    x[0] = match found {
                        Some(found) => found,
                        None if number == TAIL_CALL => {
                            let Some(map) = world.map(x[2]) else {
                                let helper = "bpf_tail_call";
                                let found = format!("{:#x}", x[2]);
                                fault!(Fault::Argument {
                                    helper,
                                    argument: 2,
                                    found,
                                    expected: "a PROG_ARRAY"
                                })
                            };
                            let target = world.maps[map].target(&world.memory, x[3] as u32, &mut watch);
                            if let Some(to) = target.filter(|_| tail_calls < MOST_TAIL_CALLS) {
                                tail_calls += 1;
                                let (context, frame) = (x[1], x[FRAME]);
                                begin(x, context, frame);
                                hook.begins(to);
                                jump!(to)
                            }
                            helpers::failed(crate::maps::errno::ENOENT)
                        }
                        None => {
                            let (arguments, _) = x[1..].split_first_chunk().unwrap_or((&[0; 5], &[]));
                            tried!(helpers::call(world, number, arguments, &mut watch))
                        }
                    };
                    x[1..6].fill(UNWRITTEN);
                }
                K::Call => {
                    if depth + 1 == MOST_FRAMES {
                        fault!(Fault::TooDeep { most: MOST_FRAMES })
                    }
                    frames[depth] = Frame { back: index as u32 + 1, kept: [x[6], x[7], x[8], x[9]] };
                    depth += 1;
                    world.deepest = world.deepest.max(depth);
                    x[0] = UNWRITTEN;
                    x[6..10].fill(UNWRITTEN);
                    x[FRAME] = STACK.address(depth as u64, STACK_BYTES);
                    jump!(op.to)
                }
                K::Exit => {
                    if depth == 0 {
                        hook.leaves(index as u32);
                        *instructions = executed!();
                        if x[0] == UNWRITTEN {
                            return Err(failed(Fault::Uninitialised { register: 0 }, index as u32));
                        }
                        return Ok(x[0]);
                    }
                    depth -= 1;
                    let frame = frames[depth];
                    x[1..6].fill(UNWRITTEN);
                    x[6..10].copy_from_slice(&frame.kept);
                    x[FRAME] = STACK.address(depth as u64, STACK_BYTES);
                    hook.begins(frame.back);
                    jump!(frame.back)
                }
                K::Guarded => {
                    let op = code.original_at(index as u32);
                    if let Some(register) = unwritten(op, x) {
                        fault!(Fault::Uninitialised { register })
                    }
                    next = slice::from_ref(op).iter();
                    continue;
                }
                K::Illegal => {
                    let problem = code.problem(index as u32).unwrap_or("no instruction").to_owned();
                    fault!(Fault::Unsupported(problem))
                }
                K::End => fault!(Fault::NoExit),
            }
            index += 1;
        }
    }
}

/// Faults are large, so results contain only their address.
#[cold]
#[inline(never)]
fn failed(fault: Fault, index: u32) -> Box<Failed> {
    Box::new((fault, index))
}

/// A register that an operation reads before any write.
#[cold]
fn unwritten(op: &Op, x: &[u64; 256]) -> Option<u8> {
    let reads = reads(*op);
    (0..=FRAME as u8).find(|&register| reads >> register & 1 == 1 && x[usize::from(register)] == UNWRITTEN)
}

/// Registers that an operation reads, the arguments of helpers among them.
pub(crate) fn reads(op: Op) -> u16 {
    match op.kind {
        Kind::Helper => {
            let arguments = helpers::arguments(op.imm as u32);
            (1 << (arguments + 1)) - 2
        }
        // Only the program's own result counts, and that is read when the program ends.
        Kind::Exit => 0,
        _ => op.reads(),
    }
}

fn signed_divide(a: u64, b: u64) -> u64 {
    if b == 0 { 0 } else { (a as i64).wrapping_div(b as i64) as u64 }
}

fn signed_remainder(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { (a as i64).wrapping_rem(b as i64) as u64 }
}

fn signed_divide_word(a: u32, b: u32) -> u32 {
    if b == 0 { 0 } else { (a as i32).wrapping_div(b as i32) as u32 }
}

fn signed_remainder_word(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { (a as i32).wrapping_rem(b as i32) as u32 }
}
