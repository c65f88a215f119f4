//! Native programs, which the project ships in Rust: they process headers functionally, and the chip's file states
//! their costs in `[program]` and in a table with the name of the program.

mod loops;

use super::executed::Around;
use super::read_program::ReadProgram;
use super::reading::Reading;
use linecard_config::Section;

/// Reads the costs of a program: from the root of the chip's file, and from its `[program]`.
type Reader = fn(&Section<'_>, &Section<'_>, &mut Reading<'_>) -> ReadProgram;

/// A native program.
struct Native {
    name: &'static str,
    /// Table of the chip's file that only this program reads; empty if it has none.
    section: &'static str,
    /// The table and the key that a file with its costs has.
    needs: (&'static str, &'static str),
    /// Keys of `[program]` with its costs.
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

/// Returns the keys of `[program]` with costs of programs; lists of steps do not read them.
pub(super) fn costs() -> Vec<&'static str> {
    NATIVE.iter().flat_map(|native| native.costs).copied().collect()
}

/// Returns the reader of the costs of a program, by name.
pub(super) fn reader(name: &str) -> Option<Reader> {
    NATIVE.iter().find(|native| native.name == name).map(|native| native.read)
}

/// Returns whether a program is native and the file states its costs.
pub(super) fn is_costed(name: &str, root: &Section<'_>) -> bool {
    let Some(native) = NATIVE.iter().find(|native| native.name == name) else { return false };
    let (table, key) = native.needs;
    root.has(table) && root.section(table).is_some_and(|section| section.has(key))
}

/// Returns the code that moves packets around an executed program, on a chip whose own program is native, and the
/// roles that it uses; `None` if programs need not move packets.
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

/// Returns the names of all native programs.
pub(super) fn names() -> Vec<&'static str> {
    NATIVE.iter().map(|native| native.name).collect()
}

/// Returns the table of a chip's file that only this program reads; empty if it has none.
pub(super) fn section(name: &str) -> &'static str {
    NATIVE.iter().find(|native| native.name == name).map_or("", |native| native.section)
}

/// Returns the tables of a chip's file that only other programs read.
pub(super) fn sections_of_others(name: &str) -> Vec<&'static str> {
    let others = NATIVE.iter().filter(|native| native.name != name && !native.section.is_empty());
    others.map(|native| native.section).collect()
}
