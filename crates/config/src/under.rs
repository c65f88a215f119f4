//! A table that extends another file: the file is the base, the table's own keys override it, and overrides
//! come last.

use crate::chain::Chain;
use crate::tree::{Content, Node, Table};

/// A table and the file that it extends.
#[derive(Clone, Copy, Debug)]
pub struct Under<'a> {
    /// The table, by its key at the top.
    pub key: &'a str,
    /// Name of the file.
    pub file: &'a str,
    /// Keys of the table that only the file may set: those of the table are dropped.
    pub instead_of: &'a [&'a str],
}

impl Under<'_> {
    /// Merges the file's chain under the table.
    pub(crate) fn lay(&self, root: &mut Table, file: Chain) {
        let mut whole = file.root;
        if let Some(Node { content: Content::Table(mut own), place, source, .. }) = root.remove(self.key) {
            self.instead_of.iter().for_each(|key| drop(own.remove(key)));
            whole.lay_over(Node::new(place, source, Content::Table(own)));
        }
        root.lay_over(self.key.to_owned(), whole);
    }
}
