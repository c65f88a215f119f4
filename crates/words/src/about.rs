//! What an error is about, apart from what is wrong with it.

/// An error with separate parts: its text is `about: sentence`, and no caller has to split it.
pub trait About {
    /// What it is about: a parameter, a setting, a file.
    fn about(&self) -> &str;

    /// What is wrong with it: what was found and what was expected.
    fn sentence(&self) -> String;
}
