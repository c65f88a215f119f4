//! Every parameter that a preset may set: its unit, what values it takes, what it means.
//!
//! The list is the whole of what can be configured; a key that is not in it is an error. Defaults do not exist: a
//! preset, or one it extends, gives each value with its source.

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A whole number in a range.
    Integer {
        /// Least.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// A number in a range.
    Number {
        /// Least.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// `true` or `false`.
    Switch,
    /// One of some names.
    Choice(&'static [&'static str]),
    /// Text; may be empty.
    Text,
}

impl Kind {
    /// What the user should write.
    pub fn expected(self) -> String {
        match self {
            Kind::Integer { min, max } if max == u64::MAX => format!("a whole number from {min}"),
            Kind::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Number { min, max } => format!("a number from {min} to {max}"),
            Kind::Switch => "true or false".to_owned(),
            Kind::Choice(names) => format!("one of {}", names.join(", ")),
            Kind::Text => "text".to_owned(),
        }
    }
}

/// What presets of one kind of machine may set.
#[derive(Debug)]
pub(crate) struct Schema {
    /// The applications that run on it.
    pub apps: &'static [&'static str],
    /// Every parameter, in the order in which `linecard describe` prints them.
    pub parameters: &'static [Parameter],
}

impl Schema {
    /// The parameter of a key.
    pub fn parameter(&self, key: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|p| p.key == key)
    }
}

/// Machines with input and output threads.
pub(crate) static NP: Schema = Schema { apps: APPS, parameters: PARAMETERS };

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub key: &'static str,
    pub unit: &'static str,
    pub kind: Kind,
    pub meaning: &'static str,
}

pub(crate) const fn integer(
    key: &'static str,
    unit: &'static str,
    min: u64,
    max: u64,
    meaning: &'static str,
) -> Parameter {
    Parameter { key, unit, kind: Kind::Integer { min, max }, meaning }
}

pub(crate) const fn number(
    key: &'static str,
    unit: &'static str,
    min: f64,
    max: f64,
    meaning: &'static str,
) -> Parameter {
    Parameter { key, unit, kind: Kind::Number { min, max }, meaning }
}

pub(crate) const fn choice(
    key: &'static str,
    names: &'static [&'static str],
    meaning: &'static str,
) -> Parameter {
    Parameter { key, unit: "", kind: Kind::Choice(names), meaning }
}

pub(crate) const fn switch(key: &'static str, meaning: &'static str) -> Parameter {
    Parameter { key, unit: "", kind: Kind::Switch, meaning }
}

pub(crate) const fn text(key: &'static str, meaning: &'static str) -> Parameter {
    Parameter { key, unit: "", kind: Kind::Text, meaning }
}

pub(crate) const MILLION: u64 = 1_000_000;

/// The applications that `--app` names.
const APPS: &[&str] = &["l3fwd16", "nat", "firewall", "vanilla_ip", "probe"];

/// Every parameter, in the order in which `linecard describe` prints them.
const PARAMETERS: &[Parameter] = &[
    number("engine.clock_mhz", "MHz", 0.001, 100_000.0, "clock of the engines"),
    integer("engine.input_engines", "engines", 1, 56, "engines that run input threads"),
    integer("engine.output_engines", "engines", 1, 56, "engines that run output threads"),
    integer("engine.threads", "threads", 1, 64, "hardware threads of an engine"),
    integer(
        "engine.switch_cycles",
        "engine cycles",
        0,
        MILLION,
        "cycles lost when an engine changes threads",
    ),
    number("engine.branch_share", "", 0.0, 0.5, "share of the instructions that are taken branches"),
    integer("engine.branch_lost_cycles", "engine cycles", 0, 1000, "issue slots lost with each of them"),
    integer(
        "engine.posted_writes",
        "cells",
        1,
        64,
        "packet-buffer writes a thread may have under way; 1 waits for each",
    ),
    number("sram.latency_ns", "ns", 0.0, 1e9, "from an access of SRAM to its result, idle"),
    number("sram.word_ns", "ns/word", 0.0, 1e9, "for which each word (or hash) keeps SRAM busy"),
    number(
        "sram.access_ns",
        "ns/access",
        0.0,
        1e9,
        "for which an access keeps SRAM busy, whatever its words",
    ),
    number("sram.transit_ns", "ns", 0.0, 1e9, "to SRAM and back, on top of latency or service"),
    number("scratch.latency_ns", "ns", 0.0, 1e9, "from an access of the scratchpad to its result, idle"),
    number("scratch.word_ns", "ns/word", 0.0, 1e9, "for which each word (or hash) keeps the scratchpad busy"),
    number(
        "scratch.access_ns",
        "ns/access",
        0.0,
        1e9,
        "for which an access keeps the scratchpad busy, whatever its words",
    ),
    number("scratch.transit_ns", "ns", 0.0, 1e9, "to the scratchpad and back, on top of latency or service"),
    number("hash.latency_ns", "ns", 0.0, 1e9, "from an access of the hash unit to its result, idle"),
    number("hash.word_ns", "ns/word", 0.0, 1e9, "for which each word (or hash) keeps the hash unit busy"),
    number(
        "hash.access_ns",
        "ns/access",
        0.0,
        1e9,
        "for which an access keeps the hash unit busy, whatever its hashes",
    ),
    number("hash.transit_ns", "ns", 0.0, 1e9, "to the hash unit and back, on top of latency or service"),
    number("paths.issue_ns", "ns", 0.0, 1e9, "from a thread to the unit that serves its transfer"),
    number("paths.return_ns", "ns", 0.0, 1e9, "from that unit back to the thread"),
    number("paths.pull_engine_ns", "ns", 0.0, 1e9, "to fetch a transfer's data from registers"),
    number("paths.push_engine_ns", "ns", 0.0, 1e9, "to deliver a transfer's data to registers"),
    number("paths.pull_fifo_ns", "ns", 0.0, 1e9, "to fetch a transfer's data from the receive buffer"),
    number("paths.push_fifo_ns", "ns", 0.0, 1e9, "to deliver a transfer's data to the transmit buffer"),
    number("paths.fifo_ns", "ns", 0.0, 1e9, "for which a transfer with registers needs the buffer itself"),
    number(
        "paths.dram_access_cycles",
        "DRAM cycles",
        0.0,
        1e6,
        "that an access of DRAM costs beside its bytes",
    ),
    integer("cache.entries", "entries", 0, 1 << 22, "result cache in front of the lookup; 0 for none"),
    integer("cache.ways", "entries", 1, 1 << 22, "entries of a set of it"),
    text("cache.policy", "its policy, a name that `linecard flowcache --policy` knows; no oracle"),
    text("cache.key", "what makes a flow to it: 5-tuple, 2-tuple, or fields such as dst/24"),
    integer("cache.digest_bits", "bits", 1, 32, "digest of a flow, the low bits of CRC32C over the key"),
    integer("cache.hashes", "hashes", 0, 1000, "that the hash unit makes for a digest"),
    number("cache.latency_ns", "ns", 0.0, 1e9, "from an access of it to its result, idle"),
    number("cache.word_ns", "ns/access", 0.0, 1e9, "for which each access keeps it busy"),
    number("cache.access_ns", "ns/access", 0.0, 1e9, "for which an access keeps it busy, whatever its words"),
    number("cache.transit_ns", "ns", 0.0, 1e9, "to it and back, on top of latency or service"),
    choice(
        "queues.manager",
        &["none", "nc", "dc", "sqc", "qarray", "qc"],
        "what enqueues and dequeues; none: programs write and read descriptors in SRAM",
    ),
    integer("queues.entries", "entries", 1, 1 << 14, "entries of its cache (sqc, qc)"),
    integer("queues.engines", "engines", 1, 1 << 14, "engines that carry operations out (sqc, qarray, qc)"),
    number("queues.interconnect_ns", "ns", 0.0, 1e6, "from a thread to it and back"),
    number("queues.memory_ns", "ns", 0.0, 1e6, "of an access of the memory that holds descriptors and links"),
    number("dram.clock_mhz", "MHz", 0.001, 100_000.0, "clock of the DRAM"),
    integer("dram.capacity_mib", "MiB", 1, 65_536, "size of the packet buffer"),
    integer("dram.banks", "banks", 1, 1024, "internal banks"),
    integer("dram.bank_groups", "groups", 1, 64, "bank groups"),
    integer("dram.row_bytes", "bytes", 64, MILLION, "bytes of a row of a bank, a power of two"),
    integer("dram.bus_bytes", "bytes", 1, 128, "bytes that the data bus moves in a beat"),
    integer("dram.beats_per_cycle", "beats/cycle", 1, 2, "1, or 2 for double data rate"),
    integer("dram.read_latency_cycles", "DRAM cycles", 0, 1000, "from a read to its first beat"),
    integer("dram.write_latency_cycles", "DRAM cycles", 0, 1000, "from a write to its first beat"),
    choice("controller.queues", &["odd_even", "read_write"], "how requests are queued"),
    choice("controller.row_map", &["round_robin", "halves"], "how rows map to banks"),
    choice("controller.precharge", &["eager", "lazy"], "when a bank is precharged"),
    integer("controller.batch_k", "requests", 1, 1024, "largest batch from one queue; 1 alternates"),
    choice("controller.batch_break", &["same_bank_miss", "any_miss"], "which miss ends a batch"),
    choice(
        "controller.halves",
        &["together", "apart"],
        "writes of a packet's first cell: a turn, or one each",
    ),
    switch("controller.prefetch", "activate the row of the impending access"),
    switch("controller.ideal", "every access takes the time of a row hit"),
    number("buffer.latency_ns", "ns", 0.0, 1e9, "from a thread to the DRAM controller and back"),
    choice(
        "buffer.allocator",
        &["fixed", "fine_grain", "linear", "piecewise_linear", "per_queue_linear"],
        "where packets are placed",
    ),
    integer("buffer.page_bytes", "bytes", 64, 4_194_240, "buffer or page of the allocator"),
    integer("buffer.pools", "pools", 1, 2, "pools that are drawn from in turn"),
    choice("buffer.order", &["lifo", "fifo"], "which freed buffer or page comes first again"),
    choice("buffer.path", &["direct", "wide"], "cells to DRAM, or blocks through per-queue caches"),
    integer("wide.block_cells", "cells", 1, 32, "cells of a wide access"),
    integer("wide.cache_cells", "cells", 1, MILLION, "cells of each of the two caches, all queues together"),
    number("wide.cell_ns", "ns", 0.0, 1e9, "to move a cell between a thread and a cache"),
    choice("receive.mode", &["ready", "paced"], "a packet always waits, or packets come at their times"),
    integer("receive.ports", "ports", 1, 1024, "input ports"),
    integer(
        "receive.fast_ports",
        "ports",
        0,
        1024,
        "of the input ports, those that get ten times as much traffic each",
    ),
    number(
        "receive.bus_gbps",
        "Gbit/s",
        0.0,
        1e6,
        "of the bus between MACs and chip, in and out (paced); 0 for no limit",
    ),
    integer("receive.buffer_cells", "cells", 1, MILLION, "receive buffer of a port (paced)"),
    number("receive.speedup", "", 1e-6, 1e6, "factor on the arrival rate of a capture (paced)"),
    integer("output.ports", "ports", 1, 64, "output ports, one queue each"),
    integer("output.block_cells", "cells", 1, 1024, "cells that a thread moves in a turn"),
    integer("output.slots", "slots/port", 1, 128, "transmit slots of a port; each takes a block"),
    number("output.handshake_ns", "ns", 0.0, 1e9, "to hand a transmit slot over"),
    number("output.drain_cell_ns", "ns", 0.0, 1e9, "for which each cell then keeps its slot"),
    integer("output.fast_ports", "ports", 0, 64, "of the output ports, those whose cells leave sooner"),
    number("output.fast_drain_cell_ns", "ns", 0.0, 1e9, "for which each cell keeps a slot of those"),
    integer("output.queue_packets", "packets", 1, MILLION, "packets in transit to a queue, at most"),
    choice("traffic.kind", &["fixed", "imix", "sizes"], "what is generated when no capture is given"),
    integer("traffic.packet_bytes", "bytes", 20, 65_535, "size of every packet (fixed)"),
    text(
        "traffic.sizes",
        "size distribution (sizes): `bytes:weight` or `low-high:weight`, comma-separated, or a .csv file of `bytes,weight`",
    ),
    integer("traffic.flows", "flows", 1, 10_000_000, "flows that packets are drawn from"),
    number("traffic.zipf", "", 0.0, 5.0, "exponent of the popularity of flows; 0 makes all alike"),
    choice("traffic.arrivals", &["poisson", "back_to_back"], "arrivals of generated packets (paced)"),
    number(
        "traffic.rate_gbps",
        "Gbit/s",
        1e-6,
        1e6,
        "mean rate of generated packets, or of the link they come back to back on (paced)",
    ),
    choice("core.signal", &["polling", "interrupt"], "how the core above the engines learns of a packet"),
    number("core.poll_ns", "ns", 0.0, 1e9, "from one look of the core to the next (polling)"),
    number("core.interrupt_ns", "ns", 0.0, 1e9, "until the core runs its handler (interrupt)"),
    number("core.signal_ns", "ns", 0.0, 1e9, "of the memory access that hands a packet to the core, or back"),
    integer(
        "core.message_cycles",
        "engine cycles",
        0,
        MILLION,
        "instructions of the core for a message, each way",
    ),
    text("link.up", "time of a push to the host by size: `bytes:ns` points, comma-separated"),
    text("link.down", "time of a push from the host by size: `bytes:ns` points, comma-separated"),
    number("host.clock_mhz", "MHz", 0.001, 100_000.0, "clock of the host"),
    number(
        "host.message_ns",
        "ns",
        0.0,
        1e9,
        "of the host for a message, without the work that it is sent for",
    ),
    integer("host.window", "messages", 1, 1024, "messages under way to the host and back, at most"),
    integer("host.waiting", "packets", 0, 1_000_000, "packets that may wait to be sent up"),
    choice("app.name", APPS, "application that runs when none is named"),
    text("app.routes", "file of `prefix next_hop …` lines, plain or gzip; empty generates a table"),
    integer("app.input_first_cell_cycles", "engine cycles", 0, MILLION, "first cell of a packet, input side"),
    integer("app.input_later_cell_cycles", "engine cycles", 0, MILLION, "each later cell, input side"),
    integer("app.input_cell_scratch", "accesses", 0, 1000, "scratchpad accesses for each cell, input side"),
    integer("app.enqueue_cycles", "engine cycles", 0, MILLION, "putting a packet into its queue"),
    integer(
        "app.output_first_block_cycles",
        "engine cycles",
        0,
        MILLION,
        "first block of a packet, output side",
    ),
    integer("app.enqueue_scratch", "accesses", 0, 1000, "scratchpad accesses of an enqueue"),
    integer(
        "app.output_first_block_scratch",
        "accesses",
        0,
        1000,
        "scratchpad accesses of a packet's first block",
    ),
    integer("app.output_later_block_scratch", "accesses", 0, 1000, "scratchpad accesses of each later block"),
    integer("app.output_later_block_cycles", "engine cycles", 0, MILLION, "each later block"),
    integer("app.output_blocked_cell_cycles", "engine cycles", 0, MILLION, "each further cell of a block"),
    integer(
        "vanilla.until_ready_receive_cycles",
        "engine cycles",
        0,
        MILLION,
        "instructions of until_ready_rcv",
    ),
    integer(
        "vanilla.until_ready_receive_scratch",
        "accesses",
        0,
        1000,
        "scratchpad accesses of until_ready_rcv",
    ),
    integer(
        "vanilla.fifo_to_dram_cycles",
        "engine cycles",
        0,
        MILLION,
        "instructions of move IN_FIFO to DRAM",
    ),
    integer(
        "vanilla.fifo_to_dram_scratch",
        "accesses",
        0,
        1000,
        "scratchpad accesses of move IN_FIFO to DRAM",
    ),
    integer(
        "vanilla.header_to_registers_cycles",
        "engine cycles",
        0,
        MILLION,
        "instructions of move DRAM to Reg_Hdr",
    ),
    integer("vanilla.hash_cycles", "engine cycles", 0, MILLION, "instructions of hash"),
    integer("vanilla.hash_scratch", "accesses", 0, 1000, "scratchpad accesses of hash"),
    integer(
        "vanilla.entry_to_registers_cycles",
        "engine cycles",
        0,
        MILLION,
        "instructions of move SRAM to Reg_Entry",
    ),
    integer("vanilla.function_cycles", "engine cycles", 0, MILLION, "instructions of Reg_Entry.Func"),
    integer("vanilla.end_of_packet_cycles", "engine cycles", 0, MILLION, "instructions of if End_Of_Packet"),
    integer("vanilla.enqueue_cycles", "engine cycles", 0, MILLION, "instructions of enqueue"),
    integer("vanilla.enqueue_scratch", "accesses", 0, 1000, "scratchpad accesses of enqueue"),
    integer(
        "vanilla.until_ready_send_cycles",
        "engine cycles",
        0,
        MILLION,
        "instructions of until_ready_snd",
    ),
    integer(
        "vanilla.until_ready_send_scratch",
        "accesses",
        0,
        1000,
        "scratchpad accesses of until_ready_snd",
    ),
    integer(
        "vanilla.start_of_packet_cycles",
        "engine cycles",
        0,
        MILLION,
        "instructions of if Start_Of_Packet",
    ),
    integer("vanilla.dequeue_cycles", "engine cycles", 0, MILLION, "instructions of dequeue"),
    integer("vanilla.dequeue_scratch", "accesses", 0, 1000, "scratchpad accesses of dequeue"),
    integer(
        "vanilla.dram_to_fifo_cycles",
        "engine cycles",
        0,
        MILLION,
        "instructions of move DRAM to OUT_FIFO",
    ),
    integer("vanilla.start_transfer_cycles", "engine cycles", 0, MILLION, "instructions of start_transfer"),
    integer("vanilla.start_transfer_scratch", "accesses", 0, 1000, "scratchpad accesses of start_transfer"),
    choice(
        "vanilla.ports",
        &["real", "infinite"],
        "packets come from ports, or the same one is always there",
    ),
    choice("vanilla.loops", &["both", "input", "output"], "which loops run"),
    text(
        "vanilla.extension",
        "operations for every 64 bytes: `compute N`, `dram_read BYTES`, …, comma-separated",
    ),
    integer("vrp.registers", "registers", 0, 1024, "registers that an extension may use"),
    integer(
        "vrp.istore_instructions",
        "instructions",
        0,
        MILLION,
        "instruction store that is left for extensions",
    ),
    integer("vrp.load_accesses", "accesses", 0, 1000, "scratchpad accesses that load an instruction"),
    number(
        "vrp.margin_percent",
        "percent",
        0.0,
        100.0,
        "share of the spare budget that extensions are given",
    ),
    choice(
        "probe.transfer",
        &[
            "fifo_to_dram",
            "dram_to_fifo",
            "fifo_to_engine",
            "engine_to_fifo",
            "dram_to_engine",
            "engine_to_dram",
            "sram",
            "scratch",
            "hash",
        ],
        "what is measured",
    ),
    integer("probe.bytes", "bytes", 1, 65_536, "bytes of each transfer"),
    integer("nat.buckets", "buckets", 1, 16_777_216, "buckets of the translation table, a power of two"),
    integer("nat.entries", "entries", 1, 16_777_216, "entries of the translation table"),
    integer(
        "nat.translate_cycles",
        "engine cycles",
        0,
        MILLION,
        "header to registers, translation, checksums",
    ),
    integer("nat.update_cycles", "engine cycles", 0, MILLION, "insert or remove an entry"),
    integer("firewall.extract_cycles", "engine cycles", 0, MILLION, "header fields to registers"),
    integer("firewall.template_cycles", "engine cycles", 0, MILLION, "comparison with one template"),
    text("firewall.rules", "file of templates; empty takes the shipped list"),
];

/// `; did you mean …?` with the nearest of some names, or nothing if none is near.
pub(crate) fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let distance = |n: &str| strsim::damerau_levenshtein(name, n);
    match names.into_iter().min_by_key(|n| distance(n)) {
        Some(best) if distance(best) <= name.len().max(best.len()) / 2 => format!("; did you mean `{best}`?"),
        _ => String::new(),
    }
}
