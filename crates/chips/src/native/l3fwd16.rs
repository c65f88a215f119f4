//! `l3fwd16`: forwarding between sixteen ports (Hasan 2003, section 5.2).

use super::loops::{self, Named};
use crate::reading::Reading;
use crate::read_program::ReadProgram;
use linecard_apps::L3Forward;
use linecard_config::Section;

/// It has no separate table.
pub(super) const SECTION: &str = "";
pub(super) const NEEDS: (&str, &str) = loops::NEEDS;
pub(super) const COSTS: &[&str] = loops::COSTS;

/// Reads the costs of `l3fwd16`.
pub(super) fn read(_: &Section<'_>, section: &Section<'_>, reading: &mut Reading<'_>) -> ReadProgram {
    let routes = reading.routes(section);
    let not_ip = reading.not_ip(section);
    let mut named = Named { reading, place: section.place(), used: Vec::new() };
    let io = loops::io(section, not_ip, &mut named);
    let cache = loops::result_cache(section, &mut named);
    let program = L3Forward::new(io, routes.table.clone(), named.role("table", 0), cache);
    ReadProgram { routes: Some(routes), ..loops::read_program("l3fwd16", program, named.used) }
}
