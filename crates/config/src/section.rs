//! A table of the file: its location, its keys, and the tables in it.

use crate::document::Document;
use crate::parse::join;
use crate::place::Place;
use crate::tree::{Content, Node, Scalar, Table};

/// A table that is being read. A requested key may exist; a key that is read has effect.
#[derive(Clone, Debug)]
pub struct Section<'d> {
    pub(crate) document: &'d Document,
    at: At,
    pub(crate) table: &'d Table,
    path: String,
    /// Start of the last part of the path.
    name_at: usize,
}

/// A location, and whether it is inherited from a table that this one extends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    place: Place,
    inherited: bool,
}

impl From<&Node> for At {
    fn from(node: &Node) -> Self {
        At { place: node.place, inherited: node.inherited }
    }
}

impl Document {
    /// Returns the whole file as a table.
    pub fn root(&self) -> Section<'_> {
        let at = At { place: Place::File { file: 0, offset: 0 }, inherited: false };
        Section { document: self, at, table: &self.root, path: String::new(), name_at: 0 }
    }

    /// Returns the table at a path such as `route[0]`.
    pub(crate) fn element(&self, path: &str) -> Option<Section<'_>> {
        let (list, number) = path.strip_suffix(']')?.split_once('[')?;
        let Content::List(items) = &self.root.get(list)?.content else { return None };
        let item = items.get(number.parse::<usize>().ok()?)?;
        Some(self.root().below(item, item.table()?, path.to_owned(), path))
    }
}

impl<'d> Section<'d> {
    fn below(&self, node: &'d Node, table: &'d Table, path: String, name: &str) -> Self {
        let name_at = path.len() - name.len();
        Self { document: self.document, at: node.into(), table, path, name_at }
    }

    /// Returns the dotted path such as `memory.sram` or `route[0]`; empty for the whole file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the last part of the path.
    pub fn name(&self) -> &str {
        &self.path[self.name_at..]
    }

    /// Returns `file:line` of the table's header.
    pub fn place(&self) -> String {
        self.document.places.show(self.at.place)
    }

    /// Returns `file:line` of a value, or of the table if it does not exist.
    pub fn place_of(&self, key: &str) -> String {
        self.document.places.show(self.at(key).place)
    }

    /// Returns the source of a value; empty if it does not exist.
    pub fn source_of(&self, key: &str) -> &'d str {
        self.table.get(key).map_or("", |node| &*node.source)
    }

    fn at(&self, key: &str) -> At {
        self.table.get(key).map_or(self.at, At::from)
    }

    /// Returns the path of a key of this table.
    pub(crate) fn path_of(&self, key: &str) -> String {
        join(&self.path, key)
    }

    /// Returns whether a key exists. It counts as requested, not as read.
    pub fn has(&self, key: &str) -> bool {
        self.table.ask(key).is_some()
    }

    /// Returns whether `--set` sets a key. It counts as neither requested nor read.
    pub fn is_set(&self, key: &str) -> bool {
        self.table.get(key).is_some_and(Node::is_set)
    }

    /// Adds the problem that a key is missing, unless a missing or unreadable file may contain it.
    pub fn missing(&self, key: &str, expected: &str) {
        self.lacks(key, &format!("expected {expected}"));
    }

    /// As `missing`, with a separate text: its purpose, or what to do.
    pub fn lacks(&self, key: &str, what: &str) {
        if !self.document.broken {
            self.fail(key, format!("missing: {what}"));
        }
    }

    /// Returns whether a key is a list. It counts as neither requested nor read.
    pub fn is_list(&self, key: &str) -> bool {
        self.items(key).is_some()
    }

    /// Returns the number of items of a key that is a list. It counts as neither requested nor read.
    pub fn items(&self, key: &str) -> Option<usize> {
        match &self.table.get(key)?.content {
            Content::List(items) => Some(items.len()),
            _ => None,
        }
    }

    /// Returns whether a key is a table. It counts as neither requested nor read.
    pub fn is_table(&self, key: &str) -> bool {
        self.table.get(key).is_some_and(|node| node.table().is_some())
    }

    /// Ends the reading of this table: any other key is a problem now, and not only at the end.
    pub fn close(&self) {
        self.document.say_rest(self.table, &self.path);
    }

    /// Returns whether the table has no keys.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Returns the keys in the order of the file, those of bases first. They count as neither requested nor
    /// read.
    pub fn keys(&self) -> Vec<String> {
        self.table.keys().map(str::to_owned).collect()
    }

    /// Adds a problem with a key, or with the table itself if the key is empty.
    pub fn fail(&self, key: &str, message: impl Into<String>) {
        self.fail_at(self.at(key), self.path_of(key), message);
    }

    pub(crate) fn fail_at(&self, at: impl Into<At>, path: String, message: impl Into<String>) {
        let At { place, inherited } = at.into();
        self.document.log.add_inherited(place, inherited, path, message);
    }

    /// Returns whether a switch is on, to determine which other keys will be requested. It counts as neither
    /// requested nor read.
    pub fn says(&self, key: &str, text: &str) -> bool {
        let content = self.table.get(key).map(|node| &node.content);
        matches!(content, Some(Content::Value(Scalar::Text(found))) if found == text)
    }

    /// Returns the node of a key and marks it as read.
    pub(crate) fn take(&self, key: &str) -> Option<&'d Node> {
        let node = self.table.ask(key)?;
        node.read.set(true);
        Some(node)
    }

    /// Keys that other choices leave without effect: a file may contain them, for another choice; with `--set`
    /// they are errors like any unread key.
    pub fn leave(&self, keys: &[&str]) {
        for key in keys {
            if let Some(node) = self.table.ask(key)
                && matches!(node.place, Place::File { .. })
            {
                node.leave();
            }
        }
    }

    /// Keys that another choice leaves without effect in any file: with `--set`, each is a problem that states
    /// the reason.
    pub fn refuse_set<K: AsRef<str>>(&self, keys: &[K], why: &str) {
        for key in keys.iter().map(AsRef::as_ref).filter(|key| self.is_set(key)) {
            self.fail(key, format!("has no effect here: {why}"));
            self.pass_over(&[key]);
        }
    }

    /// Keys that another choice leaves without effect. They may stay in a file, for another choice. With `--set`, each
    /// is a problem that states the reason, unless `--set` also makes the choice, as at a point of a sweep over it.
    pub fn idle(&self, keys: &[&str], choice_is_set: bool, why: &str) {
        if !choice_is_set {
            self.refuse_set(keys, why);
        }
        self.pass_over(keys);
    }

    /// Keys that cannot be judged because of another problem that has been reported: they are not reported.
    pub fn pass_over(&self, keys: &[&str]) {
        for key in keys {
            if let Some(node) = self.table.ask(key) {
                node.pass_over();
            }
        }
    }

    /// Keys without effect for a reason: each unread one is a problem that states it.
    pub fn without_effect(&self, keys: &[&str], why: &str) {
        for key in keys {
            if let Some(node) = self.table.get(key)
                && !node.read.get()
            {
                self.fail(key, format!("has no effect: {why}"));
                node.pass_over();
            }
        }
    }

    /// Returns a table of this one.
    pub fn section(&self, key: &str) -> Option<Section<'d>> {
        let node = self.take(key)?;
        match node.table() {
            Some(table) => Some(self.below(node, table, self.path_of(key), key)),
            None => {
                self.fail(key, "expected a table");
                None
            }
        }
    }

    /// Returns a table of this one that must exist.
    pub fn needed_section(&self, key: &str, meaning: &str) -> Option<Section<'d>> {
        if !self.has(key) {
            self.missing(key, &format!("a table, [{}] ({meaning})", self.path_of(key)));
        }
        self.section(key)
    }

    /// Returns the tables in a table of this one, in the order of the file, those of bases first: `[memory.a]`
    /// and `[memory.b]` are `sections("memory")`.
    pub fn sections(&self, key: &str) -> Vec<Section<'d>> {
        let Some(all) = self.section(key) else { return Vec::new() };
        let below = |(name, node): (&str, &'d Node)| {
            let table = node.table()?;
            node.read.set(true);
            Some(all.below(node, table, all.path_of(name), name))
        };
        all.table.iter().filter_map(below).collect()
    }

    /// Returns the tables of a list: `[[route]]`, or a list of tables in braces.
    pub fn list(&self, key: &str) -> Vec<Section<'d>> {
        let Some(node) = self.take(key) else { return Vec::new() };
        let Content::List(items) = &node.content else {
            self.fail(key, format!("expected a list of tables, written [[{}]]", self.path_of(key)));
            node.pass_over();
            return Vec::new();
        };
        let below = |(number, item): (usize, &'d Node)| {
            let name = format!("{key}[{number}]");
            let path = self.path_of(&name);
            match item.table() {
                Some(table) => {
                    item.read.set(true);
                    Some(self.below(item, table, path, &name))
                }
                None => {
                    self.fail_at(item, path, "expected a table");
                    None
                }
            }
        };
        items.iter().enumerate().filter_map(below).collect()
    }
}
