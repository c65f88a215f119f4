//! Finds elements of a document, and reports their errors.

use super::depth;
use crate::PetriError;
use roxmltree::{Document, Node};
use std::ops::ControlFlow;

/// Unfolded transitions, and bindings that are tried, between two calls of the watch.
pub(super) const PARTS_PER_LOOK: u64 = 1 << 12;
/// Called periodically; returns whether to continue.
pub(crate) type Watch<'w> = &'w mut dyn FnMut() -> ControlFlow<()>;

/// An error at an element.
pub(super) fn wrong(node: Node<'_, '_>, found: impl ToString, expected: &str) -> PetriError {
    let line = node.document().text_pos_at(node.range().start).row;
    PetriError::Pnml { line, found: found.to_string(), expected: expected.to_owned() }
}

pub(super) fn children<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    children(node).find(|child| child.tag_name().name() == name)
}

pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, PetriError> {
    node.attribute(name)
        .ok_or_else(|| wrong(node, format!("<{}> without {name}", node.tag_name().name()), "the attribute"))
}

/// The document, if it is not nested so deep that reading it would end the process.
pub(super) fn parse(text: &str) -> Result<Document<'_>, PetriError> {
    depth::check(text)?;
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| PetriError::Pnml {
        line: error.pos().row,
        found: error.to_string(),
        expected: "XML".to_owned(),
    })
}
