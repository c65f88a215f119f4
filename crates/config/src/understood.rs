//! Values in a language of their reader's, such as formulas and lists of bits.

use crate::section::Section;
use crate::shown::Shown;
use crate::take::{Absent, Taking};
use crate::tree::Scalar;
use crate::units::Measure;

impl Section<'_> {
    /// What the reader makes of a text if it is there; a number is read as the text that it is written as. `understand` says
    /// what was found where it can make nothing of it.
    pub fn understood_if<T>(
        &self,
        key: &str,
        allowed: &str,
        meaning: &str,
        understand: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let taking = Taking {
            key,
            meaning,
            allowed: &|| allowed.to_owned(),
            measure: Measure::NONE,
            absent: Absent::Nothing,
        };
        let understand = |value: &Scalar| match value {
            Scalar::Text(_) | Scalar::Integer(_) | Scalar::Number(_) => {
                let text = value.to_string();
                understand(&text).map(|understood| (understood, text))
            }
            _ => Err(format!("found `{value}`")),
        };
        let read = self.value(taking, understand, |(_, text)| Shown::Text(text.clone()));
        read.map(|(understood, _)| understood)
    }
}
