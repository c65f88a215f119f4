//! Traces of the shipped programs, compared with a hook that records every instruction.

use linecard_iss::{Class, Code, Hook, Image, Lines, Machine, Recorder, Segment, Symbol, Width};
use std::path::Path;

/// Records all events one by one.
#[derive(Default)]
struct Everything {
    code: Option<Code>,
    runs: Vec<(u32, u32)>,
    accesses: Vec<u32>,
    locks: Vec<u32>,
}

impl Hook for Everything {
    fn run(&mut self, first: u32, last: u32) {
        self.runs.push((first, last));
    }

    fn access(&mut self, address: u32) {
        self.accesses.push(address);
    }

    fn lock(&mut self, address: u32) {
        self.locks.push(address);
    }
}

fn load(name: &str) -> Machine {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs");
    let elf = root.join("prebuilt").join(format!("{name}.elf"));
    let image = Image::read(name, &std::fs::read(elf).expect("a program")).expect("an image");
    let table: String = std::fs::read_to_string(root.join("programs.toml")).expect("the list of programs");
    let entry = table.split("\n[").find(|part| part.starts_with(&format!("{name}]"))).expect("an entry");
    let control = entry.lines().find_map(|line| line.strip_prefix("control = "));
    let control = control
        .map(|file| std::fs::read(root.join("control").join(file.trim_matches('"'))).expect("control data"));
    Machine::new(image, &control.unwrap_or_default(), 10_000_000).expect("a machine")
}

/// A UDP packet of a flow.
fn packet(number: u32) -> Vec<u8> {
    let size = 60 + (number * 97 % 900) as u16;
    let mut bytes: Vec<u8> = (0..size).map(|at| (u32::from(at) * 31 + number) as u8).collect();
    bytes[..12].copy_from_slice(&[0x45, 0, (size >> 8) as u8, size as u8, 0, 0, 0, 0, 64, 17, 0, 0]);
    bytes[12..16].copy_from_slice(&(0x0b00_0000 + number % 7).to_be_bytes());
    bytes[16..20].copy_from_slice(&(0xc000_0200u32 + number % 5).to_be_bytes());
    bytes
}

#[test]
fn walking_a_trace_is_walking_the_execution() {
    for name in ["checksum", "md5", "classify", "patricia", "srtcm", "stream", "vscan", "drr"] {
        let (mut machine, mut twin) = (load(name), load(name));
        let mut recorder = Recorder::new(&machine);
        let layout = *machine.layout();
        for number in 0..40 {
            let bytes = packet(number);
            let mut everything = Everything { code: Some(twin.code().clone()), ..Everything::default() };
            let expected = twin.packet(&bytes, number, &mut everything).expect("a packet");
            let result = recorder.packet(&mut machine, &bytes, number).expect("a packet");
            assert_eq!(result, expected);
            let code = everything.code.expect("the code");
            let mut accesses = everything.accesses.into_iter();
            let mut locks = everything.locks.into_iter();
            let mut steps = Vec::new();
            for (first, last) in everything.runs {
                let mut index = first;
                while index <= last {
                    let address = match code.class(index) {
                        Class::Load | Class::Store => {
                            accesses.next().filter(|&at| (layout.data_low..layout.data_high).contains(&at))
                        }
                        Class::Lock | Class::Unlock => locks.next(),
                        _ => None,
                    };
                    steps.push((index, address));
                    index += code.ops[index as usize].halfwords();
                }
            }
            assert_eq!((accesses.next(), locks.next()), (None, None));
            let mut walked = Vec::new();
            recorder.trace().walk(number as usize, &code, |step| walked.push((step.index, step.address)));
            assert_eq!(walked, steps, "{name}, packet {number}");
            let entry = recorder.trace().packets()[number as usize];
            assert_eq!((entry.instructions as usize, entry.bytes as usize), (steps.len(), bytes.len()));
            assert_eq!((entry.result, entry.time_us), (expected, number));
        }
        let instructions: u32 = recorder.trace().packets().iter().map(|entry| entry.instructions).sum();
        let each = recorder.trace().bytes() as f64 / f64::from(instructions);
        assert!(each <= 2.0, "{name}: {each:.2} bytes an instruction");
    }
}

/// A program of a few instructions.
fn made(words: &[u32]) -> Machine {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let memory_bytes = bytes.len() as u32;
    let segments = vec![Segment { address: 0x10000, bytes, memory_bytes, executable: true }];
    let symbols = vec![Symbol { address: 0x10000, name: "app_packet".to_owned(), code: true }];
    let lines = Lines::default();
    let file = "made".to_owned();
    let image = Image { file, segments, symbols, entry: 0x10000, width: Width::Rv32, lines };
    Machine::new(image, &[], 100_000).expect("a machine")
}

#[test]
fn what_stands_between_marks_counts_and_nothing_else() {
    const BEGIN: u32 = 0x0000_000b;
    const END: u32 = 0x0200_000b;
    const LOAD: u32 = 0x0005_2583; // lw a1, 0(a0)
    const STORE: u32 = 0x00b5_2223; // sw a1, 4(a0)
    const THREE: u32 = 0x0030_0613; // li a2, 3
    const DOWN: u32 = 0xfff6_0613; // addi a2, a2, -1
    const AGAIN: u32 = 0xfe06_1ee3; // bnez a2, -4
    const RET: u32 = 0x0000_8067;
    // A loop before, between and after the marks, and accesses.
    let loops = [THREE, DOWN, AGAIN];
    let around = [&[LOAD][..], &loops].concat();
    let code = [&around[..], &[BEGIN, LOAD, STORE], &loops, &[LOAD, END], &around, &[RET]].concat();
    let mut machine = made(&code);
    let mut recorder = Recorder::new(&machine);
    for number in 0..200usize {
        recorder.packet(&mut machine, &[0; 40], 0).expect("a packet");
        let packet = machine.layout().packet_low;
        let mut found = Vec::new();
        recorder.trace().walk(number, machine.code(), |step| found.push((step.index / 2, step.address)));
        let (first, last) = (around.len() as u32 + 1, around.len() as u32 + 6);
        let mut expected = vec![(first, Some(packet)), (first + 1, Some(packet + 4)), (first + 2, None)];
        expected.extend([(first + 3, None), (first + 4, None)].repeat(3));
        expected.push((last, Some(packet)));
        assert_eq!(found, expected, "packet {number}");
        assert_eq!(recorder.trace().packets()[number].instructions, 10);
    }
}

#[test]
fn a_packet_that_faults_is_not_in_the_trace() {
    // The packet's first two bytes are the number of stores to it; its third selects whether an access to address 0
    // follows.
    const COUNT: u32 = 0x0005_5583; // lhu a1, 0(a0)
    const STORE: u32 = 0x00b5_2223; // sw a1, 4(a0)
    const DOWN: u32 = 0xfff5_8593; // addi a1, a1, -1
    const AGAIN: u32 = 0xfe05_9ce3; // bnez a1, -8
    const THIRD: u32 = 0x0025_4603; // lbu a2, 2(a0)
    const SKIP: u32 = 0x0006_0463; // beqz a2, 8
    const FAULT: u32 = 0x0000_2023; // sw zero, 0(zero)
    const RET: u32 = 0x0000_8067;
    let mut machine = made(&[COUNT, STORE, DOWN, AGAIN, THIRD, SKIP, FAULT, RET]);
    let (mut recorder, mut only) = (Recorder::new(&machine), Recorder::new(&machine));
    let mut twin = machine.clone();
    for number in 1..=120u16 {
        // Some packets make more accesses than the recorder buffers at a time.
        let [low, high] = (number * 31).to_le_bytes();
        recorder.packet(&mut machine, &[low, high, 0, 0, 0, 0, 0, 0], 0).expect("a packet");
        recorder.packet(&mut machine, &[high, low & 15, 1, 0, 0, 0, 0, 0], 0).expect_err("a fault");
        only.packet(&mut twin, &[low, high, 0, 0, 0, 0, 0, 0], 0).expect("a packet");
    }
    assert_eq!(recorder.trace(), only.trace());
    let last = recorder.trace().packets().len() - 1;
    let mut stores = 0;
    recorder
        .trace()
        .walk(last, machine.code(), |step| stores += u32::from(step.index == 2 && step.address.is_some()));
    assert_eq!(stores, 120 * 31);
}
