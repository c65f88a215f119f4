//! The loops of the IXP1200 that move packets, and the parts that programs with these loops share (Hasan 2003,
//! section 5.2).

use crate::read_program::{ReadProgram, Runs, Start};
use crate::reading::{MILLION, Reading};
use linecard_apps::{Io, IoCosts, IoRoles, NotIp, ResultCacheUse};
use linecard_config::Section;
use linecard_program::script::RoleId;

/// Keys of `[program]` with the costs of the loops.
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
];

/// The table and the key that a file with the costs of the loops has.
pub(super) const NEEDS: (&str, &str) = ("program", "input_first_cell_cycles");

/// Names the roles of a program while it is read.
pub(super) struct Named<'a, 'r> {
    pub reading: &'a mut Reading<'r>,
    pub place: String,
    pub used: Vec<usize>,
}

impl Named<'_, '_> {
    /// Returns the role of a name, in which a program keeps this number of bytes.
    pub fn role(&mut self, name: &str, bytes: u64) -> RoleId {
        let number = self.reading.roles.number(name, &self.place);
        self.reading.roles.uses(number, bytes);
        if !self.used.contains(&number) {
            self.used.push(number);
        }
        RoleId(number as u8)
    }
}

/// Reads the loops of a program.
pub(super) fn io(section: &Section<'_>, not_ip: NotIp, named: &mut Named<'_, '_>) -> Io {
    let cycles = |key: &str, meaning: &str| section.integer(key, 0..=MILLION, meaning) as u32;
    let accesses = |key: &str, meaning: &str| section.integer(key, 0..=1000, meaning) as u32;
    let costs = IoCosts {
        input_first_cell_cycles: cycles(
            "input_first_cell_cycles",
            "input-side cycles for the first cell of a packet",
        ),
        input_later_cell_cycles: cycles(
            "input_later_cell_cycles",
            "input-side cycles for each later cell of a \
             packet",
        ),
        input_cell_scratch: accesses(
            "input_cell_scratch",
            "number of input-side flag accesses for each cell",
        ),
        enqueue_cycles: cycles("enqueue_cycles", "cycles to put a packet into its queue"),
        enqueue_scratch: accesses("enqueue_scratch", "number of flag accesses per enqueue"),
        output_first_block_cycles: cycles(
            "output_first_block_cycles",
            "output-side cycles for the first block of a packet",
        ),
        output_first_block_scratch: accesses(
            "output_first_block_scratch",
            "number of flag accesses for the first block of a packet",
        ),
        output_later_block_cycles: cycles(
            "output_later_block_cycles",
            "output-side cycles for each later block of a packet",
        ),
        output_later_block_scratch: accesses(
            "output_later_block_scratch",
            "number of flag accesses for each later block",
        ),
        output_blocked_cell_cycles: cycles(
            "output_blocked_cell_cycles",
            "output-side cycles for each further cell of a block",
        ),
    };
    let manager = named.reading.queue_manager.as_ref();
    let cycles = manager.map(|manager| manager.settings.instruction_cycles(manager.kind) as u32);
    let roles = IoRoles {
        packets: named.role("packets", 0),
        descriptors: named.role("descriptors", 0),
        flags: named.role("flags", 0),
        queues: cycles.map(|cycles| (named.role("queues", 0), cycles)),
    };
    Io::new(costs, roles, not_ip)
}

/// Reads only the loops, and returns the roles that they use.
pub(super) fn loops(section: &Section<'_>, reading: &mut Reading<'_>) -> (Io, Vec<usize>) {
    section.leave(&["routes", "not_ip", "digest_hashes"]);
    let mut named = Named { reading, place: section.place(), used: Vec::new() };
    let io = io(section, NotIp::default(), &mut named);
    (io, named.used)
}

/// Reads how the program uses the result cache, on a chip that has one.
pub(super) fn result_cache(section: &Section<'_>, named: &mut Named<'_, '_>) -> Option<ResultCacheUse> {
    if !named.reading.results {
        section.leave(&["digest_hashes"]);
        return None;
    }
    let meaning = "number of hashes that the hash unit computes for a digest of the result cache";
    let hashes = section.integer("digest_hashes", 0..=1000, meaning) as u32;
    Some(ResultCacheUse { results: named.role("cache", 0), hash: named.role("hash", 0), hashes })
}

/// Returns a program with these loops.
pub(super) fn read_program(name: &str, program: impl Start + 'static, used: Vec<usize>) -> ReadProgram {
    ReadProgram {
        name: name.to_owned(),
        runs: Runs::of(program),
        routes: None,
        roles: used,
        moves_cells: true,
        allocates: true,
        puts: Vec::new(),
    }
}
