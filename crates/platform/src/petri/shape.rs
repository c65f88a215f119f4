//! What of a net's TOML has another shape than a net: every key that there is not, is missing or is of another type, with its
//! line; and the net without it, so that the rest is looked at, too.

use super::file::NetFile;
use crate::error::ConfigProblem;
use crate::preset::problem;
use linecard_config::nearest;
use std::collections::{BTreeMap, BTreeSet};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

/// What a key holds.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Texts,
    /// A number or an expression.
    Number,
    Numbers,
    /// A whole number from 0.
    Count,
    Tokens,
    Table,
    /// A table of names.
    Names,
    /// A list of tables, with the keys of each.
    Parts(&'static [Key]),
}

/// A key, what it holds, and whether it must be there.
type Key = (&'static str, Form, bool);

const NET: &[Key] = &[
    ("name", Form::Text, false),
    ("description", Form::Text, false),
    ("parameters", Form::Table, false),
    ("colours", Form::Table, false),
    ("interface", Form::Texts, false),
    ("expected", Form::Table, false),
    ("place", Form::Parts(PLACE), false),
    ("transition", Form::Parts(TRANSITION), false),
    ("arc", Form::Parts(ARC), false),
    ("module", Form::Parts(MODULE), false),
];
const PLACE: &[Key] = &[
    ("name", Form::Text, true),
    ("colour", Form::Text, false),
    ("tokens", Form::Tokens, false),
    ("choice", Form::Text, false),
];
const TRANSITION: &[Key] = &[
    ("name", Form::Text, true),
    ("kind", Form::Text, true),
    ("rate", Form::Number, false),
    ("delay", Form::Number, false),
    ("weight", Form::Number, false),
    ("low", Form::Number, false),
    ("high", Form::Number, false),
    ("stages", Form::Number, false),
    ("values", Form::Numbers, false),
    ("weights", Form::Numbers, false),
    ("priority", Form::Count, false),
    ("servers", Form::Number, false),
    ("guard", Form::Text, false),
    ("reward", Form::Number, false),
];
const ARC: &[Key] = &[
    ("from", Form::Text, true),
    ("to", Form::Text, true),
    ("tokens", Form::Tokens, false),
    ("weight", Form::Number, false),
    ("kind", Form::Text, false),
];
const MODULE: &[Key] = &[
    ("name", Form::Text, true),
    ("file", Form::Text, true),
    ("parameters", Form::Table, false),
    ("places", Form::Names, false),
];

impl Form {
    fn fits(self, value: &Value) -> bool {
        let every = |fits: fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(fits));
        let count = |value: &Value| value.as_integer().is_some_and(|number| u32::try_from(number).is_ok());
        match self {
            Self::Text => value.is_str(),
            Self::Texts => every(Value::is_str),
            Self::Number => value.is_integer() || value.is_float() || value.is_str(),
            Self::Numbers => every(|item| item.is_integer() || item.is_float()),
            Self::Count => count(value),
            Self::Tokens => count(value) || value.is_str() || every(Value::is_str),
            Self::Table => value.is_table(),
            Self::Names => value.as_table().is_some_and(|table| table.values().all(Value::is_str)),
            Self::Parts(_) => every(Value::is_table),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Texts => "a list of names",
            Self::Number => "a number or an expression",
            Self::Numbers => "a list of numbers",
            Self::Count => "a whole number from 0 to 4294967295",
            Self::Tokens => "a whole number from 0 to 4294967295, an expression, or a list of tokens",
            Self::Table => "a table",
            Self::Names => "a table of names",
            Self::Parts(_) => "a list of tables, each under its name in double brackets",
        }
    }
}

/// Lines of a net's file: of each part by what it is called in problems.
#[derive(Default)]
pub(super) struct Lines(BTreeMap<String, usize>);

impl Lines {
    /// Those of a text; none of what is no TOML.
    pub fn of(text: &str) -> Self {
        let mut lines = BTreeMap::new();
        let Ok(parsed) = DeTable::parse(text) else { return Self(lines) };
        let starts = LineStarts::of(text);
        let root = parsed.get_ref();
        for (list, part) in
            [("place", "place"), ("transition", "transition"), ("arc", "arc"), ("module", "module")]
        {
            let Some(DeValue::Array(items)) = root.get(list).map(Spanned::get_ref) else { continue };
            for item in items.iter() {
                let DeValue::Table(table) = item.get_ref() else { continue };
                let text = |key: &str| match table.get(key).map(Spanned::get_ref) {
                    Some(DeValue::String(text)) => text.as_ref(),
                    _ => "",
                };
                let called = called(part, text("name"), text("from"), text("to"));
                lines.insert(called, starts.line(item.span().start));
            }
        }
        for (table, part) in [("parameters", "parameter"), ("colours", "colour")] {
            let Some(DeValue::Table(table)) = root.get(table).map(Spanned::get_ref) else { continue };
            for name in table.keys() {
                lines.insert(format!("{part} {}", name.get_ref()), starts.line(name.span().start));
            }
        }
        if let Some((key, _)) = root.get_key_value("interface") {
            lines.insert("interface".to_owned(), starts.line(key.span().start));
        }
        Self(lines)
    }

    /// The line of a part.
    pub fn get(&self, called: &str) -> Option<usize> {
        self.0.get(called).copied()
    }
}

/// What a part is called in problems.
fn called(part: &str, name: &str, from: &str, to: &str) -> String {
    if part == "arc" { format!("arc {from} -> {to}") } else { format!("{part} {name}") }
}

struct LineStarts(Vec<usize>);

impl LineStarts {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|&start| start <= offset) + 1
    }
}

/// A net's file, or what of it has the shape of one.
#[derive(Default)]
pub(super) struct Shaped {
    pub file: NetFile,
    pub problems: Vec<ConfigProblem>,
    /// What the parts are called that problems were found in: nothing more is said of them.
    pub parts: BTreeSet<String>,
}

/// Reads a net's file.
///
/// # Errors
/// The one problem of a text that is no TOML.
pub(super) fn read(path: &str, text: &str) -> Result<Shaped, ConfigProblem> {
    let error = match toml::from_str(text) {
        Ok(file) => return Ok(Shaped { file, ..Shaped::default() }),
        Err(error) => error,
    };
    let starts = LineStarts::of(text);
    let one = |error: &toml::de::Error, what: &str| {
        let line = starts.line(error.span().map_or(0, |span| span.start));
        // The parser's words may take several lines.
        let words = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        problem(format!("{path}:{line}"), "", format!("{what}{words}"))
    };
    let parsed = DeTable::parse(text).map_err(|error| one(&error, "not TOML: "))?;
    let mut table: Table = toml::from_str(text).map_err(|error| one(&error, "not TOML: "))?;
    let mut shape = Shape { path, starts: &starts, problems: Vec::new(), parts: BTreeSet::new() };
    shape.keys(NET, &mut table, parsed.get_ref(), 0, "");
    let Shape { problems, parts, .. } = shape;
    match Value::Table(table).try_into() {
        Ok(file) if !problems.is_empty() => Ok(Shaped { file, problems, parts }),
        _ => Err(one(&error, "")),
    }
}

/// Longest value that a message shows whole, in letters.
const LONGEST_SHOWN: usize = 60;

/// A value in one line, and not all of a long one.
fn shown(value: &Value) -> String {
    let line = value.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

struct Shape<'a> {
    path: &'a str,
    starts: &'a LineStarts,
    problems: Vec<ConfigProblem>,
    parts: BTreeSet<String>,
}

impl Shape<'_> {
    fn wrong(&mut self, offset: usize, part: &str, key: &str, message: String) {
        let key = if part.is_empty() { key.to_owned() } else { format!("{part}.{key}") };
        self.problems.push(problem(format!("{}:{}", self.path, self.starts.line(offset)), &key, message));
        self.parts.insert(part.to_owned());
    }

    /// Takes out of a table what is not of its keys, or is of another form; says whether all that must be there is.
    fn keys(&mut self, keys: &[Key], table: &mut Table, spans: &DeTable<'_>, at: usize, part: &str) -> bool {
        let names = || keys.iter().map(|(name, ..)| *name);
        let given: Vec<String> = table.keys().cloned().collect();
        let mut whole = true;
        for key in given {
            let offset = spans.get_key_value(key.as_str()).map_or(at, |(key, _)| key.span().start);
            let Some((_, form, needed)) = keys.iter().find(|(name, ..)| *name == key) else {
                self.wrong(offset, part, &key, format!("no such key{}", nearest(&key, names())));
                table.remove(&key);
                continue;
            };
            let fits = table.get(&key).is_some_and(|value| form.fits(value));
            if !fits {
                let found = table.remove(&key).map_or_else(String::new, |value| shown(&value));
                let message = format!("found `{found}`; expected {}", form.words());
                self.wrong(offset, part, &key, message);
                // That it is missing follows.
                whole &= !needed;
            } else if let Form::Parts(keys) = form
                && let (Some(Value::Array(items)), Some(spans)) =
                    (table.get_mut(&key), spans.get(key.as_str()))
            {
                self.parts_of(&key, keys, items, spans);
            }
        }
        for (key, form, _) in keys.iter().filter(|(key, _, needed)| *needed && !table.contains_key(*key)) {
            if spans.get(*key).is_none() {
                self.wrong(at, part, key, format!("missing: expected {}", form.words()));
            }
            whole = false;
        }
        whole
    }

    /// The parts of a list; those stay that have what must be there, and transitions without a kind, which arcs may name.
    fn parts_of(&mut self, list: &str, keys: &[Key], items: &mut Vec<Value>, spans: &Spanned<DeValue<'_>>) {
        let DeValue::Array(spans) = spans.get_ref() else { return };
        let mut number = 0;
        items.retain_mut(|item| {
            let (Value::Table(table), Some(spanned)) = (item, spans.get(number)) else { return false };
            let DeValue::Table(inner) = spanned.get_ref() else { return false };
            let text = |key: &str| table.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (name, from, to) = (text("name"), text("from"), text("to"));
            let part = match list == "arc" || !name.is_empty() {
                true => called(list, &name, &from, &to),
                false => format!("{list}[{number}]"),
            };
            number += 1;
            let whole = self.keys(keys, table, inner, spanned.span().start, &part);
            if list == "transition" && !name.is_empty() && !table.contains_key("kind") {
                table.insert("kind".to_owned(), Value::String(String::new()));
                return true;
            }
            whole
        });
    }
}
