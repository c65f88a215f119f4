//! A value with its type, for people and programs.

use schemars::JsonSchema;
use serde::Serialize;

/// A value of a file, in the unit of its key.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Shown {
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Real(f64),
    /// True or false.
    Switch(bool),
    /// A name or other text.
    Text(String),
    /// A list.
    List(Vec<Shown>),
}

impl Shown {
    /// Returns the number in a text, or the text.
    pub fn of_text(text: String) -> Self {
        if let Ok(whole) = text.parse() {
            return Shown::Whole(whole);
        }
        match text.parse::<f64>() {
            Ok(real) if real.is_finite() => Shown::Real(real),
            _ => Shown::Text(text),
        }
    }

    /// Returns a whole number; a floating-point number if JSON readers cannot represent it exactly.
    pub fn whole(value: u64) -> Self {
        i64::try_from(value).map_or(Shown::Real(value as f64), Shown::Whole)
    }
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Shown::Whole(value) => write!(f, "{value}"),
            Shown::Real(value) => write!(f, "{value}"),
            Shown::Switch(value) => write!(f, "{value}"),
            Shown::Text(value) => write!(f, "{value}"),
            Shown::List(values) => {
                for (number, value) in values.iter().enumerate() {
                    let comma = if number > 0 { ", " } else { "" };
                    write!(f, "{comma}{value}")?;
                }
                Ok(())
            }
        }
    }
}
