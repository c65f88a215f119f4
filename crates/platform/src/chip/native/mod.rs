//! Programs that the project itself brings, in Rust: they do the work on headers for real, and the chip's file says what it
//! costs: `[program]`, and a table of the program's own name.

mod ipv4;
mod ixp1200;

use super::executed::Around;
use super::reading::Reading;
use super::runs::ReadProgram;
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
    read: Reader,
}

const fn native(
    name: &'static str,
    section: &'static str,
    needs: (&'static str, &'static str),
    read: Reader,
) -> Native {
    Native { name, section, needs, read }
}

/// What the loops of the IXP1200 cost.
const LOOPS: (&str, &str) = ("program", "input_first_cell_cycles");

/// Keys of `[program]` that they cost by; lists of steps leave them.
pub(super) const COSTS: &[&str] = &[
    "input_first_cell_cycles",
    "input_later_cell_cycles",
    "input_cell_scratch",
    "enqueue_cycles",
    "enqueue_scratch",
    "output_first_block_cycles",
    "output_first_block_scratch",
    "output_later_block_cycles",
    "output_later_block_scratch",
    "output_blocked_cell_cycles",
    "digest_hashes",
    "scheme",
    "packet_cycles",
    "store_cycles",
    "load_cycles",
    "header_bytes",
    "hashes",
    "table_reads",
    "table_words",
];

/// All of them. One more is a function, and a line here and in [`Runs`](super::runs::Runs).
const NATIVE: &[Native] = &[
    native("ipv4_forward", "", ("program", "packet_cycles"), ipv4::read),
    native("l3fwd16", "", LOOPS, ixp1200::l3fwd16),
    native("nat", "nat", LOOPS, ixp1200::nat),
    native("firewall", "firewall", LOOPS, ixp1200::firewall),
];

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
    let loops =
        is_costed("l3fwd16", root) && ["l3fwd16", "nat", "firewall", "vanilla_ip"].contains(&run.as_str());
    match run.as_str() {
        "ipv4_forward" => {
            let (carrier, used) = ipv4::carrier(own, reading);
            Some((Around::Carrier(carrier), used))
        }
        _ if loops => {
            let (io, used) = ixp1200::loops(own, reading);
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
