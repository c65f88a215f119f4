//! Files that are not presets but have a separate structure: nets, contents of maps.

use linecard_config::{Document, Request};
use std::cell::Cell;

/// Returns such a file, with its name for messages.
pub fn plain(name: &str, text: String) -> Document {
    let text = Cell::new(text);
    let finder = |name: &str| Ok((name.to_owned(), text.take()));
    Request { plain: true, ..Request::of(name, &finder) }.read()
}
