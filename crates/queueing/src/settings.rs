//! The machine, the managers and the traffic as numbers, each with unit, meaning and source.
//!
//! One table ([`PARAMETERS`]) lists every setting; defaults are those of Table 1 and section 4.1. Where the document
//! leaves room, the reading is a setting too, so that its effect can be seen.

use crate::directory::Replacement;
use crate::lists::MOST_QUEUES;
use crate::{Kind, QueueingError};
use serde::Serialize;

/// Most threads, engines, entries and words.
const MOST: u64 = 1 << 14;
/// Cycle of the processors: 1 GHz (Table 1).
const PROCESSOR_CYCLE_PS: u64 = 1_000;
/// Longest time: a millisecond.
const MOST_PS: u64 = 1_000_000_000;

/// What two operations on one queue exclude each other, where software locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locking {
    /// Enqueues exclude enqueues and dequeues exclude dequeues: Table 2 loads and stores one end only.
    End,
    /// Every operation excludes every other.
    Queue,
}

/// What one entry of a queue cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Head, tail and count of a queue.
    Descriptor,
    /// One of head and tail.
    Pointer,
}

/// Which engine takes the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// The token moves to the next engine every clock, and an engine at work lets its clock pass (section 5.6).
    Rotating,
    /// The token finds an idle engine every clock.
    Idle,
}

/// Everything a run depends on, beside its operations.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // PARAMETERS says what each is
pub struct Settings {
    pub threads: u32,
    pub queues: u32,
    pub instruction_ps: [u64; Kind::ALL.len()],
    pub cam_ps: u64,
    pub interconnect_ps: u64,
    pub slot_ps: u64,
    pub memory_ps: u64,
    pub port_ps: u64,
    pub shared_port: bool,
    pub locking: Locking,
    pub entries: u32,
    pub engines: u32,
    pub clock_ps: u64,
    pub token: Token,
    pub entry: Entry,
    pub requests: u32,
    pub words: u32,
    pub ways: u32,
    pub line_words: u32,
    pub mshrs: u32,
    pub cache_ps: u64,
    pub write_through: bool,
    pub allocate: bool,
    pub replacement: Replacement,
    pub backlog: u32,
    pub burst: u32,
    pub levels: u32,
    pub classes: u32,
    pub flows: u32,
}

/// A setting: how it is called, what it is, where its default comes from.
pub struct Parameter {
    /// Name, unit last.
    pub key: &'static str,
    /// Unit; empty for counts and names.
    pub unit: &'static str,
    /// One line.
    pub meaning: &'static str,
    /// Where the default comes from.
    pub source: &'static str,
    read: fn(&mut Settings, &str, &str) -> Result<(), QueueingError>,
    show: fn(&Settings) -> String,
}

/// A setting with its value, for people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Described {
    /// Name, unit last.
    pub key: &'static str,
    /// Value.
    pub value: String,
    /// Unit.
    pub unit: &'static str,
    /// One line.
    pub meaning: &'static str,
    /// Where the default comes from.
    pub source: &'static str,
}

macro_rules! count {
    ($field:ident, $least:expr, $most:expr) => {
        (
            |s: &mut Settings, key: &str, text: &str| {
                s.$field = whole(key, text, $least, $most as u64)? as u32;
                Ok(())
            },
            |s: &Settings| s.$field.to_string(),
        )
    };
}
macro_rules! time {
    ($field:ident, $least:expr) => {
        (
            |s: &mut Settings, key: &str, text: &str| {
                s.$field = nanoseconds(key, text, $least)?;
                Ok(())
            },
            |s: &Settings| shown_ns(s.$field),
        )
    };
}
macro_rules! choice {
    ($field:ident: $($name:literal => $value:expr),+) => {
        (
            |s: &mut Settings, key: &str, text: &str| {
                s.$field = match text {
                    $($name => $value,)+
                    _ => return Err(QueueingError::bad(key, text, [$($name),+].join(" or "))),
                };
                Ok(())
            },
            |s: &Settings| {
                $(if s.$field == $value { return $name.to_owned(); })+
                String::new()
            },
        )
    };
}
macro_rules! instruction {
    ($kind:expr) => {
        (
            |s: &mut Settings, key: &str, text: &str| {
                s.instruction_ps[$kind as usize] = nanoseconds(key, text, 0)?;
                Ok(())
            },
            |s: &Settings| shown_ns(s.instruction_ps[$kind as usize]),
        )
    };
}

type Access = (fn(&mut Settings, &str, &str) -> Result<(), QueueingError>, fn(&Settings) -> String);

const fn parameter(
    key: &'static str,
    unit: &'static str,
    meaning: &'static str,
    source: &'static str,
    access: Access,
) -> Parameter {
    Parameter { key, unit, meaning, source, read: access.0, show: access.1 }
}

/// Every setting, in the order in which people read them.
pub const PARAMETERS: &[Parameter] = &[
    parameter(
        "threads",
        "",
        "threads that carry out queue operations",
        "Kumar 2006 section 4.3",
        count!(threads, 1, MOST),
    ),
    parameter(
        "queues",
        "",
        "queues in memory",
        "Kumar 2006 section 4.2: a large number; 4096 and 16384 differ by less than 1 %",
        count!(queues, 1, MOST_QUEUES),
    ),
    parameter(
        "nc_instruction_ns",
        "ns",
        "instructions of one operation, no cache",
        "Kumar 2006 Table 1",
        instruction!(Kind::NoCache),
    ),
    parameter(
        "dc_instruction_ns",
        "ns",
        "instructions of one operation, data cache",
        "Kumar 2006 Table 1",
        instruction!(Kind::DataCache),
    ),
    parameter(
        "sqc_instruction_ns",
        "ns",
        "instructions of one operation, software-controlled cache",
        "Kumar 2006 Table 1",
        instruction!(Kind::SoftwareCache),
    ),
    parameter(
        "qarray_instruction_ns",
        "ns",
        "instructions of one operation, IXP2800 Q_array",
        "Kumar 2006 Table 1",
        instruction!(Kind::QArray),
    ),
    parameter(
        "qc_instruction_ns",
        "ns",
        "instructions of one operation, queuing cache",
        "Kumar 2006 Table 1",
        instruction!(Kind::QueuingCache),
    ),
    parameter(
        "cam_ns",
        "ns",
        "look-up in the tags of a software-controlled cache",
        "Kumar 2006 Table 1",
        time!(cam_ps, 0),
    ),
    parameter(
        "interconnect_ns",
        "ns",
        "interconnect, there and back",
        "Kumar 2006 Table 1",
        time!(interconnect_ps, 0),
    ),
    parameter(
        "interconnect_slot_ns",
        "ns",
        "time between two messages on the request path, and on the response path",
        "Kumar 2006 Table 1: one clock of 400 MHz carries 8 words",
        time!(slot_ps, 0),
    ),
    parameter("memory_ns", "ns", "memory access", "Kumar 2006 Table 1", time!(memory_ps, 0)),
    parameter(
        "memory_port_ns",
        "ns",
        "time between two references at a memory port",
        "calibrated on the uniformly random workload of Kumar 2006 section 4.2",
        time!(port_ps, 0),
    ),
    parameter(
        "memory_ports",
        "",
        "separate ports for reads and writes, or one for both",
        "Kumar 2006 sections 4.5 and 5.2",
        choice!(shared_port: "separate" => false, "shared" => true),
    ),
    parameter(
        "locking",
        "",
        "what software locks for one operation: an end of the queue or the queue",
        "Kumar 2006 Table 2: an operation loads and stores one end",
        choice!(locking: "end" => Locking::End, "queue" => Locking::Queue),
    ),
    parameter(
        "entries",
        "",
        "entries of the queuing cache and the software-controlled cache",
        "Kumar 2006 section 4.1.1",
        count!(entries, 1, MOST),
    ),
    parameter(
        "engines",
        "",
        "queuing engines of those two",
        "Kumar 2006 section 4.1.1",
        count!(engines, 1, MOST),
    ),
    parameter(
        "engine_clock_ns",
        "ns",
        "time between two requests that engines take",
        "Kumar 2006 section 5.6: one every clock; Table 1: 200 MHz at the memory",
        time!(clock_ps, 1),
    ),
    parameter(
        "token",
        "",
        "rotating: an engine at work lets its clock pass; idle: the token finds an idle engine",
        "Kumar 2006 section 5.6",
        choice!(token: "rotating" => Token::Rotating, "idle" => Token::Idle),
    ),
    parameter(
        "entry",
        "",
        "what an entry holds: a queue's descriptor, or one pointer of it",
        "Kumar 2006 Table 2 loads a head or a tail into an entry; section 5.6: 32 words",
        choice!(entry: "descriptor" => Entry::Descriptor, "pointer" => Entry::Pointer),
    ),
    parameter(
        "requests",
        "",
        "places of the queuing cache's request buffer",
        "Kumar 2006 Table 6: 1760 flip-flops are 32 requests of 55 bits",
        count!(requests, 1, MOST),
    ),
    parameter(
        "words",
        "",
        "words of the data cache, each one pointer of a descriptor",
        "Kumar 2006 section 4.1.1",
        count!(words, 1, MOST),
    ),
    parameter("ways", "", "ways of the data cache", "Kumar 2006 section 4.1.1", count!(ways, 1, MOST)),
    parameter(
        "line_words",
        "words",
        "line of the data cache",
        "Kumar 2006 section 4.5: a single word",
        count!(line_words, 1, 64),
    ),
    parameter(
        "mshrs",
        "",
        "misses of the data cache under way at once",
        "as many as there are engines; the document gives no number",
        count!(mshrs, 1, MOST),
    ),
    parameter(
        "cache_ns",
        "ns",
        "time between two accesses of the data cache",
        "Kumar 2006 Table 1; Table 5 adds nothing for it, so it is no latency",
        time!(cache_ps, 0),
    ),
    parameter(
        "write",
        "",
        "write policy of the data cache",
        "Kumar 2006 section 4.5",
        choice!(write_through: "back" => false, "through" => true),
    ),
    parameter(
        "allocate",
        "",
        "whether a write that misses brings its line into the data cache",
        "Kumar 2006 section 4.5",
        choice!(allocate: "yes" => true, "no" => false),
    ),
    parameter(
        "replacement",
        "",
        "which line leaves a cache",
        "Kumar 2006 section 4.5",
        choice!(replacement: "lru" => Replacement::Lru, "random" => Replacement::Random),
    ),
    parameter(
        "backlog",
        "packets",
        "packets in the queues before dequeues begin",
        "the document gives none; 64 to 512 differ by up to 4 %",
        count!(backlog, 0, 1 << 24),
    ),
    parameter(
        "burst",
        "packets",
        "most packets that a queue sends at its turn",
        "calibrated on 16 dominating queues of Kumar 2006 Figure 7a; section 4.1.3 says larger bursts for fast queues, without a number",
        count!(burst, 1, 1 << 20),
    ),
    parameter(
        "levels",
        "",
        "queues that a packet enters: 1, or 3 for port, class and flow",
        "Kumar 2006 section 2.1",
        count!(levels, 1, 3),
    ),
    parameter("classes", "", "classes of a port, with 3 levels", "example", count!(classes, 1, MOST_QUEUES)),
    parameter("flows", "", "flow queues of a class, with 3 levels", "example", count!(flows, 1, MOST_QUEUES)),
];

impl Default for Settings {
    fn default() -> Self {
        let mut instruction_ps = [10_000; Kind::ALL.len()];
        instruction_ps[Kind::SoftwareCache as usize] = 35_000;
        instruction_ps[Kind::QArray as usize] = 35_000;
        instruction_ps[Kind::QueuingCache as usize] = 5_000;
        Self {
            threads: 32,
            queues: 4096,
            instruction_ps,
            cam_ps: 5_000,
            interconnect_ps: 40_000,
            slot_ps: 2_500,
            memory_ps: 40_000,
            port_ps: 8_000,
            shared_port: false,
            locking: Locking::End,
            entries: 32,
            engines: 32,
            clock_ps: 5_000,
            token: Token::Rotating,
            entry: Entry::Pointer,
            requests: 32,
            words: 128,
            ways: 2,
            line_words: 1,
            mshrs: 32,
            cache_ps: 2_500,
            write_through: false,
            allocate: true,
            replacement: Replacement::Lru,
            backlog: 128,
            burst: 3,
            levels: 1,
            classes: 8,
            flows: 32,
        }
    }
}

impl Settings {
    /// Defaults with these changes, each `key=value`.
    ///
    /// # Errors
    /// Every change that cannot be made.
    pub fn with(changes: &[impl AsRef<str>]) -> Result<Self, Vec<QueueingError>> {
        let mut settings = Self::default();
        let mut problems: Vec<_> =
            changes.iter().filter_map(|change| settings.change(change.as_ref()).err()).collect();
        if problems.is_empty() {
            problems = settings.contradictions();
        }
        if problems.is_empty() { Ok(settings) } else { Err(problems) }
    }

    fn change(&mut self, change: &str) -> Result<(), QueueingError> {
        let Some((key, value)) = change.split_once('=') else {
            return Err(QueueingError::bad(
                "setting",
                format!("\"{change}\""),
                "key=value, such as threads=16",
            ));
        };
        let (key, value) = (key.trim(), value.trim().trim_matches('"'));
        let Some(parameter) = PARAMETERS.iter().find(|parameter| parameter.key == key) else {
            let known: Vec<_> = PARAMETERS.iter().map(|parameter| parameter.key).collect();
            return Err(QueueingError::unknown("setting", key, &known));
        };
        (parameter.read)(self, key, value)
    }

    fn contradictions(&self) -> Vec<QueueingError> {
        let mut problems = Vec::new();
        let set_words = self.ways * self.line_words;
        if !self.words.is_multiple_of(set_words) {
            let expected = format!("a multiple of ways × line_words, which is {set_words}");
            problems.push(QueueingError::bad("words", self.words, expected));
        }
        if !self.line_words.is_power_of_two() {
            problems.push(QueueingError::bad("line_words", self.line_words, "a power of two"));
        }
        if self.levels == 2 {
            problems.push(QueueingError::bad("levels", 2, "1, or 3 for port, class and flow"));
        }
        if self.levels == 3 && !self.queues.is_multiple_of(self.classes.saturating_mul(self.flows)) {
            let expected = format!("a multiple of classes × flows, which is {}", self.classes * self.flows);
            problems.push(QueueingError::bad("queues", self.queues, expected));
        }
        if self.levels == 3 && u64::from(self.queues) + u64::from(self.upper_queues()) > MOST_QUEUES.into() {
            let found = format!("{} flow queues and {} above them", self.queues, self.upper_queues());
            problems.push(QueueingError::bad(
                "queues",
                found,
                format!("{MOST_QUEUES} in all: ids have 16 bits"),
            ));
        }
        problems
    }

    /// Instructions of one operation before its first message, in cycles of the processors of Table 1.
    pub fn instruction_cycles(&self, kind: Kind) -> u64 {
        self.instruction_ps[kind as usize] / PROCESSOR_CYCLE_PS
    }

    /// Queues of the port and class levels.
    pub fn upper_queues(&self) -> u32 {
        match self.levels {
            3 => self.queues / self.flows + self.queues / self.flows / self.classes,
            _ => 0,
        }
    }

    /// Queues of all levels.
    pub fn all_queues(&self) -> u32 {
        self.queues + self.upper_queues()
    }

    /// Every setting with its value.
    pub fn describe(&self) -> Vec<Described> {
        PARAMETERS
            .iter()
            .map(|parameter| Described {
                key: parameter.key,
                value: (parameter.show)(self),
                unit: parameter.unit,
                meaning: parameter.meaning,
                source: parameter.source,
            })
            .collect()
    }
}

fn whole(key: &str, text: &str, least: u64, most: u64) -> Result<u64, QueueingError> {
    text.parse().ok().filter(|value| (least..=most).contains(value)).ok_or_else(|| {
        let why = if key == "queues" { ": ids have 16 bits" } else { "" };
        QueueingError::bad(key, text, format!("a whole number from {least} to {most}{why}"))
    })
}

fn nanoseconds(key: &str, text: &str, least_ps: u64) -> Result<u64, QueueingError> {
    let value = text.parse::<f64>().ok().map(|ns| (ns * 1000.0).round());
    value.filter(|ps| (least_ps as f64..=MOST_PS as f64).contains(ps)).map(|ps| ps as u64).ok_or_else(|| {
        let least = if least_ps > 0 { "more than 0" } else { "0" };
        QueueingError::bad(key, text, format!("nanoseconds from {least} to {}", MOST_PS / 1000))
    })
}

fn shown_ns(ps: u64) -> String {
    format!("{}", ps as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_reads_what_it_shows() {
        let settings = Settings::default();
        let changes: Vec<String> =
            settings.describe().iter().map(|each| format!("{}={}", each.key, each.value)).collect();
        assert_eq!(Settings::with(&changes), Ok(settings.clone()));
        let keys: std::collections::BTreeSet<_> = settings.describe().iter().map(|each| each.key).collect();
        assert_eq!(keys.len(), PARAMETERS.len());
    }

    #[test]
    fn every_wrong_change_is_said() {
        let wrong = ["threads=0", "engine=4", "memory_ns=-1", "write=around", "queues=65537", "burst"];
        let problems = Settings::with(&wrong).unwrap_err();
        let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), wrong.len(), "{texts:?}");
        assert!(texts[0].contains("a whole number from 1 to"), "{}", texts[0]);
        assert!(texts[1].contains("did you mean engines?"), "{}", texts[1]);
        assert!(texts[4].contains("ids have 16 bits"), "{}", texts[4]);
        for wrong in ["words=100", "line_words=3", "levels=2", "queues=65536"] {
            let levels = if wrong.starts_with("queues") { "levels=3" } else { "ways=3" };
            assert!(Settings::with(&[wrong, levels]).is_err(), "{wrong}");
        }
    }
}
