//! Results according to RFC 9669 for which `rbpf` has none or others, worked out by hand from the text.

use crate::kit;

use kit::{constant, exit, machine, slot};
use linecard_ebpf::{Access, AccessKind, Arrival, Event, Machine, Recorder, STACK, Silent, Slot};

/// Returns all 64 bits of r0 after a calculation: a program returns one half, and another the other half.
fn result(slots: &[Slot]) -> u64 {
    let half = |shift: i32| {
        let mut all = slots.to_vec();
        all.extend([slot(0x77, 0, 0, 0, shift), exit()]);
        let mut machine = machine(&all).expect("a program");
        machine.packet(&[0; 64], Arrival::default(), &mut Silent).expect("no fault").returned
    };
    u64::from(half(32)) << 32 | u64::from(half(0))
}

/// Checks one operation on r0 with r1 or an immediate.
fn check(opcode: u8, offset: i16, imm: i32, r0: u64, r1: u64, expected: u64) {
    let mut slots = Vec::from(constant(0, r0));
    slots.extend(constant(1, r1));
    let src = u8::from(opcode & 8 != 0 && opcode & 0xf0 != 0xd0);
    slots.push(slot(opcode, 0, src, offset, imm));
    assert_eq!(result(&slots), expected, "{opcode:#x} {offset} {imm:#x} on {r0:#x} and {r1:#x}");
}

#[test]
fn division_and_remainder() {
    let minus = |value: i64| value as u64;
    // Unsigned division by an immediate extends the sign of the immediate first.
    check(0x37, 0, -1, 10, 0, 0);
    check(0x97, 0, -1, 10, 0, 10);
    // Division by zero.
    check(0x3f, 0, 0, 10, 0, 0);
    check(0x9f, 0, 0, minus(-10), 0, minus(-10));
    check(0x9c, 0, 0, minus(-10), 0, 0xffff_fff6);
    check(0x3c, 0, 0, minus(-10), 0, 0);
    // Signed division (version 4) truncates, as in C; the smallest number divided by -1 wraps around.
    check(0x3f, 1, 0, minus(-13), 4, minus(-3));
    check(0x9f, 1, 0, minus(-13), 4, minus(-1));
    check(0x3f, 1, 0, 13, minus(-4), minus(-3));
    check(0x9f, 1, 0, 13, minus(-4), 1);
    check(0x37, 1, -1, minus(i64::MIN), 0, minus(i64::MIN));
    check(0x97, 1, -1, minus(i64::MIN), 0, 0);
    check(0x3c, 1, 0, 0xffff_fff3, 4, 0xffff_fffd);
    check(0x9c, 1, 0, 0xffff_fff3, 4, 0xffff_ffff);
    check(0x34, 1, -1, 0x8000_0000, 0, 0x8000_0000);
    check(0x94, 1, 0, minus(-7), 0, 0xffff_fff9);
    check(0x3f, 1, 0, minus(-7), 0, 0);
}

#[test]
fn negation_moves_and_byte_order() {
    check(0x87, 0, 0, i64::MIN as u64, 0, i64::MIN as u64);
    check(0x87, 0, 0, 5, 0, -5i64 as u64);
    check(0x84, 0, 0, 5, 0, 0xffff_fffb);
    check(0xbf, 8, 0, 0, 0x1_2380, -128i64 as u64);
    check(0xbf, 16, 0, 0, 0x1_8000, -32_768i64 as u64);
    check(0xbf, 32, 0, 0, 0x1_8000_0000, -2_147_483_648i64 as u64);
    check(0xbc, 8, 0, 0, 0x80, 0xffff_ff80);
    check(0xbc, 16, 0, 0, 0x8000, 0xffff_8000);
    check(0xb7, 0, -1, 0, 0, u64::MAX);
    check(0xb4, 0, -1, 0, 0, 0xffff_ffff);
    let value = 0x0123_4567_89ab_cdef;
    check(0xd7, 0, 16, value, 0, 0xefcd);
    check(0xd7, 0, 32, value, 0, 0xefcd_ab89);
    check(0xd7, 0, 64, value, 0, 0xefcd_ab89_6745_2301);
    check(0xd4, 0, 16, value, 0, 0xcdef);
    check(0xdc, 0, 16, value, 0, 0xefcd);
}

#[test]
fn shifts_mask_their_distance() {
    check(0x6f, 0, 0, 1, 65, 2);
    check(0x6c, 0, 0, 1, 33, 2);
    check(0xcf, 0, 0, i64::MIN as u64, 127, u64::MAX);
    check(0xcc, 0, 0, 0x8000_0000, 63, 0xffff_ffff);
}

#[test]
fn comparisons_extend_the_sign_of_immediates() {
    let taken = |opcode: u8, imm: i32, value: u64| {
        let mut slots = Vec::from(constant(1, value));
        slots.extend([slot(0xb7, 0, 0, 0, 1), slot(opcode, 1, 0, 1, imm), slot(0xb7, 0, 0, 0, 0)]);
        result(&slots) == 1
    };
    assert!(taken(0x15, -1, u64::MAX), "equal");
    assert!(!taken(0x15, -1, 0xffff_ffff));
    assert!(taken(0x16, -1, 0xffff_ffff), "equal in 32 bits");
    assert!(!taken(0x25, -2, 0xffff_ffff), "greater: -2 is nearly the largest");
    assert!(taken(0xa5, -1, 0xffff_ffff), "less");
    assert!(taken(0x65, -2, 0), "greater, signed");
    assert!(taken(0x45, -8, 1 << 40), "a bit in common");
    // Version 4: a far jump has its distance in the immediate.
    let far = [slot(0xb7, 0, 0, 0, 1), slot(0x06, 0, 0, 0, 1), slot(0xb7, 0, 0, 0, 0)];
    assert_eq!(result(&far), 1);
}

#[test]
fn loads_extend_the_sign() {
    for (opcode, expected) in [
        (0x91, 0xffff_ffff_ffff_ff88),
        (0x89, 0xffff_ffff_ffff_8788),
        (0x81, 0xffff_ffff_8586_8788),
        (0x71, 0x88),
        (0x69, 0x8788),
        (0x61, 0x8586_8788),
        (0x79, 0x8182_8384_8586_8788),
    ] {
        let mut slots = Vec::from(constant(1, 0x8182_8384_8586_8788));
        slots.extend([slot(0x7b, 10, 1, -8, 0), slot(opcode, 0, 10, -8, 0)]);
        assert_eq!(result(&slots), expected, "{opcode:#x}");
    }
}

/// Returns the memory, the source register and r0 after an atomic operation.
fn atomic(wide: bool, operation: i32, old: u64, with: u64, r0: u64) -> [u64; 3] {
    let opcode = if wide { 0xdb } else { 0xc3 };
    [slot(0x79, 0, 10, -8, 0), slot(0xbf, 0, 2, 0, 0), slot(0xbf, 0, 0, 0, 0)].map(|last| {
        let mut slots = Vec::from(constant(1, old));
        slots.extend(constant(2, with));
        slots.extend(constant(0, r0));
        slots.extend([slot(0x7b, 10, 1, -8, 0), slot(opcode, 10, 2, -8, operation), last]);
        result(&slots)
    })
}

#[test]
fn atomics() {
    assert_eq!(atomic(true, 0x00, 5, 3, 9), [8, 3, 9], "add");
    assert_eq!(atomic(true, 0x01, 5, 3, 9), [8, 5, 9], "add and fetch");
    assert_eq!(atomic(true, 0x40, 5, 3, 9), [7, 3, 9], "or");
    assert_eq!(atomic(true, 0x51, 5, 3, 9), [1, 5, 9], "and, fetch");
    assert_eq!(atomic(true, 0xa0, 5, 3, 9), [6, 3, 9], "exclusive or");
    assert_eq!(atomic(true, 0xe1, 5, 3, 9), [3, 5, 9], "exchange");
    assert_eq!(atomic(true, 0xf1, 5, 3, 9), [5, 3, 5], "compare and exchange: not equal");
    assert_eq!(atomic(true, 0xf1, 9, 3, 9), [3, 3, 9], "compare and exchange: equal");
    let high = 0x1_0000_0000;
    assert_eq!(atomic(false, 0x01, high | 0xffff_ffff, high | 1, 9), [high, 0xffff_ffff, 9], "32 bits");
    assert_eq!(atomic(false, 0xf1, 9, 3, high | 9), [3, 3, 9], "32 bits: r0 loses its upper half");
}

/// Functions: registers 6 to 9 are restored, and each call has its own stack.
#[test]
fn calls_of_functions() {
    let program = [
        slot(0xb7, 6, 0, 0, 40),
        slot(0x7a, 10, 0, -8, 7),
        slot(0xb7, 1, 0, 0, 5),
        slot(0x85, 0, 1, 0, 3),
        slot(0x0f, 0, 6, 0, 0),
        slot(0x79, 1, 10, -8, 0),
        slot(0x1d, 0, 0, 4, 0),
        // The function returns its argument plus one, and writes it to its own stack.
        slot(0xb7, 6, 0, 0, 1),
        slot(0x0f, 1, 6, 0, 0),
        slot(0x7b, 10, 1, -8, 0),
        slot(0x79, 0, 10, -8, 0),
    ];
    // Because r0 equals itself, control jumps behind the function and adds what the caller's stack still holds.
    let mut slots = Vec::from(&program[..10]);
    slots.extend([program[10], exit(), slot(0x0f, 0, 1, 0, 0), exit()]);
    slots[6].offset = 5;
    let mut loaded: Machine = machine(&slots).expect("a program");
    let outcome = loaded.packet(&[0; 64], Arrival::default(), &mut Silent).expect("no fault");
    assert_eq!(outcome.returned, 5 + 1 + 40 + 7);
    assert_eq!(outcome.instructions, 14);
}

/// A trace has each access with the number of instructions up to it.
#[test]
fn a_trace_counts_instructions_between_accesses() {
    let slots = [
        slot(0xb7, 0, 0, 0, 2),
        slot(0x7b, 10, 0, -16, 0),
        slot(0x05, 0, 0, 1, 0),
        slot(0xb7, 0, 0, 0, 9),
        slot(0x71, 3, 10, -13, 0),
        slot(0xc3, 10, 0, -16, 0),
        slot(0x85, 0, 0, 0, 8),
        slot(0xb7, 0, 0, 0, 2),
        exit(),
    ];
    let mut loaded = machine(&slots).expect("a program");
    let mut recorder = Recorder::default();
    let outcome = loaded.packet(&[0; 64], Arrival::default(), &mut recorder).expect("no fault");
    recorder.finish(&outcome, 64, 64);
    let access = |kind, bytes, address| Event::Access(Access { region: STACK, kind, bytes, address });
    let found: Vec<_> = recorder.trace().steps(0).map(|step| (step.instructions, step.event)).collect();
    assert_eq!(
        found,
        [
            (2, access(AccessKind::Write, 8, 496)),
            (2, access(AccessKind::Read, 1, 499)),
            (1, access(AccessKind::Atomic, 4, 496)),
            (1, Event::Helper(8)),
        ]
    );
    assert_eq!(outcome.instructions, 8, "6 up to the helper, and 2 behind it");
}
