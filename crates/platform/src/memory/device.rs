//! A DRAM part: organization, clock, timing, address map, currents; and the table of its standard.

use super::file::{ConstraintText, Entry, MemoryRow, Merged, read};
use super::formula::Formula;
use crate::description::Derived;
use crate::error::{ConfigProblem, Error};
use crate::files::Files;
use crate::preset::{Value, problem};
use linecard_config::nearest;
use linecard_dram::channel::RefreshMode;
use linecard_dram::energy::Currents;
use linecard_dram::{
    Command, Constraint, Cycle, Edge, Field, FieldMap, Level, Organization, Timing, Widths, widths,
};
use std::collections::BTreeSet;

/// A key of a part: name, unit, least, most, meaning.
pub(super) struct Key {
    pub name: &'static str,
    pub unit: &'static str,
    least: f64,
    most: f64,
    pub meaning: &'static str,
}

impl Key {
    /// Whether only whole numbers fit.
    fn is_whole(&self) -> bool {
        !["ns", "V", "mA"].contains(&self.unit)
    }

    /// What values fit.
    fn allowed(&self) -> String {
        match (self.least, self.most) {
            (0.0, 0.0) => SWITCH.to_owned(),
            (least, most) => {
                let kind = if self.is_whole() { "a whole number" } else { "a number" };
                format!("{kind} from {least} to {most}")
            }
        }
    }
}

const fn key(name: &'static str, unit: &'static str, least: f64, most: f64, meaning: &'static str) -> Key {
    Key { name, unit, least, most, meaning }
}

/// What every part says, besides its timing and address map.
pub(super) const KEYS: &[Key] = &[
    key("clock.period_ns", "ns", 0.01, 1e6, "period of the memory clock"),
    key("organization.channels", "channels", 1.0, 64.0, "independent channels"),
    key("organization.ranks", "ranks", 1.0, 8.0, "ranks of a channel"),
    key("organization.bank_groups", "groups", 1.0, 16.0, "bank groups of a rank; 1 without groups"),
    key("organization.banks_per_group", "banks", 1.0, 64.0, "banks of a group"),
    key("organization.rows", "rows", 1.0, 4_194_304.0, "rows of a bank"),
    key(
        "organization.row_bytes",
        "bytes",
        16.0,
        1_048_576.0,
        "bytes of a row of a bank, all parts of the channel",
    ),
    key("organization.bus_bytes", "bytes", 1.0, 256.0, "bytes that the data bus moves in a beat"),
    key("organization.beats_per_clock", "beats", 1.0, 16.0, "beats in a memory clock"),
    key("organization.access_bytes", "bytes", 1.0, 4096.0, "bytes of one access (a burst)"),
];

/// Keys that not every part has.
pub(super) const OPTIONAL: &[Key] = &[
    key("organization.dual_issue", "", 0.0, 0.0, "a row command and a column command in one clock"),
    key("energy.parts", "parts", 1.0, 1024.0, "DRAM parts that share an access"),
    key("energy.VDD", "V", 0.1, 10.0, "supply voltage"),
    key("energy.IDD0", "mA", 0.0, 10_000.0, "one bank activated and precharged every tRC"),
    key("energy.IDD2N", "mA", 0.0, 10_000.0, "all banks closed, standby"),
    key("energy.IDD3N", "mA", 0.0, 10_000.0, "banks open, standby"),
    key("energy.IDD4R", "mA", 0.0, 10_000.0, "reading without pause"),
    key("energy.IDD4W", "mA", 0.0, 10_000.0, "writing without pause"),
    key("energy.IDD5", "mA", 0.0, 10_000.0, "refreshing without pause"),
];

const SWITCH: &str = "true or false";
const MAP_ORDER: &str = "the fields channel, rank, bankgroup, bank, row and column, in any order";
const MAP_BITS: &str = "bit numbers such as `13^17, 14`";
const REFRESH_MODES: &str = "none, all_bank or per_bank";
const TIMES: &str = "whole or half clocks (unit `clocks`) or a time (unit `ns`)";
const MAP_MEANING: &str = "address bits of the field, the lowest first; `13^17` is an exclusive or";

/// Names of timing values that a part may use whatever its standard says.
const ALWAYS: [&str; 3] = ["RL", "WL", "tREFI"];

/// A part, ready to build.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub title: String,
    pub extends: Vec<String>,
    pub period_ns: f64,
    pub channels: u32,
    pub access_bytes: u32,
    pub dual_issue: bool,
    pub organization: Organization,
    pub timing: Timing,
    pub map: FieldMap,
    /// tREFI in clocks, and whether the standard refreshes bank by bank; `None` without refresh.
    pub refresh: RefreshMode,
    pub currents: Option<Currents>,
    /// For `describe`.
    pub rows: Vec<MemoryRow>,
}

/// Read a part with changes.
///
/// # Errors
/// All problems at once.
pub(crate) fn part(files: &Files<'_>, overrides: &[(usize, &str, &str)]) -> Result<Part, Error> {
    let mut problems = Vec::new();
    let known = |key: &str| {
        let unit = |keys: &'static [Key]| keys.iter().find(|k| k.name == key).map(|k| k.unit.to_owned());
        let timing = key.starts_with("timing.").then(|| "clocks".to_owned());
        let map = key.starts_with("map.").then(String::new);
        unit(KEYS).or_else(|| unit(OPTIONAL)).or(timing).or(map)
    };
    let merged = read(files, overrides, &known, &mut problems);
    // A file that cannot be read has said so; its keys cannot be judged.
    if merged.entries.is_empty() && !problems.is_empty() {
        return Err(Error::Config { problems });
    }
    let mut builder = Builder { merged: &merged, problems };
    if merged.is_standard() {
        let (preset, title) = (files.preset(), &merged.title);
        let message = format!("`{preset}` is a standard (\"{title}\") that parts extend, no part");
        builder.problems.push(problem("preset".into(), "", message));
        return Err(Error::Config { problems: builder.problems });
    }
    let part = builder.build();
    match part {
        Some(part) if builder.problems.is_empty() => Ok(part),
        _ => Err(Error::Config { problems: builder.problems }),
    }
}

impl Part {
    /// What follows from a part, for `describe`.
    pub fn derived(&self) -> Vec<Derived> {
        let Organization { beat_bytes, beats_per_cycle, .. } = self.organization;
        let peak = f64::from(beat_bytes * beats_per_cycle * self.channels) / self.period_ns;
        let row = |name: &str, value: f64, unit: &str, formula: &str| Derived {
            name: name.to_owned(),
            value,
            unit: unit.to_owned(),
            formula: formula.to_owned(),
        };
        let unloaded = self.unloaded_read_clocks() as f64;
        let burst = self.organization.data_cycles(self.access_bytes) as f64;
        vec![
            row("capacity", self.map.capacity_bytes() as f64 / f64::from(1 << 20), "MiB", "all channels"),
            row("clock", 1000.0 / self.period_ns, "MHz", "1 / period"),
            row("peak bandwidth", peak, "GB/s", "channels x bus bytes x beats a clock x clock"),
            row("burst", burst, "clocks", "access bytes / bus bytes / beats a clock"),
            row("unloaded read", unloaded, "clocks", "1 + tRCD + RL + burst"),
            row("unloaded read", unloaded * self.period_ns, "ns", "the same in time"),
        ]
    }
}

/// A standard on its own, for `describe`: what it extends, title, rows; nothing if the preset is a part.
pub(crate) fn standard(files: &Files<'_>) -> Option<(Vec<String>, String, Vec<MemoryRow>)> {
    let mut problems = Vec::new();
    let merged = read(files, &[], &|_| None, &mut problems);
    let mut builder = Builder { merged: &merged, problems };
    let formulas = builder.formulas();
    let rows = builder.rows(&formulas, &|_| None);
    let sound = merged.is_standard() && builder.problems.is_empty();
    sound.then(|| (merged.extends.clone(), merged.title.clone(), rows))
}

struct Builder<'a> {
    merged: &'a Merged,
    problems: Vec<ConfigProblem>,
}

impl<'a> Builder<'a> {
    fn fail(&mut self, entry: Option<&Entry>, key: &str, message: String) {
        let place = entry.map_or("preset", |e| e.place.as_str()).to_owned();
        self.problems.push(problem(place, key, message));
    }

    fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.merged.entries.get(key)
    }

    fn number(&mut self, key: &Key, needed: bool) -> Option<f64> {
        let Some(entry) = self.entry(key.name) else {
            if needed {
                self.fail(None, key.name, format!("missing ({})", key.meaning));
            }
            return None;
        };
        if entry.unit != key.unit {
            self.fail(Some(entry), key.name, format!("unit is `{}`, expected `{}`", entry.unit, key.unit));
        }
        let value = as_number(&entry.value);
        let fits = |v: f64| (key.least..=key.most).contains(&v) && (!key.is_whole() || v.fract() == 0.0);
        if !value.is_some_and(fits) {
            let message = format!("found `{}`; expected {}", entry.value, key.allowed());
            self.fail(Some(entry), key.name, message);
            return None;
        }
        value
    }

    fn required(&mut self, name: &str) -> Option<f64> {
        let key = KEYS.iter().find(|k| k.name == name)?;
        self.number(key, true)
    }

    fn build(&mut self) -> Option<Part> {
        let formulas = self.formulas();
        self.unknown_keys(&formulas);
        let period_ns = self.required("clock.period_ns");
        let organization = self.organization();
        let channels = self.power("organization.channels");
        let access_bytes = self.power("organization.access_bytes");
        let dual_issue = self.switch("organization.dual_issue");
        let clocks = self.clocks(period_ns.unwrap_or(1.0));
        let timing = self.timing(&formulas, &clocks);
        let (organization, channels, access_bytes) = (organization?, channels?, access_bytes?);
        if access_bytes > organization.row_bytes {
            let message = format!(
                "an access of {access_bytes} bytes does not fit a row of {} bytes",
                organization.row_bytes
            );
            self.fail(self.entry("organization.access_bytes"), "organization.access_bytes", message);
            return None;
        }
        if organization.banks > 64 {
            let message = format!("{} banks in a channel, expected at most 64", organization.banks);
            self.fail(self.entry("organization.banks_per_group"), "organization.banks_per_group", message);
            return None;
        }
        let widths = widths(&organization, channels, access_bytes);
        if widths.iter().sum::<u32>() + access_bytes.ilog2() > 48 {
            let message = "the part holds more than 2^48 bytes; is a count too large?".to_owned();
            self.fail(self.entry("organization.rows"), "organization.rows", message);
            return None;
        }
        let map = self.map(widths, access_bytes);
        let currents = self.currents();
        let refresh = self.refresh(&clocks);
        if let (Some(timing), Some(refresh)) = (&timing, refresh) {
            self.time_between_refreshes(timing, refresh, &formulas);
        }
        let rows = self.rows(&formulas, &clocks);
        Some(Part {
            title: self.merged.title.clone(),
            extends: self.merged.extends.clone(),
            period_ns: period_ns?,
            channels,
            access_bytes,
            dual_issue,
            organization,
            timing: timing?,
            map: map?,
            refresh: refresh?,
            currents,
            rows,
        })
    }

    /// The rows of the table, each with its formula.
    fn formulas(&mut self) -> Vec<(&'a ConstraintText, Formula)> {
        let mut formulas = Vec::new();
        for (row, file) in &self.merged.constraints {
            let key = format!("constraint {}", row.name);
            if row.source.trim().is_empty() {
                self.problems.push(problem(file.clone(), &key, "no source".into()));
            }
            match Formula::parse(&row.cycles.to_string()) {
                Ok(formula) => formulas.push((row, formula)),
                Err(message) => self.problems.push(problem(file.clone(), &key, message)),
            }
        }
        formulas
    }

    fn unknown_keys(&mut self, formulas: &[(&ConstraintText, Formula)]) {
        let mut timing: BTreeSet<String> = ALWAYS.into_iter().map(str::to_owned).collect();
        formulas.iter().for_each(|(_, f)| f.names(&mut timing));
        let mut names: Vec<String> = KEYS.iter().chain(OPTIONAL).map(|k| k.name.to_owned()).collect();
        names.extend(timing.iter().map(|name| format!("timing.{name}")));
        names.push("map.order".to_owned());
        names.push("refresh.mode".to_owned());
        names.extend(Field::ALL.map(|f| format!("map.{}", f.name())));
        for (key, entry) in &self.merged.entries {
            if !names.contains(key) {
                let near = nearest(key, names.iter().map(String::as_str));
                self.problems.push(problem(entry.place.clone(), key, format!("no such key{near}")));
            }
        }
        for name in &timing {
            let key = format!("timing.{name}");
            let is_refresh = name == "tREFI" || name.starts_with("tRFC");
            let needless = is_refresh && self.refresh_mode() == "none";
            if !needless && !self.merged.entries.contains_key(&key) {
                let message = "missing: the standard's table, or the data bus, needs it".to_owned();
                self.problems.push(problem("preset".into(), &key, message));
            }
        }
    }

    fn power(&mut self, name: &str) -> Option<u32> {
        let value = self.required(name)? as u32;
        if !value.is_power_of_two() {
            self.fail(self.entry(name), name, format!("{value} is not a power of two"));
            return None;
        }
        Some(value)
    }

    fn switch(&mut self, name: &str) -> bool {
        match self.entry(name).map(|e| (e, &e.value)) {
            None => false,
            Some((_, Value::Switch(on))) => *on,
            Some((entry, other)) => {
                self.fail(Some(entry), name, format!("found `{other}`; expected {SWITCH}"));
                false
            }
        }
    }

    fn organization(&mut self) -> Option<Organization> {
        let ranks = self.power("organization.ranks");
        let groups = self.power("organization.bank_groups");
        let banks = self.power("organization.banks_per_group");
        let rows = self.power("organization.rows");
        let row_bytes = self.power("organization.row_bytes");
        let beat_bytes = self.power("organization.bus_bytes");
        let beats_per_cycle = self.power("organization.beats_per_clock");
        let (ranks, groups) = (ranks?, groups?);
        Some(Organization {
            ranks,
            groups: ranks * groups,
            banks: ranks * groups * banks?,
            rows: rows?,
            row_bytes: row_bytes?,
            beat_bytes: beat_bytes?,
            beats_per_cycle: beats_per_cycle?,
        })
    }

    /// Clocks of a timing name; times in nanoseconds are rounded up, but for a hundredth of a clock.
    fn clocks(&mut self, period_ns: f64) -> impl Fn(&str) -> Option<f64> + use<'a> {
        let mut values = std::collections::BTreeMap::new();
        for (key, entry) in &self.merged.entries {
            let Some(name) = key.strip_prefix("timing.") else { continue };
            let value = as_number(&entry.value).filter(|v| (0.0..=1e9).contains(v));
            let clocks = match (value, entry.unit.as_str()) {
                (Some(clocks), "clocks") if (clocks * 2.0).fract() == 0.0 => Some(clocks),
                (Some(ns), "ns") => Some((ns / period_ns - 0.01).ceil().max(0.0)),
                _ => None,
            };
            match clocks {
                Some(clocks) => {
                    values.insert(name.to_owned(), clocks);
                }
                None => {
                    let message =
                        format!("found `{}` with unit `{}`; expected {TIMES}", entry.value, entry.unit);
                    self.fail(Some(entry), key, message);
                }
            }
        }
        move |name: &str| values.get(name).copied()
    }

    fn timing(
        &mut self,
        formulas: &[(&ConstraintText, Formula)],
        clocks: &impl Fn(&str) -> Option<f64>,
    ) -> Option<Timing> {
        let mut constraints = Vec::new();
        for (row, formula) in formulas {
            let mut fail = |message: String| {
                self.problems.push(problem("standard".into(), &format!("constraint {}", row.name), message));
            };
            // A name without a value has been reported, or belongs to refreshes that there are none of.
            let Some(value) = formula.value(clocks) else { continue };
            if value < 0.0 || !value.is_finite() {
                fail(format!("`{}` is {value} clocks; write max(…, 0)", row.cycles));
                continue;
            }
            match constraint(row, value.ceil() as Cycle) {
                Ok(None) => {}
                Ok(Some(constraint)) => constraints.push(constraint),
                Err(message) => fail(message),
            }
        }
        let latency = |name: &str| clocks(name).map(|c| c.ceil() as Cycle);
        Some(Timing { read_latency: latency("RL")?, write_latency: latency("WL")?, constraints })
    }

    fn map(&mut self, widths: Widths, access_bytes: u32) -> Option<FieldMap> {
        let order = self.entry("map.order");
        let lists = Field::ALL.map(|f| self.entry(&format!("map.{}", f.name())));
        let given = lists.iter().flatten().next().copied();
        let built = match (order, given) {
            (None, None) => {
                let message = "missing: give map.order, or map.bank, map.row, … with the bits of each field";
                self.fail(None, "map.order", message.to_owned());
                return None;
            }
            // Bits given on the command line take the place of a preset's order, and the other way round.
            (Some(order), Some(list))
                if order.place.starts_with("--set") == list.place.starts_with("--set") =>
            {
                let message = "given beside lists of bits; give one of the two".to_owned();
                self.fail(Some(order), "map.order", message);
                return None;
            }
            (Some(order), list) if list.is_none_or(|l| !l.place.starts_with("--set")) => {
                fields(&order.value.to_string()).and_then(|f| FieldMap::in_order(&f, widths, access_bytes))
            }
            _ => lists
                .iter()
                .map(|entry| entry.map_or(Ok(Vec::new()), |e| masks(&e.value.to_string())))
                .collect::<Result<Vec<_>, _>>()
                .and_then(|bits| {
                    let bits: [Vec<u64>; 6] = bits.try_into().map_err(|_| String::new())?;
                    FieldMap::of_bits(bits, widths, access_bytes)
                }),
        };
        built.map_err(|message| self.fail(order.or(given), "map", message)).ok()
    }

    fn refresh_mode(&self) -> String {
        self.entry("refresh.mode").map_or("none".to_owned(), |e| e.value.to_string())
    }

    fn refresh(&mut self, clocks: &impl Fn(&str) -> Option<f64>) -> Option<RefreshMode> {
        let given = clocks("tREFI").map(|c| c as Cycle);
        let interval = given.filter(|&clocks| clocks > 0);
        if given == Some(0) && self.refresh_mode() != "none" {
            let message = "found less than a clock; expected at least one from a refresh to the next, or refresh.mode = none";
            self.fail(self.entry("timing.tREFI"), "timing.tREFI", message.to_owned());
        }
        match (self.refresh_mode().as_str(), interval) {
            ("none", _) => Some(RefreshMode::None),
            ("all_bank", Some(interval)) => Some(RefreshMode::AllBank { interval }),
            ("per_bank", Some(interval)) => Some(RefreshMode::PerBank { interval }),
            ("all_bank" | "per_bank", None) => None, // said with the value that is missing or too small
            (other, _) => {
                let near = nearest(other, ["none", "all_bank", "per_bank"]);
                let message = format!("found `{other}`; expected {REFRESH_MODES}{near}");
                self.fail(self.entry("refresh.mode"), "refresh.mode", message);
                None
            }
        }
    }

    /// A refresh of the same banks is due every interval, and closes their rows. Where opening one takes longer than what a
    /// refresh leaves, no data ever moves, and a run would never end.
    fn time_between_refreshes(
        &mut self,
        timing: &Timing,
        refresh: RefreshMode,
        formulas: &[(&ConstraintText, Formula)],
    ) {
        let (interval, command) = match refresh {
            RefreshMode::None => return,
            RefreshMode::AllBank { interval } => (interval, Command::Refresh),
            RefreshMode::PerBank { interval } => (interval, Command::RefreshBank),
        };
        let refresh = command.name();
        let longest = |before: Command, after: Command| {
            let between = timing.constraints.iter().filter(|row| {
                let within = row.window == 1 && row.level != Level::OtherRanks;
                within && row.before.contains(&before) && row.after.contains(&after)
            });
            between.map(|row| row.cycles).max().unwrap_or(0)
        };
        let names = |before: &str, after: &str| {
            let mut names = BTreeSet::new();
            let is = |list: &[String], name: &str| list.iter().any(|each| each == name);
            for (row, formula) in formulas {
                if is(&row.before, before) && is(&row.after, after) {
                    formula.names(&mut names);
                }
            }
            Vec::from_iter(names).join(", ")
        };
        for column in [Command::Read, Command::Write] {
            let name = column.name();
            let (recovery, open) = (longest(command, Command::Activate), longest(Command::Activate, column));
            if recovery.saturating_add(open) >= interval {
                let opening = names("ACT", name);
                let message = format!(
                    "{opening} keeps {name} {open} clocks behind ACT, and {} keeps ACT {recovery} behind {refresh}, but \
                     tREFI has a refresh every {interval} clocks: no {name} is ever possible",
                    names(refresh, "ACT"),
                );
                let key = format!("timing.{}", opening.split(", ").next().unwrap_or_default());
                self.fail(self.entry(&key), &key, message);
                return;
            }
        }
    }

    fn currents(&mut self) -> Option<Currents> {
        let given = OPTIONAL.iter().any(|k| k.name.starts_with("energy.") && self.entry(k.name).is_some());
        let mut value = |name: &str| {
            let key = OPTIONAL.iter().find(|k| k.name == name)?;
            self.number(key, given)
        };
        let parts = value("energy.parts");
        let (vdd_v, idd0_ma, idd2n_ma) = (value("energy.VDD"), value("energy.IDD0"), value("energy.IDD2N"));
        let (idd3n_ma, idd4r_ma) = (value("energy.IDD3N"), value("energy.IDD4R"));
        let (idd4w_ma, idd5_ma) = (value("energy.IDD4W"), value("energy.IDD5"));
        Some(Currents {
            parts: parts? as u32,
            vdd_v: vdd_v?,
            idd0_ma: idd0_ma?,
            idd2n_ma: idd2n_ma?,
            idd3n_ma: idd3n_ma?,
            idd4r_ma: idd4r_ma?,
            idd4w_ma: idd4w_ma?,
            idd5_ma: idd5_ma?,
        })
    }

    /// What `describe` prints.
    fn rows(
        &self,
        formulas: &[(&ConstraintText, Formula)],
        clocks: &impl Fn(&str) -> Option<f64>,
    ) -> Vec<MemoryRow> {
        let said = |key: &str| match KEYS.iter().chain(OPTIONAL).find(|k| k.name == key) {
            Some(k) => (k.meaning.to_owned(), k.allowed()),
            None => match key.split_once('.') {
                Some(("timing", name)) => {
                    (clocks(name).map_or_else(String::new, |c| format!("{c} clocks")), TIMES.to_owned())
                }
                Some(("map", "order")) => {
                    ("fields of the address, the highest bits first".to_owned(), MAP_ORDER.to_owned())
                }
                Some(("map", _)) => (MAP_MEANING.to_owned(), MAP_BITS.to_owned()),
                _ => ("banks refreshed together".to_owned(), REFRESH_MODES.to_owned()),
            },
        };
        let mut rows: Vec<MemoryRow> = self
            .merged
            .entries
            .iter()
            .map(|(key, e)| {
                let (meaning, allowed) = said(key);
                let (value, unit, source) = (e.value.to_string(), e.unit.clone(), e.source.clone());
                MemoryRow { key: key.clone(), value, unit, meaning, allowed, source }
            })
            .collect();
        let allowed = match self.merged.is_standard() {
            true => "a formula over the names of times",
            false => "follows from the formula of its standard",
        };
        rows.extend(formulas.iter().map(|(row, formula)| {
            let window = if row.window > 1 { format!(", window of {}", row.window) } else { String::new() };
            let from = if row.from == "issue" {
                String::new()
            } else {
                format!(", from {}", row.from.replace('_', " "))
            };
            let meaning = format!(
                "{} to {}, {}{from}{window}: {}",
                row.before.join("/"),
                row.after.join("/"),
                row.level.replace('_', " "),
                row.cycles
            );
            let (value, unit) = match formula.value(clocks) {
                Some(value) => (value.ceil().to_string(), "clocks"),
                None => (row.cycles.to_string(), ""),
            };
            MemoryRow {
                key: format!("constraint.{}", row.name),
                value,
                unit: unit.to_owned(),
                meaning,
                allowed: allowed.to_owned(),
                source: row.source.clone(),
            }
        }));
        rows
    }
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(i) => Some(*i as f64),
        Value::Number(n) => Some(*n),
        _ => None,
    }
}

/// `row bank column` as fields.
fn fields(text: &str) -> Result<Vec<Field>, String> {
    text.split_whitespace()
        .map(|word| {
            Field::ALL.into_iter().find(|f| f.name() == word).ok_or_else(|| {
                let near = nearest(word, Field::ALL.map(Field::name));
                format!(
                    "no field is called `{word}`{near}; fields are {}",
                    Field::ALL.map(Field::name).join(", ")
                )
            })
        })
        .collect()
}

/// `13^17, 14` as masks of address bits.
fn masks(text: &str) -> Result<Vec<u64>, String> {
    let bit = |word: &str| match word.trim().parse::<u32>() {
        Ok(bit) if bit < 63 => Ok(1u64 << bit),
        _ => Err(format!("found `{}` in `{text}`; expected {MAP_BITS}", word.trim())),
    };
    text.split(',')
        .filter(|item| !item.trim().is_empty())
        .map(|item| item.split('^').map(bit).try_fold(0, |mask, b| b.map(|b| mask ^ b)))
        .collect()
}

/// A row of the table, or nothing where it asks for nothing.
fn constraint(row: &ConstraintText, cycles: Cycle) -> Result<Option<Constraint>, String> {
    let level = match row.level.as_str() {
        "rank" => Level::Rank,
        "group" => Level::Group,
        "bank" => Level::Bank,
        "other_ranks" => Level::OtherRanks,
        other => return Err(format!("level `{other}`; expected rank, group, bank or other_ranks")),
    };
    let from = match row.from.as_str() {
        "issue" => Edge::Issue,
        "column_end" => Edge::ColumnEnd,
        "data_end" => Edge::DataEnd,
        other => return Err(format!("from `{other}`; expected issue, column_end or data_end")),
    };
    if !(1..=16).contains(&row.window) {
        return Err(format!("window {}; expected 1 to 16", row.window));
    }
    if row.window > 1 && (from != Edge::Issue || level == Level::OtherRanks) {
        return Err("a window counts from the issue, within a rank, group or bank".to_owned());
    }
    let commands = |names: &[String]| -> Result<Vec<Command>, String> {
        names
            .iter()
            .map(|n| {
                Command::IN_TABLES.into_iter().find(|c| c.name() == n).ok_or_else(|| {
                    let expected = Command::IN_TABLES.map(Command::name).join(", ");
                    format!("no command is called `{n}`; expected {expected}")
                })
            })
            .collect()
    };
    let (before, after) = (commands(&row.before)?, commands(&row.after)?);
    // A window of no length, as parts without tFAW write it.
    if row.window > 1 && cycles == 0 {
        return Ok(None);
    }
    Ok(Some(Constraint { name: row.name.clone(), level, before, after, cycles, from, window: row.window }))
}
