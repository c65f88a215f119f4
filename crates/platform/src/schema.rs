//! What values may be, and the nearest of some names.

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A whole number in a range.
    Integer {
        /// Least.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// `true` or `false`.
    Switch,
    /// One of some names.
    Choice(&'static [&'static str]),
}

impl Kind {
    /// What the user should write.
    pub fn expected(self) -> String {
        match self {
            Kind::Integer { min, max } if max == u64::MAX => format!("a whole number from {min}"),
            Kind::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Switch => "true or false".to_owned(),
            Kind::Choice(names) => format!("one of {}", names.join(", ")),
        }
    }
}
