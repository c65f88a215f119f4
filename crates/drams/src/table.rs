//! The table of a standard: the distances between commands, each a formula over the times of a part.

use super::formula::Formula;
use super::times::Times;
use linecard_config::{Row, Section, Shown};
use linecard_dram::{Command, Constraint, Cycle, Edge, Level};
use std::collections::BTreeSet;

/// One row of the table.
pub(super) struct Distance<'d> {
    section: Section<'d>,
    name: String,
    level: (&'static str, Level),
    before: Vec<Command>,
    after: Vec<Command>,
    /// The formula as written.
    cycles: String,
    formula: Formula,
    from: (&'static str, Edge),
    window: usize,
}

const LEVELS: [(&str, Level); 4] = [
    ("rank", Level::Rank),
    ("group", Level::Group),
    ("bank", Level::Bank),
    ("other_ranks", Level::OtherRanks),
];
const EDGES: [(&str, Edge); 3] =
    [("issue", Edge::Issue), ("column_end", Edge::ColumnEnd), ("data_end", Edge::DataEnd)];
const FORMULA: &str = "a number of clocks, or a formula with names of times, such as max(tRTP, 4)";

/// Returns the rows that can be read.
pub(super) fn table<'d>(root: &Section<'d>) -> Vec<Distance<'d>> {
    if root.has("constraint") {
        root.list("constraint").into_iter().map(distance).collect()
    } else {
        Vec::new()
    }
}

fn distance(section: Section<'_>) -> Distance<'_> {
    let name = section.text("name", "name of the minimum distance between the two commands");
    let level = section.choice(
        "level",
        &LEVELS.map(|level| (level.0, level)),
        "part of the DRAM to which the distance applies",
    );
    let (before, after) = (commands(&section, "before"), commands(&section, "after"));
    let parse = |text: &str| Formula::parse(text).map(|formula| (formula, text.to_owned()));
    if !section.has("cycles") {
        section.missing("cycles", FORMULA);
    }
    let (formula, cycles) = section
        .understood_if("cycles", FORMULA, "minimum number of clocks between the two commands", parse)
        .unwrap_or((Formula::Number(0.0), String::new()));
    let from = section.choice_or(
        "from",
        "issue",
        &EDGES.map(|edge| (edge.0, edge)),
        "event of the `before` command from which the clocks are counted",
    );
    let window = section.integer_or(
        "window",
        1,
        1..=16,
        "which of the earlier `before` commands starts the count of clocks; 1 is the most recent command",
    );
    if window > 1 && (from.1 != Edge::Issue || level.1 == Level::OtherRanks) {
        section
            .fail("window", "a window above 1 requires from = \"issue\" and the level rank, group or bank");
    }
    Distance { section, name, level, before, after, cycles, formula, from, window: window as usize }
}

fn commands(section: &Section<'_>, key: &str) -> Vec<Command> {
    let known = Command::IN_TABLES.map(|command| (command.name(), command));
    if !section.has(key) {
        section.missing(key, &format!("a list of commands, {}", known.map(|(name, _)| name).join(", ")));
    }
    section.choices(key, &known, "commands")
}

impl Distance<'_> {
    /// Adds the names of its times.
    pub fn add_names(&self, names: &mut BTreeSet<String>) {
        self.formula.names(names);
    }

    /// Returns whether it delays the second of two commands after the first.
    pub fn is_between(&self, before: Command, after: Command) -> bool {
        self.before.contains(&before) && self.after.contains(&after)
    }

    /// Returns the constraint for a controller. It is `None` if the distance is zero, if a time is missing, which has
    /// been reported, or if the time belongs to refreshes and there are none.
    pub fn constraint(&self, times: &Times) -> Option<Constraint> {
        let value = self.formula.value(&|name| times.clocks(name))?;
        if value < 0.0 || !value.is_finite() {
            self.section.fail("cycles", format!("`{}` is {value} clocks; write max(…, 0)", self.cycles));
            return None;
        }
        let cycles = value.ceil() as Cycle;
        // Parts without tFAW state a window of length zero.
        let asks_for_nothing = self.window > 1 && cycles == 0;
        (!asks_for_nothing).then(|| Constraint {
            name: self.name.clone(),
            level: self.level.1,
            before: self.before.clone(),
            after: self.after.clone(),
            cycles,
            from: self.from.1,
            window: self.window,
        })
    }

    /// Returns its row for `describe`; with the times of a part, the number of clocks.
    pub fn row(&self, times: Option<&Times>) -> Row {
        let window = if self.window > 1 { format!(", window of {}", self.window) } else { String::new() };
        let from = match self.from {
            (_, Edge::Issue) => String::new(),
            (name, _) => format!(", from {}", name.replace('_', " ")),
        };
        let names = |commands: &[Command]| commands.iter().map(|c| c.name()).collect::<Vec<_>>().join("/");
        let (before, after) = (names(&self.before), names(&self.after));
        let (level, cycles) = (self.level.0.replace('_', " "), &self.cycles);
        let clocks = self.formula.value(&|name| times?.clocks(name));
        let (value, unit) = match clocks {
            Some(clocks) => (clocks.ceil().to_string(), "clocks"),
            None => (cycles.clone(), ""),
        };
        let allowed = match times {
            None => "a formula such as max(tRTP, 4)",
            Some(_) => "fixed by the formula in the standard",
        };
        Row {
            key: format!("constraint.{}", self.name),
            value: Shown::Text(value),
            unit: unit.to_owned(),
            meaning: format!("{before} to {after}, {level}{from}{window}: {cycles}"),
            allowed: allowed.to_owned(),
            source: self.section.source_of("cycles").to_owned(),
            place: self.section.place(),
            interval: None,
        }
    }
}
