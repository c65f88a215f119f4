//! Source lines of instructions: those of the shipped programs, and the effect of damage on their tables.

use linecard_iss::{Class, Image, Machine, Silent};
use linecard_sim::stream;
use object::{Object, ObjectSection};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).expect("a program")
}

fn image(name: &str) -> Image {
    Image::read(name, &bytes(name)).expect("an image")
}

/// Returns the lines of a source file, whose name is unique among the program's folders.
fn source(program: &str, file: &str) -> Vec<String> {
    let folders = [program, "runtime", "include", "tests"];
    let found = folders.iter().map(|place| folder().join(place).join(file)).find(|path| path.exists());
    let text = std::fs::read_to_string(found.unwrap_or_else(|| panic!("{program}: no file {file}")));
    text.expect("text").lines().map(str::to_owned).collect()
}

/// Returns the address of each instruction and the text of its line, if that is known.
fn texts(name: &str, program: &str) -> Vec<(u32, Option<String>)> {
    let image = image(name);
    let (low, high) = image.code_span();
    let mut sources = BTreeMap::new();
    let text = |pc| {
        let place = image.line(pc)?;
        let lines = sources.entry(place.file.to_owned()).or_insert_with(|| source(program, place.file));
        Some(lines[place.line as usize - 1].clone())
    };
    let pcs: Vec<u32> = (low..high).step_by(4).collect();
    pcs.iter().copied().zip(pcs.iter().copied().map(text).collect::<Vec<_>>()).collect()
}

#[test]
fn instructions_of_shipped_programs_come_from_lines_that_exist() {
    for (name, program) in [("md5", "md5"), ("patricia", "patricia"), ("cast256", "cast"), ("drr", "drr")] {
        let texts = texts(&format!("prebuilt/{name}.elf"), program);
        let known = texts.iter().filter(|(_, text)| text.is_some()).count();
        assert!(known * 10 > texts.len() * 8, "{name}: {known} of {} have a line", texts.len());
        for text in texts.iter().filter_map(|(_, text)| text.as_ref()) {
            assert!(!text.trim().is_empty(), "{name}");
        }
    }
}

#[test]
fn code_that_was_compiled_into_its_caller_has_the_line_inside() {
    let machine = Machine::new(image("prebuilt/stream.elf"), b"", 10_000_000).expect("a machine");
    let (code, image) = (machine.code(), machine.image());
    let lines = source("stream", "linecard.h");
    let mut locks = 0;
    for index in (0..code.ops.len() as u32).filter(|&index| code.class(index) == Class::Lock) {
        let place = image.line(code.pc(index)).expect("a line");
        assert_eq!(place.file, "linecard.h");
        // The line is that of the instruction in lc_lock, which no longer exists as a function.
        assert!(lines[place.line as usize - 1].contains("\".insn r 0x0b, 0, 2,"), "{place}");
        assert_ne!(image.nearest(code.pc(index)).map(|(name, _)| name), Some("lc_lock"));
        locks += 1;
    }
    assert!(locks > 0);
}

#[test]
fn a_fault_names_file_and_line() {
    // The line tables have the formats DWARF 4 and DWARF 5.
    for name in ["runtime", "runtime64"] {
        let mut machine = Machine::new(image(&format!("tests/{name}.elf")), b"", 10_000).expect("a machine");
        // strlen(0).
        let packet = [8u32, 0, 0, 0].map(u32::to_le_bytes).concat();
        let error = machine.packet(&packet, 0, &mut Silent).expect_err("a fault").to_string();
        assert!(error.starts_with("packet 1: load at 0x00000000, which is outside memory"), "{error}");
        let (_, place) = error.rsplit_once(" (string.c:").expect("a file");
        let line: usize = place.trim_end_matches(')').parse().expect("a line");
        assert!(source(name, "string.c")[line - 1].contains("while (*end)"), "{error}");
    }
}

/// Reads an image, and looks up the line of every instruction.
fn read_all(bytes: &[u8]) {
    let Ok(image) = Image::read("damaged.elf", bytes) else { return };
    let (low, high) = image.code_span();
    for pc in (low..high).step_by(2) {
        if let Some(place) = image.line(pc) {
            assert!(!place.file.is_empty() && place.line > 0);
        }
    }
}

#[test]
fn damaged_tables_of_lines_do_no_harm() {
    for name in ["prebuilt/checksum.elf", "tests/runtime.elf", "tests/runtime64.elf"] {
        let sound = bytes(name);
        let file = object::File::parse(sound.as_slice()).expect("an ELF file");
        let mut draw = stream(1, name);
        for section in [".debug_line", ".debug_line_str", ".debug_str"] {
            let Some(range) = file.section_by_name(section).and_then(|section| section.file_range()) else {
                continue;
            };
            let (first, count) = (range.0 as usize, range.1 as u32);
            for round in 0..1500 {
                let mut damaged = sound.clone();
                // Half of the damage is in the headers.
                let most = if round % 2 == 0 { count } else { count.min(160) };
                for _ in 0..=draw.below(6) {
                    damaged[first + draw.below(most) as usize] = draw.bits() as u8;
                }
                if round % 3 == 0 {
                    let from = draw.below(count) as usize;
                    damaged[first + from..first + count as usize].fill([0, 0xff, 0x80][round / 3 % 3]);
                }
                read_all(&damaged);
            }
        }
        for _ in 0..300 {
            read_all(&sound[..draw.below(sound.len() as u32) as usize]);
        }
        // The section headers, after everything else: their offsets and sizes.
        for _ in 0..1500 {
            let mut damaged = sound.clone();
            let at = damaged.len() - 1 - draw.below(640) as usize;
            damaged[at] = draw.bits() as u8;
            read_all(&damaged);
        }
    }
}
