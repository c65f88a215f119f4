//! `l3fwd16`, `nat` and `firewall`: the applications of Hasan 2003, section 5.2.

use crate::chip::reading::{MILLION, Reading};
use crate::chip::runs::{ReadProgram, Runs};
use crate::rules::templates;
use linecard_apps::{
    Firewall, FirewallConfig, Io, IoCosts, IoRoles, L3Forward, Nat, NatConfig, NatRoles, ResultCacheUse,
    RouteTable,
};
use linecard_config::Section;
use linecard_program::script::RoleId;
use linecard_queueing::Settings;

/// Names the roles of a program as it is read.
struct Named<'a, 'r> {
    pub reading: &'a mut Reading<'r>,
    pub place: String,
    pub used: Vec<usize>,
}

impl Named<'_, '_> {
    /// The role of a name, in which a program keeps so many bytes.
    pub fn role(&mut self, name: &str, bytes: u64) -> RoleId {
        let number = self.reading.roles.number(name, &self.place);
        self.reading.roles.uses(number, bytes);
        if !self.used.contains(&number) {
            self.used.push(number);
        }
        RoleId(number as u8)
    }
}

fn io(section: &Section<'_>, named: &mut Named<'_, '_>) -> Io {
    let cycles = |key: &str, meaning: &str| section.integer(key, 0..=MILLION, meaning) as u32;
    let accesses = |key: &str, meaning: &str| section.integer(key, 0..=1000, meaning) as u32;
    let costs = IoCosts {
        input_first_cell_cycles: cycles("input_first_cell_cycles", "first cell of a packet, input side"),
        input_later_cell_cycles: cycles("input_later_cell_cycles", "each later cell, input side"),
        input_cell_scratch: accesses("input_cell_scratch", "accesses of flags for each cell, input side"),
        enqueue_cycles: cycles("enqueue_cycles", "putting a packet into its queue"),
        enqueue_scratch: accesses("enqueue_scratch", "accesses of flags of an enqueue"),
        output_first_block_cycles: cycles(
            "output_first_block_cycles",
            "first block of a packet, output side",
        ),
        output_first_block_scratch: accesses(
            "output_first_block_scratch",
            "accesses of flags of a packet's first block",
        ),
        output_later_block_cycles: cycles("output_later_block_cycles", "each later block"),
        output_later_block_scratch: accesses(
            "output_later_block_scratch",
            "accesses of flags of each later block",
        ),
        output_blocked_cell_cycles: cycles("output_blocked_cell_cycles", "each further cell of a block"),
    };
    let queues = named.reading.queue_manager;
    let roles = IoRoles {
        packets: named.role("packets", 0),
        descriptors: named.role("descriptors", 0),
        flags: named.role("flags", 0),
        queues: queues
            .map(|kind| (named.role("queues", 0), Settings::default().instruction_cycles(kind) as u32)),
    };
    Io { costs, roles }
}

/// The loops alone, and the roles that they use.
pub(super) fn loops(section: &Section<'_>, reading: &mut Reading<'_>) -> (Io, Vec<usize>) {
    section.leave(&["routes", "digest_hashes"]);
    let mut named = Named { reading, place: section.place(), used: Vec::new() };
    let io = io(section, &mut named);
    (io, named.used)
}

fn result_cache(section: &Section<'_>, named: &mut Named<'_, '_>) -> Option<ResultCacheUse> {
    if !named.reading.results {
        section.leave(&["digest_hashes"]);
        return None;
    }
    let meaning = "hashes that the hash unit makes for a digest of the result cache";
    let hashes = section.integer("digest_hashes", 0..=1000, meaning) as u32;
    Some(ResultCacheUse { results: named.role("cache", 0), hash: named.role("hash", 0), hashes })
}

fn read_program(name: &str, runs: Runs, used: Vec<usize>) -> ReadProgram {
    ReadProgram { name: name.to_owned(), runs, routes: None, roles: used, moves_cells: true, allocates: true }
}

/// Reads the costs of `l3fwd16`.
pub(super) fn l3fwd16(_: &Section<'_>, section: &Section<'_>, reading: &mut Reading<'_>) -> ReadProgram {
    let routes = reading.routes(section);
    let mut named = Named { reading, place: section.place(), used: Vec::new() };
    let io = io(section, &mut named);
    let cache = result_cache(section, &mut named);
    let table = RouteTable::new(routes.as_deref().unwrap_or_default());
    let program = L3Forward::new(io, table, named.role("table", 0), cache);
    ReadProgram { routes, ..read_program("l3fwd16", Runs::L3Forward(program), named.used) }
}

/// Reads the costs of `nat`.
pub(super) fn nat(root: &Section<'_>, section: &Section<'_>, reading: &mut Reading<'_>) -> ReadProgram {
    section.leave(&["routes", "digest_hashes"]);
    let ports = reading.ports.max(1);
    if reading.results {
        section.fail(
            "run",
            "nat keeps its translations in its own table; a result cache serves l3fwd16 and firewall: set cache.entries to 0",
        );
    }
    let mut named = Named { reading, place: section.place(), used: Vec::new() };
    let io = io(section, &mut named);
    let own = root.section("nat");
    if own.is_none() {
        root.fail("nat", "missing: what nat costs and keeps stands in [nat]");
    }
    let integer = |key: &str, range: std::ops::RangeInclusive<u64>, meaning: &str| match &own {
        Some(own) => own.integer(key, range, meaning) as u32,
        None => *range.start() as u32,
    };
    let mut buckets = integer("buckets", 1..=1 << 24, "buckets of the translation table, a power of two");
    if !buckets.is_power_of_two() {
        if let Some(own) = &own {
            own.fail("buckets", format!("{buckets} is not a power of two"));
        }
        buckets = buckets.next_power_of_two();
    }
    let config = NatConfig {
        buckets,
        entries: integer("entries", 1..=1 << 24, "entries of the translation table"),
        ports,
        translate_cycles: integer(
            "translate_cycles",
            0..=MILLION,
            "header to registers, translation, checksums",
        ),
        update_cycles: integer("update_cycles", 0..=MILLION, "insert or remove an entry"),
        // 198.18.0.0/15, set aside for benchmarking network devices (RFC 2544).
        address: 0xc612_0000,
    };
    let roles = NatRoles { table: named.role("table", 0), hash: named.role("hash", 0) };
    read_program("nat", Runs::Nat(Box::new(Nat::new(io, config, roles))), named.used)
}

/// Reads the costs of `firewall`.
pub(super) fn firewall(root: &Section<'_>, section: &Section<'_>, reading: &mut Reading<'_>) -> ReadProgram {
    section.leave(&["routes"]);
    let ports = reading.ports.max(1);
    let mut named = Named { reading, place: section.place(), used: Vec::new() };
    let io = io(section, &mut named);
    let cache = result_cache(section, &mut named);
    let mut config = FirewallConfig { templates: vec![], ports, extract_cycles: 0, template_cycles: 0 };
    match root.section("firewall") {
        None => root.fail("firewall", "missing: what the firewall costs stands in [firewall]"),
        Some(own) => {
            let rules = own.text_or("rules", "", "file of templates; empty takes the shipped list");
            match templates(&rules) {
                Ok(templates) => config.templates = templates,
                Err(message) => own.fail("rules", message),
            }
            config.extract_cycles =
                own.integer("extract_cycles", 0..=MILLION, "header fields to registers") as u32;
            config.template_cycles =
                own.integer("template_cycles", 0..=MILLION, "comparison with one template") as u32;
        }
    }
    let program = Firewall::new(io, config, named.role("table", 0), cache);
    read_program("firewall", Runs::Firewall(program), named.used)
}
