//! Values in a language of their reader, such as formulas and lists of bits.

use crate::declaration::Allowed;
use crate::section::Section;
use crate::shown::Shown;
use crate::take::{Absent, Taking};
use crate::tree::{Content, Node, Scalar};
use crate::units::Measure;

impl Section<'_> {
    /// Returns the reader's interpretation of a text, if it exists; a number is read as its text. `understand`
    /// returns what was found if the text is invalid.
    pub fn understood_if<T>(
        &self,
        key: &str,
        allowed: &str,
        meaning: &str,
        understand: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        self.understood_as(key, Absent::Nothing, allowed, meaning, understand, |text| {
            Shown::Text(text.to_owned())
        })
    }

    /// As `understood_if`, for a number or a text that has a default, which is stated with its text.
    pub fn understood_or<T>(
        &self,
        key: &str,
        default: (T, &str),
        allowed: &str,
        meaning: &str,
        understand: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let absent = Absent::Default((default.0, default.1.to_owned()));
        let shown = |text: &str| text.parse().map_or_else(|_| Shown::Text(text.to_owned()), Shown::Whole);
        self.understood_as(key, absent, allowed, meaning, understand, shown)
    }

    fn understood_as<T>(
        &self,
        key: &str,
        absent: Absent<(T, String)>,
        allowed: &str,
        meaning: &str,
        understand: impl Fn(&str) -> Result<T, String>,
        shown: impl Fn(&str) -> Shown,
    ) -> Option<T> {
        let taking =
            Taking { key, meaning, allowed: &|| Allowed::other(allowed), measure: Measure::NONE, absent };
        let understand = |value: &Scalar| match value {
            Scalar::Text(_) | Scalar::Integer(_) | Scalar::Number(_) => {
                let text = value.to_string();
                understand(&text).map(|understood| (understood, text))
            }
            _ => Err(format!("found `{value}`")),
        };
        let read = self.value(taking, understand, |(_, text)| shown(text));
        read.map(|(understood, _)| understood)
    }

    /// Returns the reader's interpretation of a value of any type, if it exists; `understand` may reject it.
    pub fn any_if<T>(
        &self,
        key: &str,
        allowed: &str,
        meaning: &str,
        understand: impl Fn(&Shown) -> Option<T>,
    ) -> Option<T> {
        let taking = Taking {
            key,
            meaning,
            allowed: &|| Allowed::other(allowed),
            measure: Measure::NONE,
            absent: Absent::<T>::Nothing,
        };
        let node = self.take(key);
        self.declare(&taking, |_| Shown::Switch(false), node.and_then(shown));
        let node = node?;
        if let Some((understood, shown)) = shown(node).and_then(|shown| Some((understand(&shown)?, shown))) {
            self.note(&taking, shown, Some(node));
            return Some(understood);
        }
        let found = match &node.content {
            Content::Value(Scalar::Bad) => return None,
            Content::Value(value) => format!("found `{value}`"),
            Content::List(_) => "found a list".to_owned(),
            Content::Table(_) => "found a table".to_owned(),
        };
        self.wrong(&taking, node, self.path_of(key), &found);
        None
    }
}

/// Returns a value with its type, or a list of values; `None` for tables, dates, and invalid values.
fn shown(node: &Node) -> Option<Shown> {
    Some(match &node.content {
        Content::Value(Scalar::Bad | Scalar::Date(_)) | Content::Table(_) => return None,
        Content::Value(Scalar::Switch(on)) => Shown::Switch(*on),
        Content::Value(Scalar::Integer(whole)) => Shown::Whole(*whole),
        Content::Value(Scalar::Number(real)) => Shown::Real(*real),
        Content::Value(Scalar::Text(text)) => Shown::Text(text.clone()),
        Content::List(items) => Shown::List(items.iter().map(shown).collect::<Option<_>>()?),
    })
}
