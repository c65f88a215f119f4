//! The same results as `rbpf`, instruction by instruction, on random programs: arithmetic, byte order, jumps, loads
//! and stores.
//!
//! After each instruction its destination is written to the next position of the packet, so that both executors leave
//! a log of every intermediate result there.
//!
//! Instructions for which rbpf 0.4.1 deviates from RFC 9669 are not compared; `instructions.rs` holds the results
//! according to the RFC: unsigned comparisons with negative immediates (rbpf does not extend the sign), the remainder
//! of a 32-bit division by zero (it keeps the upper half), negation (it fails for the least number if overflow is
//! checked), atomics and the instructions of version 4 (it has none).

use linecard_ebpf::{Arrival, Machine, Object, Options, Outcome, Silent, Slot};
use proptest::prelude::*;

/// Packet bytes before the log, which programs read and write.
const DATA_BYTES: i16 = 64;
/// Bytes of the packet.
const PACKET_BYTES: usize = 2048;
/// The register that holds the address of the packet; no instruction modifies it.
const PACKET: u8 = 9;
const STACK: u8 = 10;

fn slot(opcode: u8, dst: u8, src: u8, offset: i16, imm: i32) -> Slot {
    Slot { opcode, dst, src, offset, imm }
}

/// Arithmetic opcodes that both support, for 64 and 32 bits.
fn arithmetic() -> impl Strategy<Value = Slot> {
    let row =
        prop::sample::select(vec![0x00u8, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x90, 0xa0, 0xb0, 0xc0]);
    let imm = prop_oneof![any::<i32>(), -3..3, Just(i32::MIN)];
    (row, any::<bool>(), any::<bool>(), 0u8..9, 0u8..9, imm).prop_map(
        |(row, wide, register, dst, src, imm)| {
            let class = if wide { 7 } else { 4 };
            let bits = if wide { 63 } else { 31 };
            // Other verifiers refuse a shift by an immediate beyond the width, and that of rbpf a division by zero.
            let imm = match row {
                0x60 | 0x70 | 0xc0 => imm & bits,
                0x30 | 0x90 if imm == 0 => 7,
                _ => imm,
            };
            if register && (row != 0x90 || wide) {
                slot(row | 8 | class, dst, src, 0, 0)
            } else {
                slot(row | class, dst, 0, 0, imm)
            }
        },
    )
}

fn other() -> impl Strategy<Value = Slot> {
    let width = prop::sample::select(vec![(0x10u8, 1i16), (0x08, 2), (0x00, 4), (0x18, 8)]);
    let base = prop_oneof![Just((PACKET, 0i16)), Just((STACK, -DATA_BYTES))];
    let memory = (width, base, 0..DATA_BYTES - 8, 0u8..9, any::<i32>(), 0u8..3).prop_map(
        |((size, bytes), (base, low), at, register, imm, what)| {
            let at = low + at - at % bytes;
            match what {
                0 => slot(0x61 | size, register, base, at, 0),
                1 => slot(0x62 | size, base, 0, at, imm),
                _ => slot(0x63 | size, base, register, at, 0),
            }
        },
    );
    let swap = (prop::sample::select(vec![0xd4u8, 0xdc]), 0u8..9, prop::sample::select(vec![16, 32, 64]))
        .prop_map(|(opcode, dst, bits)| slot(opcode, dst, 0, 0, bits));
    prop_oneof![4 => memory, 1 => swap]
}

/// A jump, and the number of instructions that it skips.
fn jump() -> impl Strategy<Value = (Slot, usize)> {
    let row = prop::sample::select(vec![0x10u8, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0, 0xc0, 0xd0]);
    let imm = prop_oneof![any::<i32>(), -3..3];
    (row, any::<bool>(), any::<bool>(), 0u8..9, 0u8..9, imm, 1usize..4).prop_map(
        |(row, wide, register, dst, src, imm, over)| {
            let class = if wide { 5 } else { 6 };
            let signed = matches!(row, 0x60 | 0x70 | 0xc0 | 0xd0);
            let imm = if wide && !signed { imm & i32::MAX } else { imm };
            let made = if register {
                slot(row | 8 | class, dst, src, 0, 0)
            } else {
                slot(row | class, dst, 0, 0, imm)
            };
            (made, over)
        },
    )
}

#[derive(Clone, Debug)]
enum Part {
    Straight(Slot),
    Jump(Slot, usize),
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        5 => arithmetic().prop_map(Part::Straight),
        3 => other().prop_map(Part::Straight),
        2 => jump().prop_map(|(jump, over)| Part::Jump(jump, over)),
    ]
}

/// Assembles a program: constants into registers, the parts with their log, and an exit. `prologue` sets r9 to the
/// packet.
fn assemble(prologue: &[Slot], constants: &[i64], parts: &[Part]) -> Vec<u8> {
    let mut slots = prologue.to_vec();
    for (register, constant) in (0u8..).zip(constants) {
        slots.push(slot(0x18, register, 0, 0, *constant as i32));
        slots.push(slot(0, 0, 0, 0, (*constant >> 32) as i32));
    }
    for at in (0..DATA_BYTES).step_by(8) {
        slots.push(slot(0x7b, STACK, (at / 8) as u8, at - DATA_BYTES, 0));
    }
    // Each part has two slots: the part itself and the log of its destination, or the jump and a jump to the next
    // part.
    for (number, part) in parts.iter().enumerate() {
        let log = DATA_BYTES + 8 * number as i16;
        match part {
            Part::Straight(each) => {
                let logged = if each.opcode & 7 == 2 || each.opcode & 7 == 3 { 0 } else { each.dst };
                slots.extend([*each, slot(0x7b, PACKET, logged, log, 0)]);
            }
            Part::Jump(each, over) => {
                let left = (parts.len() - number - 1).min(*over) as i16;
                slots.extend([Slot { offset: 1 + 2 * left, ..*each }, slot(0x05, 0, 0, 0, 0)]);
            }
        }
    }
    slots.push(slot(0x95, 0, 0, 0, 0));
    slots.into_iter().flat_map(Slot::write).collect()
}

fn packet() -> Vec<u8> {
    (0..PACKET_BYTES).map(|at| (at * 37 + at / 256) as u8).collect()
}

fn ours(code: &[u8]) -> (Outcome, Vec<u8>) {
    let object = Object::read("random", code).expect("raw instructions");
    let mut machine = Machine::load(&object, None, Options::default()).expect("a program that can run");
    let outcome = machine.packet(&packet(), Arrival::default(), &mut Silent).expect("no fault");
    (outcome, machine.packet_left().to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_intermediate_result_is_that_of_rbpf(
        constants in prop::collection::vec(prop_oneof![any::<i64>(), -3i64..3, Just(i64::MIN)], 9),
        parts in prop::collection::vec(part(), 1..120),
    ) {
        // Linecard finds the packet through `struct xdp_md`, rbpf in r1.
        let code = assemble(&[slot(0x61, PACKET, 1, 0, 0)], &constants, &parts);
        let theirs = assemble(&[slot(0xbf, PACKET, 1, 0, 0)], &constants, &parts);
        let (outcome, left) = ours(&code);
        let mut memory = packet();
        let result = rbpf::EbpfVmRaw::new(Some(&theirs)).expect("their verifier").execute_program(&mut memory);
        prop_assert_eq!(u64::from(outcome.returned), result.expect("no fault") & 0xffff_ffff);
        prop_assert!(left == memory, "the logs differ");
    }
}
