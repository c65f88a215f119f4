//! How fast the executor is beside rbpf's interpreter, in the same run, on the same instructions and packets.
//!
//! `cargo run --release -p linecard-ebpf --example speed -- [ROUNDS]`
//!
//! The program reads headers, sums the packet word by word, folds the sum and keeps what it calculates on its stack: no
//! helpers and no maps, which rbpf does not have. Each executor takes turns, and its best and median of all rounds are
//! printed, so that other work on the machine counts for all alike.

use linecard_ebpf::{Arrival, Counters, Hook, Machine, Object, Options, Recorder, SLOT_BYTES, Silent, Slot};
use std::time::Instant;

/// Packets of a round.
const PACKETS: u32 = 20_000;
/// Bytes of every packet.
const BYTES: usize = 512;

fn slot(opcode: u8, dst: u8, src: u8, offset: i16, imm: i32) -> Slot {
    Slot { opcode, dst, src, offset, imm }
}

/// The program; `first` puts the address of the packet into r6.
fn program(first: Slot) -> Vec<u8> {
    let load_half = |at: i16| [slot(0x69, 3, 6, at, 0), slot(0xdc, 3, 0, 0, 16), slot(0x0f, 7, 3, 0, 0)];
    let mut slots = vec![first, slot(0xb7, 7, 0, 0, 0), slot(0xb7, 8, 0, 0, 0), slot(0xbf, 2, 6, 0, 0)];
    for at in [12, 16, 18, 20, 22, 24, 26, 28, 30, 32] {
        slots.extend(load_half(at));
    }
    // Header fields to the stack, and what depends on them.
    slots.extend([
        slot(0x7b, 10, 7, -8, 0),
        slot(0x71, 4, 6, 23, 0),
        slot(0x15, 4, 0, 1, 6),
        slot(0xa7, 7, 0, 0, 0x55),
        slot(0x63, 10, 4, -12, 0),
    ]);
    // A word of the packet a round: eight instructions, two of them loads, one a store.
    let words = (BYTES - 16) / 8;
    slots.extend([
        slot(0x79, 3, 2, 0, 0),
        slot(0x0f, 8, 3, 0, 0),
        slot(0x67, 3, 0, 0, 7),
        slot(0xaf, 8, 3, 0, 0),
        slot(0x69, 4, 2, 8, 0),
        slot(0x2d, 4, 8, 1, 0),
        slot(0x07, 8, 0, 0, 3),
        slot(0x63, 10, 8, -20, 0),
        slot(0x07, 2, 0, 0, 8),
        slot(0x07, 1, 0, 0, 1),
        slot(0xa5, 1, 0, -11, words as i32),
    ]);
    slots.insert(1, slot(0xb7, 1, 0, 0, 0));
    slots.extend([
        slot(0x79, 3, 10, -8, 0),
        slot(0x0f, 8, 3, 0, 0),
        slot(0xbf, 0, 8, 0, 0),
        slot(0x77, 0, 0, 0, 32),
        slot(0x0c, 0, 8, 0, 0),
        slot(0x57, 0, 0, 0, 0x7fff_ffff),
        slot(0x95, 0, 0, 0, 0),
    ]);
    slots.into_iter().flat_map(Slot::write).collect()
}

fn packet(number: u32) -> Vec<u8> {
    let mut state = number.wrapping_mul(2_654_435_761) | 1;
    let mut bytes = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..BYTES).map(|_| bytes()).collect()
}

/// Instructions, seconds, and a sum of what was returned.
type Round = (u64, f64, u64);

fn ours<H: Hook>(
    machine: &mut Machine,
    packets: &[Vec<u8>],
    hook: &mut H,
    after: impl Fn(&mut H, &linecard_ebpf::Outcome),
) -> Round {
    let started = Instant::now();
    let (mut instructions, mut sum) = (0, 0);
    for number in 0..PACKETS {
        let packet = &packets[number as usize % packets.len()];
        let outcome = machine.packet(packet, Arrival::default(), hook).expect("no fault");
        instructions += outcome.instructions;
        sum += u64::from(outcome.returned);
        after(hook, &outcome);
    }
    (instructions, started.elapsed().as_secs_f64(), sum)
}

fn theirs(vm: &rbpf::EbpfVmRaw<'_>, packets: &mut [Vec<u8>]) -> (f64, u64) {
    let started = Instant::now();
    let (count, mut sum) = (packets.len(), 0);
    for number in 0..PACKETS {
        sum += vm.execute_program(&mut packets[number as usize % count]).expect("no fault");
    }
    (started.elapsed().as_secs_f64(), sum)
}

fn main() {
    let rounds: usize =
        std::env::args().nth(1).map_or(11, |count| count.parse().expect("a number of rounds"));
    let code = program(slot(0x61, 6, 1, 0, 0));
    assert!(code.len().is_multiple_of(SLOT_BYTES));
    let object = Object::read("speed", &code).expect("raw instructions");
    let mut machine = Machine::load(&object, None, Options::default()).expect("a program");
    let their_code = program(slot(0xbf, 6, 1, 0, 0));
    let vm = rbpf::EbpfVmRaw::new(Some(&their_code)).expect("their verifier");
    let mut packets: Vec<Vec<u8>> = (0..64).map(packet).collect();
    let mut counters = Counters::new(machine.code());
    let mut recorder = Recorder::default();
    let names = ["rbpf", "plain", "block counters", "traced"];
    let mut rates: [Vec<f64>; 4] = Default::default();
    for _ in 0..rounds {
        let (plain, plain_seconds, sum) = ours(&mut machine, &packets, &mut Silent, |_, _| {});
        let (_, counted_seconds, counted) = ours(&mut machine, &packets, &mut counters, |_, _| {});
        let (_, traced_seconds, traced) = ours(&mut machine, &packets, &mut recorder, |recorder, outcome| {
            recorder.finish(outcome, BYTES, BYTES);
            if recorder.trace().packets().len() == 256 {
                recorder.trace_mut().clear();
            }
        });
        let (their_seconds, their_sum) = theirs(&vm, &mut packets);
        assert!(sum == counted && sum == traced && sum == their_sum, "all calculate the same");
        for (rates, seconds) in
            rates.iter_mut().zip([their_seconds, plain_seconds, counted_seconds, traced_seconds])
        {
            rates.push(plain as f64 / seconds / 1e6);
        }
    }
    for rates in &mut rates {
        rates.sort_by(f64::total_cmp);
    }
    let (best, median) = (rounds - 1, rounds / 2);
    for (name, each) in names.iter().zip(&rates) {
        println!(
            "{name:15} {:4.0} M instructions/s (median {:4.0}), {:.2} x rbpf (median {:.2})",
            each[best],
            each[median],
            each[best] / rates[0][best],
            each[median] / rates[0][median]
        );
    }
}
