//! `ipv4_forward`: forwarding by parallel threads (Girish 2008).

use crate::read_program::{ReadProgram, Runs};
use crate::reading::{MILLION, Reading};
use linecard_apps::{BufferingScheme, Carrier, Ipv4Config, Ipv4Forward, Ipv4Roles};
use linecard_config::Section;
use linecard_program::script::RoleId;

/// It has no separate table.
pub(super) const SECTION: &str = "";
/// The table and the key that a file with its costs has.
pub(super) const NEEDS: (&str, &str) = ("program", "packet_cycles");
/// Keys of `[program]` with its costs.
pub(super) const COSTS: &[&str] = &[
    "scheme",
    "packet_cycles",
    "store_cycles",
    "load_cycles",
    "direct_cycles",
    "header_bytes",
    "hashes",
    "table_reads",
    "table_words",
];

/// Reads its costs.
pub(super) fn read(_: &Section<'_>, section: &Section<'_>, reading: &mut Reading<'_>) -> ReadProgram {
    let (carrier, used) = carrier(section, reading);
    let routes = reading.routes(section);
    let program = Ipv4Forward::new(carrier, routes.table.clone(), reading.not_ip(section));
    ReadProgram {
        name: "ipv4_forward".to_owned(),
        runs: Runs::of(program),
        routes: Some(routes),
        roles: used,
        moves_cells: true,
        allocates: false,
        puts: Vec::new(),
    }
}

/// Reads how it carries packets, and the roles that it uses for this.
pub(super) fn carrier(section: &Section<'_>, reading: &mut Reading<'_>) -> (Carrier, Vec<usize>) {
    let schemes = BufferingScheme::ALL.map(|scheme| (scheme.name(), scheme));
    let cycles = |key: &str, meaning: &str| section.integer(key, 0..=MILLION, meaning) as u32;
    let config = Ipv4Config {
        scheme: section.choice(
            "scheme",
            &schemes,
            "parts of a packet that are kept in the scratchpad. With DYNAMIC and DETOUR, only packets for \
             congested ports go to DRAM. With DETOUR, a thread also stays with a packet for a congested port \
             until the packet is in the transmit buffer",
        ),
        packet_cycles: cycles("packet_cycles", "cycles per packet, in addition to the cycles of its cells"),
        store_cycles: cycles("store_cycles", "cycles to store a cell"),
        load_cycles: cycles("load_cycles", "cycles to load a stored cell into the transmit buffer"),
        direct_cycles: cycles("direct_cycles", "cycles to move a cell directly from the receive buffer to the transmit buffer"),
        header_bytes: section.integer("header_bytes", 8..=64, "size of an access to the header") as u16,
        hashes: section.integer("hashes", 0..=1000, "hashes of a lookup") as u32,
        table_reads: section.integer("table_reads", 0..=1000, "number of table reads, one after the other")
            as u32,
        table_words: section.integer("table_words", 1..=1000, "words per table read") as u32,
    };
    let place = section.place();
    let mut used = Vec::new();
    let mut role = |name: &str, bytes: u64, wanted: bool| {
        if !wanted {
            return RoleId(0);
        }
        let number = reading.roles.number(name, &place);
        reading.roles.uses(number, bytes);
        used.push(number);
        RoleId(number as u8)
    };
    let in_scratch = u64::from(config.scheme.scratch_bytes(config.header_bytes.into())) * reading.threads;
    let roles = Ipv4Roles {
        packets: role("packets", 0, true),
        scratch: role("scratch", in_scratch, config.scheme != BufferingScheme::Base),
        hash: role("hash", 0, true),
        table: role("table", 0, true),
        direct: role("direct", 0, config.scheme.looks_at_queues()),
    };
    if config.scheme.looks_at_queues() && !reading.keeps {
        section.fail(
            "scheme",
            "DYNAMIC and DETOUR compare the bytes that wait for a port with watermarks; add watermarks to \
             [transmit], as in platforms/ixp2400_dynamic",
        );
    }
    (Carrier { config, roles }, used)
}
