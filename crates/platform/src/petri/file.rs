//! A net in TOML: `[parameters]`, `[colours]`, `[[place]]`, `[[transition]]`, `[[arc]]`, `[[module]]`.

use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NetFile {
    #[serde(default)]
    pub name: String,
    #[serde(default, rename = "description")]
    _description: String,
    #[serde(default)]
    pub parameters: BTreeMap<String, toml::Value>,
    #[serde(default)]
    pub colours: BTreeMap<String, toml::Value>,
    /// Places that a net with this one as a module may make its own.
    #[serde(default)]
    pub interface: Vec<String>,
    /// Known results; for tests.
    #[serde(default, rename = "expected")]
    _expected: BTreeMap<String, toml::Value>,
    #[serde(default)]
    pub place: Vec<PlaceEntry>,
    #[serde(default)]
    pub transition: Vec<TransitionEntry>,
    #[serde(default)]
    pub arc: Vec<ArcEntry>,
    #[serde(default)]
    pub module: Vec<ModuleEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceEntry {
    pub name: String,
    pub colour: Option<String>,
    pub tokens: Option<Tokens>,
    pub choice: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Tokens {
    Count(u32),
    Text(String),
    List(Vec<String>),
}

/// A number, or an expression.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Number {
    Int(i64),
    Real(f64),
    Text(String),
}

impl Number {
    pub fn text(&self) -> String {
        match self {
            Self::Int(value) => value.to_string(),
            Self::Real(value) => format!("{value:?}"),
            Self::Text(text) => text.clone(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TransitionEntry {
    pub name: String,
    pub kind: String,
    pub rate: Option<Number>,
    pub delay: Option<Number>,
    pub weight: Option<Number>,
    pub low: Option<Number>,
    pub high: Option<Number>,
    pub stages: Option<Number>,
    pub values: Option<Vec<f64>>,
    pub weights: Option<Vec<f64>>,
    pub priority: Option<u32>,
    pub servers: Option<Number>,
    #[serde(default)]
    pub guard: String,
    /// What a firing counts for.
    pub reward: Option<Number>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArcEntry {
    pub from: String,
    pub to: String,
    pub tokens: Option<Tokens>,
    pub weight: Option<Number>,
    #[serde(default = "normal")]
    pub kind: String,
}

fn normal() -> String {
    "normal".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModuleEntry {
    pub name: String,
    pub file: String,
    #[serde(default)]
    pub parameters: BTreeMap<String, toml::Value>,
    /// Places of its interface, and the places of this net that they are.
    #[serde(default)]
    pub places: BTreeMap<String, String>,
}
