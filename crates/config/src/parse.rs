//! Converts the text of one file, or of one `--set`, to nodes with location and source.

use crate::place::Place;
use crate::problem::Log;
use crate::tree::{Content, Node, Scalar, Table, Written};
use crate::units::{check_unit, says_unit};
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One file without its bases.
#[derive(Debug)]
pub(crate) struct File {
    pub title: String,
    pub kind: String,
    /// Names of its bases and where each is written.
    pub extends: Vec<(String, Place)>,
    pub table: Table,
}

/// The origin of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    File(usize),
    Set(usize),
}

/// The path to a key or to the element of a list, formatted only for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'a> {
    Whole(&'a str),
    Key(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Path::Whole(path) => path.is_empty(),
            Path::Key(table, key) => key.is_empty() && table.is_empty(),
            Path::Item(..) => false,
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Whole(path) => f.write_str(path),
            Path::Key(table, key) => f.write_str(&join(&table.to_string(), key)),
            Path::Item(list, number) => write!(f, "{list}[{number}]"),
        }
    }
}

/// Converts TOML to nodes and records its errors.
pub(crate) struct Parser<'a> {
    pub origin: Origin,
    pub log: &'a Log,
    /// Whether a file may have no title.
    pub untitled: bool,
    /// Whether every key belongs to the reader.
    pub plain: bool,
    /// Values without a source, which are one problem: location and path of each.
    pub unsourced: RefCell<Vec<(usize, String)>>,
}

/// Most paths of values without a source that a message names after the first.
const MOST_UNSOURCED: usize = 4;

impl Parser<'_> {
    fn place(&self, offset: usize) -> Place {
        match self.origin {
            Origin::File(file) => Place::File { file, offset },
            Origin::Set(number) => Place::Set(number),
        }
    }

    /// Reads a whole file; returns `None` if it is not TOML.
    pub fn file(&self, text: &str) -> Option<File> {
        let parsed = DeTable::parse(text).map_err(|e| {
            let offset = e.span().map_or(0, |s| s.start);
            // The parser's words may take several lines.
            let words = e.message().split_whitespace().collect::<Vec<_>>().join(" ");
            self.log.add(self.place(offset), "", format!("not TOML: {words}"));
        });
        let parsed = parsed.ok()?;
        let table = parsed.get_ref();
        if self.plain {
            let table = self.table(table, Path::Whole(""), &"".into());
            return Some(File { title: String::new(), kind: String::new(), extends: Vec::new(), table });
        }
        let title = self.text_at(table, "title", Path::Whole("title")).unwrap_or_default();
        if title.trim().is_empty() && !self.untitled {
            let at = position(table, "title");
            self.log.add(self.place(at), "title", "missing; expected the title of the file");
        }
        let kind = self.text_at(table, "kind", Path::Whole("kind")).unwrap_or_default();
        let extends = match table.get_key_value("extends") {
            Some((key, value)) => self.names(key.span().start, value),
            None => Vec::new(),
        };
        let (title, kind) = (title.to_owned(), kind.to_owned());
        let table = self.table(table, Path::Whole(""), &"".into());
        self.say_unsourced();
        Some(File { title, kind, extends, table })
    }

    /// Returns the string or the list of strings at the key `extends` of a file.
    fn names(&self, offset: usize, value: &Spanned<DeValue<'_>>) -> Vec<(String, Place)> {
        let items = match value.get_ref() {
            DeValue::Array(items) => items.iter().map(|i| (i.span().start, i.get_ref())).collect(),
            other => vec![(offset, other)],
        };
        let name = |(offset, item): (usize, &DeValue<'_>)| match item {
            DeValue::String(s) => Some((s.to_string(), self.place(offset))),
            _ => {
                let message = "expected the name of a file, or a list of names";
                self.log.add(self.place(offset), "extends", message);
                None
            }
        };
        items.into_iter().filter_map(name).collect()
    }

    fn text_at<'t>(&self, table: &'t DeTable<'_>, key: &str, path: Path<'_>) -> Option<&'t str> {
        let (name, value) = table.get_key_value(key)?;
        match value.get_ref() {
            DeValue::String(s) => Some(s.as_ref()),
            _ => {
                self.log.add(self.place(name.span().start), path.to_string(), "expected text");
                None
            }
        }
    }

    /// Returns the source that a table states for its values, or else that of the enclosing table.
    fn source(&self, table: &DeTable<'_>, path: Path<'_>, around: &Rc<str>) -> Rc<str> {
        let path = Path::Key(&path, "source");
        let Some(source) = self.text_at(table, "source", path) else { return Rc::clone(around) };
        if source.trim().is_empty() {
            self.log.add(
                self.place(position(table, "source")),
                path.to_string(),
                "empty; expected the source of the values",
            );
        }
        source.into()
    }

    /// Returns all keys of a table except those of the reader itself.
    fn table(&self, table: &DeTable<'_>, path: Path<'_>, source: &Rc<str>) -> Table {
        let source = if self.plain { source.clone() } else { self.source(table, path, source) };
        let own: &[&str] = match path {
            _ if self.plain => &[],
            _ if path.is_empty() => &["source", "title", "kind", "extends"],
            _ => &["source"],
        };
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut result = Table::default();
        for (key, value) in entries {
            let name = key.get_ref().as_ref();
            if !own.contains(&name) {
                let at = Path::Key(&path, name);
                let node = self.node(name, at, key.span().start, value.get_ref(), &source);
                result.lay_over(name.to_owned(), node);
            }
        }
        result
    }

    /// Returns the value of a key: a table, a list, or a value with or without a source of its own.
    pub fn node(
        &self,
        key: &str,
        path: Path<'_>,
        offset: usize,
        value: &DeValue<'_>,
        source: &Rc<str>,
    ) -> Node {
        let content = match value {
            DeValue::Table(table) if table.contains_key("value") && !self.plain => {
                return self.sourced(key, path, offset, table, source);
            }
            DeValue::Table(table) => Content::Table(self.table(table, path, source)),
            DeValue::Array(items) => {
                let tables = !items.is_empty() && items.iter().all(|i| i.get_ref().is_table());
                if !tables && !is_of_a_component(path, key) {
                    self.need_source(offset, path, source);
                }
                let item = |(number, item): (usize, &Spanned<DeValue<'_>>)| {
                    self.item(Path::Item(&path, number), item.span().start, item.get_ref(), source)
                };
                Content::List(items.iter().enumerate().map(item).collect())
            }
            value => {
                if !is_of_a_component(path, key) {
                    self.need_source(offset, path, source);
                }
                Content::Value(self.scalar(offset, path, value))
            }
        };
        Node::new(self.place(offset), Rc::clone(source), content)
    }

    /// Returns an element of a list. A table here is a row, even if one of its keys is called `value`.
    fn item(&self, path: Path<'_>, offset: usize, value: &DeValue<'_>, source: &Rc<str>) -> Node {
        let content = match value {
            DeValue::Table(table) => Content::Table(self.table(table, path, source)),
            DeValue::Array(items) => {
                let item = |(number, item): (usize, &Spanned<DeValue<'_>>)| {
                    self.item(Path::Item(&path, number), item.span().start, item.get_ref(), source)
                };
                Content::List(items.iter().enumerate().map(item).collect())
            }
            value => Content::Value(self.scalar(offset, path, value)),
        };
        Node::new(self.place(offset), Rc::clone(source), content)
    }

    /// Reads `{ value = 4, unit = "ns", source = "…" }`, with `low = 2, high = 8` if sources state an interval.
    fn sourced(
        &self,
        key: &str,
        path: Path<'_>,
        offset: usize,
        table: &DeTable<'_>,
        source: &Rc<str>,
    ) -> Node {
        for name in table.keys() {
            if !["value", "unit", "source", "low", "high"].contains(&name.get_ref().as_ref()) {
                let message = format!("`{}` is not one of value, unit, source, low, high", name.get_ref());
                self.log.add(self.place(name.span().start), path.to_string(), message);
            }
        }
        let unit = self.text_at(table, "unit", path).unwrap_or_default();
        let check = || check_unit(says_unit(path.to_string().rsplit('.').nth(1).unwrap_or(""), key), unit);
        let checked = table.contains_key("unit").then(check).flatten();
        if let Some(Err(message)) = &checked {
            self.log.add(self.place(position(table, "unit")), path.to_string(), message.as_str());
        }
        let unit = if checked.is_none() { Written::new(unit) } else { None };
        let source = self.source(table, path, source);
        let interval = self.interval(table).unwrap_or_else(|message| {
            self.log.add(self.place(offset), path.to_string(), message);
            None
        });
        match table.get("value").map(Spanned::get_ref) {
            Some(DeValue::Table(_)) | None => {
                let message = "`value` is a table; expected a value or a list";
                self.log.add(self.place(offset), path.to_string(), message);
                Node::new(self.place(offset), source, Content::Value(Scalar::Bad))
            }
            Some(value) => Node { interval, unit, ..self.node(key, path, offset, value, &source) },
        }
    }

    /// Returns the lower and upper end of a value with an interval.
    fn interval(&self, table: &DeTable<'_>) -> Result<Option<[f64; 2]>, String> {
        let number = |key: &str| match table.get(key).map(Spanned::get_ref) {
            Some(DeValue::Integer(i)) => digits(i.as_str()).parse().ok(),
            Some(DeValue::Float(f)) => digits(f.as_str()).parse().ok(),
            _ => None,
        };
        if !table.contains_key("low") && !table.contains_key("high") {
            return Ok(None);
        }
        match (number("low"), number("value"), number("high")) {
            (Some(low), Some(value), Some(high)) if low <= value && value <= high => Ok(Some([low, high])),
            _ => Err("expected low, value and high in ascending order".to_owned()),
        }
    }

    fn need_source(&self, offset: usize, path: Path<'_>, source: &str) {
        if source.is_empty() && !self.plain {
            self.unsourced.borrow_mut().push((offset, path.to_string()));
        }
    }

    /// Reports all values without a source once, so that other problems remain visible.
    fn say_unsourced(&self) {
        let mut lacking = self.unsourced.take();
        lacking.sort_unstable();
        let Some(((offset, first), others)) = lacking.split_first() else { return };
        let named: Vec<&str> = others.iter().take(MOST_UNSOURCED).map(|(_, path)| path.as_str()).collect();
        let more = if others.len() > named.len() { ", …" } else { "" };
        let others = match others.len() {
            0 => String::new(),
            1 => format!("; {} has no source either", named[0]),
            count => format!("; {count} other values have no source either: {}{more}", named.join(", ")),
        };
        let message = format!(
            "no source; state where the value comes from (section, datasheet, calibration): here, in its table, or \
             at the top of the file{others}"
        );
        self.log.add(self.place(*offset), first.as_str(), message);
    }

    fn scalar(&self, offset: usize, path: Path<'_>, value: &DeValue<'_>) -> Scalar {
        match value {
            DeValue::Boolean(b) => Scalar::Switch(*b),
            DeValue::String(s) => Scalar::Text(s.to_string()),
            DeValue::Datetime(date) => Scalar::Date(date.to_string()),
            DeValue::Integer(i) => match i64::from_str_radix(&digits(i.as_str()), i.radix()) {
                Ok(i) => Scalar::Integer(i),
                Err(_) => {
                    let message =
                        format!("found `{i}`; expected a whole number from {} to {}", i64::MIN, i64::MAX);
                    self.log.add(self.place(offset), path.to_string(), message);
                    Scalar::Bad
                }
            },
            DeValue::Float(f) => match digits(f.as_str()).parse() {
                // If no range rejects large values; `inf` itself may be intended.
                Ok(number) if self.plain && f64::is_infinite(number) && !f.as_str().ends_with("inf") => {
                    self.log.add(
                        self.place(offset),
                        path.to_string(),
                        format!("found `{}`; too large", f.as_str()),
                    );
                    Scalar::Bad
                }
                Ok(number) => Scalar::Number(number),
                Err(_) => {
                    let message = format!("found `{}`; expected a number", f.as_str());
                    self.log.add(self.place(offset), path.to_string(), message);
                    Scalar::Bad
                }
            },
            DeValue::Array(_) | DeValue::Table(_) => Scalar::Bad,
        }
    }
}

/// Returns a number without the underscores between its digits.
fn digits(number: &str) -> Cow<'_, str> {
    if number.contains('_') { number.replace('_', "").into() } else { number.into() }
}

/// Returns whether this is the `extends` of a table such as `[cluster.output]`, which is no value.
fn is_of_a_component(path: Path<'_>, key: &str) -> bool {
    key == "extends" && path.to_string().split('.').count() == 3
}

fn position(table: &DeTable<'_>, key: &str) -> usize {
    table.get_key_value(key).map_or(0, |(key, _)| key.span().start)
}

/// Returns the dotted path of a key in a table.
pub(crate) fn join(path: &str, key: &str) -> String {
    match (path.is_empty(), key.is_empty()) {
        (true, _) => key.to_owned(),
        (_, true) => path.to_owned(),
        // Every value that is read has its key joined: format! takes several times as long.
        _ => [path, ".", key].concat(),
    }
}
