//! Times that a file states in nanoseconds or in cycles of a clock.

use linecard_config::Section;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Clocks by name; the first is the default.
pub(super) struct Clocks {
    list: Vec<Clock>,
    /// Numbers of the clocks that parts use.
    used: RefCell<BTreeSet<usize>>,
}

struct Clock {
    name: String,
    /// Its key in `[clock]`.
    key: String,
    hertz: u64,
}

/// The longest time in a file, a second: a larger number is a mistake.
const MOST_NS: f64 = 1e9;
const MOST_CYCLES: f64 = 1e9;
/// The fastest clock.
const FASTEST_HZ: f64 = 1e11;

impl Clocks {
    /// Reads `[clock]`: `NAME_mhz`, `NAME_ghz`, …
    pub fn read(root: &Section<'_>) -> Self {
        let mut list = Vec::new();
        if let Some(section) = root.section("clock") {
            for key in section.keys() {
                let suffix = key.rsplit('_').next().unwrap_or("");
                let factor = match suffix {
                    "hz" => 1.0,
                    "khz" => 1e3,
                    "mhz" => 1e6,
                    "ghz" => 1e9,
                    _ => {
                        let example = format!("{key}_mhz");
                        section.fail(
                            &key,
                            format!(
                                "the key of a clock ends in its unit (NAME_hz, NAME_khz, NAME_mhz or NAME_ghz), for \
                                 example {example} = 800"
                            ),
                        );
                        section.pass_over(&[&key]);
                        continue;
                    }
                };
                let name = key.strip_suffix(&format!("_{suffix}")).unwrap_or(&key).to_owned();
                let range = 1.0 / factor..=FASTEST_HZ / factor;
                let given = section.needed_number(&key, range, "frequency of a clock");
                // With a wrong clock, cycles cannot be judged: none of them is too long.
                let hertz = given.map_or(FASTEST_HZ, |number| number * factor);
                list.push(Clock { name, key, hertz: hertz.round().max(1.0) as u64 });
            }
        }
        if list.is_empty() {
            root.lacks("clock", "a chip needs at least one clock, such as core_mhz = 800 in [clock]");
            list.push(Clock { name: "core".to_owned(), key: String::new(), hertz: 1_000_000_000 });
        }
        Self { list, used: RefCell::default() }
    }

    /// Refuses clocks that `--set` sets and no part uses, once all parts have been read.
    pub fn judge_set(&self, root: &Section<'_>) {
        let Some(section) = root.section("clock") else { return };
        let used = self.used.borrow();
        let names: Vec<&str> = used.iter().map(|&number| self.list[number].key.as_str()).collect();
        for (number, clock) in self.list.iter().enumerate() {
            if section.is_set(&clock.key) && !used.contains(&number) {
                let message = format!(
                    "has no effect here: no part of the chip uses this clock; the parts use {}",
                    names.join(", ")
                );
                section.fail(&clock.key, message);
            }
        }
    }

    /// Returns the clock that a component names, or the first.
    pub fn of(&self, section: &Section<'_>) -> u64 {
        let names: Vec<(&str, usize)> =
            self.list.iter().enumerate().map(|(number, clock)| (clock.name.as_str(), number)).collect();
        let number = section.choice_or("clock", names[0].0, &names, "clock to which values in cycles refer");
        self.used.borrow_mut().insert(number);
        self.list[number].hertz
    }
}

/// Returns `STEM_ns` or `STEM_cycles` in picoseconds, if the file states either; at most a second.
pub(super) fn time_ps(section: &Section<'_>, stem: &str, clock_hz: u64, meaning: &str) -> Option<u64> {
    time_up_to(MOST_NS, section, stem, clock_hz, meaning)
}

/// The same, with a different bound.
pub(super) fn time_up_to(
    most_ns: f64,
    section: &Section<'_>,
    stem: &str,
    clock_hz: u64,
    meaning: &str,
) -> Option<u64> {
    let ns_key = [stem, "_ns"].concat();
    let ns = section.number_if(&ns_key, 0.0..=most_ns, meaning);
    let cycles_key = [stem, "_cycles"].concat();
    let cycles = section.number_if(&cycles_key, 0.0..=MOST_CYCLES, meaning);
    match (ns, cycles) {
        (Some(_), Some(_)) => {
            section.fail(&ns_key, format!("{stem} is stated in ns and in cycles; omit one of them"));
            None
        }
        (Some(ns), None) => Some((ns * 1e3).round() as u64),
        (None, Some(cycles)) => {
            let ps = cycles * 1e12 / clock_hz as f64;
            if ps > most_ns * 1e3 {
                let found = format!("{cycles} cycles of {clock_hz} Hz are {} s", ps / 1e12);
                section.fail(&cycles_key, format!("{found}; expected at most {} s", most_ns / 1e9));
            }
            Some(ps.round() as u64)
        }
        (None, None) => None,
    }
}

/// Returns the femtoseconds per byte at a rate in Gbit/s.
pub(super) fn byte_fs(gbps: f64) -> u64 {
    (8e6 / gbps).round() as u64
}
