//! What stands above the engines of a chip: its core, the link to a host, and the host (Spalink 2000, section 4); and what is
//! left for extensions of its router. `linecard hierarchy` and `linecard vrp` look at it; runs of the chip do not.

use linecard_config::Section;

/// Everything above the engines.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    /// How the core learns of a packet.
    pub polls: bool,
    /// From one look of the core to the next, or until it runs its handler; picoseconds.
    pub signal_wait_ps: u64,
    /// Of the memory access that hands a packet to the core, or back; picoseconds.
    pub signal_ps: u64,
    /// Instructions of the core for a message, each way.
    pub message_cycles: u32,
    /// Time of a push to the host and from it, by size, as text.
    pub up: String,
    /// See `up`.
    pub down: String,
    /// Clock of the host, MHz.
    pub host_mhz: f64,
    /// Of the host for a message, without the work that it is sent for; picoseconds.
    pub host_message_ps: u64,
    /// The same for each byte of it.
    pub host_byte_ps: u64,
    /// Messages under way, and packets that may wait to be sent up, at most.
    pub window: u64,
    /// See `window`.
    pub waiting: u64,
}

fn ps(section: &Section<'_>, key: &str, meaning: &str) -> u64 {
    (section.number(key, 0.0..=1e9, meaning) * 1e3).round() as u64
}

/// Reads `[core]`, `[pci]`, `[host]` and `[vrp]`, where the file has them.
pub(super) fn board(root: &Section<'_>) -> Option<Board> {
    if let Some(vrp) = root.section("vrp") {
        vrp.integer("registers", 0..=1024, "registers that an extension may use");
        vrp.integer("istore_instructions", 0..=1_000_000, "instruction store that is left for extensions");
        vrp.integer("load_accesses", 0..=1000, "scratchpad accesses that load an instruction");
        vrp.number("margin_percent", 0.0..=100.0, "share of the spare budget that extensions are given");
    }
    let (core, link, host) = (root.section("core")?, root.section("pci"), root.section("host"));
    let (Some(link), Some(host)) = (link, host) else {
        root.fail(
            "core",
            "[core], [pci] and [host] go together: what is above the engines, and how it is reached",
        );
        return None;
    };
    let signals = [("polling", true), ("interrupt", false)];
    let polls = core.choice("signal", &signals, "how the core above the engines learns of a packet");
    let poll_ps = ps(&core, "poll_ns", "from one look of the core to the next (polling)");
    let interrupt_ps = ps(&core, "interrupt_ns", "until the core runs its handler (interrupt)");
    let push = "of a push by size: `bytes:ns` points, comma-separated";
    Some(Board {
        polls,
        signal_wait_ps: if polls { poll_ps } else { interrupt_ps },
        signal_ps: ps(&core, "signal_ns", "of the memory access that hands a packet to the core, or back"),
        message_cycles: core.integer(
            "message_cycles",
            0..=1_000_000,
            "instructions of the core for a message, each way",
        ) as u32,
        up: link.text("up", &format!("time {push}, to the host")),
        down: link.text("down", &format!("time {push}, from the host")),
        host_mhz: host.number("clock_mhz", 0.001..=100_000.0, "clock of the host"),
        host_message_ps: ps(
            &host,
            "message_ns",
            "of the host for a message, without the work that it is sent for",
        ),
        host_byte_ps: ps(&host, "byte_ns", "the same for each byte of a message"),
        window: host.integer("window", 1..=1024, "messages under way to the host and back, at most"),
        waiting: host.integer("waiting", 0..=1_000_000, "packets that may wait to be sent up"),
    })
}
