//! A request to read a file: the file, and the rules for reading it.

use crate::chain::{Finder, Rules, read_chain};
use crate::document::Document;
use crate::place::Places;
use crate::problem::Log;
use crate::tree::{Content, Node, Table};
use crate::under::Under;
use crate::{components, overrides};

/// A file with everything that it extends, and changes to it. Defaults are those of [`Request::of`].
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The name of the file, for the finder.
    pub name: &'a str,
    /// Finds files.
    pub finder: Finder<'a>,
    /// A table that extends another file.
    pub under: Option<Under<'a>>,
    /// Changes such as `clock.engines_mhz=200`.
    pub overrides: &'a [String],
    /// Selects the changes for this document, if they are for several.
    pub takes: &'a dyn Fn(&str) -> bool,
    /// Tables whose components a change may name without them, if the name is unique: `input.engines=2`.
    pub components: &'a [&'a str],
    /// Lists of tables at the top of a file in which a row replaces the row with the same `name` in a base, or
    /// is appended, if a row has a name. Any other list replaces the whole list.
    pub named_rows: &'a [&'a str],
    /// Whether a file may have no title.
    pub untitled: bool,
    /// Whether every key belongs to the reader: no titles, bases, sources or values in tables of their own, and
    /// no rows.
    pub plain: bool,
    /// Whether rows have no more than their keys, values and intervals: all that a run needs.
    pub brief: bool,
}

impl<'a> Request<'a> {
    /// Returns a request for a file without changes.
    pub fn of(name: &'a str, finder: Finder<'a>) -> Self {
        Self {
            name,
            finder,
            under: None,
            overrides: &[],
            takes: &|_| true,
            components: &[],
            named_rows: &[],
            untitled: false,
            plain: false,
            brief: false,
        }
    }

    /// Reads it. [`Document::finish`] returns the problems.
    pub fn read(self) -> Document {
        let Request { finder, named_rows, untitled, plain, .. } = self;
        let rules = Rules { finder, named_rows, untitled, plain };
        let (mut places, log) = (Places::default(), Log::default());
        let mut chain = read_chain(self.name, rules, &mut places, &log);
        if let (Some(under), Content::Table(root)) = (self.under, &mut chain.root.content) {
            let file = read_chain(under.file, rules, &mut places, &log);
            chain.broken |= file.broken;
            under.lay(root, file);
        }
        let kinds = self.components;
        let named = |kind: &&str| chain.root.table().and_then(|root| root.get(kind)).and_then(Node::table);
        let names = kinds.iter().filter_map(named).flat_map(Table::keys).map(str::to_owned).collect();
        let typed = overrides::apply(&mut chain.root, self.overrides, self.takes, kinds, &log);
        // Components are resolved after the overrides: a component inherits a value that is set in its base.
        if !plain {
            components::resolve(&mut chain.root, &log);
        }
        Document::new(chain, places, log, typed, names, (!plain).then_some(self.brief))
    }
}
