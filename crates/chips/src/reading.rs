//! The context in which a program is read: roles, and facts about the chip.

use super::cluster::NamedInbox;
use super::executed::{Executable, ExecutionCosts};
use crate::routes::{Routes, routes};
use linecard_apps::NotIp;
use linecard_chip::config::QueueManagerConfig;
use linecard_config::Section;

/// The most cycles of a step, and the maximum of all other costs of a program.
pub(super) const MILLION: u64 = 1_000_000;

/// Names of roles, numbered in the order of their first use.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    pub names: Vec<String>,
    /// Bytes that programs use of each role, and the location of the role in the file.
    pub bytes: Vec<u64>,
    pub places: Vec<String>,
    /// Regions of executed programs, which may be bound.
    pub regions: Vec<String>,
}

impl Roles {
    /// Returns the number of a role.
    pub fn number(&mut self, name: &str, place: &str) -> usize {
        if let Some(number) = self.names.iter().position(|known| known == name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.bytes.push(0);
        self.places.push(place.to_owned());
        self.names.len() - 1
    }

    /// Records that a program keeps a number of bytes in a role.
    pub fn uses(&mut self, number: usize, bytes: u64) {
        self.bytes[number] = self.bytes[number].max(bytes);
    }
}

/// The context in which a program is read.
pub(super) struct Reading<'a> {
    pub roles: &'a mut Roles,
    pub inboxes: &'a [NamedInbox],
    pub ports: u16,
    /// Names of classes, each with its number if all ports use the same; `None` if no chip is known.
    pub classes: Option<Vec<(String, Option<u8>)>>,
    pub seed: u64,
    /// Threads of the chip.
    pub threads: u64,
    /// Whether packets of congested ports are kept in memory.
    pub keeps: bool,
    /// Whether the chip has a cache of lookup results.
    pub results: bool,
    /// The queue manager, if there is one.
    pub queue_manager: Option<QueueManagerConfig>,
    /// `[bind]` of the chip.
    pub bind: Option<Section<'a>>,
    /// The program that the run executes, if there is one.
    pub executable: Option<&'a Executable>,
    /// The costs of its instructions on the current cluster.
    pub costs: ExecutionCosts,
    /// Whether a program has a step that executes it.
    pub is_executed: bool,
    /// Whether threads of some cluster send block by block.
    pub sends_blocks: bool,
    /// The program whose file is merged under `[program]`, if there is one.
    pub laid: Option<String>,
}

impl Reading<'_> {
    /// Returns the forwarding table that a section names; one without routes if that is wrong, which is reported.
    pub fn routes(&self, section: &Section<'_>) -> Routes {
        let file = section.text_or(
            "routes",
            "",
            "forwarding table: file of `prefix next_hop …` lines, IPv4 and IPv6, plain or gzip; if empty, a table is \
             generated",
        );
        routes(&file, self.ports.max(1), self.seed).unwrap_or_else(|message| {
            section.fail("routes", message);
            Routes::default()
        })
    }

    /// Reads the treatment of frames that are not IP.
    pub fn not_ip(&self, section: &Section<'_>) -> NotIp {
        const CHOICES: &[(&str, NotIp)] =
            &[("forward", NotIp::Forward), ("punt", NotIp::Punt), ("drop", NotIp::Drop)];
        let meaning = "treatment of frames that are not IP: send them from the output port that their flow \
                       selects, punt them to the host, or drop them";
        section.choice_or("not_ip", "punt", CHOICES, meaning)
    }
}
