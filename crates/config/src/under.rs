//! A table that begins with what another file says: what the table says itself is laid over that, and overrides over both.

use crate::chain::Chain;
use crate::tree::{Content, Node, Table};

/// Which table begins with which file.
#[derive(Clone, Copy, Debug)]
pub struct Under<'a> {
    /// The table, by its key at the top.
    pub key: &'a str,
    /// Name of the file.
    pub file: &'a str,
    /// Keys of the table that the file speaks for alone: what the table says there is dropped.
    pub instead_of: &'a [&'a str],
}

impl Under<'_> {
    /// Lays the file's chain under the table.
    pub(crate) fn lay(&self, root: &mut Table, file: Chain) {
        let mut whole = file.root;
        if let Some(Node { content: Content::Table(mut own), place, source, .. }) = root.remove(self.key) {
            self.instead_of.iter().for_each(|key| drop(own.remove(key)));
            whole.lay_over(Node::new(place, source, Content::Table(own)));
        }
        root.lay_over(self.key.to_owned(), whole);
    }
}
