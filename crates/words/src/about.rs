//! The subject of an error, separate from the problem.

/// An error with separate parts: its text is `about: sentence`, and no caller has to split it.
pub trait About {
    /// Returns the subject: a parameter, a setting, a file.
    fn about(&self) -> &str;

    /// Returns the problem: the found value and the expected value.
    fn sentence(&self) -> String;
}
