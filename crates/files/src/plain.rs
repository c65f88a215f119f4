//! Files that are no presets, but have a shape of their own: nets, contents of maps.

use linecard_config::{Document, Request};
use std::cell::Cell;

/// Such a file, by its name for messages.
pub fn plain(name: &str, text: String) -> Document {
    let text = Cell::new(text);
    let finder = |name: &str| Ok((name.to_owned(), text.take()));
    Request { plain: true, ..Request::of(name, &finder) }.read()
}
