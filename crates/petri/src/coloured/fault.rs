//! Errors of an expression: when it is read, and when it is evaluated.

/// An error of an expression, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misread {
    pub at: usize,
    pub found: String,
    pub expected: String,
}

impl Misread {
    pub fn new(at: usize, found: impl ToString, expected: impl ToString) -> Self {
        Self { at, found: found.to_string(), expected: expected.to_string() }
    }
}

/// Why an expression has no value under a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    DivisionByZero,
    Overflow,
    EmptyRange,
    /// A value that its place does not take: the word, and the value.
    OutOfRange(u16, i64),
    /// An impossible number of tokens, or time.
    NoWeight(i64),
    NoTime(u64),
    TooManyTokens,
    /// Time does not advance any more.
    Endless,
}

impl Fault {
    pub fn text(self) -> String {
        match self {
            Self::DivisionByZero => "a division by zero".to_owned(),
            Self::Overflow => "a number beyond 64 bits".to_owned(),
            Self::EmptyRange => "random(low, high) with low above high".to_owned(),
            Self::OutOfRange(_, value) => {
                format!("the value {value}, which the colour of the place does not contain")
            }
            Self::NoWeight(weight) => format!("{weight} tokens, expected 0 to 4294967295"),
            Self::NoTime(bits) => {
                format!(
                    "{}, expected a time of at least 0, or a rate or weight above 0",
                    f64::from_bits(bits)
                )
            }
            Self::Endless => "not the last".to_owned(),
            Self::TooManyTokens => "more than 4294967295 tokens in a place".to_owned(),
        }
    }
}
