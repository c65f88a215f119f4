//! The merged file: values, lists and tables with location and source.

use crate::place::Place;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

/// A value, a list or a table.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub place: Place,
    /// Source; empty for tables. Values of a table share it.
    pub source: Rc<str>,
    /// Lower and upper end of the interval of a number in its sources.
    pub interval: Option<[f64; 2]>,
    /// The unit beside the value, if the key has none: its reader declares the valid one.
    pub unit: Option<Box<Written>>,
    /// Whether it is inherited from a table that this one extends.
    pub inherited: bool,
    /// Whether its key was requested.
    pub asked: Cell<bool>,
    /// Whether it was read.
    pub read: Cell<bool>,
    pub content: Content,
}

/// A unit as written.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    text: String,
    /// Whether it was checked.
    judged: Cell<bool>,
}

impl Written {
    /// Returns a unit, unless it is empty.
    pub fn new(text: &str) -> Option<Box<Self>> {
        (!text.is_empty()).then(|| Box::new(Self { text: text.to_owned(), judged: Cell::new(false) }))
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    Value(Scalar),
    List(Vec<Node>),
    Table(Table),
}

/// A value as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Switch(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    Date(String),
    /// No value; the problem is already recorded.
    Bad,
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Switch(b) => write!(f, "{b}"),
            Scalar::Integer(i) => write!(f, "{i}"),
            Scalar::Number(n) => write!(f, "{n}"),
            Scalar::Text(t) | Scalar::Date(t) => write!(f, "{t}"),
            Scalar::Bad => Ok(()),
        }
    }
}

impl Node {
    pub fn new(place: Place, source: Rc<str>, content: Content) -> Self {
        Self {
            place,
            source,
            interval: None,
            unit: None,
            inherited: false,
            asked: Cell::new(false),
            read: Cell::new(false),
            content,
        }
    }

    pub fn table(&self) -> Option<&Table> {
        match &self.content {
            Content::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Returns whether `--set` set it.
    pub fn is_set(&self) -> bool {
        matches!(self.place, Place::Set(_))
    }

    /// Marks this and everything below as not to be read, which is no error in a file.
    pub fn leave(&self) {
        if let Place::File { .. } = self.place {
            self.read.set(true);
        }
        match &self.content {
            Content::Value(_) => {}
            Content::List(items) => items.iter().for_each(Node::leave),
            Content::Table(table) => {
                for (_, node) in table.iter() {
                    node.asked.set(true);
                    node.leave();
                }
            }
        }
    }

    /// Marks this and everything below as not to be reported.
    pub fn pass_over(&self) {
        self.read.set(true);
        self.written_unit();
        match &self.content {
            Content::Value(_) => {}
            Content::List(items) => items.iter().for_each(Node::pass_over),
            Content::Table(table) => table.iter().for_each(|(_, node)| node.pass_over()),
        }
    }

    /// Returns the unit beside the value, and marks it as checked.
    pub fn written_unit(&self) -> Option<&str> {
        let unit = self.unit.as_ref()?;
        unit.judged.set(true);
        Some(&unit.text)
    }

    /// Returns the unit beside the value, if it was not checked.
    pub fn unjudged_unit(&self) -> Option<&str> {
        self.unit.as_ref().filter(|unit| !unit.judged.get()).map(|unit| unit.text.as_str())
    }

    /// Merges a later node over this one: tables merge, everything else is replaced as a whole.
    pub fn lay_over(&mut self, over: Node) {
        match (&mut self.content, over) {
            (Content::Table(base), Node { content: Content::Table(later), place, inherited, .. }) => {
                // An override adds to a table, but the table's location is still its file.
                if let Place::File { .. } = place {
                    self.place = place;
                }
                self.inherited = inherited;
                base.lay_all_over(later);
            }
            (_, over) => {
                let asked = self.asked.take();
                *self = over;
                self.asked.set(asked);
            }
        }
    }

    /// Marks this and everything below as inherited.
    pub fn inherit(&mut self) {
        self.inherited = true;
        match &mut self.content {
            Content::Value(_) => {}
            Content::List(items) => items.iter_mut().for_each(Node::inherit),
            Content::Table(table) => table.entries.iter_mut().for_each(|(_, node)| node.inherit()),
        }
    }
}

/// Up to this number of keys a linear search is as fast: most tables have no more, and a net has a table for
/// every arc.
const FEW: usize = 8;
/// No key contains it.
const END: &str = "\0";

/// Keys in the order in which they were first written, bases first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    entries: Vec<(String, Node)>,
    /// The position of each key, in tables of more than [`FEW`].
    index: BTreeMap<String, usize>,
    /// Keys that were requested and do not exist, once per request and each followed by [`END`]: most tables
    /// have many, and they are needed only if another key is misspelt.
    missed: RefCell<String>,
}

impl Table {
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.entries.iter().map(|(key, node)| (key.as_str(), node))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Node)> {
        self.entries.iter_mut().map(|(key, node)| (key.as_str(), node))
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| key.as_str())
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn position(&self, key: &str) -> Option<usize> {
        match self.entries.len() {
            ..=FEW => self.entries.iter().position(|(known, _)| known == key),
            _ => self.index.get(key).copied(),
        }
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.position(key).map(|at| &self.entries[at].1)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.position(key).map(|at| &mut self.entries[at].1)
    }

    /// Returns the node of a requested key.
    pub fn ask(&self, key: &str) -> Option<&Node> {
        let node = self.get(key);
        match node {
            Some(node) => node.asked.set(true),
            None => self.missed.borrow_mut().extend([key, END]),
        }
        node
    }

    /// Returns the requested keys, existing or not, in alphabetical order.
    pub fn asked(&self) -> BTreeSet<String> {
        let there = self.iter().filter(|(_, node)| node.asked.get()).map(|(key, _)| key.to_owned());
        there.chain(self.missed.borrow().split_terminator(END).map(str::to_owned)).collect()
    }

    /// Returns the node of a key; creates it if it does not exist.
    pub fn get_or_insert(&mut self, key: &str, node: impl FnOnce() -> Node) -> &mut Node {
        let at = self.position(key).unwrap_or_else(|| {
            self.push(key.to_owned(), node());
            self.entries.len() - 1
        });
        &mut self.entries[at].1
    }

    pub fn lay_over(&mut self, key: String, node: Node) {
        match self.get_mut(&key) {
            Some(base) => base.lay_over(node),
            None => self.push(key, node),
        }
    }

    /// Adds a key that does not exist.
    fn push(&mut self, key: String, node: Node) {
        self.entries.push((key, node));
        self.index_from(if self.entries.len() == FEW + 1 { 0 } else { self.entries.len() - 1 });
    }

    fn lay_all_over(&mut self, later: Table) {
        if self.is_empty() {
            (self.entries, self.index) = (later.entries, later.index);
            return;
        }
        for (key, node) in later.entries {
            self.lay_over(key, node);
        }
    }

    /// As [`Table::lay_over`], but `--set` values stay.
    pub fn lay_under_sets(&mut self, key: String, node: Node) {
        match self.get_mut(&key) {
            Some(Node { content: Content::Table(base), .. }) if node.table().is_some() => {
                let Content::Table(later) = node.content else { return };
                for (key, node) in later.entries {
                    base.lay_under_sets(key, node);
                }
            }
            Some(base) if matches!(base.place, Place::Set(_)) => {}
            _ => self.lay_over(key, node),
        }
    }

    /// Returns all keys with their nodes.
    pub fn into_entries(self) -> Vec<(String, Node)> {
        self.entries
    }

    pub fn remove(&mut self, key: &str) -> Option<Node> {
        let removed = self.entries.remove(self.position(key)?).1;
        self.index.clear();
        self.index_from(0);
        Some(removed)
    }

    /// Records the positions of keys from one on, if there are more than a few.
    fn index_from(&mut self, first: usize) {
        if self.entries.len() > FEW {
            let from = self.entries.iter().enumerate().skip(first);
            self.index.extend(from.map(|(at, (key, _))| (key.clone(), at)));
        }
    }
}
