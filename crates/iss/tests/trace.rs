//! A trace says what was executed: compared with a hook that keeps every instruction, on the shipped programs.

use linecard_iss::{Class, Code, Hook, Image, Machine, Recorder};
use std::path::Path;

/// Keeps everything, one by one.
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

/// A UDP packet of some flow.
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
