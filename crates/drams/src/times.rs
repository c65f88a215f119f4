//! The times of a part by the names of datasheets, in clocks.

use linecard_config::{Either, Section, nearest};
use std::collections::{BTreeMap, BTreeSet};

/// The units of a time.
const UNITS: [Either; 2] = [
    Either { unit: "clocks", what: "whole or half clocks", step: 0.5 },
    Either { unit: "ns", what: "a time", step: 0.0 },
];
const ALLOWED: &str = "whole or half clocks (unit `clocks`) or a time (unit `ns`)";

/// Names that a part may use under every standard.
const ALWAYS: [&str; 3] = ["RL", "WL", "tREFI"];

/// The fraction of a clock by which a time may exceed whole clocks without taking another clock: datasheets round.
const CLOCKS_ROUNDED: f64 = 0.01;

/// Clocks by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    clocks: BTreeMap<String, f64>,
}

impl Times {
    /// Reads the names in a table, and the names of every part; `refreshes` is false if the part never refreshes.
    pub fn read(root: &Section<'_>, mut names: BTreeSet<String>, period_ns: f64, refreshes: bool) -> Self {
        names.extend(ALWAYS.map(str::to_owned));
        let Some(timing) = root.needed_section("timing", "times, named as in the standard") else {
            return Self::default();
        };
        for name in &names {
            let needless = !refreshes && (name == "tREFI" || name.starts_with("tRFC"));
            if !needless && !timing.has(name) {
                timing.missing(
                    name,
                    &format!(
                        "{ALLOWED}; a formula of the standard, or the model of the data bus, uses this time"
                    ),
                );
            }
            if needless && timing.is_set(name) {
                timing.fail(name, "has no effect: refresh.mode is none");
            }
        }
        for key in timing.keys().iter().filter(|key| !names.contains(*key)) {
            let near = nearest(key, names.iter().map(String::as_str));
            let advice = "omit it, or use it in the cycles of a constraint";
            timing.fail(key, format!("no constraint uses a time of this name; {advice}{near}"));
            timing.pass_over(&[key]);
        }
        Self::of(&timing, &names, period_ns)
    }

    /// Reads the times that a standard contains.
    pub fn read_if(root: &Section<'_>, mut names: BTreeSet<String>) -> Self {
        names.extend(ALWAYS.map(str::to_owned));
        let timing = if root.has("timing") { root.section("timing") } else { None };
        timing.map_or_else(Self::default, |timing| Self::of(&timing, &names, 1.0))
    }

    fn of(timing: &Section<'_>, names: &BTreeSet<String>, period_ns: f64) -> Self {
        let clocks = |name: &String| {
            let clocks = match timing.number_in_either_if(name, &UNITS, 0.0..=1e9, "")? {
                (ns, "ns") => (ns / period_ns - CLOCKS_ROUNDED).ceil().max(0.0),
                (clocks, _) => clocks,
            };
            Some((name.clone(), clocks))
        };
        Self { clocks: names.iter().filter_map(clocks).collect() }
    }

    /// Returns the clocks of a name.
    pub fn clocks(&self, name: &str) -> Option<f64> {
        self.clocks.get(name).copied()
    }
}

/// Returns the period of the memory clock in ns; a valid one if the key is missing or wrong.
pub(super) fn period_ns(root: &Section<'_>) -> f64 {
    let clock = root.needed_section("clock", "the memory clock");
    if let Some(clock) = &clock {
        for key in clock.keys() {
            frequency(clock, &key);
        }
    }
    clock.map_or(1.0, |clock| clock.number("period_ns", 0.01..=1e6, "period of the memory clock"))
}

/// Reports a frequency with the period that it means, because parts state periods.
fn frequency(clock: &Section<'_>, key: &str) {
    let unit = key.rsplit('_').next().unwrap_or_default();
    let hertz = match unit {
        "hz" => 1.0,
        "khz" => 1e3,
        "mhz" => 1e6,
        "ghz" => 1e9,
        _ => return,
    };
    let range = f64::MIN_POSITIVE..=f64::MAX;
    let given = clock.number_if(key, range, "frequency of the memory clock");
    let is = given.map_or_else(String::new, |number| format!(": here {} ns", 1e9 / (number * hertz)));
    clock.fail(key, format!("a part must set the period of its clock, period_ns{is}"));
}
