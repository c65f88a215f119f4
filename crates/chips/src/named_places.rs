//! `[memory.NAME]`, `[unit.NAME]` and `[link.NAME]`.

use super::place::{KINDS, Kind, PlaceTable, queue_manager, result_cache, server};
use super::units::{Clocks, byte_fs, time_ps};
use linecard_chip::config::{LinkConfig, PlaceConfig, PlaceKind, QueueManagerConfig};
use linecard_config::{Document, Section};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A memory, an accelerator or a link as the file names it, with its instances.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub name: String,
    /// The cluster whose instances have one each.
    pub per: Option<String>,
    /// Number of the first instance, and the number of instances.
    pub first: usize,
    pub count: usize,
    /// Its capacity in bytes, if the file states it.
    pub capacity_bytes: Option<u64>,
    /// Its location in the file.
    pub place: String,
    pub kind: &'static str,
    pub is_memory: bool,
}

/// All memories and units in order, and their names.
pub(super) struct Places {
    pub named: Vec<Named>,
    pub configs: Vec<PlaceConfig>,
    /// Number of each name among `named`.
    numbers: HashMap<String, usize>,
}

/// Clusters by name, and the number of instances of each.
pub(super) type Instances<'a> = &'a [(&'a str, usize)];

/// Reads `per`: the cluster whose instances have one each, and the number of instances.
fn per(section: &Section<'_>, instances: Instances<'_>) -> (Option<String>, usize) {
    let Some(cluster) = section
        .text_if("per", "kind of cluster; each cluster of this kind has its own copy of this component")
    else {
        return (None, 1);
    };
    match instances.iter().find(|(name, _)| *name == cluster) {
        Some(&(_, count)) => (Some(cluster), count),
        None => {
            let near = linecard_config::nearest(&cluster, instances.iter().map(|(name, _)| *name));
            section.fail("per", format!("no cluster is called `{cluster}`{near}"));
            (None, 1)
        }
    }
}

/// Returns the name of an instance: without a number if there is one for all.
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
        let mut places = Self { named: Vec::new(), configs: Vec::new(), numbers: HashMap::new() };
        // A cache names the memory behind it, which may come later in the file.
        let mut behind = Vec::new();
        for (table, meaning) in [("memory", "kind of service"), ("unit", "operation")] {
            let kinds: Vec<(&str, &Kind)> = KINDS
                .iter()
                .filter(|kind| kind.words(table).is_some())
                .map(|kind| (kind.name, kind))
                .collect();
            for section in root.sections(table) {
                let (per, count) = per(&section, instances);
                let first = places.configs.len();
                let kind = section.choice_or("kind", "server", &kinds, meaning);
                leave_others(&section, kind, &kinds);
                let asked = PlaceTable { document, section: &section, clocks, seed };
                let given = if table == "memory" { asked.capacity_bytes() } else { None };
                let built = (kind.read)(&asked);
                let capacity_bytes = capacity_of(&section, &built, given);
                if matches!(built, PlaceKind::Cached(_)) {
                    let name = section.text("behind", "memory whose data the cache stores");
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
                let number = places.named.len();
                match places.numbers.entry(section.name().to_owned()) {
                    Entry::Occupied(_) => {
                        section
                            .fail("", format!("the name `{}` is also the name of a memory", section.name()));
                    }
                    Entry::Vacant(entry) => {
                        entry.insert(number);
                    }
                }
                places.named.push(Named {
                    name: section.name().to_owned(),
                    per,
                    first,
                    count,
                    capacity_bytes,
                    place: section.place(),
                    kind: kind.words(table).unwrap_or(""),
                    is_memory: table == "memory",
                });
            }
        }
        (places, behind)
    }

    /// Returns the memory or unit of a name.
    pub fn find(&self, name: &str) -> Option<&Named> {
        self.numbers.get(name).map(|&number| &self.named[number])
    }

    /// Sets the numbers of the memories behind caches.
    pub fn connect(&mut self, document: &Document, behind: Vec<(usize, String, String)>) {
        for (first, name, place) in behind {
            let Some(back) = self.find(&name).cloned() else {
                let near = linecard_config::nearest(&name, self.named.iter().map(|n| n.name.as_str()));
                document.report(place, "behind", format!("no memory is called `{name}`{near}"));
                continue;
            };
            let front = self.named.partition_point(|named| named.first < first);
            let Some(front) = self.named.get(front).cloned() else { continue };
            if back.per.is_some() && back.per != front.per || back.name == front.name {
                document.report(
                    place,
                    "behind",
                    format!(
                        "`{name}` cannot be the memory that `{}` caches; expected another memory, either shared \
                         or with the same `per`",
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

/// Returns the capacity of a memory: for DRAM at most that of its parts, which is also the default.
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
        section.fail(
            key,
            format!(
                "found {given} bytes, expected at most {parts} bytes, the capacity of \
                 {channels} DRAM parts"
            ),
        );
    }
    Some(given.unwrap_or(parts))
}

/// Accepts keys of other kinds, which may stay in a file whose kind is changed.
fn leave_others(section: &Section<'_>, kind: &Kind, kinds: &[(&str, &Kind)]) {
    for (_, other) in kinds {
        let others: Vec<&str> = other.keys.iter().copied().filter(|key| !kind.keys.contains(key)).collect();
        section.leave(&others);
    }
    if !kind.has_times {
        section.leave(server::TIMES);
    }
}

/// Returns the `[unit.NAME]` of a kind, if there is one.
fn unit_of_kind<'d>(root: &Section<'d>, kind: &str) -> Option<Section<'d>> {
    let units = root.sections("unit");
    units.into_iter().find(|unit| unit.says("kind", kind))
}

/// Returns whether the file has a result cache with entries.
pub(super) fn has_results(root: &Section<'_>) -> bool {
    unit_of_kind(root, "result_cache").is_some_and(|unit| result_cache::entries(&unit) > 0)
}

/// Returns the queue manager of the file, if it has one.
pub(super) fn queue_manager_of(root: &Section<'_>) -> Option<QueueManagerConfig> {
    unit_of_kind(root, "queue_manager").and_then(|unit| queue_manager::manager(&unit))
}

/// Reads all links, and returns them with their names.
pub(super) fn links(
    root: &Section<'_>,
    clocks: &Clocks,
    instances: Instances<'_>,
) -> (Vec<Named>, Vec<LinkConfig>) {
    let (mut named, mut configs) = (Vec::new(), Vec::new());
    for section in root.sections("link") {
        let (per, count) = per(&section, instances);
        let gbps = section.number("rate_gbps", 1e-6..=1e9, "bandwidth");
        let hz = clocks.of(&section);
        let latency_ps = time_ps(&section, "latency", hz, "latency from one end to the other").unwrap_or(0);
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
