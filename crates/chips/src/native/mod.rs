//! Programs that the project itself brings, in Rust: they do the work on headers for real, and the chip's file says what it
//! costs: `[program]`, and a table of the program's own name.

mod loops;

use super::executed::Around;
use super::read_program::ReadProgram;
use super::reading::Reading;
use linecard_config::Section;

/// Reads the costs of a program: from the root of the chip's file, and from its `[program]`.
type Reader = fn(&Section<'_>, &Section<'_>, &mut Reading<'_>) -> ReadProgram;

/// A program.
struct Native {
    name: &'static str,
    /// Table of the chip's file that is its alone; empty if it has none.
    section: &'static str,
    /// What a file with its costs has: a table, and a key in it.
    needs: (&'static str, &'static str),
    /// Keys of `[program]` that it costs by.
    costs: &'static [&'static str],
    read: Reader,
}

macro_rules! natives {
    ($($file:ident,)*) => {
        $(mod $file;)*

        /// All of them.
        const NATIVE: &[Native] = &[$(Native {
            name: stringify!($file),
            section: $file::SECTION,
            needs: $file::NEEDS,
            costs: $file::COSTS,
            read: $file::read,
        }),*];
    };
}

natives! {
    ipv4_forward,
    l3fwd16,
    nat,
    firewall,
}

/// Keys of `[program]` that programs cost by; lists of steps leave them.
pub(super) fn costs() -> Vec<&'static str> {
    NATIVE.iter().flat_map(|native| native.costs).copied().collect()
}

/// What reads the costs of the program of a name.
pub(super) fn reader(name: &str) -> Option<Reader> {
    NATIVE.iter().find(|native| native.name == name).map(|native| native.read)
}

/// Whether a program comes with the project, and the file says what it costs.
pub(super) fn is_costed(name: &str, root: &Section<'_>) -> bool {
    let Some(native) = NATIVE.iter().find(|native| native.name == name) else { return false };
    let (table, key) = native.needs;
    root.has(table) && root.section(table).is_some_and(|section| section.has(key))
}

/// What moves packets around an executed program, on a chip whose own program is one of these; and the roles that it uses.
/// Nothing where packets need not be moved by programs.
pub(super) fn around(
    root: &Section<'_>,
    own: &Section<'_>,
    reading: &mut Reading<'_>,
) -> Option<(Around, Vec<usize>)> {
    let run = own.text_if("run", "program: a preset of presets/programs, or a file")?;
    let loops = is_costed("l3fwd16", root)
        && ["l3fwd16", "nat", "firewall", "vanilla_ip", "to_host"].contains(&run.as_str());
    match run.as_str() {
        "ipv4_forward" => {
            let (carrier, used) = ipv4_forward::carrier(own, reading);
            Some((Around::Carrier(carrier), used))
        }
        _ if loops => {
            let (io, used) = loops::loops(own, reading);
            Some((Around::Io(io), used))
        }
        _ => None,
    }
}

/// Names of all.
pub(super) fn names() -> Vec<&'static str> {
    NATIVE.iter().map(|native| native.name).collect()
}

/// Table of a chip's file that is a program's alone; empty if it has none.
pub(super) fn section(name: &str) -> &'static str {
    NATIVE.iter().find(|native| native.name == name).map_or("", |native| native.section)
}

/// Tables of a chip's file that other programs than that of a name read.
pub(super) fn sections_of_others(name: &str) -> Vec<&'static str> {
    let others = NATIVE.iter().filter(|native| native.name != name && !native.section.is_empty());
    others.map(|native| native.section).collect()
}
