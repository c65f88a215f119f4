//! `vanilla_ip` and `probe`: forwarding and measuring by single instructions (Spalink 2000).

use super::ixp1200::{Named, leave_io};
use super::{MILLION, Runs};
use crate::chip::program::{ReadProgram, Reading};
use linecard_apps::{Loops, Probe, RouteTable, Step, VanillaConfig, VanillaCosts, VanillaIp, VanillaRoles};
use linecard_config::Section;

/// Paths between components by name: what they are called in `[bind]`.
const PATHS: [&str; 6] =
    ["fifo_to_dram", "dram_to_fifo", "fifo_to_engine", "engine_to_fifo", "dram_to_engine", "engine_to_dram"];

/// What can be probed beside paths, and what it is called in `[bind]`.
const UNITS: [(&str, &str); 3] = [("sram", "table"), ("scratch", "flags"), ("hash", "hash")];

/// Queue managers and result caches serve other programs.
fn no_helpers(section: &Section<'_>, name: &str, reading: &Reading<'_>) {
    if reading.queue_manager.is_some() || reading.results {
        let message = format!(
            "a queue manager (queues.manager) serves l3fwd16, nat and firewall, a result cache (cache.entries) l3fwd16 and \
             firewall; what {name} does is instructions of its own"
        );
        section.fail("run", message);
    }
}

/// Reads the costs of `vanilla_ip`.
pub(super) fn vanilla(root: &Section<'_>, section: &Section<'_>, reading: &mut Reading<'_>) -> ReadProgram {
    leave_io(section);
    section.leave(&["digest_hashes"]);
    no_helpers(section, "vanilla_ip", reading);
    let routes = reading.routes(section);
    let mut named = Named { reading, place: section.place(), used: Vec::new() };
    let mut config = VanillaConfig {
        costs: VanillaCosts::default(),
        real_ports: true,
        loops: Loops::Both,
        extension: vec![],
    };
    match root.section("vanilla") {
        None => root.fail("vanilla", "missing: the steps of vanilla_ip stand in [vanilla]"),
        Some(own) => {
            config.costs = costs(&own);
            let ports = [("real", true), ("infinite", false)];
            config.real_ports = own.choice_or(
                "ports",
                "real",
                &ports,
                "packets come from ports, or the same one is always there",
            );
            let loops = [("both", Loops::Both), ("input", Loops::Input), ("output", Loops::Output)];
            config.loops = own.choice_or("loops", "both", &loops, "which loops run");
            let text = own.text_or(
                "extension",
                "",
                "operations for every 64 bytes: `compute N`, `dram_read BYTES`, …, comma-separated",
            );
            match crate::extension::parse(&text) {
                Ok(extension) => config.extension = extension,
                Err(message) => own.fail("extension", message),
            }
        }
    }
    let mut path = |name: &str| named.role(name, 0);
    let roles = VanillaRoles {
        fifo_to_dram: path("fifo_to_dram"),
        dram_to_fifo: path("dram_to_fifo"),
        dram_to_engine: path("dram_to_engine"),
        engine_to_dram: path("engine_to_dram"),
        table: path("table"),
        flags: path("flags"),
        hash: path("hash"),
    };
    let table = RouteTable::new(routes.as_deref().unwrap_or_default());
    ReadProgram {
        name: "vanilla_ip".to_owned(),
        runs: Runs::Vanilla(VanillaIp::new(config, roles, table)),
        routes,
        roles: named.used,
        moves_cells: true,
        allocates: false,
        puts: vec![],
    }
}

/// The steps of Spalink 2000, Figure 5.
fn costs(own: &Section<'_>) -> VanillaCosts {
    let step = |name: &str, accesses: bool, called: &str| Step {
        cycles: own.integer(&format!("{name}_cycles"), 0..=MILLION, &format!("instructions of {called}"))
            as u32,
        scratch: match accesses {
            true => {
                own.integer(&format!("{name}_scratch"), 0..=1000, &format!("scratchpad accesses of {called}"))
                    as u32
            }
            false => 0,
        },
    };
    VanillaCosts {
        until_ready_receive: step("until_ready_receive", true, "until_ready_rcv"),
        fifo_to_dram: step("fifo_to_dram", true, "move IN_FIFO to DRAM"),
        header_to_registers: step("header_to_registers", false, "move DRAM to Reg_Hdr"),
        hash: step("hash", true, "hash"),
        entry_to_registers: step("entry_to_registers", false, "move SRAM to Reg_Entry"),
        function: step("function", false, "Reg_Entry.Func"),
        end_of_packet: step("end_of_packet", false, "if End_Of_Packet"),
        enqueue: step("enqueue", true, "enqueue"),
        until_ready_send: step("until_ready_send", true, "until_ready_snd"),
        start_of_packet: step("start_of_packet", false, "if Start_Of_Packet"),
        dequeue: step("dequeue", true, "dequeue"),
        dram_to_fifo: step("dram_to_fifo", false, "move DRAM to OUT_FIFO"),
        start_transfer: step("start_transfer", true, "start_transfer"),
    }
}

/// Reads what `probe` measures.
pub(super) fn probe(root: &Section<'_>, section: &Section<'_>, reading: &mut Reading<'_>) -> ReadProgram {
    leave_io(section);
    section.leave(&["digest_hashes", "routes"]);
    no_helpers(section, "probe", reading);
    let mut named = Named { reading, place: section.place(), used: Vec::new() };
    let (mut role, mut is_path, mut bytes) = ("flags", false, 4);
    match root.section("probe") {
        None => root.fail("probe", "missing: what is measured stands in [probe]"),
        Some(own) => {
            let mut kinds: Vec<(&str, (&str, bool))> =
                PATHS.iter().map(|&path| (path, (path, true))).collect();
            kinds.extend(UNITS.iter().map(|&(unit, role)| (unit, (role, false))));
            (role, is_path) = own.choice("transfer", &kinds, "what is measured");
            bytes = own.integer("bytes", 1..=65_535, "bytes of each transfer") as u16;
        }
    }
    let id = named.role(role, 0);
    named.role("packets", 0);
    let probe = if is_path { Probe::of_path(id, bytes) } else { Probe::of_unit(id, bytes) };
    ReadProgram {
        name: "probe".to_owned(),
        runs: Runs::Probe(probe),
        routes: None,
        roles: named.used,
        moves_cells: true,
        allocates: false,
        puts: vec![],
    }
}
