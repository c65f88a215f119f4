//! `[cluster.NAME]`, `[inbox.NAME]` and `[[route]]`.

use super::executed::ExecutionCosts;
use super::named_places::{Named, instance_name};
use super::place::cached::REPLACEMENTS;
use super::units::{Clocks, time_ps};
use linecard_chip::DispatchRule;
use linecard_chip::config::{ClusterConfig, DataCacheConfig, InboxConfig, NextThread};
use linecard_config::Section;

/// A cluster as the file names it.
#[derive(Clone, Debug)]
pub(super) struct NamedCluster {
    pub name: String,
    pub first: usize,
    pub count: usize,
    /// Names of its inboxes, and its own program if it has one.
    pub takes: Vec<String>,
    pub program: Option<String>,
    /// Whether it lists its own steps.
    pub lists: bool,
    /// Its location in the file, and the locations of these two keys.
    pub place: String,
    pub takes_at: String,
    pub program_at: String,
    pub clock_hz: u64,
    /// Costs of the instructions of executed programs.
    pub costs: ExecutionCosts,
}

impl NamedCluster {
    /// Returns whether it has its own program for its threads.
    pub fn has_program(&self) -> bool {
        self.program.is_some() || self.lists
    }
}

/// The maximum of lines in the data caches of a kind: a line takes 24 bytes of the simulator's memory.
const MOST_CACHE_LINES: u64 = 1 << 25;

/// The maximum of threads in the clusters of a kind: with more, one line of a file would take gigabytes.
const MOST_THREADS: u64 = 1 << 18;

/// Reads all clusters; inboxes and programs are numbered later.
pub(super) fn clusters(root: &Section<'_>, clocks: &Clocks) -> (Vec<NamedCluster>, Vec<ClusterConfig>) {
    let (mut named, mut configs) = (Vec::new(), Vec::new());
    for section in root.sections("cluster") {
        let count = section.integer_or("count", 1, 1..=4096, "number of clusters of this kind") as usize;
        let clock_hz = clocks.of(&section);
        let engines = section.integer("engines", 1..=65_536, "number of engines in each cluster");
        let threads = section.integer("threads", 1..=65_536, "number of hardware threads per engine");
        if count as u64 * engines * threads > MOST_THREADS {
            let message = format!(
                "found {count} clusters of {engines} engines with {threads} threads each; expected at most {MOST_THREADS} \
                 threads in total"
            );
            section.fail("threads", message);
        }
        let issue = section.integer_or(
            "issue_cycles",
            0,
            0..=1_000_000,
            "engine cycles to issue an operation on a memory or unit, in addition to the program's cycles",
        );
        let config = ClusterConfig {
            name: String::new(),
            group: section.name().to_owned(),
            clock_hz,
            engines: engines as u32,
            threads: threads as u32,
            in_use: None,
            switch_cycles: section.integer_or(
                "switch_cycles",
                0,
                0..=1_000_000,
                "cycles lost when an engine switches threads",
            ) as u32,
            issue_cycles: issue as u32,
            post_cycles: section
                .integer_if("post_cycles", 0..=1_000_000, "engine cycles to issue a posted operation; issue_cycles if left out")
                .unwrap_or(issue) as u32,
            branch_share: section.number_or(
                "branch_share",
                0.0,
                0.0..=0.5,
                "fraction of instructions that are taken branches",
            ),
            branch_lost_cycles: section.integer_or(
                "branch_lost_cycles",
                0,
                0..=1000,
                "issue slots lost per taken branch",
            ) as u32,
            posted: section.integer_or(
                "posted",
                8,
                1..=65_536,
                "maximum number of outstanding posted operations of a thread",
            ) as u32,
            takes: Vec::new(),
            block_cells: section
                .integer_if(
                    "block_cells",
                    1..=1024,
                    "number of cells that threads move at a time from output queues to transmit slots; these threads \
                     take no packets from inboxes",
                )
                .map(|cells| cells as u16),
            program: 0,
            next_thread: section.choice_or(
                "next_thread",
                "round_robin",
                NEXT,
                "rule by which an engine selects the next ready thread",
            ),
            data_cache: None,
        };
        idle_branches(&section, &config);
        let first = configs.len();
        let in_use = threads_in_use(&section, count as u64 * engines, threads);
        for number in 0..count {
            let name = instance_name(section.name(), count > 1, number);
            let own = number * engines as usize..(number + 1) * engines as usize;
            let in_use = in_use.as_ref().and_then(|each| each.get(own)).map(<[u32]>::to_vec);
            configs.push(ClusterConfig { name, in_use, ..config.clone() });
        }
        named.push(NamedCluster {
            name: section.name().to_owned(),
            first,
            count,
            takes: section.texts(
                "takes",
                "inboxes from which the threads of the cluster take packets, in order of priority (highest \
                 first)",
            ),
            program: section.text_if(
                "program",
                "program that the threads of the cluster execute; the chip's program if left out",
            ),
            lists: section.has("step"),
            place: section.place(),
            takes_at: section.place_of("takes"),
            program_at: section.place_of("program"),
            clock_hz,
            costs: ExecutionCosts::read(&section),
        });
    }
    if named.is_empty() {
        root.lacks("cluster", "a chip needs at least one cluster of engines, [cluster.NAME]");
    }
    (named, configs)
}

/// Reports taken branches that cost nothing, and a cost of branches that are never taken, unless `--set` makes them so.
fn idle_branches(section: &Section<'_>, config: &ClusterConfig) {
    let (taken, cost) = (config.branch_share > 0.0, config.branch_lost_cycles > 0);
    let (key, other, why) = match (taken, cost) {
        (true, false) => ("branch_share", "branch_lost_cycles", "taken branches lose no issue slots"),
        (false, true) => ("branch_lost_cycles", "branch_share", "no instruction is a taken branch"),
        _ => return,
    };
    if !section.is_set(other) {
        section.fail(key, format!("has no effect: {why}; set {other} above 0, or omit this key"));
    }
}

/// Returns the threads in use of every engine of a kind of cluster, if some threads are not in use.
fn threads_in_use(section: &Section<'_>, engines: u64, threads: u64) -> Option<Vec<u32>> {
    if !section.has("threads_in_use") {
        section.without_effect(&["fill"], "all threads are in use; set threads_in_use, or omit this key");
        return None;
    }
    let spread = section.choice_or(
        "fill",
        "engine_by_engine",
        &[("engine_by_engine", false), ("thread_by_thread", true)],
        "which threads are enabled first: all threads of one engine, or one thread of every engine",
    );
    let meaning = "total number of threads in use in all clusters of this kind; all threads if left out";
    let in_use = section.integer_if("threads_in_use", 1..=MOST_THREADS, meaning)?;
    if in_use > engines * threads {
        let message = format!(
            "found {in_use}, expected at most {}: {engines} engines with {threads} threads each",
            engines * threads
        );
        section.fail("threads_in_use", message);
        return None;
    }
    let of = |engine: u64| match spread {
        false => in_use.saturating_sub(engine * threads).min(threads),
        true => in_use / engines + u64::from(engine < in_use % engines),
    };
    Some((0..engines).map(|engine| of(engine) as u32).collect())
}

const NEXT: &[(&str, NextThread)] =
    &[("round_robin", NextThread::RoundRobin), ("first_ready", NextThread::FirstReady)];

/// Reads `[cluster.NAME.cache]` of all clusters: data caches between engines and memories.
pub(super) fn data_caches(root: &Section<'_>, configs: &mut [ClusterConfig], places: &[Named]) {
    for cluster in root.sections("cluster") {
        let Some(section) = cluster.section("cache") else { continue };
        let of = section.texts("of", "memories whose accesses pass through the cache");
        let known = || places.iter().filter(|place| place.is_memory).map(|place| place.name.as_str());
        for name in of.iter().filter(|name| !known().any(|other| other == *name)) {
            let near = linecard_config::nearest(name, known());
            section.fail("of", format!("no memory is called `{name}`{near}"));
        }
        if of.is_empty() {
            section.lacks("of", "name at least one memory");
        }
        let per_thread = section.choice_or(
            "per",
            "engine",
            &[("engine", false), ("thread", true)],
            "whether each engine has a cache that its threads share, or each thread has its own cache",
        );
        let cache_bytes = section.integer("cache_bytes", 8..=1 << 30, "capacity of each cache");
        let line_bytes = section.integer("line_bytes", 8..=4096, "line size, a power of two");
        let meaning = "lines per set; the set of line n of a memory is n modulo the number of sets";
        let ways = section.integer("ways", 1..=65_536, meaning);
        let latency = section.integer_or(
            "latency_cycles",
            1,
            0..=1000,
            "cycles from a cache hit until the value is available; the thread stalls only if an instruction \
             uses the value earlier",
        );
        let leaves_engine = section.choice_or(
            "during_hit",
            "keeps_engine",
            &[("keeps_engine", false), ("leaves_engine", true)],
            "whether a thread keeps its engine during the hit latency, or releases the engine to other threads",
        );
        let replacement = section.choice_or(
            "replacement",
            "least_recent",
            REPLACEMENTS,
            "rule that selects which line of a set is replaced",
        );
        let caches: u64 = configs
            .iter()
            .filter(|each| each.group == cluster.name())
            .map(|each| u64::from(each.engines) * if per_thread { u64::from(each.threads) } else { 1 })
            .sum();
        if caches * (cache_bytes / line_bytes.max(1)) > MOST_CACHE_LINES {
            let message = format!(
                "found {caches} caches with {} lines each; expected at most {MOST_CACHE_LINES} lines in total",
                cache_bytes / line_bytes.max(1)
            );
            section.fail("cache_bytes", message);
        } else if !line_bytes.is_power_of_two() {
            section.fail("line_bytes", format!("found {line_bytes}, expected a power of two"));
        } else if !cache_bytes.is_multiple_of(line_bytes * ways) || cache_bytes == 0 {
            let message = format!(
                "found {cache_bytes}, expected a multiple of {}: {ways} ways of {line_bytes} bytes",
                line_bytes * ways
            );
            section.fail("cache_bytes", message);
        } else {
            let config = DataCacheConfig {
                per_thread,
                of,
                sets: (cache_bytes / (line_bytes * ways)) as u32,
                ways: ways as u32,
                line_bytes: line_bytes as u32,
                replacement,
                latency_cycles: latency as u32,
                leaves_engine,
            };
            for each in configs.iter_mut().filter(|each| each.group == cluster.name()) {
                each.data_cache = Some(config.clone());
            }
        }
    }
}

fn dispatch_rule(section: &Section<'_>) -> DispatchRule {
    let rules: Vec<_> = DispatchRule::ALL.iter().map(|rule| (rule.name(), *rule)).collect();
    section.choice_or("rule", "free_list", &rules, "dispatch rule: which thread takes a packet")
}

/// An inbox as the file names it: a ring if a memory holds it.
pub(super) struct NamedInbox {
    pub name: String,
    /// Its location in the file, and its key.
    pub place: String,
    pub key: String,
    pub ring: Option<Ring>,
}

impl NamedInbox {
    fn of(section: &Section<'_>, ring: Option<Ring>) -> Self {
        let (place, key) = (section.place(), section.path().to_owned());
        Self { name: section.name().to_owned(), place, key, ring }
    }
}

/// The cost of handing a packet over a ring, besides the wait: a write and a read of its memory.
pub(super) struct Ring {
    pub memory: String,
    pub entries: u32,
    pub bytes: u16,
    pub place: String,
}

/// Returns the maximum number of packets between an inbox and their end.
fn window(section: &Section<'_>) -> Option<u32> {
    let meaning = "maximum number of packets from this inbox or ring that are in the chip; further packets wait; \
                   unbounded if left out";
    section.integer_if("window", 1..=1 << 30, meaning).map(|window| window as u32)
}

/// Reads all inboxes and rings.
pub(super) fn inboxes(root: &Section<'_>) -> (Vec<NamedInbox>, Vec<InboxConfig>) {
    let (mut named, mut configs) = (Vec::new(), Vec::new());
    for section in root.sections("inbox") {
        let rule = dispatch_rule(&section);
        let meaning = "maximum number of waiting packets; a thread that puts a packet into a full inbox waits; unbounded if left out";
        let capacity = section.integer_if("entries", 1..=1 << 30, meaning).map(|entries| entries as u32);
        configs.push(InboxConfig {
            name: section.name().to_owned(),
            rule,
            capacity,
            window: window(&section),
        });
        named.push(NamedInbox::of(&section, None));
    }
    for section in root.sections("ring") {
        let rule = dispatch_rule(&section);
        let capacity = section.integer(
            "entries",
            1..=1 << 30,
            "maximum number of packets; a thread that puts a packet into a full ring waits",
        ) as u32;
        let memory = section.text("memory", "role or memory that stores the ring");
        let bytes = section.integer_or(
            "entry_bytes",
            8,
            1..=4096,
            "size of a ring entry; each entry is written once and read once",
        );
        let window = window(&section);
        configs.push(InboxConfig { name: section.name().to_owned(), rule, capacity: Some(capacity), window });
        let ring = Ring { memory, entries: capacity, bytes: bytes as u16, place: section.place_of("memory") };
        named.push(NamedInbox::of(&section, Some(ring)));
    }
    (named, configs)
}

/// One `[[route]]`.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub from: Vec<String>,
    pub to: Vec<String>,
    /// Roles that use this route; if there are none, all roles without another route.
    pub roles: Vec<String>,
    pub issue_ps: u64,
    pub back_ps: u64,
    pub links: Vec<String>,
}

/// Reads all routes; cycles are those of the first cluster of the route.
pub(super) fn routes(
    root: &Section<'_>,
    clusters: &[NamedCluster],
    places: &[Named],
    links: &[Named],
) -> Vec<Route> {
    let mut routes: Vec<Route> = Vec::new();
    for section in root.list("route") {
        let meaning = "name of the route, used by --set and by files that extend this file";
        section.text_if("name", meaning);
        let from = section.texts("from", "clusters at which the route begins");
        let to = section.texts("to", "memories and units at which the route ends");
        let over = section.texts("links", "links of the route, in order");
        let roles = section
            .texts("roles", "roles that use the route; if left out, all roles that have no other route");
        let check = |key: &str, names: &[String], known: Vec<&str>, what: &str| {
            for name in names.iter().filter(|name| !known.contains(&name.as_str())) {
                let near = linecard_config::nearest(name, known.iter().copied());
                section.fail(key, format!("no {what} is called `{name}`{near}"));
            }
        };
        check("from", &from, clusters.iter().map(|c| c.name.as_str()).collect(), "cluster");
        check("to", &to, places.iter().map(|p| p.name.as_str()).collect(), "memory or unit");
        check("links", &over, links.iter().map(|l| l.name.as_str()).collect(), "link");
        for (key, list) in [("from", &from), ("to", &to)] {
            if list.is_empty() {
                section.lacks(key, "expected at least one name");
            }
        }
        let hz = clusters
            .iter()
            .find(|cluster| from.contains(&cluster.name))
            .or(clusters.first())
            .map_or(1_000_000_000, |cluster| cluster.clock_hz);
        let time = |stem: &str, meaning: &str| time_ps(&section, stem, hz, meaning).unwrap_or(0);
        let twice = routes.iter().find_map(|other| {
            let same = |a: &[String], b: &[String]| a.iter().find(|name| b.contains(name)).cloned();
            let both = roles.is_empty() && other.roles.is_empty() || same(&roles, &other.roles).is_some();
            if both { Some((same(&from, &other.from)?, same(&to, &other.to)?)) } else { None }
        });
        if let Some((from, to)) = twice {
            section.fail("to", format!("a route from `{from}` to `{to}` already exists"));
        }
        routes.push(Route {
            issue_ps: time(
                "issue",
                "time from a thread to the first link, or to the memory or unit if the route has no links",
            ),
            back_ps: time("back", "time from the memory or unit back to the thread"),
            from,
            to,
            roles,
            links: over,
        });
    }
    routes
}
