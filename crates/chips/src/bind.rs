//! Binds roles to memories and units: how each cluster reaches them, where their data begins, and how packets are
//! placed.

use super::cluster::{NamedCluster, NamedInbox, Route};
use super::named_places::{Named, Places};
use super::packet_starts::page_bytes;
use super::port::Moves;
use super::program::ReadProgram;
use super::reading::Roles;
use linecard_buffers::{AllocatorConfig, AllocatorKind, PoolOrder};
use linecard_chip::config::{
    ClusterConfig, PacketMemoryConfig, PlaceKind, PlacementRule, TargetConfig, WideConfig,
};
use linecard_config::{Document, Section, nearest};
use linecard_program::CELL_BYTES;
use std::collections::HashMap;

/// The maximum room for packets: the allocator's records of its cells take up to a sixth of it.
const MOST_POOL_BYTES: u64 = 1 << 31;

/// Keys of the memory in which packets are kept.
const OF_PACKETS: &[&str] =
    &["allocator", "page_bytes", "pool_bytes", "pool_per", "pools", "order", "caches"];

/// The result of binding.
pub(super) struct Bound {
    pub targets: Vec<Vec<Option<TargetConfig>>>,
    pub packets: Option<PacketMemoryConfig>,
    /// The memory or unit of each role, by name.
    pub names: Vec<String>,
}

/// Returns whether one letter is wrong, missing or exchanged. `packets` and `packet` are different roles.
fn is_misspelt(name: &str, meant: &str) -> bool {
    let plural = name.strip_suffix('s') == Some(meant) || meant.strip_suffix('s') == Some(name);
    !plural && strsim::damerau_levenshtein(name, meant) == 1
}

/// Binds roles to memories and units, for every cluster that uses them.
pub(super) struct Binder<'a> {
    pub document: &'a Document,
    pub clusters: &'a [NamedCluster],
    pub places: &'a Places,
    pub links: &'a [Named],
    pub routes: &'a [Route],
    pub inboxes: &'a [NamedInbox],
    /// Ports that send.
    pub senders: u32,
}

impl Binder<'_> {
    pub fn bind(
        &mut self,
        roles: &mut Roles,
        programs: &[ReadProgram],
        configs: &[ClusterConfig],
        moves: &Moves,
        seed: u64,
    ) -> Bound {
        let packet_role = self.packet_role(roles, programs, moves);
        let names = self.names(roles);
        let packets =
            packet_role.and_then(|role| self.packet_memory(role, &names[role], moves, seed, configs));
        // Errors of a program have been reported. Without that program, it is unknown whether and where packets are
        // kept.
        let all_read = configs.iter().all(|config| programs.get(config.program).is_some());
        let kept = packet_role.map(|role| names[role].as_str());
        // If a binding selects the packet memory, other memories may have the same keys, ready to be selected.
        let is_chosen = packet_role.is_some_and(|role| roles.names[role] != names[role]);
        self.keys_of_packets(kept, all_read, is_chosen);
        let caches = packets.as_ref().is_some_and(|packets| packets.wide.is_some());
        for program in programs.iter().filter(|program| caches && !program.allocates) {
            let message = format!(
                "{} does not move packets through queue caches, which per_queue_linear requires; choose another \
                 allocator",
                program.name
            );
            self.document.report(self.document.root().place(), "program.run", message);
        }
        let bases = self.bases(roles, &names, packets.as_ref());
        let mut targets = Vec::new();
        for (number, config) in configs.iter().enumerate() {
            // Clusters are in order: this is the last one that begins here or before.
            let after = self.clusters.partition_point(|cluster| cluster.first <= number);
            let Some(named) = after.checked_sub(1).map(|at| &self.clusters[at]) else { continue };
            let row = (0..roles.names.len()).map(|role| {
                let program = programs.get(config.program);
                let mut used = program.is_some_and(|program| program.roles.contains(&role));
                used |= packet_role == Some(role) || roles.places[role].is_empty();
                // A take from a ring reads its entry, and a put into it writes one.
                let puts = program.map_or(&[][..], |program| &program.puts);
                used |=
                    config.takes.iter().chain(puts).any(|&inbox| self.ring_role(inbox, roles) == Some(role));
                let first_instance = number == named.first;
                used.then(|| {
                    let (called, name, base) = (&roles.names[role], &names[role], bases[role]);
                    self.target(named, number - named.first, called, name, base, first_instance)
                })
                .flatten()
            });
            targets.push(row.collect());
        }
        Bound { targets, packets, names }
    }

    /// Returns the memory or unit of each role: the one in `[bind]`, or the one with the name of the role.
    fn names(&self, roles: &Roles) -> Vec<String> {
        let root = self.document.root();
        let section = root.section("bind");
        let mut bound = Vec::new();
        if let Some(section) = &section {
            for key in section.keys() {
                let name = section.text(&key, "memory or unit for this role");
                if self.places.find(&name).is_none() {
                    let near = nearest(&name, self.places.named.iter().map(|n| n.name.as_str()));
                    section.fail(&key, format!("no memory or unit is called `{name}`{near}"));
                }
                let meant = |region: &&String| is_misspelt(&key, region);
                let unused = !roles.names.contains(&key);
                if let Some(meant) = roles.regions.iter().filter(|_| unused).find(meant) {
                    section
                        .fail(&key, format!("the program has no role of this name; did you mean `{meant}`?"));
                }
                bound.push((key, name));
            }
        }
        let name_of = |(role, place): (&String, &String)| {
            if let Some((_, name)) = bound.iter().find(|(key, _)| key == role) {
                return name.clone();
            }
            if self.places.find(role).is_none() {
                let known = bound.iter().map(|(key, _)| key.as_str());
                let near = nearest(role, known.chain(self.places.named.iter().map(|n| n.name.as_str())));
                let message = format!(
                    "`{role}` is not bound{near}; bind it to a memory or unit: {role} = \"NAME\" in [bind]"
                );
                self.document.report(place.clone(), &format!("bind.{role}"), message);
            }
            role.clone()
        };
        roles.names.iter().zip(&roles.places).map(name_of).collect()
    }

    /// Returns the role of the memory in which packets are kept, if there is one.
    fn packet_role(&self, roles: &mut Roles, programs: &[ReadProgram], moves: &Moves) -> Option<usize> {
        let mut found: Option<usize> = None;
        let both = [moves.receive_to.as_ref(), moves.send_from.as_ref()];
        for (name, place) in both.into_iter().flatten() {
            let number = roles.number(name, place);
            if found.is_some_and(|other| other != number) {
                let message = format!(
                    "packets are written to `{}` and read from `{name}`; receive_to and send_from must name the \
                     same memory",
                    roles.names[found.unwrap_or(0)]
                );
                self.document.report(place.clone(), "send_from", message);
            }
            found = Some(number);
        }
        if found.is_none() && programs.iter().any(|program| program.moves_cells) {
            let root = self.document.root();
            found = Some(roles.number("packets", &root.place()));
        }
        found
    }

    /// Reports keys for packets in memories that keep none.
    fn keys_of_packets(&self, kept: Option<&str>, all_read: bool, is_chosen: bool) {
        let is_known = all_read && kept.is_none_or(|name| self.places.find(name).is_some());
        let why = match kept {
            Some(name) => format!("packets are kept in `{name}`"),
            None => "no port writes packets to a memory (receive_to) or reads packets from a memory \
                     (send_from), and no program moves packets"
                .to_owned(),
        };
        let others =
            self.document.root().sections("memory").into_iter().filter(|each| Some(each.name()) != kept);
        for memory in others {
            if is_chosen && is_known {
                memory.leave(OF_PACKETS);
            }
            match is_known {
                true => memory.without_effect(OF_PACKETS, &why),
                false => memory.pass_over(OF_PACKETS),
            }
        }
    }

    /// Reads how packets are placed in their memory.
    fn packet_memory(
        &self,
        role: usize,
        name: &str,
        moves: &Moves,
        seed: u64,
        configs: &[ClusterConfig],
    ) -> Option<PacketMemoryConfig> {
        let placed_by_programs = configs.iter().any(|config| config.block_cells.is_some());
        let queues = if placed_by_programs { self.senders } else { 1 };
        let root = self.document.root();
        let section = root.section("memory")?.section(name)?;
        let kind_of_place = self.places.find(name).map(|named| &self.places.configs[named.first].kind);
        if matches!(kind_of_place, Some(PlaceKind::Slots(_))) {
            section.leave(&["page_bytes", "pool_bytes", "pool_per", "pools", "order", "caches"]);
            return Some(PacketMemoryConfig {
                role,
                placement: PlacementRule::RandomBank,
                placed_by_programs: false,
                wide: None,
                received_by_ports: moves.receive_to.is_some(),
                sent_by_ports: moves.send_from.is_some(),
            });
        }
        let kinds = AllocatorKind::ALL.map(|kind| (kind.name(), kind));
        let kind = section.choice_or("allocator", "fixed", &kinds, "rule that assigns memory to packets");
        let page = page_bytes(&section);
        let capacity = self.places.find(name).and_then(|named| named.capacity_bytes);
        let usual = match kind_of_place {
            // The whole memory is the packet buffer.
            Some(PlaceKind::PacketBuffer(_)) => capacity.unwrap_or(4 << 20),
            _ => 4 << 20,
        };
        let pool = section.integer_or("pool_bytes", usual, 64..=MOST_POOL_BYTES, "capacity for packets");
        let per_thread = section.choice_or(
            "pool_per",
            "chip",
            &[("chip", false), ("thread", true)],
            "whether pool_bytes is the capacity for the whole chip or for each thread",
        );
        let pool = if per_thread {
            pool * configs.iter().map(|c| u64::from(c.all_threads())).sum::<u64>()
        } else {
            pool
        };
        if pool > MOST_POOL_BYTES {
            let message = format!(
                "{name} reserves {pool} bytes for packets, expected at most {MOST_POOL_BYTES} bytes; set pool_bytes"
            );
            section.fail("pool_bytes", message);
            return None;
        }
        let pools = section.integer_or(
            "pools",
            1,
            1..=2,
            "number of pools; consecutive packets use the pools in turn",
        ) as u32;
        let orders = [("lifo", PoolOrder::Lifo), ("fifo", PoolOrder::Fifo)];
        let order =
            section.choice_or("order", "lifo", &orders, "order in which freed buffers or pages are reused");
        if !page.is_multiple_of(CELL_BYTES) {
            section.fail(
                "page_bytes",
                format!("{page} bytes are not a whole number of cells of {CELL_BYTES} bytes"),
            );
        }
        let allocator = AllocatorConfig {
            kind,
            cells: (pool / u64::from(CELL_BYTES)) as u32,
            page_cells: page / CELL_BYTES,
            pools,
            order,
            queues,
            seed,
        };
        let wide = wide(&section, kind, queues);
        if let Err(message) = linecard_buffers::Allocator::new(&allocator) {
            section.fail("pool_bytes", message);
        }
        Some(PacketMemoryConfig {
            role,
            placement: PlacementRule::Allocator(allocator),
            placed_by_programs,
            wide,
            received_by_ports: moves.receive_to.is_some(),
            sent_by_ports: moves.send_from.is_some(),
        })
    }

    /// Returns the first byte of each role's data in its memory; reports data that do not fit.
    fn bases(&self, roles: &Roles, names: &[String], packets: Option<&PacketMemoryConfig>) -> Vec<u64> {
        let mut bases = vec![0; names.len()];
        let rings = self.rings_by_memory(roles, names);
        for named in &self.places.named {
            let mut used = 0;
            let mut parts = Vec::new();
            for role in (0..names.len()).filter(|&role| names[role] == named.name) {
                let room = packets.filter(|p| p.role == role);
                let bytes = match room.map(|packets| &packets.placement) {
                    None => roles.bytes[role],
                    Some(PlacementRule::Allocator(a)) => u64::from(a.cells) * u64::from(CELL_BYTES),
                    Some(PlacementRule::RandomBank) => 0,
                };
                // A region begins at a line boundary of any cache.
                bases[role] = u64::next_multiple_of(used, 4096);
                used = bases[role] + bytes;
                if bytes > 0 {
                    parts.push(format!("{} {bytes}", roles.names[role]));
                }
            }
            // Rings follow all other regions.
            for &(name, bytes) in rings.get(named.name.as_str()).into_iter().flatten() {
                used += bytes;
                parts.push(format!("ring {name} {bytes}"));
            }
            if let Some(capacity) = named.capacity_bytes
                && used > capacity
            {
                let message = format!(
                    "the capacity is {capacity} bytes, but {used} bytes of data are bound to this memory ({}); \
                     bind some data to another memory, or raise capacity_bytes",
                    parts.join(", ")
                );
                self.document.report(named.place.clone(), &format!("memory.{}", named.name), message);
            }
        }
        bases
    }

    /// Returns the role of the memory of an inbox, if the inbox is a ring.
    fn ring_role(&self, inbox: usize, roles: &Roles) -> Option<usize> {
        let ring = self.inboxes.get(inbox)?.ring.as_ref()?;
        roles.names.iter().position(|name| *name == ring.memory)
    }

    /// Returns the rings in each memory and their bytes.
    fn rings_by_memory<'n>(
        &'n self,
        roles: &Roles,
        names: &'n [String],
    ) -> HashMap<&'n str, Vec<(&'n str, u64)>> {
        let mut rings: HashMap<&str, Vec<(&str, u64)>> = HashMap::new();
        for (number, inbox) in self.inboxes.iter().enumerate() {
            if let (Some(ring), Some(role)) = (&inbox.ring, self.ring_role(number, roles)) {
                let bytes = u64::from(ring.entries) * u64::from(ring.bytes);
                rings.entry(&names[role]).or_default().push((&inbox.name, bytes));
            }
        }
        rings
    }

    /// Returns the route of instance `number` of a cluster to a memory or unit.
    fn target(
        &self,
        cluster: &NamedCluster,
        number: usize,
        role: &str,
        name: &str,
        base: u64,
        report: bool,
    ) -> Option<TargetConfig> {
        let place = self.places.find(name)?;
        let own = place.per.as_deref() == Some(cluster.name.as_str());
        if place.per.is_some() && !own {
            if report {
                let whose = place.per.as_deref().unwrap_or("");
                let message = format!(
                    "each `{whose}` has its own `{name}`, but the cluster `{}` cannot access any `{name}`",
                    cluster.name
                );
                self.document.report(cluster.place.clone(), &format!("cluster.{}", cluster.name), message);
            }
            return None;
        }
        let mine = |route: &&Route| route.from.contains(&cluster.name);
        let leads = |route: &&Route| mine(route) && route.to.iter().any(|to| to == name);
        let of_role = self.routes.iter().filter(leads).find(|route| route.roles.iter().any(|r| r == role));
        let route = of_role.or(self.routes.iter().filter(leads).find(|route| route.roles.is_empty()));
        let others = || self.routes.iter().any(|route| mine(&route) && route.roles.is_empty());
        if route.is_none() && !own && others() && report {
            let message = format!(
                "the program of `{}` uses `{name}`, but no [[route]] leads to `{name}`",
                cluster.name
            );
            self.document.report(cluster.place.clone(), &format!("cluster.{}", cluster.name), message);
        }
        let link = |name: &String| {
            let link = self.links.iter().find(|link| link.name == *name)?;
            Some(link.first + if link.per.as_deref() == Some(&cluster.name) { number } else { 0 })
        };
        Some(TargetConfig {
            place: place.first + if own { number } else { 0 },
            base,
            issue_ps: route.map_or(0, |r| r.issue_ps),
            back_ps: route.map_or(0, |r| r.back_ps),
            links: route.map_or_else(Vec::new, |r| r.links.iter().filter_map(link).collect()),
        })
    }
}

/// Reads the caches of output queues in front of the packet memory, which the allocator by queue requires.
fn wide(section: &Section<'_>, kind: AllocatorKind, queues: u32) -> Option<WideConfig> {
    if kind != AllocatorKind::PerQueue {
        section.leave(&["caches"]);
        return None;
    }
    let Some(caches) = section.section("caches") else {
        section.lacks(
            "caches",
            "per_queue_linear requires queue caches, because only queue caches release memory in queue order",
        );
        return None;
    };
    let block_cells =
        caches.integer("block_cells", 1..=32, "number of cells that a wide access transfers") as u32;
    let cells = caches.integer(
        "cache_cells",
        1..=1_000_000,
        "total capacity of the input caches of all queues, in cells; the output caches have the same total \
         capacity",
    ) as u32;
    let blocks = cells / queues.max(1) / block_cells.max(1);
    if blocks == 0 {
        let message = format!(
            "too small; each of {queues} queues needs cache space for at least one block of {block_cells} cells"
        );
        caches.fail("cache_cells", message);
    }
    let cell_ps = (caches.number("cell_ns", 0.0..=1e9, "time to move a cell between a thread and a cache")
        * 1e3)
        .round();
    Some(WideConfig { block_cells, blocks, cell_ps: cell_ps as u64 })
}
