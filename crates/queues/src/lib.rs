//! Settings of the queue managers: files of `presets/queueing`, each value with its unit, its range and its meaning.
#![forbid(unsafe_code)]

use linecard_config::{Document, Request, Section};
use linecard_files::preset::{ReadPreset, find, in_folder, read};
use linecard_files::{Described, Description, Error, problem};
use linecard_queueing::{Entry, Kind, Locking, MOST_QUEUES, Replacement, Settings, Token};
use linecard_words::About;
use std::ops::RangeInclusive;

/// The kind of these files, and the default machine, which is that of Table 1 of Kumar 2006.
const KIND: &str = "queueing";
const TABLE_1: &str = "kumar2006";

/// The maximum of threads, engines, entries and words.
const MOST: u64 = 1 << 14;
/// The longest time: a millisecond.
const MOST_NS: f64 = 1e6;
/// The shortest time, except for zero: a picosecond.
const LEAST_NS: f64 = 0.001;

/// Returns the settings of a machine with changes, each `key=value`: in the form for a run, and one by one for
/// readers.
///
/// # Errors
/// All configuration problems at once.
pub fn queue_settings(machine: &str, overrides: &[String]) -> Result<(Settings, Vec<Described>), Error> {
    let document = Request { overrides, ..Request::of(&in_folder(KIND, machine), &find) }.read();
    if document.kind() != KIND && document.problems() == 0 {
        let found = if document.kind().is_empty() { "none" } else { document.kind() };
        let message = format!("found {found}; expected `{KIND}` in the file or in a file that it extends");
        return Err(Error::Config { problems: vec![problem(document.root().place(), "kind", message)] });
    }
    let ReadPreset { value, rows, .. } = machine_of(document)?;
    Ok((value, rows.into_iter().map(Described::of_part).collect()))
}

/// Returns the settings of Table 1 of Kumar 2006.
///
/// # Errors
/// If the shipped file cannot be used.
pub fn table_1() -> Result<Settings, Error> {
    queue_settings(TABLE_1, &[]).map(|(settings, _)| settings)
}

/// Describes a machine of queue managers; `None` if the preset is not one.
///
/// # Errors
/// All configuration problems at once.
pub fn describe(preset: &str, overrides: &[String]) -> Result<Option<Description>, Error> {
    let document = Request { overrides, ..Request::of(preset, &find) }.read();
    if document.kind() != KIND {
        return Ok(None);
    }
    let ReadPreset { title, bases, rows, .. } = machine_of(document)?;
    Ok(Some(Description {
        preset: preset.to_owned(),
        title,
        extends: bases,
        parameters: rows.into_iter().map(Described::of_part).collect(),
        derived: Vec::new(),
    }))
}

fn machine_of(document: Document) -> Result<ReadPreset<Settings>, Error> {
    read(document, |document| {
        let root = document.root();
        let settings = settings(&root);
        // Contradictions are reported only if each value by itself is valid.
        if document.problems() == 0 {
            for problem in settings.contradictions() {
                root.fail(&problem.what, problem.sentence());
            }
        }
        Some(settings)
    })
}

/// Reads the file, in the order for readers.
fn settings(root: &Section<'_>) -> Settings {
    let count = |key: &str, most: u64, meaning: &str| root.integer(key, 1..=most, meaning) as u32;
    let of = |unit: &'static str, key: &str, range: RangeInclusive<u64>, meaning: &str| {
        root.in_unit(unit).integer(key, range, meaning) as u32
    };
    let from = |least_ns: f64, key: &str, meaning: &str| {
        (root.number(key, least_ns..=MOST_NS, meaning) * 1000.0).round() as u64
    };
    let ps = |key: &str, meaning: &str| from(0.0, key, meaning);
    let instruction = |kind: Kind, of: &str| {
        let key = format!("{}_instruction_ns", kind.name());
        ps(&key, &format!("time to execute the instructions of one operation ({of})"))
    };
    let most_queues = u64::from(MOST_QUEUES);
    Settings {
        threads: count("threads", MOST, "number of threads that execute queue operations"),
        queues: count("queues", most_queues, "number of queues in memory; queue ids have 16 bits"),
        instruction_ps: [
            instruction(Kind::NoCache, "no cache"),
            instruction(Kind::DataCache, "data cache"),
            instruction(Kind::SoftwareCache, "software-controlled cache"),
            instruction(Kind::QArray, "IXP2800 Q_array"),
            instruction(Kind::QueuingCache, "queuing cache"),
        ],
        cam_ps: ps("cam_ns", "time to look up a tag of the software-controlled cache"),
        interconnect_ps: ps("interconnect_ns", "round-trip time of the interconnect"),
        slot_ps: ps(
            "interconnect_slot_ns",
            "minimum time between two messages on the same path (request or response)",
        ),
        memory_ps: ps("memory_ns", "memory access"),
        port_ps: ps("memory_port_ns", "minimum time between two accesses at a memory port"),
        shared_port: root.choice(
            "memory_ports",
            &[("separate", false), ("shared", true)],
            "separate memory ports for reads and writes, or one port for all accesses",
        ),
        locking: root.choice(
            "locking",
            &[("end", Locking::End), ("queue", Locking::Queue)],
            "part of a queue that software locks for an operation: one end, or the entire queue",
        ),
        entries: count("entries", MOST, "number of cache entries (queuing cache or software-controlled cache)"),
        engines: count("engines", MOST, "number of queuing engines (queuing cache or software-controlled cache)"),
        clock_ps: from(LEAST_NS, "engine_clock_ns", "minimum time between two requests to the queuing engines"),
        token: root.choice(
            "token",
            &[("rotating", Token::Rotating), ("idle", Token::Idle)],
            "rotating: the token also visits busy engines, for one clock each; idle: the token goes directly to an \
             idle engine",
        ),
        entry: root.choice(
            "entry",
            &[("descriptor", Entry::Descriptor), ("pointer", Entry::Pointer)],
            "content of a cache entry: the descriptor of a queue, or one pointer of a descriptor",
        ),
        requests: count("requests", MOST, "entries of the request buffer of the queuing cache"),
        words: count("words", MOST, "words in the data cache; each word holds one pointer of a descriptor"),
        ways: count("ways", MOST, "ways of the data cache"),
        line_words: of("words", "line_words", 1..=64, "line size of the data cache"),
        mshrs: count("mshrs", MOST, "maximum number of outstanding misses of the data cache"),
        cache_ps: ps("cache_ns", "minimum time between two accesses to the data cache"),
        write_through: root.choice(
            "write",
            &[("back", false), ("through", true)],
            "write policy of the data cache",
        ),
        allocate: root.choice(
            "allocate",
            &[("yes", true), ("no", false)],
            "whether a write miss fetches its line into the data cache",
        ),
        replacement: root.choice(
            "replacement",
            &[("lru", Replacement::Lru), ("random", Replacement::Random)],
            "rule that selects the line to replace in a cache",
        ),
        backlog: of("packets", "backlog", 0..=1 << 24, "total number of packets enqueued before the first dequeue"),
        burst: of("packets", "burst", 1..=1 << 20, "maximum number of packets dequeued from a queue in one round-robin turn"),
        levels: count("levels", 3, "number of queues that a packet enters: 1, or 3 (its port, class and flow queues)"),
        classes: count("classes", most_queues, "number of classes per port, with levels = 3"),
        flows: count("flows", most_queues, "number of flow queues per class, with levels = 3"),
    }
}
