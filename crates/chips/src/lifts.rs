//! The list of limits of a chip, with two ways to lift each: in the configuration for the verdict of a run, and by
//! settings for `linecard why`.
//!
//! The two ways differ. The counts of a run name groups, so the verdict enlarges all receive buffers together; settings enlarge one.
//! The verdict also changes what no key sets, such as transmit slots. Settings also change what no count shows: latencies, caches
//! and locks.

use super::design::Design;
use linecard_chip::ChipConfig;
use linecard_chip::config::{ClusterConfig, OrderKept, PlacementRule, PortConfig, TransmitConfig};
use linecard_config::{Row, Shown};
use linecard_files::Error;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

type Settings = Map<String, Value>;

/// A kind of limit. In its texts, `{}` is the name of the part.
pub(super) struct Limit {
    kind: &'static str,
    component: &'static str,
    change: &'static str,
    in_config: fn(&mut ChipConfig, &str),
    by_settings: fn(&Part<'_>) -> Settings,
}

impl Limit {
    /// The name of the limited part in results.
    pub fn component(&self, name: &str) -> String {
        self.component.replace("{}", name)
    }

    /// Description of the change.
    pub fn change(&self, name: &str) -> String {
        self.change.replace("{}", name)
    }

    /// The chip with this limit lifted.
    pub fn lift(&self, config: &ChipConfig, name: &str) -> ChipConfig {
        let mut config = config.clone();
        (self.in_config)(&mut config, name);
        config
    }
}

/// Each limit: its kind, its component, the change in words, in a configuration, and by settings.
macro_rules! limits {
    ($($limit:ident: $kind:literal, $component:literal, $change:literal, $in_config:expr, $by_settings:expr;)+) => {
        $(pub(super) static $limit: Limit = Limit {
            kind: $kind,
            component: $component,
            change: $change,
            in_config: $in_config,
            by_settings: $by_settings,
        };)+
    };
}

const NOT_TRIED: fn(&mut ChipConfig, &str) = |_, _| ();
const NO_KEY: fn(&Part<'_>) -> Settings = |_| Settings::new();

limits! {
    ENGINES: "engines", "engines of {}", "engines of {} at twice the clock",
        |config, name| clusters(config, name).for_each(|cluster| cluster.clock_hz *= 2), |part| part.faster_clock();
    THREADS: "threads", "threads of {}", "twice the threads in {}",
        |config, name| for cluster in clusters(config, name) {
            cluster.threads *= 2;
            cluster.in_use.iter_mut().flatten().for_each(|threads| *threads *= 2);
        },
        |part| part.more("threads", 2);
    MEMORY: "memory", "{}", "{} twice as fast",
        |config, name| for place in config.places.iter_mut().filter(|place| place.group == name) {
            place.kind.numbers_mut().faster();
        },
        |part| part.faster();
    CHANNELS: "memory", "{}", "twice the channels of {}", NOT_TRIED, |part| part.more("channels", 2);
    CACHE: "memory", "{}", "four times the cache of {}", NOT_TRIED, |part| part.more("cache_bytes", 4);
    LATENCY: "latency", "{}", "half the latency of {}", NOT_TRIED, |part| part.lower_latency();
    MANAGER: "memory", "{}", "half the memory and interconnect times of {}", NOT_TRIED, |part| part.faster_manager();
    MANAGER_ENGINES: "memory", "{}", "twice the engines of {}", NOT_TRIED, |part| part.more_manager_engines();
    LINK: "link", "{}", "{} at twice the rate",
        |config, name| for link in config.links.iter_mut().filter(|link| link.name.split('.').next() == Some(name)) {
            link.byte_fs /= 2;
        },
        |part| part.more("rate_gbps", 2);
    PORT: "port", "{}", "{} at twice the rate", NOT_TRIED, |part| part.more("rate_gbps", 2);
    PORTS_OUT: "port", "{}, outward", "{} sending at twice the rate",
        |config, name| sending(config, name).for_each(|transmit| transmit.bits_per_second *= 2), NO_KEY;
    PORTS_IN: "port", "{}, inward", "{} receiving at twice the rate",
        |config, name| for receive in ports(config, name).filter_map(|port| port.receive.as_mut()) {
            receive.bits_per_second *= 2;
        },
        NO_KEY;
    SHAPER: "shaper", "shaper of {}", "shaper of {} at twice the rate", NOT_TRIED, |part| part.more("rate_gbps", 2);
    SHAPERS: "shaper", "{}, shapers", "shapers of {} at twice the rate",
        |config, name| for transmit in sending(config, name) {
            transmit.scheduler.shapers_mut().for_each(|shaper| shaper.bits_per_second *= 2);
        },
        NO_KEY;
    QUEUES_OF: "buffer", "queues of {}", "four times the queues of {}", NOT_TRIED, |part| part.more("queue_packets", 4);
    QUEUES: "buffer", "output queues", "four times the capacity of output queues",
        |config, _| all_sending(config).for_each(|transmit| grow(&mut transmit.queue_packets)), NO_KEY;
    BUFFER: "buffer", "buffer {}", "four times the buffer {}", NOT_TRIED, |part| part.larger();
    BUFFERS: "buffer", "receive buffer", "four times the receive buffer",
        |config, _| config.pools.iter_mut().for_each(|pool| grow(&mut pool.cells)), NO_KEY;
    RING: "buffer", "{}", "four times the capacity of {}", NOT_TRIED, |part| part.more("entries", 4);
    RINGS: "buffer", "room in rings", "four times the capacity of rings",
        |config, _| config.inboxes.iter_mut().filter_map(|inbox| inbox.capacity.as_mut()).for_each(grow), NO_KEY;
    INBOX_WINDOW: "order", "window of {}", "four times the window of {}",
        |config, name| config.inboxes.iter_mut().filter(|inbox| inbox.name == name).filter_map(|inbox| inbox.window.as_mut()).for_each(grow),
        |part| part.more("window", 4);
    PACKET_POOL: "buffer", "room in {}", "four times the capacity for packets in {}",
        NOT_TRIED, |part| part.more("pool_bytes", 4);
    PACKET_MEMORY: "buffer", "room for packets in memory", "four times the capacity for packets",
        |config, _| if let Some(PlacementRule::Allocator(allocator)) = config.packets.as_mut().map(|packets| &mut packets.placement) {
            grow(&mut allocator.cells);
        },
        NO_KEY;
    TRANSMIT_BUFFER: "buffer", "transmit buffer", "four times the transmit buffer",
        |config, _| config.transmit.iter_mut().for_each(|transmit| grow(&mut transmit.cells)), |part| part.larger();
    TRANSMIT_SLOTS: "port", "transmit slots", "transmit slots handed over in half the time",
        |config, _| for slots in all_sending(config).filter_map(|transmit| transmit.slots.as_mut()) {
            slots.handshake_ps /= 2;
            slots.drain_cell_ps /= 2;
        },
        NO_KEY;
    WINDOW: "order", "order of packets", "four times the reorder window",
        NOT_TRIED, |part| part.more("window_packets", 4);
    ORDER: "order", "order of packets", "no order kept",
        |config, _| config.order.kept = OrderKept::Nothing, |part| set(part.key("kept"), "none");
    LOCK: "lock", "lock {}", "lock {} not taken", NOT_TRIED, NO_KEY;
    HELD: "lock", "lock {}", "half the cycles under lock {}", NOT_TRIED, NO_KEY;
}

/// The limits of the parts of each table, in the order of `why`.
const OF_PARTS: &[(&str, &[&Limit])] = &[
    ("cluster", &[&ENGINES, &THREADS]),
    ("memory", &[&MEMORY, &CHANNELS, &CACHE, &LATENCY]),
    ("unit", &[&MEMORY, &LATENCY, &MANAGER, &MANAGER_ENGINES]),
    ("link", &[&LINK, &LATENCY]),
    ("port", &[&PORT, &QUEUES_OF]),
    ("buffer", &[&BUFFER]),
    ("inbox", &[&RING, &INBOX_WINDOW]),
    ("ring", &[&RING, &INBOX_WINDOW]),
    ("memory", &[&PACKET_POOL]),
];

fn clusters<'a>(config: &'a mut ChipConfig, name: &'a str) -> impl Iterator<Item = &'a mut ClusterConfig> {
    config.clusters.iter_mut().filter(move |cluster| cluster.group == name)
}

fn ports<'a>(config: &'a mut ChipConfig, name: &'a str) -> impl Iterator<Item = &'a mut PortConfig> {
    config.ports.iter_mut().filter(move |port| port.group == name)
}

fn sending<'a>(config: &'a mut ChipConfig, name: &'a str) -> impl Iterator<Item = &'a mut TransmitConfig> {
    ports(config, name).filter_map(|port| port.transmit.as_mut())
}

fn all_sending(config: &mut ChipConfig) -> impl Iterator<Item = &mut TransmitConfig> {
    config.ports.iter_mut().filter_map(|port| port.transmit.as_mut())
}

fn grow(room: &mut u32) {
    *room = room.saturating_mul(4);
}

fn set(key: String, value: impl Into<Value>) -> Settings {
    [(key, value.into())].into_iter().collect()
}

/// A change that removes one limit on the throughput of a chip.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Lift {
    /// Name of the part that the change improves, as in the results of a run.
    pub component: String,
    /// Type of the limit: `engines`, `threads`, `memory` (also for units), `latency`, `link`, `port`, `shaper`,
    /// `buffer`, `lock` or `order`.
    pub kind: String,
    /// Description of the change.
    pub text: String,
    /// The settings that apply the change to the chip.
    pub settings: Settings,
}

/// Returns the lifts of a chip by settings.
///
/// # Errors
/// All problems of the file at once.
pub fn lifts(chip: &str, overrides: &[String]) -> Result<Vec<Lift>, Error> {
    let rows = Design::load(chip, overrides, None, 1)?.rows;
    let part = |table: &str, name: &str| Part { rows: &rows, table: table.to_owned(), name: name.to_owned() };
    let mut found = Vec::new();
    let mut add = |limit: &Limit, name: &str, settings: Settings| {
        if !settings.is_empty() {
            let (component, text) = (limit.component(name), limit.change(name));
            found.push(Lift { component, kind: limit.kind.to_owned(), text, settings });
        }
    };
    let mut lift = |limit: &Limit, part: &Part<'_>| add(limit, &part.name, (limit.by_settings)(part));
    for (table, limits) in OF_PARTS {
        for name in part(table, "").members() {
            let part = part(&format!("{table}.{name}"), name);
            limits.iter().for_each(|limit| lift(limit, &part));
            part.shapers().for_each(|shaper| lift(&SHAPER, &shaper));
        }
    }
    lift(&TRANSMIT_BUFFER, &part("transmit", ""));
    let order = part("order", "");
    if order.text("kept").is_some_and(|kept| kept != "none") {
        [&WINDOW, &ORDER].iter().for_each(|limit| lift(limit, &order));
    }
    for (number, lock) in part("program", "").locks() {
        let (limit, settings) =
            if lock.is_numbered { (&HELD, lock.shorter) } else { (&LOCK, lock.not_taken) };
        add(limit, &number.to_string(), settings);
    }
    Ok(found)
}

/// A lock of the chip's program.
#[derive(Default)]
struct Lock {
    /// Whether the file numbers it: a step that takes no lock must not have the key `lock`.
    is_numbered: bool,
    /// The step that has taken it.
    since: Option<usize>,
    not_taken: Settings,
    shorter: Settings,
}

/// The keys of a table.
struct Part<'a> {
    rows: &'a [Row],
    table: String,
    name: String,
}

impl<'a> Part<'a> {
    fn key(&self, last: &str) -> String {
        format!("{}.{last}", self.table)
    }

    /// Rows of the table, with the rest of their keys.
    fn own(&self) -> impl Iterator<Item = (&'a str, &'a Row)> {
        let rest = |row: &'a Row| row.key.strip_prefix(&self.table)?.strip_prefix('.');
        self.rows.iter().filter_map(move |row| Some((rest(row)?, row)))
    }

    fn row(&self, last: &str) -> Option<&'a Row> {
        self.own().find(|(rest, _)| *rest == last).map(|(_, row)| row)
    }

    fn text(&self, last: &str) -> Option<&'a str> {
        match &self.row(last)?.value {
            Shown::Text(text) => Some(text),
            _ => None,
        }
    }

    fn number(&self, last: &str) -> Option<f64> {
        positive(self.row(last)?)
    }

    /// The names of the tables in this one, such as those of the memories.
    fn members(&self) -> Vec<&'a str> {
        let mut names = Vec::new();
        for (name, _) in self.own().filter_map(|(rest, _)| rest.split_once('.')) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The classes and groups of a port that have a rate.
    fn shapers(&self) -> impl Iterator<Item = Part<'a>> {
        let rates = self.own().filter_map(|(rest, _)| rest.strip_suffix(".rate_gbps"));
        rates.filter(|member| member.starts_with("class[") || member.starts_with("group[")).map(|member| {
            let class = self.text(&format!("{member}.name")).unwrap_or_default();
            Part { rows: self.rows, table: self.key(member), name: format!("{class} of {}", self.name) }
        })
    }

    /// Returns the settings for a larger number; a whole number stays whole.
    fn more(&self, last: &str, factor: u32) -> Settings {
        match (self.row(last).map(|row| &row.value), self.number(last)) {
            (Some(Shown::Whole(whole)), Some(_)) => set(self.key(last), whole.saturating_mul(factor.into())),
            (_, Some(number)) => set(self.key(last), number * f64::from(factor)),
            _ => Settings::new(),
        }
    }

    /// Returns the settings for more room in a buffer, whose size is in bytes or in cells.
    fn larger(&self) -> Settings {
        let bytes = self.more("bytes", 4);
        if bytes.is_empty() { self.more("cells", 4) } else { bytes }
    }

    /// Returns the settings for a separate clock, because other parts may share the present one.
    fn faster_clock(&self) -> Settings {
        let clocks = Part { table: "clock".to_owned(), name: String::new(), ..*self };
        let rate = self.text("clock").and_then(|clock| clocks.number(&format!("{clock}_mhz")));
        let Some(rate) = rate else { return Settings::new() };
        let own = format!("lifted_{}", self.name);
        let mut settings = set(clocks.key(&format!("{own}_mhz")), rate * 2.0);
        settings.insert(self.key("clock"), own.into());
        settings
    }

    /// Returns the settings for half of every service time, and twice the rate.
    fn faster(&self) -> Settings {
        const TIMES: [&str; 7] = ["access", "word", "byte", "add", "test_and_set", "swap", "write"];
        if self.text("kind") == Some("slots") {
            return self.faster_clock();
        }
        let faster = self.own().filter_map(|(rest, row)| {
            let (value, last) = (positive(row)?, rest.rsplit('.').next()?);
            let time = last.strip_suffix("_ns").or_else(|| last.strip_suffix("_cycles"));
            let is_time = time.is_some_and(|time| TIMES.contains(&time));
            let value =
                if is_time { Some(value / 2.0) } else { (last == "rate_gbps").then_some(value * 2.0) };
            Some((row.key.clone(), value?.into()))
        });
        faster.collect()
    }

    /// Returns the settings for half of the times of a queue manager that have keys.
    fn faster_manager(&self) -> Settings {
        if self.text("manager").is_none_or(|manager| manager == "none") {
            return Settings::new();
        }
        ["memory_ns", "interconnect_ns"].iter().filter_map(|last| self.half(last)).flatten().collect()
    }

    /// Returns the settings for twice the engines of a queue manager; without a cache of descriptors it has none.
    fn more_manager_engines(&self) -> Settings {
        match self.text("manager") {
            Some("sqc" | "qarray" | "qc") => self.more("engines", 2),
            _ => Settings::new(),
        }
    }

    fn half(&self, last: &str) -> Option<Settings> {
        Some(set(self.key(last), self.number(last)? / 2.0))
    }

    fn lower_latency(&self) -> Settings {
        self.half("latency_ns").or_else(|| self.half("latency_cycles")).unwrap_or_default()
    }

    /// The locks of the chip's program by number. Settings do not reach programs of single clusters.
    fn locks(&self) -> BTreeMap<u64, Lock> {
        let mut locks = BTreeMap::<u64, Lock>::new();
        let key = |step: usize, last: &str| format!("step[{step}].{last}");
        let ops = (0..).map_while(|step| Some((step, self.text(&key(step, "op"))?)));
        for (step, op) in ops.filter(|(_, op)| ["lock", "unlock"].contains(op)) {
            let number = self.number(&key(step, "lock")).unwrap_or(0.0) as u64;
            let lock = locks.entry(number).or_default();
            lock.is_numbered |= self.row(&key(step, "lock")).is_some_and(|row| row.source != "default");
            lock.not_taken.insert(self.key(&key(step, "op")), "compute".into());
            if op == "lock" {
                lock.since = Some(step);
            } else if let Some(since) = lock.since.take() {
                let held = (since + 1..=step).filter_map(|step| self.row(&key(step, "cycles")));
                let half = |row| Some((positive(row)? / 2.0).round_ties_even() as u64);
                lock.shorter.extend(held.filter_map(|row| Some((row.key.clone(), half(row)?.into()))));
            }
        }
        locks
    }
}

/// The value of a row if it is a number above 0.
fn positive(row: &Row) -> Option<f64> {
    let number = match row.value {
        Shown::Whole(whole) => whole as f64,
        Shown::Real(real) => real,
        _ => return None,
    };
    Some(number).filter(|number| *number > 0.0)
}
