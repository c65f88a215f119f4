//! Problems and rows.

use crate::place::{Place, Places};
use crate::shown::Shown;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// A problem: location, what was found, what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// `file:line`, or `--set (number N)`, or the name of a file that was not found.
    pub place: String,
    /// Dotted key path; empty when the problem is not with one key.
    pub key: String,
    /// What was found and what was expected, with the nearest valid name if there is one.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key.is_empty() {
            true => write!(f, "{}: {}", self.place, self.message),
            false => write!(f, "{}: {}: {}", self.place, self.key, self.message),
        }
    }
}

/// A value that was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Dotted key path, as an override takes it.
    pub key: String,
    /// The value in the unit of its key.
    pub value: Shown,
    /// Unit of a number, from the suffix of the key; empty for others.
    pub unit: String,
    /// Meaning.
    pub meaning: String,
    /// Range or its valid names.
    pub allowed: String,
    /// Source; `default` if no file states it.
    pub source: String,
    /// `file:line` or `--set (number N)`; empty for a default.
    pub place: String,
    /// Lower and upper end of its interval in the sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

impl Row {
    /// Returns a row without the texts that describe its value.
    pub(crate) fn brief(key: String, value: Shown, interval: Option<[f64; 2]>) -> Self {
        let [unit, meaning, allowed, source, place] = [const { String::new() }; 5];
        Self { key, value, unit, meaning, allowed, source, place, interval }
    }
}

/// Problems as they are found; sorted at the end.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// Each with its number.
    entries: RefCell<HashMap<Entry, usize>>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Entry {
    at: Where,
    /// The value is inherited from another table: the problem is reported once, there.
    inherited: bool,
    key: String,
    message: String,
}

/// A location in the files, or as text.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum Where {
    At(Place),
    Words(String),
}

impl From<Place> for Where {
    fn from(place: Place) -> Self {
        Where::At(place)
    }
}

impl Log {
    pub fn add(&self, at: impl Into<Where>, key: impl Into<String>, message: impl Into<String>) {
        self.add_inherited(at, false, key, message);
    }

    pub fn add_inherited(
        &self,
        at: impl Into<Where>,
        inherited: bool,
        key: impl Into<String>,
        message: impl Into<String>,
    ) {
        let entry = Entry { at: at.into(), inherited, key: key.into(), message: message.into() };
        // Some values are checked twice.
        let mut entries = self.entries.borrow_mut();
        let number = entries.len();
        entries.entry(entry).or_insert(number);
    }

    pub fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    /// Returns all problems in order of location.
    pub fn take(&self, places: &Places) -> Vec<Problem> {
        let mut ranked: Vec<_> = self
            .entries
            .take()
            .into_iter()
            .map(|(Entry { at, inherited, key, message }, number)| {
                let (rank, place) = match at {
                    Where::At(place) => (places.rank(place), places.show(place)),
                    Where::Words(words) => (places.rank_of_words(&words), words),
                };
                ((rank, inherited, number), Problem { place, key, message })
            })
            .collect();
        ranked.sort_by_key(|(order, _)| *order);
        let mut said = BTreeSet::new();
        ranked.retain(|((_, inherited, _), problem)| {
            let new = said.insert((problem.place.clone(), problem.message.clone()));
            new || !inherited
        });
        ranked.into_iter().map(|(_, problem)| problem).collect()
    }
}

/// Returns `; did you mean …?` with the nearest of some names, or nothing if none is near.
#[must_use]
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    linecard_words::nearest(name, names).map_or_else(String::new, |best| format!("; did you mean `{best}`?"))
}
