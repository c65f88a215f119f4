//! The colour of a token: a dot, a whole number, a truth value, a word of an enumeration, or a record of these.
//!
//! Colours are stored flat: a token has one 64-bit word per scalar of its colour.

use std::fmt::Write as _;
use std::sync::Arc;

/// The colour set of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Tokens without colour.
    Dot,
    /// Whole numbers.
    Int {
        /// The least.
        low: i64,
        /// The greatest.
        high: i64,
    },
    /// False and true.
    Bool,
    /// One of these words; stored as its number.
    Enum(Arc<[String]>),
    /// Named parts, in the order of their names; made by [`Colour::record`].
    Record(Arc<[(String, Colour)]>),
}

impl Colour {
    /// Any whole number of 64 bits.
    pub const ANY_INT: Self = Self::Int { low: i64::MIN, high: i64::MAX };

    /// A record of named parts.
    #[must_use]
    pub fn record(mut fields: Vec<(String, Colour)>) -> Self {
        fields.sort_by(|(a, _), (b, _)| a.cmp(b));
        Self::Record(fields.into())
    }

    /// Returns the words of a token.
    #[must_use]
    pub fn width(&self) -> usize {
        match self {
            Self::Dot => 0,
            Self::Record(fields) => fields.iter().map(|(_, colour)| colour.width()).sum(),
            _ => 1,
        }
    }

    /// Returns the least and greatest value of each word.
    #[must_use]
    pub fn ranges(&self) -> Vec<(i64, i64)> {
        match self {
            Self::Dot => Vec::new(),
            Self::Int { low, high } => vec![(*low, *high)],
            Self::Bool => vec![(0, 1)],
            Self::Enum(words) => vec![(0, words.len() as i64 - 1)],
            Self::Record(fields) => fields.iter().flat_map(|(_, colour)| colour.ranges()).collect(),
        }
    }

    /// Returns the number of different colours; `None` if they are too many to count.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.ranges().iter().try_fold(1u64, |size, &(low, high)| {
            let span = high.checked_sub(low)?.checked_add(1)?;
            size.checked_mul(u64::try_from(span).ok()?)
        })
    }

    /// Returns the first word of a field, and its colour.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<(usize, &Colour)> {
        let Self::Record(fields) = self else { return None };
        let mut first = 0;
        for (field, colour) in fields.iter() {
            if field == name {
                return Some((first, colour));
            }
            first += colour.width();
        }
        None
    }

    /// Returns a token as the text of an expression.
    #[must_use]
    pub fn text(&self, words: &[i64]) -> String {
        let mut text = String::new();
        self.write(words, &mut text);
        text
    }

    fn write(&self, words: &[i64], text: &mut String) {
        // Writing into a string does not fail.
        let _ = match self {
            Self::Dot => write!(text, "dot"),
            Self::Int { .. } => write!(text, "{}", words[0]),
            Self::Bool => write!(text, "{}", words[0] != 0),
            Self::Enum(names) => match usize::try_from(words[0]).ok().and_then(|at| names.get(at)) {
                Some(name) => write!(text, "{name}"),
                None => write!(text, "{}", words[0]),
            },
            Self::Record(fields) => {
                text.push('{');
                let mut at = 0;
                for (number, (name, colour)) in fields.iter().enumerate() {
                    if number > 0 {
                        text.push_str(", ");
                    }
                    text.push_str(name);
                    text.push_str(": ");
                    let width = colour.width();
                    colour.write(&words[at..at + width], text);
                    at += width;
                }
                write!(text, "}}")
            }
        };
    }

    /// Describes the expressions of such a token.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Dot => "a dot".to_owned(),
            Self::Int { low: i64::MIN, high: i64::MAX } => "a whole number".to_owned(),
            Self::Int { low, high } => format!("a whole number of {low}..{high}"),
            Self::Bool => "false or true".to_owned(),
            Self::Enum(words) => words.join(" or "),
            Self::Record(fields) => {
                let fields: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                format!("a record of {}", fields.join(", "))
            }
        }
    }

    /// Returns the colour of this number; the last word varies fastest.
    #[must_use]
    pub fn nth(&self, mut number: u64) -> Vec<i64> {
        let ranges = self.ranges();
        let mut words = vec![0; ranges.len()];
        for (word, &(low, high)) in words.iter_mut().zip(&ranges).rev() {
            let span = (high - low + 1) as u64;
            *word = low + (number % span) as i64;
            number /= span;
        }
        words
    }

    /// Returns whether every word is in its range.
    #[must_use]
    pub fn holds(&self, words: &[i64]) -> bool {
        words.iter().zip(self.ranges()).all(|(word, (low, high))| (low..=high).contains(word))
    }

    /// Returns the number of a colour; `None` if a word is out of its range, or there are too many colours to
    /// count.
    #[must_use]
    pub fn number_of(&self, words: &[i64]) -> Option<u64> {
        let mut number = 0u64;
        for (&word, (low, high)) in words.iter().zip(self.ranges()) {
            if word < low || word > high {
                return None;
            }
            let span = u64::try_from(high.checked_sub(low)?.checked_add(1)?).ok()?;
            number = number.checked_mul(span)?.checked_add((word - low) as u64)?;
        }
        Some(number)
    }
}
