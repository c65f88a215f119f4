//! DRAM by reference to a part and to a policy of its controller.

use super::server;
use super::table::PlaceTable;
use crate::packet_starts::usual_interleave;
use crate::units::time_ps;
use linecard_chip::config::{DramConfig, PacketBufferConfig, PlaceKind};
use linecard_config::Section;
use linecard_dram::channel::{Policy, RefreshMode};
use linecard_dram::packet_buffer::{BatchBreak, Policy as Rules, Precharge, Queues};
use linecard_dram::{Device, Organization, RowMap};
use linecard_drams::{Rule, open, part, policy};
use linecard_files::Error;
use linecard_files::preset::{in_folder, load};

pub(super) const HAS_TIMES: bool = false;

/// Keys that only DRAM has. Those from [`FIRST_OF_PACKET_BUFFER`] on are for packet-buffer controllers.
pub(super) const KEYS: &[&str] = &[
    "part",
    "controller",
    "channels",
    "interleave_bytes",
    "banks",
    "rows",
    "halves",
    "halves_from_bytes",
    "queues",
    "precharge",
    "batch_k",
    "batch_break",
    "prefetch",
    "ideal",
];
const FIRST_OF_PACKET_BUFFER: usize = 4;

pub(super) fn read(asked: &PlaceTable<'_>) -> PlaceKind {
    // The errors have been reported; the rest of the file is read nevertheless.
    dram(asked).unwrap_or(PlaceKind::Server(server::server_of(0)))
}

fn dram(asked: &PlaceTable<'_>) -> Option<PlaceKind> {
    let (document, section) = (asked.document, asked.section);
    let part_name = section.text("part", "DRAM part: a preset of presets/dram, or a file");
    let policy_name = section.text_or(
        "controller",
        "frfcfs_open",
        "policy of the controller: a preset of presets/policies, or a file",
    );
    let channels =
        section.integer_or("channels", 1, 1..=1024, "number of DRAM parts in parallel, over which addresses are \
                                                     interleaved") as u32;
    let usual = match section.has("interleave_bytes") {
        true => 0,
        false => usual_interleave(document, section, channels.into()),
    };
    let interleave = section.integer_or(
        "interleave_bytes",
        usual,
        1..=1 << 30,
        "number of consecutive bytes in one channel, a power of two. If ports keep packets in this memory, and 256 \
         bytes would make packets begin in only some channels, the default is the page size",
    );
    asked.power_of_two("interleave_bytes", interleave);
    let hz = asked.clocks.of(section);
    let latency_ps =
        time_ps(section, "latency", hz, "round-trip time between the chip and the controller").unwrap_or(0);
    let failed = |key: &str, error: Error| match error {
        Error::Config { problems } => {
            for problem in problems {
                document.report(problem.place, &problem.key, problem.message);
            }
        }
        other => section.fail(key, other.to_string()),
    };
    // A missing file is an error of the memory that names it; errors in a file are reported for that file.
    let open = |key: &str, folder: &str, name: &str| {
        let file = in_folder(folder, name);
        match load(&file) {
            Ok(_) => Some(open(&file, &[], &|_| false)),
            Err(message) if !name.is_empty() => {
                section.fail(key, message);
                None
            }
            Err(_) => None,
        }
    };
    let part = open("part", "dram", &part_name)
        .and_then(|document| part(&part_name, document).map_err(|e| failed("part", e)).ok());
    let policy = open("controller", "policies", &policy_name)
        .and_then(|document| policy(document).map_err(|e| failed("controller", e)).ok());
    let (part, policy) = (part?, policy?);
    let refresh = if policy.refresh { part.refresh } else { RefreshMode::None };
    let clock_hz = (1e9 / part.period_ns).round() as u64;
    let interleave_bytes = interleave.next_power_of_two() as u32;
    let (device, policy) = match policy.rule {
        Rule::Queued { scheduler, page, row_hit_cap, command_queue, writes, auto_precharge } => {
            section.leave(&KEYS[FIRST_OF_PACKET_BUFFER..]);
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
                device: Device::new(organization(asked, part.organization, channels), part.timing),
                rules: packet_rules(section, rules),
                refresh,
                rows: section.choice_or("rows", "round_robin", &maps, "rule that selects the bank of a row"),
                halves_apart: section.choice_or(
                    "halves",
                    "together",
                    &halves,
                    "whether the controller serves the two writes of a cell in one turn or in two turns, if \
                     part of the cell comes from registers",
                ),
                halves_from_bytes: section.integer_or(
                    "halves_from_bytes",
                    1,
                    1..=64,
                    "smallest size of a cell that is written in two writes, if part of the cell comes from \
                     registers",
                ) as u32,
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

/// Returns the part with another number of banks, and with the number of rows for the capacity that the file states.
fn organization(asked: &PlaceTable<'_>, part: Organization, channels: u32) -> Organization {
    let section = asked.section;
    let mut organization = part;
    if let Some(banks) = section.integer_if("banks", 1..=1024, "number of banks; if left out, the number of banks \
         of the DRAM part") {
        asked.power_of_two("banks", banks);
        organization.banks = banks.next_power_of_two() as u32;
    }
    if let Some(capacity) = asked.capacity_bytes() {
        let row = u64::from(organization.banks) * u64::from(organization.row_bytes) * u64::from(channels);
        let rows = capacity / row;
        if rows == 0 {
            section.fail(
                "banks",
                format!(
                    "the capacity of {capacity} bytes is smaller than one row in each bank ({row} bytes)"
                ),
            );
        }
        organization.rows = rows.clamp(1, u64::from(u32::MAX / organization.banks)) as u32;
    }
    organization
}

/// Returns the rules of a packet-buffer controller: those of its policy, changed by the file.
fn packet_rules(section: &Section<'_>, policy: Rules) -> Rules {
    let queues = [("odd_even", Queues::OddEven), ("read_write", Queues::ReadWrite)];
    let precharges = [("eager", Precharge::Eager), ("lazy", Precharge::Lazy)];
    let breaks = [("same_bank_miss", BatchBreak::SameBankMiss), ("any_miss", BatchBreak::AnyMiss)];
    fn named<T: Copy + PartialEq>(choices: &[(&'static str, T)], value: T) -> &'static str {
        choices.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
    }
    let usual = |what: &str| format!("{what}; overrides the policy");
    Rules {
        queues: section.choice_or(
            "queues",
            named(&queues, policy.queues),
            &queues,
            &usual("organisation of the request queues"),
        ),
        precharge: section.choice_or(
            "precharge",
            named(&precharges, policy.precharge),
            &precharges,
            &usual("rule for when a bank is precharged"),
        ),
        batch: section.integer_or(
            "batch_k",
            policy.batch.into(),
            0..=1024,
            &usual("maximum number of requests that are served in a batch from one queue; 1: alternate between \
                    the queues; 0: arrival order"),
        ) as u32,
        batch_break: section.choice_or(
            "batch_break",
            named(&breaks, policy.batch_break),
            &breaks,
            &usual("kind of row miss that ends a batch"),
        ),
        prefetch: section.switch_or(
            "prefetch",
            policy.prefetch,
            &usual("whether the controller activates the row of the next access in advance"),
        ),
        ideal: section.switch_or("ideal", policy.ideal, &usual("whether every access takes the time of a row hit")),
    }
}
