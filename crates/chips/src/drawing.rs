//! The facts that the block diagram of a chip shows.

use super::design::Design;
use linecard_files::Error;
use schemars::JsonSchema;
use serde::Serialize;

/// The facts about a chip that its block diagram shows.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ChipDrawing {
    /// Name of the chip.
    pub chip: String,
    /// Title.
    pub title: String,
    /// The clusters of the chip, one entry for each name.
    pub clusters: Vec<DrawnCluster>,
    /// Memories and accelerators of the chip.
    pub places: Vec<DrawnPlace>,
    /// Links.
    pub links: Vec<DrawnLink>,
    /// Routes from clusters to memories and units.
    pub routes: Vec<DrawnRoute>,
    /// Ports.
    pub ports: Vec<DrawnPort>,
}

/// The clusters that share one name.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Cluster")]
pub struct DrawnCluster {
    /// Name.
    pub name: String,
    /// Number of clusters with this name.
    pub count: usize,
    /// Number of engines in each cluster.
    pub engines: u32,
    /// Number of hardware threads in each engine.
    pub threads: u32,
    /// Clock.
    pub clock_mhz: f64,
    /// Inboxes and rings from which the cluster's threads take packets.
    pub takes: Vec<String>,
    /// Inboxes and rings into which the cluster's program puts packets.
    pub puts: Vec<String>,
}

/// A memory or an accelerator.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Place")]
pub struct DrawnPlace {
    /// Name.
    pub name: String,
    /// Type of the memory or unit.
    pub kind: String,
    /// True for a memory, false for an accelerator.
    pub is_memory: bool,
    /// Name of the cluster, if each instance of the cluster has its own copy of the memory or unit.
    pub per: Option<String>,
    /// Number of instances.
    pub count: usize,
    /// Roles that the chip's file binds to the memory or unit.
    pub roles: Vec<String>,
    /// Capacity.
    pub capacity_bytes: Option<u64>,
    /// If this memory is a cache, the memory whose data the cache contains; otherwise `None`.
    pub behind: Option<String>,
}

/// An on-chip link.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Link")]
pub struct DrawnLink {
    /// Name.
    pub name: String,
    /// Number of instances.
    pub count: usize,
    /// Rate of the link in Gbit/s.
    pub rate_gbps: f64,
}

/// A route from a cluster to a memory or unit.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Route")]
pub struct DrawnRoute {
    /// Cluster.
    pub from: String,
    /// Memory or unit at the end of the route.
    pub to: String,
    /// Links along the route.
    pub links: Vec<String>,
    /// Round-trip time in nanoseconds, without waiting times.
    pub nanoseconds: f64,
}

/// The ports that share one name.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Port")]
pub struct DrawnPort {
    /// Name.
    pub name: String,
    /// Number of ports with this name.
    pub count: usize,
    /// Receive rate in Gbit/s; `None` if the ports only send.
    pub receive_gbps: Option<f64>,
    /// Transmit rate in Gbit/s; `None` if the ports only receive.
    pub transmit_gbps: Option<f64>,
    /// Memory to which the ports write packets and from which they read packets.
    pub memory: Option<String>,
}

/// Returns the facts that the block diagram of a chip shows.
///
/// # Errors
/// All problems of the file at once.
pub fn drawing(preset: &str, overrides: &[String]) -> Result<ChipDrawing, Error> {
    let design = Design::load(preset, overrides, None, 1)?;
    let config = &design.config;
    let names_of =
        |inboxes: &[usize]| inboxes.iter().map(|&inbox| config.inboxes[inbox].name.clone()).collect();
    let clusters = design.clusters.iter().map(|named| {
        let cluster = &config.clusters[named.first];
        DrawnCluster {
            name: named.name.clone(),
            count: named.count,
            engines: cluster.engines,
            threads: cluster.threads,
            clock_mhz: cluster.clock_hz as f64 / 1e6,
            takes: names_of(&cluster.takes),
            // Threads that send blocks run the other part of a program.
            puts: match cluster.block_cells {
                Some(_) => Vec::new(),
                None => names_of(&design.programs[cluster.program].puts),
            },
        }
    });
    let places = design.places.iter().map(|named| DrawnPlace {
        name: named.name.clone(),
        kind: named.kind.to_owned(),
        is_memory: named.is_memory,
        per: named.per.clone(),
        count: named.count,
        roles: design
            .roles
            .iter()
            .filter(|(_, place)| *place == named.name)
            .map(|(role, _)| role.clone())
            .collect(),
        capacity_bytes: named.capacity_bytes,
        behind: config.places[named.first]
            .kind
            .numbers()
            .behind()
            .map(|behind| config.places[behind].group.clone()),
    });
    let links = design.links.iter().map(|named| DrawnLink {
        name: named.name.clone(),
        count: named.count,
        rate_gbps: 8e6 / config.links[named.first].byte_fs.max(1) as f64,
    });
    let mut routes = Vec::new();
    for route in &design.routes {
        for from in &route.from {
            routes.extend(route.to.iter().map(|to| DrawnRoute {
                from: from.clone(),
                to: to.clone(),
                links: route.links.clone(),
                nanoseconds: (route.issue_ps + route.back_ps) as f64 / 1e3,
            }));
        }
    }
    let packet_memory = config.packets.as_ref().map(|packets| design.roles[packets.role].1.clone());
    let mut ports: Vec<DrawnPort> = Vec::new();
    for port in &config.ports {
        match ports.iter_mut().find(|drawn| drawn.name == port.group) {
            Some(drawn) => drawn.count += 1,
            None => ports.push(DrawnPort {
                name: port.group.clone(),
                count: 1,
                receive_gbps: port.receive.as_ref().map(|r| r.bits_per_second as f64 / 1e9),
                transmit_gbps: port.transmit.as_ref().map(|t| t.bits_per_second as f64 / 1e9),
                memory: packet_memory.clone(),
            }),
        }
    }
    Ok(ChipDrawing {
        chip: preset.to_owned(),
        title: design.title.clone(),
        clusters: clusters.collect(),
        places: places.collect(),
        links: links.collect(),
        routes,
        ports,
    })
}
