//! The result of reading: tables, rows of values, and unread keys.

use crate::chain::Chain;
use crate::parse::join;
use crate::place::{Place, Places};
use crate::problem::{Log, Row, Where, nearest};
use crate::tree::{Content, Node, Table};
use crate::units::Measure;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashSet};

/// A file with its bases and overrides. Read it through [`Document::root`], then [`Document::finish`].
#[derive(Debug)]
pub struct Document {
    title: String,
    kind: String,
    extends: Vec<String>,
    bases: Vec<String>,
    pub(crate) root: Table,
    pub(crate) places: Places,
    pub(crate) log: Log,
    /// The values read, in the order of reading; a value that was read again is there again. `None` if no
    /// caller needs them.
    pub(crate) rows: Option<RefCell<Vec<Row>>>,
    /// Whether rows have only keys, values and intervals ([`crate::Request::brief`]).
    pub(crate) brief: bool,
    /// A file is missing or no TOML. Absent keys may be in it and change what is read, so neither absent nor
    /// unread keys are reported.
    pub(crate) broken: bool,
    /// Keys of the overrides as they were typed.
    typed: Vec<String>,
    /// Names that the first part of an override may have.
    components: Vec<String>,
}

/// Few files have more values.
const USUAL_ROWS: usize = 256;

impl Document {
    /// Returns a document with the contents of a chain of files after its overrides; `rows` says whether values
    /// become rows, and whether these are brief.
    pub(crate) fn new(
        chain: Chain,
        places: Places,
        log: Log,
        typed: Vec<String>,
        components: Vec<String>,
        rows: Option<bool>,
    ) -> Self {
        let Chain { title, kind, extends, bases, root, broken } = chain;
        let root = match root.content {
            Content::Table(table) => table,
            _ => Table::default(),
        };
        let brief = rows == Some(true);
        let rows = rows.map(|_| RefCell::new(Vec::with_capacity(USUAL_ROWS)));
        Self { title, kind, extends, bases, root, places, log, rows, brief, broken, typed, components }
    }

    /// Merges the table `KEY.NAME` over the file, like a later file; `--set` values stay. Other tables of `KEY`
    /// are for other choices; names that `knows` rejects are problems.
    pub fn choose(&mut self, key: &str, name: &str, known: &[String]) {
        let Some(Node { content: Content::Table(all), .. }) = self.root.remove(key) else { return };
        for (variant, node) in all.into_entries() {
            if variant == name {
                let Content::Table(table) = node.content else { continue };
                for (key, node) in table.into_entries() {
                    self.root.lay_under_sets(key, node);
                }
            } else if !known.contains(&variant) {
                let message =
                    format!("no table has this name{}", nearest(&variant, known.iter().map(String::as_str)));
                self.log.add(node.place, join(key, &variant), message);
            }
        }
    }

    /// Returns the title in the file.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the kind in the file, or in the nearest of its bases; empty if none states it.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Reports a kind that is stated and is another than `expected`.
    pub fn expect_kind(&self, expected: &str) {
        if !self.kind.is_empty() && self.kind != expected {
            let message = format!("found `{}`, expected `{expected}`", self.kind);
            self.report(self.root().place(), "kind", message);
        }
    }

    /// Returns the files that it extends directly, as it names them.
    pub fn extends(&self) -> &[String] {
        &self.extends
    }

    /// Returns all files that it extends, directly or indirectly, as they are named, in the order of the merge.
    pub fn bases(&self) -> &[String] {
        &self.bases
    }

    /// Adds a problem that the caller found.
    pub fn report(&self, place: impl Into<String>, key: &str, message: impl Into<String>) {
        self.log.add(Where::Words(place.into()), key, message);
    }

    /// Returns the number of problems so far.
    pub fn problems(&self) -> usize {
        self.log.len()
    }

    pub(crate) fn note(&self, row: impl FnOnce() -> Row) {
        if let Some(rows) = &self.rows {
            let row = row();
            rows.borrow_mut().push(row);
        }
    }

    /// Ends the reading: every unread key is a problem (unless a file could not be read).
    pub fn close(&self) {
        if !self.broken {
            self.unread(&self.root, "");
        }
    }

    /// Reports the keys of a table that were never requested, or never read, once.
    pub(crate) fn say_rest(&self, table: &Table, path: &str) {
        let asked = OnceCell::new();
        for (key, node) in table.iter().filter(|(_, node)| !node.read.get()) {
            self.say_unread(asked.get_or_init(|| table.asked()), path, key, node);
            node.pass_over();
        }
    }

    fn unread(&self, table: &Table, path: &str) {
        let asked = OnceCell::new();
        for (key, node) in table.iter() {
            if !node.read.get() {
                self.say_unread(asked.get_or_init(|| table.asked()), path, key, node);
                continue;
            }
            if let Some(Err(message)) = node.unjudged_unit().map(|unit| Measure::NONE.check(unit)) {
                self.log.add_inherited(node.place, node.inherited, join(path, key), message);
            }
            match &node.content {
                Content::Value(_) => {}
                Content::Table(inner) => self.unread(inner, &join(path, key)),
                Content::List(items) => {
                    for (number, item) in items.iter().enumerate() {
                        if let Some(inner) = item.table() {
                            self.unread(inner, &format!("{}[{number}]", join(path, key)));
                        }
                    }
                }
            }
        }
    }

    fn say_unread(&self, asked: &BTreeSet<String>, path: &str, key: &str, node: &Node) {
        let message = if asked.contains(key) {
            "has no effect here".to_owned()
        } else {
            let set_at_top = path.is_empty() && matches!(node.place, Place::Set(_));
            let components = if set_at_top { self.components.as_slice() } else { &[] };
            let names = asked.iter().chain(components).map(String::as_str);
            format!("no such key{}", nearest(key, names))
        };
        let typed = match node.place {
            Place::Set(number) => self.typed.get(number),
            Place::File { .. } => None,
        };
        // An override may name a table or a list that contains the key.
        let typed = typed.filter(|typed| typed.split('.').any(|part| part == key));
        let shown = typed.cloned().unwrap_or_else(|| join(path, key));
        self.log.add_inherited(node.place, node.inherited, shown, message);
    }
}

/// The first row of each key.
pub(crate) fn once_each(mut rows: Vec<Row>) -> Vec<Row> {
    let mut keys = HashSet::with_capacity(rows.len());
    let first: Vec<bool> = rows.iter().map(|row| keys.insert(row.key.as_str())).collect();
    let mut first = first.into_iter();
    rows.retain(|_| first.next().unwrap_or(true));
    rows
}
