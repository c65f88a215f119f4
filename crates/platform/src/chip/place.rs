//! `[memory.NAME]`, `[unit.NAME]` and `[link.NAME]`.

use super::accelerators;
use super::units::{Clocks, byte_fs, time_ps, time_up_to};
use crate::error::Error;
use crate::files::{Files, Shelf};
use crate::memory::{Rule, part, policy};
use linecard_chip::config::{
    BackPressure, BankBy, CacheConfig, DramConfig, Interleaving, LinkConfig, PacketBufferConfig, PlaceConfig,
    PlaceKind, ServerConfig, SlotsConfig,
};
use linecard_config::{Document, Section};
use linecard_dram::channel::{Policy, RefreshMode};
use linecard_dram::packet_buffer::{BatchBreak, Policy as Rules, Precharge, Queues};
use linecard_dram::{Device, Organization, RowMap, SlotConfig};
use linecard_program::script::Access;

/// A memory, an accelerator or a link as the file names it, with the instances that were made of it.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub name: String,
    /// The cluster that has one for each of its instances.
    pub per: Option<String>,
    /// Number of the first instance, and how many there are.
    pub first: usize,
    pub count: usize,
    /// Bytes that fit, where the file says.
    pub capacity_bytes: Option<u64>,
    /// Where it stands in the file.
    pub place: String,
    pub kind: &'static str,
    pub is_memory: bool,
}

/// All places in order, and what they were made of.
pub(super) struct Places {
    pub named: Vec<Named>,
    pub configs: Vec<PlaceConfig>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Server,
    Ideal,
    Banked,
    Dram,
    Cached,
    Slots,
    Results,
    QueueManager,
}

const KINDS: &[(&str, Kind)] = &[
    ("server", Kind::Server),
    ("ideal", Kind::Ideal),
    ("banked", Kind::Banked),
    ("dram", Kind::Dram),
    ("cached", Kind::Cached),
    ("slots", Kind::Slots),
];

const UNIT_KINDS: &[(&str, Kind)] =
    &[("server", Kind::Server), ("result_cache", Kind::Results), ("queue_manager", Kind::QueueManager)];

/// Instances of a cluster by name.
pub(super) type Instances<'a> = &'a dyn Fn(&str) -> Option<usize>;

/// Reads `per`: how many instances there are, and of whom.
fn per(section: &Section<'_>, instances: Instances<'_>) -> (Option<String>, usize) {
    let Some(cluster) = section.text_if("per", "cluster that has one for each of its instances") else {
        return (None, 1);
    };
    match instances(&cluster) {
        Some(count) => (Some(cluster), count),
        None => {
            section.fail("per", format!("no cluster is called `{cluster}`"));
            (None, 1)
        }
    }
}

/// Name of an instance: without a number where there is one for all.
pub(super) fn instance_name(name: &str, per: bool, number: usize) -> String {
    if per { format!("{name}.{number}") } else { name.to_owned() }
}

impl Places {
    /// Reads all memories and accelerators.
    pub fn read(
        document: &Document,
        clocks: &Clocks,
        instances: Instances<'_>,
        seed: u64,
    ) -> (Self, Vec<(usize, String, String)>) {
        let root = document.root();
        let mut places = Self { named: Vec::new(), configs: Vec::new() };
        // Caches name the place behind them, which may stand later in the file.
        let mut behind = Vec::new();
        for (table, accelerator) in [("memory", false), ("unit", true)] {
            for section in root.sections(table) {
                let (per, count) = per(&section, instances);
                let first = places.configs.len();
                let (kind, word) = match accelerator {
                    true => match section.choice_or("kind", "server", UNIT_KINDS, "what it does") {
                        Kind::Results => (Kind::Results, "result cache"),
                        Kind::QueueManager => (Kind::QueueManager, "queue manager"),
                        _ => (Kind::Server, "accelerator"),
                    },
                    false => {
                        let kind = section.choice_or("kind", "server", KINDS, "how it serves accesses");
                        (kind, KINDS.iter().find(|(_, k)| *k == kind).map_or("", |(name, _)| name))
                    }
                };
                let capacity_bytes = match accelerator {
                    true => None,
                    false => capacity(&section),
                };
                leave_others(&section, kind);
                let built = build(document, &section, kind, clocks, seed);
                let capacity_bytes = capacity_of(&section, &built, capacity_bytes);
                if kind == Kind::Cached {
                    let name = section.text("behind", "memory that the cache stands in front of");
                    behind.push((first, name, section.place_of("behind")));
                }
                for number in 0..count {
                    let name = instance_name(section.name(), per.is_some(), number);
                    places.configs.push(PlaceConfig {
                        name,
                        group: section.name().to_owned(),
                        kind: built.clone(),
                    });
                }
                if places.named.iter().any(|other| other.name == section.name()) {
                    section.fail("", format!("a memory is called `{}`, too", section.name()));
                }
                places.named.push(Named {
                    name: section.name().to_owned(),
                    per,
                    first,
                    count,
                    capacity_bytes,
                    place: section.place(),
                    kind: word,
                    is_memory: !accelerator,
                });
            }
        }
        (places, behind)
    }

    /// The place of a name.
    pub fn find(&self, name: &str) -> Option<&Named> {
        self.named.iter().find(|named| named.name == name)
    }

    /// Puts the numbers of the places behind caches in.
    pub fn connect(&mut self, document: &Document, behind: Vec<(usize, String, String)>) {
        for (first, name, place) in behind {
            let Some(back) = self.find(&name).cloned() else {
                let near = linecard_config::nearest(&name, self.named.iter().map(|n| n.name.as_str()));
                document.report(place, "behind", format!("no memory is called `{name}`{near}"));
                continue;
            };
            let front = self.named.iter().find(|n| n.first == first).cloned();
            let Some(front) = front else { continue };
            if back.per.is_some() && back.per != front.per || back.name == front.name {
                document.report(
                    place,
                    "behind",
                    format!(
                        "`{name}` cannot stand behind `{}`: each must have its own, or all share one",
                        front.name
                    ),
                );
                continue;
            }
            for number in 0..front.count {
                let to = back.first + if back.per.is_some() { number } else { 0 };
                if let PlaceKind::Cached(cache) = &mut self.configs[first + number].kind {
                    cache.behind = to;
                }
            }
        }
    }
}

/// What a memory holds: of DRAM no more than its parts do, and all of that if the file does not say.
fn capacity_of(section: &Section<'_>, built: &PlaceKind, given: Option<u64>) -> Option<u64> {
    let (parts, channels) = match built {
        PlaceKind::Dram(dram) => (dram.map.capacity_bytes() * u64::from(dram.channels), dram.channels),
        PlaceKind::PacketBuffer(buffer) => {
            let each = buffer.device.organization().capacity_bytes();
            (each * u64::from(buffer.channels), buffer.channels)
        }
        _ => return given,
    };
    if let Some(given) = given.filter(|&given| given > parts) {
        let key = if section.has("capacity_bytes") { "capacity_bytes" } else { "capacity_mib" };
        section.fail(key, format!("{given} bytes; {channels} parts of DRAM hold {parts}"));
    }
    Some(given.unwrap_or(parts))
}

fn capacity(section: &Section<'_>) -> Option<u64> {
    let meaning = "how much it holds";
    let bytes = section.integer_if("capacity_bytes", 1..=1 << 50, meaning);
    bytes.or_else(|| section.integer_if("capacity_mib", 1..=1 << 30, meaning).map(|mib| mib << 20))
}

fn build(document: &Document, section: &Section<'_>, kind: Kind, clocks: &Clocks, seed: u64) -> PlaceKind {
    match kind {
        Kind::Results => accelerators::results(section, server(section, clocks, true), seed),
        Kind::QueueManager => accelerators::queue_manager(section),
        Kind::Server => PlaceKind::Server(server(section, clocks, true)),
        Kind::Ideal => {
            let mut ideal = server(section, clocks, false);
            ideal.concurrency = 0;
            PlaceKind::Server(ideal)
        }
        Kind::Banked => {
            let count =
                section.integer("banks", 1..=1 << 16, "banks, each of which serves one access at a time");
            let by = [("address", false), ("turn", true)];
            let by = match section.choice_or("by", "address", &by, "which bank serves an access") {
                true => BankBy::Turn,
                false => {
                    let bytes = section.integer_or(
                        "interleave_bytes",
                        64,
                        1..=1 << 30,
                        "bytes after which an address goes on in the next bank, a power of two",
                    );
                    power_of_two(section, "interleave_bytes", bytes);
                    BankBy::Address { interleave_bytes: bytes.next_power_of_two() as u32 }
                }
            };
            PlaceKind::Banked { bank: server(section, clocks, false), count: count as u32, by }
        }
        Kind::Dram => match dram(document, section, clocks) {
            Some(dram) => dram,
            // What is wrong has been said; the rest of the file is read all the same.
            None => PlaceKind::Server(server_of(0)),
        },
        Kind::Slots => PlaceKind::Slots(slots(section, clocks)),
        Kind::Cached => {
            let line_bytes = section.integer("line_bytes", 8..=4096, "bytes of a line, a power of two");
            let ways = section.integer("ways", 1..=1 << 16, "lines of a set");
            power_of_two(section, "line_bytes", line_bytes);
            let held = section.integer("cache_bytes", 64..=1 << 34, "how much the cache itself holds");
            let sets = held / line_bytes / ways;
            if sets == 0 || !sets.is_power_of_two() || sets * line_bytes * ways != held {
                let message = format!(
                    "{held} bytes do not divide into a power of two of sets of {ways} lines of {line_bytes} bytes"
                );
                section.fail("cache_bytes", message);
            }
            PlaceKind::Cached(CacheConfig {
                port: server(section, clocks, true),
                line_bytes: line_bytes.next_power_of_two() as u32,
                sets: sets.max(1).next_power_of_two().min(1 << 26) as u32,
                ways: ways as u32,
                behind: 0,
            })
        }
    }
}

/// What other kinds of memory look at may stay in a file whose kind is changed.
fn leave_others(section: &Section<'_>, kind: Kind) {
    let of_kind = |kind| match kind {
        Kind::Server => &["concurrency"][..],
        Kind::Ideal => &[][..],
        Kind::Banked => &["banks", "by", "interleave_bytes"][..],
        Kind::Dram => DRAM_KEYS,
        Kind::Cached => &["behind", "line_bytes", "ways", "cache_bytes", "concurrency"][..],
        Kind::Slots => SLOT_KEYS,
        Kind::Results | Kind::QueueManager => &[][..],
    };
    let mine = of_kind(kind);
    for (_, other) in KINDS {
        let others: Vec<&str> = of_kind(*other).iter().copied().filter(|key| !mine.contains(key)).collect();
        section.leave(&others);
    }
    if matches!(kind, Kind::Dram | Kind::Slots) {
        let of_servers = [
            "access_ns",
            "access_cycles",
            "word_ns",
            "word_cycles",
            "word_bytes",
            "rate_gbps",
            "byte_ns",
            "atomics",
        ];
        section.leave(&of_servers);
    }
}

fn power_of_two(section: &Section<'_>, key: &str, value: u64) {
    if !value.is_power_of_two() {
        section.fail(key, format!("{value} is not a power of two"));
    }
}

fn server_of(latency_ps: u64) -> ServerConfig {
    ServerConfig {
        latency_ps,
        access_ps: [0; Access::ALL.len()],
        word_ps: 0,
        word_bytes: 4,
        byte_fs: 0,
        concurrency: 1,
    }
}

/// Longest time that a word may take, a millisecond: those of a packet add up.
const MOST_WORD_NS: f64 = 1e6;

/// Times of a server.
fn server(section: &Section<'_>, clocks: &Clocks, several: bool) -> ServerConfig {
    let hz = clocks.of(section);
    let time = |stem: &str, meaning: &str| time_ps(section, stem, hz, meaning).unwrap_or(0);
    let mut server = server_of(time("latency", "from the beginning of the service to the result, at least"));
    server.access_ps = [time("access", "for which an access keeps it busy"); Access::ALL.len()];
    let word =
        time_up_to(MOST_WORD_NS, section, "word", hz, "for which each word keeps it busy, in addition");
    server.word_ps = word.unwrap_or(0);
    if server.word_ps > 0 {
        server.word_bytes = section.integer_or("word_bytes", 4, 1..=4096, "bytes of a word") as u32;
    }
    if let Some(gbps) = section.number_if("rate_gbps", 1e-6..=1e9, "at which bytes keep it busy, in addition")
    {
        server.byte_fs = byte_fs(gbps);
    }
    if let Some(ns) =
        section.number_if("byte_ns", 0.0..=1e6, "for which each byte keeps it busy, in addition")
    {
        server.byte_fs += (ns * 1e6).round() as u64;
    }
    if let Some(atomics) = section.section("atomics") {
        for kind in [Access::Write, Access::Add, Access::TestAndSet, Access::Swap, Access::Continue] {
            let meaning = "for which this kind of access keeps it busy";
            if let Some(ps) = time_ps(&atomics, kind.name(), hz, meaning) {
                server.access_ps[kind as usize] = ps;
            }
        }
    }
    if several {
        server.concurrency =
            section.integer_or("concurrency", 1, 1..=1 << 16, "accesses that it serves side by side") as u32;
    }
    server
}

/// What only memories with slots have.
const SLOT_KEYS: &[&str] = &[
    "banks",
    "slots",
    "bus_bytes",
    "beats_per_cycle",
    "activate_cycles",
    "column_cycles",
    "precharge_cycles",
    "turnaround_cycles",
    "refresh_every_cycles",
    "refresh_cycles",
    "interleaving",
    "back_pressure_requests",
    "back_pressure_bytes",
];

/// DRAM with a fixed number of slots for accesses of any size.
fn slots(section: &Section<'_>, clocks: &Clocks) -> SlotsConfig {
    // A tenth of a second at 133 MHz: more is a slip, and ticks of it would not fit for long.
    const MOST_CYCLES: u64 = 1 << 24;
    let small = |key: &str, usual: u64, most: u64, meaning: &str| {
        section.integer_or(key, usual, 1..=most, meaning) as u32
    };
    let cycles =
        |key: &str, usual: u64, meaning: &str| section.integer_or(key, usual, 0..=MOST_CYCLES, meaning);
    let banks = small("banks", 4, 64, "banks, each of which serves one access at a time");
    let bus_bytes = small("bus_bytes", 8, 4096, "width of the data bus");
    let beats = small("beats_per_cycle", 2, 16, "transfers of the bus in a clock");
    let interleavings =
        [("high_order", Interleaving::HighOrder), ("middle_order", Interleaving::MiddleOrder)];
    let requests = section.integer_or(
        "back_pressure_requests",
        0,
        0..=1 << 20,
        "requests outstanding at which engines that ask for one more stand still; 0: never",
    ) as u32;
    let request_bytes =
        small("back_pressure_bytes", 64, 65_536, "bytes that count as a request for back pressure");
    let mut capacity = capacity(section).unwrap_or(USUAL_SLOTS_BYTES);
    if capacity > MOST_SLOTS_BYTES {
        let key = if section.has("capacity_bytes") { "capacity_bytes" } else { "capacity_mib" };
        section.fail(key, format!("{capacity} bytes; a memory with slots holds at most {MOST_SLOTS_BYTES}"));
        capacity = MOST_SLOTS_BYTES;
    }
    SlotsConfig {
        clock_hz: clocks.of(section),
        slots: SlotConfig {
            banks,
            slots: small("slots", 16, 1 << 20, "accesses that the controller has in hand"),
            bytes_per_cycle: bus_bytes * beats,
            activate: cycles("activate_cycles", 3, "from the row command to the column command"),
            column: cycles("column_cycles", 3, "from the column command to the first data"),
            precharge: cycles("precharge_cycles", 3, "from the end of the data until the bank is free"),
            turnaround: cycles(
                "turnaround_cycles",
                1,
                "for which the bus stands still between reads and writes",
            ),
            refresh_every: cycles("refresh_every_cycles", 0, "from one refresh to the next; 0: none"),
            refresh: cycles("refresh_cycles", 0, "for which a refresh keeps banks from being activated"),
        },
        interleaving: section.choice_or(
            "interleaving",
            "high_order",
            &interleavings,
            "which address bits choose the bank: the highest, or those above a cell",
        ),
        bank_bytes: (capacity / u64::from(banks)).max(1).next_power_of_two(),
        back_pressure: (requests > 0).then_some(BackPressure { requests, request_bytes }),
    }
}

/// Most that a memory with slots holds: 64 GiB.
const MOST_SLOTS_BYTES: u64 = 1 << 36;

/// What a memory with slots holds where the file does not say: room enough for any packet in each bank.
const USUAL_SLOTS_BYTES: u64 = 64 << 20;

/// What only DRAM has, and of it what only packet-buffer controllers look at.
const DRAM_KEYS: &[&str] = &[
    "part",
    "controller",
    "channels",
    "interleave_bytes",
    "banks",
    "rows",
    "halves",
    "queues",
    "precharge",
    "batch_k",
    "batch_break",
    "prefetch",
    "ideal",
];
const PACKET_BUFFER_KEYS: &[&str] =
    &["rows", "halves", "queues", "precharge", "batch_k", "batch_break", "prefetch", "ideal", "banks"];

/// DRAM by reference to a part and a policy.
fn dram(document: &Document, section: &Section<'_>, clocks: &Clocks) -> Option<PlaceKind> {
    let part_name = section.text("part", "DRAM part: a preset of presets/dram, or a file");
    let policy_name = section.text_or(
        "controller",
        "frfcfs_open",
        "policy of the controller: a preset of presets/policies, or a file",
    );
    let channels = section.integer_or("channels", 1, 1..=1024, "parts side by side, interleaved") as u32;
    let interleave = section.integer_or(
        "interleave_bytes",
        256,
        1..=1 << 30,
        "bytes after which an address goes on in the next part, a power of two",
    );
    power_of_two(section, "interleave_bytes", interleave);
    let hz = clocks.of(section);
    let latency_ps =
        time_ps(section, "latency", hz, "from the chip to the controller and back, in all").unwrap_or(0);
    let failed = |key: &str, error: Error| match error {
        Error::Config { problems } => {
            for problem in problems {
                document.report(problem.place, &problem.key, problem.message);
            }
        }
        other => section.fail(key, other.to_string()),
    };
    let shelf = Shelf::default();
    let files = |folder: &str, name: &str| Files::read(&in_folder(folder, name), &shelf);
    let part = part(&files("dram", &part_name), &[]).map_err(|e| failed("part", e)).ok();
    let policy = policy(&files("policies", &policy_name), &[]).map_err(|e| failed("controller", e)).ok();
    let (part, policy) = (part?, policy?);
    let refresh = if policy.refresh { part.refresh } else { RefreshMode::None };
    let clock_hz = (1e9 / part.period_ns).round() as u64;
    let interleave_bytes = interleave.next_power_of_two() as u32;
    let (device, policy) = match policy.rule {
        Rule::Queued { scheduler, page, row_hit_cap, command_queue, writes, auto_precharge } => {
            section.leave(PACKET_BUFFER_KEYS);
            let device = Device::new(part.organization, part.timing.clone());
            let rules = Policy {
                scheduler,
                page,
                row_hit_cap,
                command_queue,
                transaction_queue: policy.transaction_queue,
                writes,
                refresh,
                dual_issue: part.dual_issue,
            };
            (device.with_auto_precharge(auto_precharge), rules)
        }
        Rule::PacketBuffer(rules) => {
            let maps = RowMap::ALL.map(|map| (map.name(), map));
            let halves = [("together", false), ("apart", true)];
            return Some(PlaceKind::PacketBuffer(PacketBufferConfig {
                clock_hz: if section.has("clock") { hz } else { clock_hz },
                device: Device::new(organization(section, part.organization, channels), part.timing),
                rules: packet_rules(section, rules),
                refresh,
                rows: section.choice_or("rows", "round_robin", &maps, "which bank a row lies in"),
                halves_apart: section.choice_or(
                    "halves",
                    "together",
                    &halves,
                    "the two writes of a cell that comes partly from registers: a turn of the controller, or one each",
                ),
                channels,
                interleave_bytes,
                latency_ps,
            }));
        }
    };
    Some(PlaceKind::Dram(DramConfig {
        clock_hz,
        device,
        policy,
        map: part.map,
        access_bytes: part.access_bytes,
        channels,
        interleave_bytes,
        latency_ps,
    }))
}

/// The part with another number of banks, and with as many rows as make the capacity that the file says.
fn organization(section: &Section<'_>, part: Organization, channels: u32) -> Organization {
    let mut organization = part;
    if let Some(banks) = section.integer_if("banks", 1..=1024, "banks, instead of the part's") {
        power_of_two(section, "banks", banks);
        organization.banks = banks.next_power_of_two() as u32;
    }
    if let Some(capacity) = capacity(section) {
        let row = u64::from(organization.banks) * u64::from(organization.row_bytes) * u64::from(channels);
        let rows = capacity / row;
        if rows == 0 {
            section.fail("banks", format!("{capacity} bytes do not make a row of each bank ({row} bytes)"));
        }
        organization.rows = rows.clamp(1, u64::from(u32::MAX / organization.banks)) as u32;
    }
    organization
}

/// Rules of a packet-buffer controller: those of its policy, and what the file says instead.
fn packet_rules(section: &Section<'_>, policy: Rules) -> Rules {
    let queues = [("odd_even", Queues::OddEven), ("read_write", Queues::ReadWrite)];
    let precharges = [("eager", Precharge::Eager), ("lazy", Precharge::Lazy)];
    let breaks = [("same_bank_miss", BatchBreak::SameBankMiss), ("any_miss", BatchBreak::AnyMiss)];
    fn named<T: Copy + PartialEq>(choices: &[(&'static str, T)], value: T) -> &'static str {
        choices.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
    }
    let usual = |what: &str| format!("{what}, instead of the policy's");
    Rules {
        queues: section.choice_or(
            "queues",
            named(&queues, policy.queues),
            &queues,
            &usual("how requests are queued"),
        ),
        precharge: section.choice_or(
            "precharge",
            named(&precharges, policy.precharge),
            &precharges,
            &usual("when a bank is precharged"),
        ),
        batch: section.integer_or(
            "batch_k",
            policy.batch.into(),
            0..=1024,
            &usual("largest batch from one queue; 1 alternates, 0 serves requests as they arrive"),
        ) as u32,
        batch_break: section.choice_or(
            "batch_break",
            named(&breaks, policy.batch_break),
            &breaks,
            &usual("which miss ends a batch"),
        ),
        prefetch: section.switch_or(
            "prefetch",
            policy.prefetch,
            &usual("activate the row of the impending access"),
        ),
        ideal: section.switch_or("ideal", policy.ideal, &usual("every access takes the time of a row hit")),
    }
}

/// The `[unit.NAME]` of a kind, if there is one.
fn unit_of_kind<'d>(root: &Section<'d>, kind: &str) -> Option<Section<'d>> {
    let units = root.sections("unit");
    units.into_iter().find(|unit| unit.text_if("kind", "what it does").as_deref() == Some(kind))
}

/// Whether the file has a result cache that holds anything.
pub(super) fn has_results(root: &Section<'_>) -> bool {
    unit_of_kind(root, "result_cache").is_some_and(|unit| accelerators::entries(&unit) > 0)
}

/// The queue manager of the file, if it has one.
pub(super) fn queue_manager_of(root: &Section<'_>) -> Option<linecard_queueing::Kind> {
    unit_of_kind(root, "queue_manager").and_then(|unit| accelerators::manager(&unit))
}

/// A name of a preset in its folder, unless it is a path.
pub(super) fn in_folder(folder: &str, name: &str) -> String {
    let plain = !name.contains('/') && !name.ends_with(".toml") && !name.starts_with('.');
    if plain { format!("{folder}/{name}") } else { name.to_owned() }
}

/// All links, and what they were made of.
pub(super) fn links(
    root: &Section<'_>,
    clocks: &Clocks,
    instances: Instances<'_>,
) -> (Vec<Named>, Vec<LinkConfig>) {
    let (mut named, mut configs) = (Vec::new(), Vec::new());
    for section in root.sections("link") {
        let (per, count) = per(&section, instances);
        let gbps = section.number("rate_gbps", 1e-6..=1e9, "at which bytes cross it");
        let hz = clocks.of(&section);
        let latency_ps = time_ps(&section, "latency", hz, "from one end to the other").unwrap_or(0);
        let first = configs.len();
        for number in 0..count {
            configs.push(LinkConfig {
                name: instance_name(section.name(), per.is_some(), number),
                latency_ps,
                byte_fs: byte_fs(gbps),
            });
        }
        named.push(Named {
            name: section.name().to_owned(),
            per,
            first,
            count,
            capacity_bytes: None,
            place: section.place(),
            kind: "link",
            is_memory: false,
        });
    }
    (named, configs)
}
