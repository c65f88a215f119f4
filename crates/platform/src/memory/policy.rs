//! A controller's policy: a preset of names and numbers, turned into the rules of one of the two controllers.

use super::file::{Entry, MemoryRow, Merged, read};
use crate::error::{ConfigProblem, Error};
use crate::files::Files;
use crate::preset::{Value, problem};
use crate::schema::Kind;
use linecard_config::nearest;
use linecard_dram::AutoPrecharge;
use linecard_dram::channel::{Page, Scheduler, Writes};
use linecard_dram::packet_buffer::{BatchBreak, Policy as Rules, Precharge, Queues};

/// A key of a policy.
pub(super) struct Key {
    pub name: &'static str,
    unit: &'static str,
    kind: Kind,
    pub meaning: &'static str,
    /// Which controller has it; both without.
    controller: Option<&'static str>,
}

const fn key(
    name: &'static str,
    unit: &'static str,
    kind: Kind,
    meaning: &'static str,
    controller: Option<&'static str>,
) -> Key {
    Key { name, unit, kind, meaning, controller }
}

const QUEUED: Option<&str> = Some("queued");
const PACKET: Option<&str> = Some("packet_buffer");

pub(super) const KEYS: &[Key] = &[
    key(
        "policy.controller",
        "",
        Kind::Choice(&["queued", "packet_buffer"]),
        "command queues by bank, or the packet-buffer controller",
        None,
    ),
    key("policy.refresh", "", Kind::Switch, "refresh as the part asks, or never", None),
    key(
        "policy.transaction_queue",
        "requests",
        Kind::Integer { min: 1, max: 1024 },
        "requests that wait in the controller; with split queues, of each kind",
        None,
    ),
    key(
        "policy.scheduler",
        "",
        Kind::Choice(&["fcfs", "frfcfs"]),
        "strict order, or first ready first come",
        QUEUED,
    ),
    key("policy.page", "", Kind::Choice(&["open", "closed", "adaptive"]), "when rows are closed", QUEUED),
    key(
        "policy.row_hit_cap",
        "accesses",
        Kind::Integer { min: 0, max: 65_535 },
        "accesses after which a row may be closed in spite of waiting hits; 0 for no cap",
        QUEUED,
    ),
    key(
        "policy.command_queue",
        "requests",
        Kind::Integer { min: 1, max: 16 },
        "entries of a command queue",
        QUEUED,
    ),
    key(
        "policy.writes",
        "",
        Kind::Choice(&["unified", "split"]),
        "one transaction queue, or writes in their own",
        QUEUED,
    ),
    key(
        "policy.write_high",
        "requests",
        Kind::Integer { min: 1, max: 1024 },
        "writes that start a drain (split)",
        QUEUED,
    ),
    key(
        "policy.write_low",
        "requests",
        Kind::Integer { min: 0, max: 1023 },
        "writes that a drain leaves (split)",
        QUEUED,
    ),
    key(
        "policy.write_idle",
        "requests",
        Kind::Integer { min: 0, max: 1024 },
        "more writes than this start a drain of all when the command queues are empty; as many stay unsent at the end (split)",
        QUEUED,
    ),
    key(
        "policy.auto_precharge",
        "",
        Kind::Choice(&["standard", "dramsim3"]),
        "when a row left by auto-precharge counts as closed: as the table asks, or by the rules of DRAMsim3",
        QUEUED,
    ),
    key("policy.queues", "", Kind::Choice(&["odd_even", "read_write"]), "how requests are queued", PACKET),
    key("policy.precharge", "", Kind::Choice(&["eager", "lazy"]), "when a bank is precharged", PACKET),
    key(
        "policy.batch_k",
        "requests",
        Kind::Integer { min: 0, max: 1024 },
        "largest batch from one queue; 1 alternates, 0 serves requests as they arrive",
        PACKET,
    ),
    key(
        "policy.batch_break",
        "",
        Kind::Choice(&["same_bank_miss", "any_miss"]),
        "which miss ends a batch",
        PACKET,
    ),
    key("policy.prefetch", "", Kind::Switch, "activate the row of the impending access", PACKET),
    key("policy.ideal", "", Kind::Switch, "every access takes the time of a row hit", PACKET),
];

/// Rules of a controller that do not depend on the device.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// The general-purpose controller.
    Queued {
        scheduler: Scheduler,
        page: Page,
        row_hit_cap: Option<u32>,
        command_queue: u32,
        writes: Writes,
        auto_precharge: AutoPrecharge,
    },
    /// The packet-buffer controller.
    PacketBuffer(Rules),
}

/// A policy, ready to build.
#[derive(Clone, Debug)]
pub(crate) struct PolicyPreset {
    pub title: String,
    pub extends: Vec<String>,
    pub refresh: bool,
    pub transaction_queue: u32,
    pub rule: Rule,
    /// For `describe`.
    pub rows: Vec<MemoryRow>,
}

/// Read a policy with changes.
///
/// # Errors
/// All problems at once.
pub(crate) fn policy(files: &Files<'_>, overrides: &[(usize, &str, &str)]) -> Result<PolicyPreset, Error> {
    let mut problems = Vec::new();
    let known = |name: &str| KEYS.iter().find(|k| k.name == name).map(|k| k.unit.to_owned());
    let merged = read(files, overrides, &known, &mut problems);
    if merged.entries.is_empty() && !problems.is_empty() {
        return Err(Error::Config { problems });
    }
    let mut reader = Reader { merged: &merged, problems };
    reader.unknown_keys();
    let built = reader.build();
    match built {
        Some(policy) if reader.problems.is_empty() => Ok(policy),
        _ => Err(Error::Config { problems: reader.problems }),
    }
}

struct Reader<'a> {
    merged: &'a Merged,
    problems: Vec<ConfigProblem>,
}

impl<'a> Reader<'a> {
    fn unknown_keys(&mut self) {
        for (name, entry) in &self.merged.entries {
            match KEYS.iter().find(|k| k.name == name) {
                None => {
                    let near = nearest(name, KEYS.iter().map(|k| k.name));
                    self.problems.push(problem(entry.place.clone(), name, format!("no such key{near}")));
                }
                Some(key) if key.unit != entry.unit => {
                    let message = format!("unit is `{}`, expected `{}`", entry.unit, key.unit);
                    self.problems.push(problem(entry.place.clone(), name, message));
                }
                Some(_) => {}
            }
        }
        for (row, file) in &self.merged.constraints {
            let message = format!("constraint {}: a policy has no table", row.name);
            self.problems.push(problem(file.clone(), "constraint", message));
        }
    }

    fn get(&mut self, name: &str) -> Option<&'a Value> {
        let key = KEYS.iter().find(|k| k.name == name)?;
        let Some(Entry { value, place, .. }) = self.merged.entries.get(name) else {
            let message = format!("missing ({})", key.meaning);
            self.problems.push(problem("preset".into(), name, message));
            return None;
        };
        let fits = match (&key.kind, value) {
            (Kind::Integer { min, max }, Value::Integer(i)) => {
                u64::try_from(*i).is_ok_and(|i| (*min..=*max).contains(&i))
            }
            (Kind::Choice(names), Value::Text(t)) => names.contains(&t.as_str()),
            (Kind::Switch, Value::Switch(_)) => true,
            _ => false,
        };
        if fits {
            return Some(value);
        }
        let near = match &key.kind {
            Kind::Choice(names) => nearest(&value.to_string(), names.iter().copied()),
            _ => String::new(),
        };
        let message = format!("found `{value}`; expected {}{near}", key.kind.expected());
        self.problems.push(problem(place.clone(), name, message));
        None
    }

    fn number(&mut self, name: &str) -> Option<u32> {
        match self.get(name)? {
            Value::Integer(i) => Some(*i as u32),
            _ => None,
        }
    }

    fn switch(&mut self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Value::Switch(on) => Some(*on),
            _ => None,
        }
    }

    fn choice<T: Copy>(&mut self, name: &str, types: &[(&str, T)]) -> Option<T> {
        let text = self.get(name)?.to_string();
        types.iter().find(|(n, _)| *n == text).map(|(_, t)| *t)
    }

    fn build(&mut self) -> Option<PolicyPreset> {
        let controller = self.get("policy.controller")?.to_string();
        let refresh = self.switch("policy.refresh");
        let transaction_queue = self.number("policy.transaction_queue");
        for key in KEYS {
            let foreign = key.controller.is_some_and(|of| of != controller);
            if let (true, Some(entry)) = (foreign, self.merged.entries.get(key.name)) {
                let message = format!("has no effect: policy.controller is {controller}");
                self.problems.push(problem(entry.place.clone(), key.name, message));
            }
        }
        let rule = match controller.as_str() {
            "queued" => self.queued(transaction_queue),
            _ => self.packet_buffer(),
        };
        let row = |(name, e): (&String, &Entry)| {
            let key = KEYS.iter().find(|k| k.name == name);
            MemoryRow {
                key: name.clone(),
                value: e.value.to_string(),
                unit: e.unit.clone(),
                meaning: key.map_or("", |k| k.meaning).to_owned(),
                allowed: key.map_or_else(String::new, |k| k.kind.expected()),
                source: e.source.clone(),
            }
        };
        Some(PolicyPreset {
            title: self.merged.title.clone(),
            extends: self.merged.extends.clone(),
            refresh: refresh?,
            transaction_queue: transaction_queue?,
            rule: rule?,
            rows: self.merged.entries.iter().map(row).collect(),
        })
    }

    fn queued(&mut self, transaction_queue: Option<u32>) -> Option<Rule> {
        let scheduler =
            self.choice("policy.scheduler", &[("fcfs", Scheduler::Fcfs), ("frfcfs", Scheduler::FrFcfs)]);
        let page = self.choice(
            "policy.page",
            &[("open", Page::Open), ("closed", Page::Closed), ("adaptive", Page::Adaptive)],
        );
        let cap = self.number("policy.row_hit_cap");
        let command_queue = self.number("policy.command_queue");
        let split = self.choice("policy.writes", &[("unified", false), ("split", true)]);
        let auto_precharge = self.choice(
            "policy.auto_precharge",
            &[("standard", AutoPrecharge::Standard), ("dramsim3", AutoPrecharge::DramSim3)],
        );
        let writes = match split? {
            false => Writes::Unified,
            true => {
                let (high, low) = (self.number("policy.write_high"), self.number("policy.write_low"));
                let idle = self.number("policy.write_idle");
                let (high, low, idle) = (high?, low?, idle?);
                if low >= high || transaction_queue.is_some_and(|queue| high > queue) {
                    let message = format!(
                        "{high}; expected more than policy.write_low, {low}, and no more than policy.transaction_queue"
                    );
                    let place = self.merged.entries["policy.write_high"].place.clone();
                    self.problems.push(problem(place, "policy.write_high", message));
                }
                Writes::Split { high, low, idle }
            }
        };
        let command_queue = command_queue?;
        if scheduler? == Scheduler::Fcfs && command_queue != 1 {
            let place = self.merged.entries["policy.command_queue"].place.clone();
            let message = format!("{command_queue}; expected 1: fcfs takes one request at a time");
            self.problems.push(problem(place, "policy.command_queue", message));
        }
        Some(Rule::Queued {
            scheduler: scheduler?,
            page: page?,
            row_hit_cap: cap.map(|cap| (cap > 0).then_some(cap))?,
            command_queue,
            writes,
            auto_precharge: auto_precharge?,
        })
    }

    fn packet_buffer(&mut self) -> Option<Rule> {
        let queues =
            self.choice("policy.queues", &[("odd_even", Queues::OddEven), ("read_write", Queues::ReadWrite)]);
        let precharge =
            self.choice("policy.precharge", &[("eager", Precharge::Eager), ("lazy", Precharge::Lazy)]);
        let batch_break = self.choice(
            "policy.batch_break",
            &[("same_bank_miss", BatchBreak::SameBankMiss), ("any_miss", BatchBreak::AnyMiss)],
        );
        let (batch, prefetch, ideal) =
            (self.number("policy.batch_k"), self.switch("policy.prefetch"), self.switch("policy.ideal"));
        Some(Rule::PacketBuffer(Rules {
            queues: queues?,
            precharge: precharge?,
            batch: batch?,
            batch_break: batch_break?,
            prefetch: prefetch?,
            ideal: ideal?,
        }))
    }
}
