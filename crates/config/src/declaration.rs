//! The declarations of keys by their readers, for keys in the file and others: the source of the reference and
//! the schemas.

use crate::shown::Shown;
use schemars::JsonSchema;
use serde::Serialize;
use std::cell::RefCell;
use std::fmt;
use std::ops::RangeInclusive;

/// A key that a preset file may contain, as declared in the code.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Declared {
    /// Path of the file to which the key belongs. Some keys of a chip belong to the separate file of a
    /// memory part.
    pub file: String,
    /// Dotted path of the key.
    pub key: String,
    /// Valid values.
    #[serde(flatten)]
    pub allowed: Allowed,
    /// The allowed values as text.
    pub words: String,
    /// Unit of a number; empty for other values.
    pub unit: &'static str,
    /// Other units in which the file may state the value; such a value is text that contains the number and the
    /// unit.
    pub units: Vec<&'static str>,
    /// Meaning.
    pub meaning: String,
    /// Whether the file must contain the key.
    pub needed: bool,
    /// Default.
    pub default: Option<Shown>,
    /// Value.
    pub value: Option<Shown>,
}

/// The type of a value with its range or its names.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Allowed {
    /// A whole number.
    Whole {
        /// The minimum of a number.
        least: u64,
        /// The maximum of a number, if declared.
        most: Option<u64>,
    },
    /// A number, or a list of them.
    Number {
        /// The minimum, if there is one.
        least: Option<f64>,
        /// The maximum of a number, if declared.
        most: Option<f64>,
        /// Whether the value may be a list.
        list: bool,
    },
    /// True or false.
    Switch,
    /// Any text, or a list of them.
    Text {
        /// Whether the value may be a list.
        list: bool,
    },
    /// One of some names, or a list of them.
    Name {
        /// The allowed names.
        names: Vec<String>,
        /// Whether the value may be a list.
        list: bool,
    },
    /// Values that only their reader can check.
    Other {
        /// The reader's description.
        words: String,
    },
}

impl Allowed {
    pub(crate) fn whole(range: &RangeInclusive<u64>) -> Self {
        Self::Whole { least: *range.start(), most: Some(*range.end()).filter(|most| *most != u64::MAX) }
    }

    pub(crate) fn number(range: &RangeInclusive<f64>, list: bool) -> Self {
        let bound = |bound: f64| Some(bound).filter(|bound| bound.is_finite() && bound.abs() != f64::MAX);
        Self::Number { least: bound(*range.start()), most: bound(*range.end()), list }
    }

    pub(crate) fn name<T>(choices: &[(&str, T)], list: bool) -> Self {
        Self::Name { names: choices.iter().map(|(name, _)| (*name).to_owned()).collect(), list }
    }

    pub(crate) fn other(words: &str) -> Self {
        Self::Other { words: words.to_owned() }
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole { least, most: None } => write!(f, "a whole number from {least}"),
            Self::Whole { least, most: Some(most) } => write!(f, "a whole number from {least} to {most}"),
            Self::Number { least, most, list } => {
                f.write_str(if *list { "numbers" } else { "a number" })?;
                match (least, most) {
                    (None, None) => f.write_str(" of any size"),
                    (Some(least), None) => write!(f, " from {least}"),
                    (None, Some(most)) => write!(f, " up to {most}"),
                    (Some(least), Some(most)) => write!(f, " from {least} to {most}"),
                }
            }
            Self::Switch => f.write_str("true or false"),
            Self::Text { list: false } => f.write_str("text"),
            Self::Text { list: true } => f.write_str("text, or a list of texts"),
            Self::Name { names, list: false } => write!(f, "one of {}", names.join(", ")),
            Self::Name { names, list: true } => write!(f, "names out of {}", names.join(", ")),
            Self::Other { words } => f.write_str(words),
        }
    }
}

thread_local! {
    /// Declarations of the readers of this thread, while a collector is active.
    static HEARD: RefCell<Option<Vec<Declared>>> = const { RefCell::new(None) };
}

/// Returns the declarations of the readers on this thread while `read` runs, in the order of reading, beside
/// the result of `read`. A key that is read again is declared again.
pub fn declarations<T>(read: impl FnOnce() -> T) -> (T, Vec<Declared>) {
    let before = HEARD.replace(Some(Vec::new()));
    let result = read();
    (result, HEARD.replace(before).unwrap_or_default())
}

/// Adds a declaration if a collector is active.
pub(crate) fn declare(declared: impl FnOnce() -> Declared) {
    HEARD.with_borrow_mut(|heard| {
        if let Some(heard) = heard {
            heard.push(declared());
        }
    });
}
