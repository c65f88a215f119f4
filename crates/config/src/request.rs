//! What is to be read, and by which rules.

use crate::chain::{Finder, Rules, read_chain};
use crate::document::Document;
use crate::place::Places;
use crate::problem::Log;
use crate::tree::{Content, Node, Table};
use crate::under::Under;
use crate::{components, overrides};

/// A file with all that it extends, and changes to it. What is not said is as [`Request::of`] has it.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The file, as the finder takes it.
    pub name: &'a str,
    /// Finds files.
    pub finder: Finder<'a>,
    /// A table that begins with another file.
    pub under: Option<Under<'a>>,
    /// Changes such as `clock.engines_mhz=200`.
    pub overrides: &'a [String],
    /// Which keys of the changes are for this document, where they are for several.
    pub takes: &'a dyn Fn(&str) -> bool,
    /// Tables whose components a change may name without them, if the name is unique: `input.engines=2`.
    pub components: &'a [&'a str],
    /// Lists of tables at the top of a file in which a row takes the place of the row with the same `name` in a base, or
    /// stands behind them, if a row has a name; any other list takes the place of the whole list.
    pub named_rows: &'a [&'a str],
    /// Whether a file may do without a title.
    pub untitled: bool,
    /// Whether every key is the reader's: no titles, bases, sources or values in tables of their own, and no rows.
    pub plain: bool,
}

impl<'a> Request<'a> {
    /// A file as it is.
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
        }
    }

    /// Reads it. What is wrong comes out of [`Document::finish`].
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
        // After the changes: who extends a component has what was set there.
        if !plain {
            components::resolve(&mut chain.root, &log);
        }
        Document::new(chain, places, log, typed, names, plain)
    }
}
