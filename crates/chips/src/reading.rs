//! What a program is read with: roles as they are met, and what the chip around it has.

use super::cluster::NamedInbox;
use super::executed::{Executable, ExecutionCosts};
use crate::routes::{Routes, routes};
use linecard_apps::NotIp;
use linecard_chip::config::QueueManagerConfig;
use linecard_config::Section;

/// Most cycles of a step, and most of anything else that a program's costs count.
pub(super) const MILLION: u64 = 1_000_000;

/// Names of roles, numbered in the order in which they are met.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    pub names: Vec<String>,
    /// Bytes that programs use of each, and where the file says so.
    pub bytes: Vec<u64>,
    pub places: Vec<String>,
    /// Regions of executed programs, which may be bound.
    pub regions: Vec<String>,
}

impl Roles {
    /// The number of a role.
    pub fn number(&mut self, name: &str, place: &str) -> usize {
        if let Some(number) = self.names.iter().position(|known| known == name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.bytes.push(0);
        self.places.push(place.to_owned());
        self.names.len() - 1
    }

    /// A program keeps so many bytes there.
    pub fn uses(&mut self, number: usize, bytes: u64) {
        self.bytes[number] = self.bytes[number].max(bytes);
    }
}

/// What a program is read with.
pub(super) struct Reading<'a> {
    pub roles: &'a mut Roles,
    pub inboxes: &'a [NamedInbox],
    pub ports: u16,
    /// Names of classes, and their number where it is the same at all ports; `None` where no chip is known.
    pub classes: Option<Vec<(String, Option<u8>)>>,
    pub seed: u64,
    /// Threads of the chip.
    pub threads: u64,
    /// Whether packets of congested ports are kept in memory.
    pub keeps: bool,
    /// Whether there is a cache of lookup results.
    pub results: bool,
    /// The queue manager, if there is one.
    pub queue_manager: Option<QueueManagerConfig>,
    /// `[bind]` of the chip.
    pub bind: Option<Section<'a>>,
    /// The program that is to be executed, if one is.
    pub executable: Option<&'a Executable>,
    /// What its instructions cost on the cluster at hand.
    pub costs: ExecutionCosts,
    /// Whether a program has a step that executes it.
    pub is_executed: bool,
    /// Whether threads of some cluster send block by block.
    pub sends_blocks: bool,
    /// The program whose file lies under `[program]`, if one does.
    pub laid: Option<String>,
}

impl Reading<'_> {
    /// The forwarding table that a section names; one without routes where that is wrong, which is said.
    pub fn routes(&self, section: &Section<'_>) -> Routes {
        let file = section.text_or(
            "routes",
            "",
            "forwarding table: file of `prefix next_hop …` lines, IPv4 and IPv6, plain or gzip; empty generates one",
        );
        routes(&file, self.ports.max(1), self.seed).unwrap_or_else(|message| {
            section.fail("routes", message);
            Routes::default()
        })
    }

    /// What becomes of frames that are not IP.
    pub fn not_ip(&self, section: &Section<'_>) -> NotIp {
        const CHOICES: &[(&str, NotIp)] =
            &[("forward", NotIp::Forward), ("punt", NotIp::Punt), ("drop", NotIp::Drop)];
        let meaning = "treatment of frames that are not IP: sent by the port of their flow, punted to the host, or dropped by choice";
        section.choice_or("not_ip", "punt", CHOICES, meaning)
    }
}
