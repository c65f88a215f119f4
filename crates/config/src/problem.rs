//! What is wrong, and what was read.

use crate::place::{Place, Places};
use crate::shown::Shown;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// One thing wrong: where it stands, what was found, what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// `file:line`, or `--set (number N)`, or the name of a file that was not found.
    pub place: String,
    /// Dotted key path; empty when the problem is not with one key.
    pub key: String,
    /// What was found and what was expected, with the nearest valid name where there is one.
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

/// One value that was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Dotted key path, as an override takes it.
    pub key: String,
    /// The value in the unit of its key.
    pub value: Shown,
    /// Unit of a number, from the suffix of the key; empty for others.
    pub unit: String,
    /// What it means.
    pub meaning: String,
    /// The range or the names that it may have.
    pub allowed: String,
    /// Where it comes from; `default` when no file gives it.
    pub source: String,
    /// `file:line` or `--set (number N)`; empty for a default.
    pub place: String,
    /// Lower and upper end of the interval that sources give it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// Problems as they come; put in order at the end.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// Each with its number.
    entries: RefCell<HashMap<Entry, usize>>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Entry {
    at: Where,
    /// The value came over from a table that another extends: the problem is said once, there.
    inherited: bool,
    key: String,
    message: String,
}

/// A place of the files that were read, or one in words.
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
        // Some values are looked at twice.
        let mut entries = self.entries.borrow_mut();
        let number = entries.len();
        entries.entry(entry).or_insert(number);
    }

    pub fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    /// All problems in order of place.
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

/// `; did you mean …?` with the nearest of some names, or nothing if none is near.
#[must_use]
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    linecard_words::nearest(name, names).map_or_else(String::new, |best| format!("; did you mean `{best}`?"))
}
