//! A DRAM part: organization, clock, timing, address map, currents; and the table of its standard.

use super::currents::{currents, energy_timing, rows_exceed_standby};
use super::map::map_text;
use super::organization::{Made, organization};
use super::refresh::{Refreshed, leaves_time, refresh_mode, refreshed};
use super::table::{Distance, table};
use super::times::{Times, period_ns};
use linecard_config::{Document, Row};
use linecard_dram::channel::RefreshMode;
use linecard_dram::energy::Currents;
use linecard_dram::{Cycle, FieldMap, Organization, Timing};
use linecard_files::preset::{ReadPreset, read};
use linecard_files::{Derived, Error};
use std::collections::BTreeSet;

/// A part, ready to build.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its title.
    pub title: String,
    /// The presets that it extends.
    pub extends: Vec<String>,
    /// Clock period in nanoseconds.
    pub period_ns: f64,
    /// Parallel channels.
    pub channels: u32,
    /// Bytes of one access.
    pub access_bytes: u32,
    /// Whether a row and a column command issue in the same clock.
    pub dual_issue: bool,
    /// Ranks, banks, rows and columns.
    pub organization: Organization,
    /// Constraints between commands, in clocks.
    pub timing: Timing,
    /// Address map.
    pub map: FieldMap,
    /// tREFI in clocks, and whether the standard refreshes bank by bank; `None` without refresh.
    pub refresh: RefreshMode,
    /// Currents, from which energy follows; `None` without them.
    pub currents: Option<Currents>,
    /// For `describe`.
    pub rows: Vec<Row>,
}

/// A standard on its own, for `describe`.
pub(crate) struct Standard {
    pub title: String,
    pub extends: Vec<String>,
    pub rows: Vec<Row>,
}

/// Returns whether this is a table that parts extend: it has no organization.
pub(crate) fn is_standard(document: &Document) -> bool {
    let root = document.root();
    let has = |key: &str| root.keys().iter().any(|each| each == key) && !root.is_set(key);
    has("constraint") && !has("organization")
}

/// Reads a part from its file; `name` is its name.
///
/// # Errors
/// All problems at once.
pub fn part(name: &str, document: Document) -> Result<Part, Error> {
    document.expect_kind("dram");
    if is_standard(&document) {
        let message =
            format!("`{name}` is a standard (\"{}\") that parts extend, not a part", document.title());
        document.report("preset", "", message);
        let keys = document.root().keys();
        document.root().pass_over(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let ReadPreset { title, bases, value, mut rows } = read(document, values)?;
    for row in &mut rows {
        if let Some(clocks) = row.key.strip_prefix("timing.").and_then(|name| value.times.clocks(name)) {
            row.meaning = format!("{clocks} clocks");
        }
    }
    let Made { channels, access_bytes, dual_issue, organization, .. } = value.made;
    Ok(Part {
        title,
        extends: bases,
        period_ns: value.period_ns,
        channels,
        access_bytes,
        dual_issue,
        organization,
        timing: value.timing,
        map: value.map,
        refresh: value.refresh,
        currents: value.currents,
        rows: as_described(rows, value.distances),
    })
}

/// Reads a standard from its file.
///
/// # Errors
/// All problems at once.
pub(crate) fn standard(document: Document) -> Result<Standard, Error> {
    let ReadPreset { title, bases, value, rows } = read(document, |document| {
        let root = document.root();
        let table = table(&root);
        Times::read_if(&root, names(&table));
        refreshed(&root);
        currents(document);
        // A standard may also contain the values that its parts have in common.
        if root.has("clock") {
            period_ns(&root);
        }
        if root.has("map") {
            root.section("map").map(map_text);
        }
        Some(table.iter().map(|distance| distance.row(None)).collect())
    })?;
    Ok(Standard { title, extends: bases, rows: as_described(rows, value) })
}

/// Returns the values in the order of their keys, then the table.
fn as_described(mut rows: Vec<Row>, distances: Vec<Row>) -> Vec<Row> {
    // Rows of the table describe the constraints. A default, which no file states, is not a value of a part.
    rows.retain(|row| !row.place.is_empty() && !row.key.starts_with("constraint["));
    rows.sort_by(|a, b| a.key.cmp(&b.key));
    rows.extend(distances);
    rows
}

/// The content of the file of a part.
struct Values {
    period_ns: f64,
    made: Made,
    times: Times,
    timing: Timing,
    map: FieldMap,
    refresh: RefreshMode,
    currents: Option<Currents>,
    distances: Vec<Row>,
}

fn values(document: &Document) -> Option<Values> {
    let root = document.root();
    let table = table(&root);
    if is_standard(document) {
        return None;
    }
    // Derived values are judged only if the values that they follow from are valid.
    let judged = document.problems();
    let made = organization(&root);
    let made = made.filter(|_| document.problems() == judged);
    let map = root.needed_section("map", "mapping of addresses to rows and banks").map(map_text);
    let map = map.zip(made.as_ref()).and_then(|(map, made)| map.map(made));
    let currents = currents(document);
    let refreshed = refreshed(&root);
    let judged = document.problems();
    let period_ns = period_ns(&root);
    let times = Times::read(&root, names(&table), period_ns, refreshed != Some(Refreshed::Nothing));
    let constraints = table.iter().filter_map(|distance| distance.constraint(&times)).collect();
    let refresh = refreshed.and_then(|refreshed| refresh_mode(&root, refreshed, &times));
    let latency = |name: &str| times.clocks(name).map(|clocks| clocks.ceil() as Cycle);
    let timing = Timing { read_latency: latency("RL")?, write_latency: latency("WL")?, constraints };
    if document.problems() == judged
        && let Some(refresh) = refresh
    {
        leaves_time(&root, &timing, refresh, &table);
        if let Some((currents, made)) = currents.as_ref().zip(made.as_ref()) {
            let times = energy_timing(period_ns, &timing, refresh, &made.organization);
            rows_exceed_standby(&root, currents, &times);
        }
    }
    let distances = table.iter().map(|distance| distance.row(Some(&times))).collect();
    Some(Values { period_ns, made: made?, times, timing, map: map?, refresh: refresh?, currents, distances })
}

/// Returns the names of all times of a table.
fn names(table: &[Distance<'_>]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    table.iter().for_each(|distance| distance.add_names(&mut names));
    names
}

impl Part {
    /// Returns the derived values of a part, for `describe`.
    pub fn derived(&self) -> Vec<Derived> {
        let Organization { beat_bytes, beats_per_cycle, .. } = self.organization;
        let peak = f64::from(beat_bytes * beats_per_cycle * self.channels) / self.period_ns;
        let unloaded = self.unloaded_read_clocks() as f64;
        let burst = self.organization.data_cycles(self.access_bytes) as f64;
        vec![
            Derived::new(
                "capacity",
                self.map.capacity_bytes() as f64 / f64::from(1 << 20),
                "MiB",
                "all channels",
            ),
            Derived::new("clock", 1000.0 / self.period_ns, "MHz", "1 / period"),
            Derived::new("peak bandwidth", peak, "GB/s", "channels x bus bytes x beats per clock x clock"),
            Derived::new("burst", burst, "clocks", "access bytes / bus bytes / beats per clock"),
            Derived::new("unloaded read", unloaded, "clocks", "1 + tRCD + RL + burst"),
            Derived::new(
                "unloaded read",
                unloaded * self.period_ns,
                "ns",
                "(1 + tRCD + RL + burst) x period",
            ),
        ]
    }
}
