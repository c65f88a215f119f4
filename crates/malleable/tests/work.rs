//! Work is compiled from cached runs: compared with a simple twin that reads a trace instruction by instruction.

use linecard_iss::{
    Class, Code, Image, Layout, Lines, Machine, Recorder, Segment as Bytes, Symbol, Trace, Width,
};
use linecard_malleable::{Event, Kind, LINE_BYTES, PacketWork, Pipeline, Segment, Work, WorkBuilder};
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

const PIPELINE: Pipeline = Pipeline { taken_cycles: 2, multiply_cycles: 3, divide_cycles: 20 };
const BASE: u32 = 0x10000;
const RET: u32 = 0x0000_8067;

/// The whole result of a builder.
#[derive(Debug, PartialEq)]
struct Told {
    segments: Vec<Segment>,
    events: Vec<Event>,
    packets: Vec<PacketWork>,
    locks: u32,
    instructions: u64,
    executed: Vec<u64>,
    packet_accesses: u64,
}

/// A path between two events: the event before it, its instructions by index and whether each jumped, and whether the
/// packet ends.
type Between = (Option<u32>, Vec<(u32, bool)>, bool);

#[derive(Default)]
struct Twin {
    numbers: HashMap<Between, u32>,
    segments: Vec<Segment>,
    events: Vec<Event>,
}

impl Twin {
    fn event(&mut self, code: &Code, path: Between, operand: u32) {
        let number = *self.numbers.entry(path).or_insert_with_key(|(before, steps, ends)| {
            self.segments.push(segment(code, *before, steps, *ends));
            self.segments.len() as u32 - 1
        });
        self.events.push(Event { segment: number, operand });
    }
}

fn segment(code: &Code, before: Option<u32>, steps: &[(u32, bool)], ends: bool) -> Segment {
    let loads = match steps.last() {
        Some(&(index, _)) if !ends && matches!(code.class(index), Class::Load | Class::Atomic) => {
            code.writes(index)
        }
        _ => 0,
    };
    let (mut cycles, mut reads, mut writes, mut early_reads) = (0, 0, 0, [0; 4]);
    for &(index, taken) in steps {
        if cycles < 4 {
            early_reads[cycles as usize] = code.reads(index) & !writes;
        }
        reads |= code.reads(index) & !writes;
        writes |= code.writes(index);
        cycles += match code.class(index) {
            Class::Multiply => PIPELINE.multiply_cycles,
            Class::Divide => PIPELINE.divide_cycles,
            _ => 1,
        } + if taken { PIPELINE.taken_cycles } else { 0 };
    }
    let kind = match steps.last().map(|&(index, _)| code.class(index)) {
        _ if ends => Kind::End,
        Some(Class::Store) => Kind::Store,
        Some(Class::Atomic) => Kind::Atomic,
        Some(Class::Lock) => Kind::Lock,
        Some(Class::Unlock) => Kind::Unlock,
        _ => Kind::Load,
    };
    Segment {
        instructions: steps.len() as u32,
        cycles,
        reads,
        writes,
        resume: steps.first().map(|step| step.0).or(before).unwrap_or(0),
        early_reads,
        loads,
        kind,
    }
}

/// Returns the twin's result for traces.
fn plain(traces: &[Trace], code: &Code, layout: &Layout) -> Told {
    let mut twin = Twin::default();
    let mut locks: HashMap<u32, u32> = HashMap::new();
    let (mut packets, mut ring, mut instructions, mut packet_accesses) = (Vec::new(), 0, 0, 0);
    let mut executed = vec![0; code.ops.len()];
    for trace in traces {
        for (number, entry) in trace.packets().iter().enumerate() {
            let first = twin.events.len() as u32;
            let (mut before, mut steps) = (None, Vec::new());
            trace.walk(number, code, |step| {
                instructions += 1;
                executed[step.index as usize] += 1;
                steps.push((step.index, step.taken));
                let Some(address) = step.address else { return };
                let operand = if matches!(code.class(step.index), Class::Lock | Class::Unlock) {
                    let next = locks.len() as u32;
                    *locks.entry(address).or_insert(next)
                } else if address >= layout.packet_low {
                    packet_accesses += 1;
                    (1 << 28) + ring + (address - layout.packet_low) / LINE_BYTES
                } else {
                    address / LINE_BYTES
                };
                twin.event(code, (before, std::mem::take(&mut steps), false), operand);
                before = Some(step.index);
            });
            twin.event(code, (before, steps, true), 0);
            let end = twin.events.len() as u32;
            packets.push(PacketWork { first, end, time_us: entry.time_us });
            ring = (ring + entry.bytes.div_ceil(LINE_BYTES) + 1) % (1 << 22);
        }
    }
    let Twin { segments, events, .. } = twin;
    let locks = locks.len() as u32;
    Told { segments, events, packets, locks, instructions, executed, packet_accesses }
}

fn remembered(traces: &[Trace], code: &Code, layout: &Layout) -> Told {
    let mut builder = WorkBuilder::new(layout, PIPELINE);
    traces.iter().for_each(|trace| builder.add(trace, code));
    let (executed, packet_accesses) = (builder.executed(code), builder.packet_accesses());
    let work = builder.finish();
    assert!(work.is_sound());
    let Work { segments, events, packets, locks, instructions } = work;
    Told { segments, events, packets, locks, instructions, executed, packet_accesses }
}

/// Runs a program on packets, batch by batch, and compares the results; returns them.
fn compare(mut machine: Machine, packets: impl Iterator<Item = Vec<u8>>) -> Told {
    let mut recorder = Recorder::new(&machine);
    let mut traces = Vec::new();
    for (number, packet) in packets.enumerate() {
        recorder.packet(&mut machine, &packet, number as u32).expect("a packet");
        if number % 10 == 9 {
            traces.push(recorder.trace().clone());
            recorder.trace_mut().clear();
        }
    }
    traces.push(recorder.trace().clone());
    let expected = plain(&traces, machine.code(), machine.layout());
    let found = remembered(&traces, machine.code(), machine.layout());
    // Not `assert_eq!`, because the differing values are long.
    assert_eq!(found.segments, expected.segments);
    assert!(found == expected);
    found
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")
}

/// A UDP packet of a flow.
fn packet(number: u32) -> Vec<u8> {
    let size = 60 + (number * 97 % 900) as u16;
    let mut bytes: Vec<u8> = (0..size).map(|at| (u32::from(at) * 31 + number) as u8).collect();
    bytes[..12].copy_from_slice(&[0x45, 0, (size >> 8) as u8, size as u8, 0, 0, 0, 0, 64, 17, 0, 0]);
    bytes[12..16].copy_from_slice(&(0x0b00_0000 + number % 7).to_be_bytes());
    bytes[16..20].copy_from_slice(&(number.wrapping_mul(0x9e37_79b1)).to_be_bytes());
    bytes
}

#[test]
fn work_of_shipped_programs_is_that_of_the_twin() {
    let table = std::fs::read_to_string(programs().join("programs.toml")).expect("the list of programs");
    let mut seen = 0;
    for part in table.split("\n[").skip(1) {
        let name = part.split(']').next().expect("a name");
        let control = part.lines().find_map(|line| line.strip_prefix("control = "));
        let control = control.map(|file| {
            std::fs::read(programs().join("control").join(file.trim_matches('"'))).expect("control data")
        });
        let elf = std::fs::read(programs().join("prebuilt").join(format!("{name}.elf"))).expect("a program");
        let image = Image::read(name, &elf).expect("an image");
        let machine = Machine::new(image, &control.unwrap_or_default(), 10_000_000).expect("a machine");
        let told = compare(machine, (0..60).map(packet));
        assert!(told.instructions > 1000 && told.packet_accesses > 60, "{name}");
        seen += 1;
    }
    assert_eq!(seen, 16);
}

/// A program of these bytes, with a kilobyte at 0x20000 that counts as data if `marked_data` is set.
fn made(width: Width, bytes: Vec<u8>, marked_data: bool) -> Machine {
    let memory_bytes = bytes.len() as u32;
    let code = Bytes { address: BASE, bytes, memory_bytes, executable: true };
    let data = Bytes { address: 0x20000, bytes: Vec::new(), memory_bytes: 1024, executable: false };
    let symbol = |name: &str, address, code| Symbol { address, name: name.to_owned(), code };
    let mut symbols = vec![symbol("app_packet", BASE, true)];
    if marked_data {
        symbols.push(symbol("__lc_state_start", 0x20000, false));
        symbols.push(symbol("__lc_state_end", 0x20400, false));
    }
    let (file, lines) = ("made".to_owned(), Lines::default());
    let image = Image { file, segments: vec![code, data], symbols, entry: BASE, width, lines };
    Machine::new(image, &[], 10_000_000).expect("a machine")
}

#[test]
fn work_of_random_programs_is_that_of_the_twin() {
    for (width, golden, back) in [
        (Width::Rv32, include_str!("../../iss/tests/golden/random32.txt"), &[0xffe0_0093, RET][..]),
        // The return address has 32 bits.
        (
            Width::Rv64,
            include_str!("../../iss/tests/golden/random64.txt"),
            &[0xffe0_0093, 0x0200_9093, 0x0200_d093, RET],
        ),
    ] {
        for line in golden.lines() {
            let (_, hex) = line.split_once(' ').expect("two fields");
            let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
            let mut code: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
            // The programs end with system calls, which a packet program must not have. The call that prints the
            // result is removed, and a return replaces the last one.
            code.truncate(code.len() - 4);
            let prints = [0x93, 8, 0, 4, 0x73, 0, 0, 0]; // li a7, 64; ecall
            let at = code.windows(8).rposition(|bytes| bytes == prints).expect("what prints the result");
            code[at + 4] = 0x13;
            code.extend(back.iter().flat_map(|word| word.to_le_bytes()));
            for marked_data in [false, true] {
                let told = compare(made(width, code.clone(), marked_data), (0..3).map(packet));
                assert!(told.instructions > 300 && (told.events.len() > 100) == marked_data);
            }
        }
    }
}

#[test]
fn a_loop_too_long_to_be_remembered_is_that_of_the_twin() {
    // The packet's first two bytes are the number of rounds; its third selects whether each round stores to the
    // packet.
    let code = [
        0x0005_5583, // lhu a1, 0(a0)
        0x0025_4603, // lbu a2, 2(a0)
        0xfff5_8593, // addi a1, a1, -1
        0x0006_0463, // beqz a2, 8
        0x00b5_2223, // sw a1, 4(a0)
        0xfe05_9ae3, // bnez a1, -12
        RET,
    ];
    let code: Vec<u8> = code.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    let rounds = [1u16, 9000, 20_000, 16_384, 20_000, 8191, 8192, 8193, 60_000, 2];
    let packets = rounds.iter().flat_map(|rounds| [0, 1].map(|stores| (rounds.to_le_bytes(), stores)));
    let told = compare(
        made(Width::Rv32, code, false),
        packets.map(|([low, high], stores)| vec![low, high, stores, 0, 0, 0, 0, 0]),
    );
    assert_eq!(told.instructions, 20 * 3 + rounds.iter().map(|&rounds| u64::from(rounds) * 7).sum::<u64>());
}

#[test]
fn more_ways_than_are_remembered_are_those_of_the_twin() {
    // There are thousands of rounds without an event. Random bits, seeded by the packet's first word, decide in each
    // round whether it jumps.
    let code = [
        0x0005_2583,              // lw a1, 0(a0)
        0x0000_2637,              // lui a2, 2
        0x00d5_9693,              // slli a3, a1, 13
        0x00d5_c5b3,              // xor a1, a1, a3
        0x0115_d693,              // srli a3, a1, 17
        0x00d5_c5b3,              // xor a1, a1, a3
        0x0055_9693,              // slli a3, a1, 5
        0x00d5_c5b3,              // xor a1, a1, a3
        0x0015_f693,              // andi a3, a1, 1
        0x0006_8463,              // beqz a3, 8
        0x0017_0713,              // addi a4, a4, 1
        0xfff6_0613,              // addi a2, a2, -1
        branch(0x0006_1063, -40), // bnez a2, -40
        0x00b5_0223,              // sb a1, 4(a0)
        RET,
    ];
    let code: Vec<u8> = code.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    let packets = (0..50u32).chain(45..55).map(|seed| (seed * 77_777 + 1).to_le_bytes().repeat(2));
    let told = compare(made(Width::Rv32, code, false), packets);
    assert_eq!(told.segments.len(), 1 + 55 + 1);
}

/// The instruction words of a part of a program.
fn piece() -> impl Strategy<Value = Vec<u32>> {
    let load = |at: u32| at << 20 | 0x0005_4583; // lbu a1, at(a0)
    let store = |at: u32| at << 7 | 0x00b5_0023; // sb a1, at(a0)
    let leaf = prop_oneof![
        (0..24u32).prop_map(move |at| vec![load(at)]),
        (0..24u32).prop_map(move |at| vec![store(at)]),
        (0..8u32).prop_map(|at| vec![at << 22 | 0x0001_2603]), // lw a2, at(sp): not data
        Just(vec![0x00c5_86b3]),                               // add a3, a1, a2
        Just(vec![0x02c5_86b3]),                               // mul a3, a1, a2
        Just(vec![0x0405_000b, 0x0015_4583, 0x0605_000b]),     // a lock around a load
        Just(vec![0x0000_000b]),                               // mark that it begins
        Just(vec![0x0200_000b]),                               // mark that it ends
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        let body = prop::collection::vec(inner, 1..5);
        (body, 0..24u32, prop::option::of(14..18u32)).prop_map(|(pieces, at, counter)| {
            let body = pieces.concat();
            let bytes = 4 * body.len() as i32;
            match counter {
                // Two bits of a byte of the packet are the number of repetitions, or it is one. An inner loop with
                // the same counter ends both.
                Some(counter) => {
                    let count = at << 20 | 0x0005_4003 | counter << 7; // lbu counter, at(a0)
                    let masked = 0x0030_7013 | counter << 15 | counter << 7; // andi counter, counter, 3
                    let down = 0xfff0_0013 | counter << 15 | counter << 7; // addi counter, counter, -1
                    let again = branch(0x0000_4063 | counter << 20, -bytes - 4); // bgtz counter
                    [&[count, masked][..], &body, &[down, again]].concat()
                }
                // The piece is skipped if a byte is even.
                None => {
                    let byte = at << 20 | 0x0005_4283; // lbu t0, at(a0)
                    let masked = 0x0012_f293; // andi t0, t0, 1
                    let over = branch(0x0002_8063, bytes + 4); // beqz t0
                    [&[byte, masked, over][..], &body].concat()
                }
            }
        })
    })
}

/// Encodes a branch with its distance.
fn branch(word: u32, bytes: i32) -> u32 {
    let bytes = bytes as u32;
    let high = (bytes >> 12 & 1) << 31 | (bytes >> 5 & 63) << 25;
    word | high | (bytes >> 1 & 15) << 8 | (bytes >> 11 & 1) << 7
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn work_of_drawn_programs_is_that_of_the_twin(
        pieces in prop::collection::vec(piece(), 1..8),
        packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 24..40), 1..30),
    ) {
        let words = [pieces.concat(), vec![RET]].concat();
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        compare(made(Width::Rv32, code, false), packets.into_iter());
    }
}
