//! Lists of tables in which a row takes the place of the row of its name, instead of the whole list that of another.

use crate::tree::{Content, Node, Scalar, Table};

/// Bring the lists of a later file under those of the same keys in `base`, row by row, so that laying the file over the base
/// keeps what it does not name. A list in which no row has a name takes the place of the whole list.
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

/// What the `name` of a row says.
pub(crate) fn name_of(row: &Node) -> Option<&str> {
    match &row.table()?.get("name")?.content {
        Content::Value(Scalar::Text(name)) => Some(name),
        _ => None,
    }
}
