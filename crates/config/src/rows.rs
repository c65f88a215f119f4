//! Lists of tables in which a row replaces the row of its name, instead of the whole list replacing another.

use crate::tree::{Content, Node, Scalar, Table};

/// Merges the lists of a later file with those of the same keys in `base`, row by row, so that the later merge
/// keeps rows that the file does not name. A list in which no row has a name replaces the whole list.
pub(crate) fn replace_by_name(base: &mut Table, later: &mut Table, keys: &[&str]) {
    for key in keys {
        let Some(Node { content: Content::List(over), .. }) = later.get_mut(key) else { continue };
        if over.iter().all(|row| name_of(row).is_none()) {
            continue;
        }
        let mut rows = match base.get_mut(key).map(|node| &mut node.content) {
            Some(Content::List(rows)) => std::mem::take(rows),
            _ => Vec::new(),
        };
        for row in over.drain(..) {
            let named = name_of(&row).and_then(|name| rows.iter().position(|r| name_of(r) == Some(name)));
            match named {
                Some(at) => rows[at] = row,
                None => rows.push(row),
            }
        }
        *over = rows;
    }
}

/// Returns the `name` of a row.
pub(crate) fn name_of(row: &Node) -> Option<&str> {
    match &row.table()?.get("name")?.content {
        Content::Value(Scalar::Text(name)) => Some(name),
        _ => None,
    }
}
