//! `firewall`: packets are compared with templates (Hasan 2003, section 5.2).

use super::loops::{self, Named};
use crate::reading::{MILLION, Reading};
use crate::read_program::ReadProgram;
use crate::rules::templates;
use linecard_apps::{Firewall, FirewallConfig};
use linecard_config::Section;

/// Table of a chip's file that only this program reads.
pub(super) const SECTION: &str = "firewall";
pub(super) const NEEDS: (&str, &str) = loops::NEEDS;
pub(super) const COSTS: &[&str] = loops::COSTS;

/// Reads the costs of `firewall`.
pub(super) fn read(root: &Section<'_>, section: &Section<'_>, reading: &mut Reading<'_>) -> ReadProgram {
    section.leave(&["routes"]);
    let ports = reading.ports.max(1);
    let not_ip = reading.not_ip(section);
    let mut named = Named { reading, place: section.place(), used: Vec::new() };
    let io = loops::io(section, not_ip, &mut named);
    let cache = loops::result_cache(section, &mut named);
    let mut config = FirewallConfig { templates: vec![], ports, extract_cycles: 0, template_cycles: 0 };
    match root.section("firewall") {
        None => root.lacks("firewall", "the costs of the firewall must be in [firewall]"),
        Some(own) => {
            let rules = own.text_or("rules", "", "file of firewall templates; if empty, the shipped templates");
            match templates(&rules) {
                Ok(templates) => config.templates = templates,
                Err(message) => own.fail("rules", message),
            }
            config.extract_cycles =
                own.integer("extract_cycles", 0..=MILLION, "cycles to load the header fields into registers") as u32;
            config.template_cycles =
                own.integer("template_cycles", 0..=MILLION, "cycles to compare a packet with one template") as u32;
        }
    }
    let program = Firewall::new(io, config, named.role("table", 0), cache);
    loops::read_program("firewall", program, named.used)
}
