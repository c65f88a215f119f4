//! `[vrp]`: what the engines leave for extensions of a router (Spalink 2000, section 4.2). `linecard vrp` looks at it; runs of
//! the chip do not.

use linecard_config::Section;

/// Reads `[vrp]`, where the file has it.
pub(super) fn read(root: &Section<'_>) {
    let Some(vrp) = root.section("vrp") else { return };
    vrp.integer("registers", 0..=1024, "registers that an extension may use");
    vrp.integer("istore_instructions", 0..=1_000_000, "instruction store that is left for extensions");
    vrp.integer("load_accesses", 0..=1000, "scratchpad accesses that load an instruction");
    vrp.number("margin_percent", 0.0..=100.0, "share of the spare budget that extensions are given");
}
