//! `[vrp]`: the resources that the engines leave for extensions of a router (Spalink 2000, section 4.2). `linecard
//! vrp` reads it; runs of the chip do not.

use linecard_config::Section;

/// Reads `[vrp]`, if the file has it.
pub(super) fn read(root: &Section<'_>) {
    let Some(vrp) = root.section("vrp") else { return };
    vrp.integer("registers", 0..=1024, "registers that an extension may use");
    vrp.integer(
        "istore_instructions",
        0..=1_000_000,
        "number of instructions that extensions may occupy in the instruction store",
    );
    vrp.integer(
        "load_accesses",
        0..=1000,
        "number of scratchpad accesses that are needed to load one instruction",
    );
    vrp.number(
        "cycles",
        0.0..=1e6,
        "cycles that an extension may take, including the cycles of its accesses",
    );
    vrp.integer("dram_transfers", 0..=10_000, "number of 32-byte DRAM transfers that an extension may make");
    vrp.integer(
        "sram_transfers",
        0..=10_000,
        "number of 32-byte SRAM transfers that an extension may make; a smaller transfer counts as a fraction of \
         a 32-byte transfer",
    );
    vrp.integer("hashes", 0..=10_000, "hashes that an extension may request");
    vrp.number("dram_read_cycles", 0.0..=10_000.0, "cycles charged for a transfer from DRAM");
    vrp.number("dram_write_cycles", 0.0..=10_000.0, "cycles charged for a transfer to DRAM");
    vrp.number("sram_cycles", 0.0..=10_000.0, "cycles charged for a 32-byte SRAM transfer");
    vrp.number("margin_percent", 0.0..=100.0, "fraction of the headroom that extensions may use");
}
