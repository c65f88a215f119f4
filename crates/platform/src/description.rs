//! What `describe` says of a preset, as plain data.

use linecard_config::{Row, Shown};
use serde::Serialize;

/// A preset, resolved.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    /// Its name.
    pub preset: String,
    /// What it is.
    pub title: String,
    /// Presets it extends, nearest last.
    pub extends: Vec<String>,
    /// Every parameter.
    pub parameters: Vec<Described>,
    /// What follows from the parameters.
    pub derived: Vec<Derived>,
}

/// A parameter with its value.
#[derive(Clone, Debug, Serialize)]
pub struct Described {
    /// Dotted key, as `--set` takes it.
    pub key: String,
    /// The value.
    pub value: Shown,
    /// Unit; empty for names and switches.
    pub unit: String,
    /// What it means.
    pub meaning: String,
    /// The range or the names that it may have; empty where any text will do, or it follows from others.
    pub allowed: String,
    /// Where it comes from.
    pub source: String,
    /// Lower and upper end of the interval that sources give it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

impl Described {
    /// A value of a part, which is shown as its file has it.
    pub(crate) fn of_part(row: Row) -> Self {
        let value = match row.value {
            Shown::List(_) => Shown::Text(format!("[{}]", row.value)),
            value => Shown::of_text(value.to_string()),
        };
        let Row { key, unit, meaning, allowed, source, interval, .. } = row;
        Self { key, value, unit, meaning, allowed, source, interval }
    }
}

/// A quantity that follows from the parameters.
#[derive(Clone, Debug, Serialize)]
pub struct Derived {
    /// What it is.
    pub name: String,
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// How it follows.
    pub formula: String,
}

/// A derived quantity.
pub(crate) fn row(name: &str, value: f64, unit: &str, formula: &str) -> Derived {
    Derived { name: name.to_owned(), value, unit: unit.to_owned(), formula: formula.to_owned() }
}
