//! The files of DRAM parts, standards and policies: TOML whose every value has a unit and a source.

use crate::error::ConfigProblem;
use crate::files::{Files, PresetFile};
use crate::preset::{Value, parse_value, problem, text_of, value_of};
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value as written.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub value: Value,
    pub unit: String,
    pub source: String,
    pub place: String,
}

/// A parameter as `describe` shows it.
#[derive(Clone, Debug)]
pub(crate) struct MemoryRow {
    pub key: String,
    pub value: String,
    pub unit: String,
    pub meaning: String,
    /// What values it may have.
    pub allowed: String,
    pub source: String,
}

/// A number of clocks as written: a number, or a formula.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(untagged)]
pub(super) enum Clocks {
    Number(u64),
    Formula(String),
}

impl std::fmt::Display for Clocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Clocks::Number(n) => write!(f, "{n}"),
            Clocks::Formula(text) => write!(f, "{text}"),
        }
    }
}

/// One row of a standard's table.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConstraintText {
    pub name: String,
    pub level: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
    pub cycles: Clocks,
    #[serde(default = "from_issue")]
    pub from: String,
    #[serde(default = "one")]
    pub window: usize,
    pub source: String,
}

fn from_issue() -> String {
    "issue".to_owned()
}

fn one() -> usize {
    1
}

/// Files merged: what a part, its standard and all they extend say; the last word counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Merged {
    pub title: String,
    pub extends: Vec<String>,
    pub entries: BTreeMap<String, Entry>,
    /// Rows of the constraint table with the file they stand in; a later row of the same name takes the place.
    pub constraints: Vec<(ConstraintText, String)>,
}

impl Merged {
    /// Whether this is a table that parts extend: it says nothing of an organization.
    pub fn is_standard(&self) -> bool {
        !self.constraints.is_empty() && !self.entries.keys().any(|key| key.starts_with("organization."))
    }
}

/// What a file and all that it extends say, with `--set` on top.
pub(super) fn read(
    files: &Files<'_>,
    overrides: &[(usize, &str, &str)],
    known: &dyn Fn(&str) -> Option<String>,
    problems: &mut Vec<ConfigProblem>,
) -> Merged {
    let mut merged = Merged::default();
    merged.extends = files.walk(problems, &mut |file, problems| read_into(file, &mut merged, problems));
    for &(number, key, text) in overrides {
        let place = format!("--set (number {})", number + 1);
        let unit = merged.entries.get(key).map(|e| e.unit.clone()).or_else(|| known(key));
        // A key that nobody knows is kept, and reported with the others.
        let unit = unit.unwrap_or_default();
        // A time may say its own unit: `13.75 ns`, `11 clocks`.
        let (text, unit) = match ["ns", "clocks"]
            .into_iter()
            .find_map(|u| text.strip_suffix(u).map(|number| (number.trim(), u.to_owned())))
        {
            Some(pair) if key.starts_with("timing.") => pair,
            _ => (text, unit),
        };
        let value = parse_value(text);
        let source = "given with --set".to_owned();
        merged.entries.insert(key.to_owned(), Entry { value, unit, source, place });
    }
    merged
}

fn read_into(file: &PresetFile<'_>, merged: &mut Merged, problems: &mut Vec<ConfigProblem>) {
    let table = &file.table;
    merged.title = text_of(table, "title");
    if merged.title.is_empty() {
        problems.push(problem(file.place.clone(), "title", "missing: a preset says what it is".into()));
    }
    let mut reader = Reader { file, merged, problems };
    for (key, value) in table.iter() {
        match key.get_ref().as_ref() {
            "title" | "extends" => {}
            "constraint" => reader.constraints(key.span().start),
            name => reader.read(name, key.span().start, value),
        }
    }
}

struct Reader<'a> {
    file: &'a PresetFile<'a>,
    merged: &'a mut Merged,
    problems: &'a mut Vec<ConfigProblem>,
}

impl Reader<'_> {
    fn fail(&mut self, offset: usize, key: &str, message: String) {
        let place = self.file.place_of(offset);
        self.problems.push(problem(place, key, message));
    }

    fn read(&mut self, key: &str, offset: usize, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(table) if table.contains_key("value") => self.entry(key, offset, table),
            DeValue::Table(table) => {
                for (name, inner) in table.iter() {
                    self.read(&format!("{key}.{}", name.get_ref()), name.span().start, inner);
                }
            }
            _ => self.fail(
                offset,
                key,
                "expected a table with value, unit and source, such as { value = 17, unit = \"clocks\", source = \"…\" }"
                    .into(),
            ),
        }
    }

    fn entry(&mut self, key: &str, offset: usize, table: &DeTable<'_>) {
        for (name, _) in table.iter() {
            if !["value", "unit", "source"].contains(&name.get_ref().as_ref()) {
                self.fail(offset, key, format!("`{}` is not one of value, unit, source", name.get_ref()));
            }
        }
        let source = text_of(table, "source");
        if source.trim().is_empty() {
            let message = "no source: say where the value comes from (section, datasheet, calibration)";
            self.fail(offset, key, message.into());
        }
        let Some(value) = table.get("value").and_then(|v| value_of(v.get_ref())) else {
            return self.fail(offset, key, "expected a number, text, true or false".into());
        };
        let place = self.file.place_of(offset);
        let entry = Entry { value, unit: text_of(table, "unit"), source, place };
        self.merged.entries.insert(key.to_owned(), entry);
    }

    fn constraints(&mut self, offset: usize) {
        // Parsed again from its own text: the rows are plain structures.
        #[derive(serde::Deserialize)]
        struct Whole {
            constraint: Vec<ConstraintText>,
        }
        match toml::from_str::<Whole>(self.file.text) {
            Ok(whole) => {
                for row in whole.constraint {
                    let place = self.file.place.clone();
                    match self.merged.constraints.iter_mut().find(|(r, _)| r.name == row.name) {
                        Some(there) => *there = (row, place),
                        None => self.merged.constraints.push((row, place)),
                    }
                }
            }
            Err(e) => {
                let at = e.span().map_or(offset, |s| s.start);
                self.fail(at, "constraint", e.message().to_owned());
            }
        }
    }
}
