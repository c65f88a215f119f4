//! The result of `describe` for a preset, as plain data.

use linecard_config::{Row, Shown};
use schemars::JsonSchema;
use serde::Serialize;

/// Every parameter of a preset, with its unit and source, and the derived values.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "DescriptionReport")]
pub struct Description {
    /// Name.
    pub preset: String,
    /// Title.
    pub title: String,
    /// The presets that this preset extends, directly or indirectly; the direct parent is the last one.
    pub extends: Vec<String>,
    /// The parameters, in the order of the file.
    pub parameters: Vec<Described>,
    /// The values derived from the parameters.
    pub derived: Vec<Derived>,
}

/// One parameter of a preset.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Parameter")]
pub struct Described {
    /// Dotted path of the key, as the option `--set` accepts it.
    pub key: String,
    /// Value of the parameter: a number, True or False, text, or a list of such values.
    pub value: Shown,
    /// Unit of the parameter; empty for names and switches.
    pub unit: String,
    /// Meaning of the parameter.
    pub meaning: String,
    /// Range or list of the allowed values; empty if any text is allowed.
    pub allowed: String,
    /// Source of the value.
    pub source: String,
    /// Lower and upper ends of the interval that the sources state; `None` if the sources state no interval.
    pub interval: Option<[f64; 2]>,
}

impl Described {
    /// Returns a value of a part, as its file states it.
    pub fn of_part(row: Row) -> Self {
        let value = match row.value {
            Shown::List(_) => Shown::Text(format!("[{}]", row.value)),
            value => Shown::of_text(value.to_string()),
        };
        let Row { key, unit, meaning, allowed, source, interval, .. } = row;
        Self { key, value, unit, meaning, allowed, source, interval }
    }
}

/// A quantity derived from a preset's parameters, with its formula.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Derived {
    /// Title.
    pub name: String,
    /// Value of the quantity.
    pub value: f64,
    /// Unit.
    pub unit: String,
    /// Formula.
    pub formula: String,
}

impl Derived {
    /// Returns a derived quantity.
    pub fn new(name: &str, value: f64, unit: &str, formula: &str) -> Self {
        Self { name: name.to_owned(), value, unit: unit.to_owned(), formula: formula.to_owned() }
    }
}
