//! Do types that no compiler writes (cycles, counts beyond the data, sizes beyond memory) result in a value or an
//! error, in bounded time and memory? Every word of the types and line tables of a real object takes each problematic
//! value.

use linecard_ebpf::{EbpfError, Machine, Object, Options};
use object::{Object as _, ObjectSection as _};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/xdp/tests/features.o");
const OPTIONS: fn() -> Options = || Options { most_map_bytes: 1 << 24, ..Options::default() };

/// Returns the position of a section's bytes in the file.
fn range(file: &[u8], section: &str) -> std::ops::Range<usize> {
    let parsed = object::File::parse(file).expect("an object");
    let (from, length) =
        parsed.section_by_name(section).expect("the section").file_range().expect("bytes in the file");
    from as usize..(from + length) as usize
}

/// Reads the object and loads its first program, which lays out every map.
fn load(bytes: &[u8]) -> Result<(), EbpfError> {
    let object = Object::read("features.o", bytes)?;
    let Some(program) = object.programs().first() else { return Ok(()) };
    Machine::load(&object, Some(&program.name), OPTIONS()).map(drop)
}

#[test]
fn any_word_may_be_any_number() {
    let file = std::fs::read(FILE).expect("the object");
    load(&file).expect("a sound object");
    let (mut loaded, mut refused) = (0, 0);
    for section in [".BTF", ".BTF.ext"] {
        let range = range(&file, section);
        for at in range.clone().step_by(4).take_while(|at| at + 4 <= range.end) {
            let number = ((at - range.start) / 4) as u32;
            // Zero, one, a nearby type (cycles), signs, all bits, and kinds with the largest number of members that a
            // count holds.
            for word in [0, 1, number / 4, 0x7fff_ffff, 0x8000_0000, u32::MAX, 0x0400_ffff, 0x8f00_ffff] {
                let mut damaged = file.clone();
                damaged[at..at + 4].copy_from_slice(&u32::to_le_bytes(word));
                match load(&damaged) {
                    Ok(()) => loaded += 1,
                    Err(error) => {
                        refused += 1;
                        let text = error.to_string();
                        assert!(
                            text.contains("features.o") || text.contains("map `"),
                            "{section} word {number}: {text}"
                        );
                    }
                }
            }
        }
    }
    assert!(loaded > 0 && refused > 0, "{loaded} loaded, {refused} refused");
}

#[test]
fn any_length_may_be_missing() {
    let file = std::fs::read(FILE).expect("the object");
    for section in [".BTF", ".BTF.ext"] {
        let range = range(&file, section);
        for from in range.clone().step_by(7) {
            let mut damaged = file.clone();
            damaged[from..range.end].fill(0);
            let _ = load(&damaged);
        }
    }
}
