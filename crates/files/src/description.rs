//! What `describe` says of a preset, as plain data.

use linecard_config::{Row, Shown};
use schemars::JsonSchema;
use serde::Serialize;

/// Every parameter of a preset, with unit and source, and derived values.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "DescriptionReport")]
pub struct Description {
    /// Name.
    pub preset: String,
    /// Title.
    pub title: String,
    /// The presets on which it is based; its direct parent is the last.
    pub extends: Vec<String>,
    /// Parameters, in the order of the file.
    pub parameters: Vec<Described>,
    /// Derived values.
    pub derived: Vec<Derived>,
}

/// One parameter of a preset.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Parameter")]
pub struct Described {
    /// Dotted key path, as `--set` takes it.
    pub key: String,
    /// The value: a number, True or False, text, or a list of these.
    pub value: Shown,
    /// Unit; empty for names and switches.
    pub unit: String,
    /// Meaning of the parameter.
    pub meaning: String,
    /// Range or its names; empty if any text is allowed.
    pub allowed: String,
    /// Source of the value.
    pub source: String,
    /// Lower and upper end of the interval in its sources; `None` without one.
    pub interval: Option<[f64; 2]>,
}

impl Described {
    /// A value of a part, which is shown as its file has it.
    pub fn of_part(row: Row) -> Self {
        let value = match row.value {
            Shown::List(_) => Shown::Text(format!("[{}]", row.value)),
            value => Shown::of_text(value.to_string()),
        };
        let Row { key, unit, meaning, allowed, source, interval, .. } = row;
        Self { key, value, unit, meaning, allowed, source, interval }
    }
}

/// A quantity that follows from the parameters, and its formula.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Derived {
    /// Title.
    pub name: String,
    /// The value.
    pub value: f64,
    /// Unit.
    pub unit: String,
    /// Formula.
    pub formula: String,
}

impl Derived {
    /// A derived quantity.
    pub fn new(name: &str, value: f64, unit: &str, formula: &str) -> Self {
        Self { name: name.to_owned(), value, unit: unit.to_owned(), formula: formula.to_owned() }
    }
}
