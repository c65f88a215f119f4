//! A controller's policy: a preset of names and numbers, turned into the rules of one of the two controllers.

use linecard_config::{Document, Row, Section};
use linecard_dram::AutoPrecharge;
use linecard_dram::channel::{Page, RowHitCap, Scheduler, Writes};
use linecard_dram::packet_buffer::{BatchBreak, Policy as Rules, Precharge, Queues};
use linecard_files::Error;
use linecard_files::preset::{ReadPreset, read};

/// Keys of the controller with command queues only.
const QUEUED: &[&str] = &[
    "scheduler",
    "page",
    "row_hit_cap",
    "row_hit_cap_rule",
    "command_queue",
    "writes",
    "write_high",
    "write_low",
    "write_idle",
    "auto_precharge",
];

/// Keys of the packet-buffer controller only.
const PACKET_BUFFER: &[&str] = &["queues", "precharge", "batch_k", "batch_break", "prefetch", "ideal"];

/// Rules of a controller that do not depend on the device.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// The general-purpose controller.
    Queued {
        /// Order in which requests are served.
        scheduler: Scheduler,
        /// When a row is closed.
        page: Page,
        /// Limit of the row hits that pass an older request, if there is one.
        row_hit_cap: Option<RowHitCap>,
        /// Entries of each command queue.
        command_queue: u32,
        /// When writes are drained.
        writes: Writes,
        /// When column commands precharge.
        auto_precharge: AutoPrecharge,
    },
    /// The packet-buffer controller.
    PacketBuffer(Rules),
}

/// A policy, ready to build.
#[derive(Clone, Debug)]
pub struct PolicyPreset {
    /// Its title.
    pub title: String,
    /// The presets that it extends.
    pub extends: Vec<String>,
    /// Whether the controller refreshes.
    pub refresh: bool,
    /// Entries of the transaction queue.
    pub transaction_queue: u32,
    /// The rules.
    pub rule: Rule,
    /// For `describe`.
    pub rows: Vec<Row>,
}

/// Reads a policy from its file.
///
/// # Errors
/// All problems at once.
pub fn policy(document: Document) -> Result<PolicyPreset, Error> {
    document.expect_kind("policy");
    let ReadPreset { title, bases, value, mut rows } = read(document, values)?;
    let Values { refresh, transaction_queue, rule } = value;
    rows.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(PolicyPreset { title, extends: bases, refresh, transaction_queue, rule, rows })
}

/// The content of the file.
struct Values {
    refresh: bool,
    transaction_queue: u32,
    rule: Rule,
}

fn values(document: &Document) -> Option<Values> {
    let policy = document.root().needed_section("policy", "the rules of a controller")?;
    let is_queued = policy.choice(
        "controller",
        &[("queued", true), ("packet_buffer", false)],
        "type of the controller: a controller with one command queue per bank, or the packet-buffer controller",
    );
    let known = ["queued", "packet_buffer"].into_iter().find(|name| policy.says("controller", name));
    let Some(controller) = known else {
        // Without a known controller, the keys that have an effect are unknown.
        policy.pass_over(&[QUEUED, PACKET_BUFFER, &["refresh", "transaction_queue"]].concat());
        return None;
    };
    let refresh =
        policy.switch("refresh", "whether the controller refreshes as the DRAM part requires, or never");
    let transaction_queue = requests(
        &policy,
        "transaction_queue",
        1,
        1024,
        "maximum number of requests in a transaction queue; with split queues, in each of the two queues",
    );
    for key in if is_queued { PACKET_BUFFER } else { QUEUED } {
        if policy.has(key) {
            policy.fail(key, format!("has no effect: policy.controller is {controller}"));
            policy.pass_over(&[key]);
        }
    }
    let rule = match is_queued {
        true => queued(document, &policy, transaction_queue),
        false => packet_buffer(&policy),
    };
    Some(Values { refresh, transaction_queue, rule })
}

fn requests(policy: &Section<'_>, key: &str, least: u64, most: u64, meaning: &str) -> u32 {
    policy.in_unit("requests").integer(key, least..=most, meaning) as u32
}

fn queued(document: &Document, policy: &Section<'_>, transaction_queue: u32) -> Rule {
    let scheduler = policy.choice(
        "scheduler",
        &[("fcfs", Scheduler::Fcfs), ("frfcfs", Scheduler::FrFcfs)],
        "order of service: strict arrival order, or first-ready first-come first-served",
    );
    let page = policy.choice(
        "page",
        &[("open", Page::Open), ("closed", Page::Closed), ("adaptive", Page::Adaptive)],
        "rule for when the controller closes rows",
    );
    let cap = policy.in_unit("accesses").integer(
        "row_hit_cap",
        0..=65_535,
        "number of accesses after which a row is closed for an older request despite waiting row hits; 0: no limit",
    ) as u32;
    let strict = policy.choice_or(
        "row_hit_cap_rule",
        "strict",
        &[("strict", true), ("dramsim3", false)],
        "row hits beyond policy.row_hit_cap: wait for the older request, or continue until the row can be closed",
    );
    let command_queue = requests(policy, "command_queue", 1, 16, "number of entries of each command queue");
    if policy.says("scheduler", "fcfs") && command_queue != 1 {
        let message = format!("found {command_queue}; expected 1, because fcfs serves one request at a time");
        policy.fail("command_queue", message);
    }
    Rule::Queued {
        scheduler,
        page,
        row_hit_cap: (cap > 0).then_some(RowHitCap { accesses: cap, strict }),
        command_queue,
        writes: writes(document, policy, transaction_queue),
        auto_precharge: policy.choice(
            "auto_precharge",
            &[("standard", AutoPrecharge::Standard), ("dramsim3", AutoPrecharge::DramSim3)],
            "rule for when a row counts as closed after auto-precharge: the timing table, or the rules of DRAMsim3",
        ),
    }
}

/// Marks of the queue of writes: key, minimum, maximum and meaning.
const MARKS: [(&str, u64, u64, &str); 3] = [
    (
        "write_high",
        1,
        1024,
        "number of queued writes at which a drain of the write queue starts (only with split queues)",
    ),
    (
        "write_low",
        0,
        1023,
        "number of queued writes at which a drain of the write queue ends (only with split queues)",
    ),
    (
        "write_idle",
        0,
        1024,
        "number of queued writes above which a drain starts if the command queues are empty; writes left at the \
         end stay unsent (split queues only)",
    ),
];

fn writes(document: &Document, policy: &Section<'_>, transaction_queue: u32) -> Writes {
    let split = policy.choice(
        "writes",
        &[("unified", false), ("split", true)],
        "one transaction queue, or separate queues for reads and writes",
    );
    if !split {
        for (key, least, most, meaning) in MARKS {
            // A file may set them for another file that extends it.
            policy.in_unit("requests").integer_if(key, least..=most, meaning);
            if policy.is_set(key) && policy.says("writes", "unified") {
                policy.fail(key, "has no effect: policy.writes is unified");
            }
        }
        return Writes::Unified;
    }
    let wrong = document.problems();
    let [high, low, idle] =
        MARKS.map(|(key, least, most, meaning)| requests(policy, key, least, most, meaning));
    let fits = low < high && high <= transaction_queue;
    if !fits && document.problems() == wrong {
        let message = format!(
            "found {high}; expected more than policy.write_low, {low}, and no more than policy.transaction_queue"
        );
        policy.fail("write_high", message);
    }
    Writes::Split { high, low, idle }
}

fn packet_buffer(policy: &Section<'_>) -> Rule {
    Rule::PacketBuffer(Rules {
        queues: policy.choice(
            "queues",
            &[("odd_even", Queues::OddEven), ("read_write", Queues::ReadWrite)],
            "organisation of the request queues",
        ),
        precharge: policy.choice(
            "precharge",
            &[("eager", Precharge::Eager), ("lazy", Precharge::Lazy)],
            "rule for when a bank is precharged",
        ),
        batch: requests(
            policy,
            "batch_k",
            0,
            1024,
            "maximum number of requests that are served in a batch from one queue; 1: alternate between the \
             queues; 0: arrival order",
        ),
        batch_break: policy.choice(
            "batch_break",
            &[("same_bank_miss", BatchBreak::SameBankMiss), ("any_miss", BatchBreak::AnyMiss)],
            "kind of row miss that ends a batch",
        ),
        prefetch: policy
            .switch("prefetch", "whether the controller activates the row of the next access in advance"),
        ideal: policy.switch("ideal", "whether every access takes the time of a row hit"),
    })
}
