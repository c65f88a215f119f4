//! The problems of a net, as problems of its file.

use linecard_files::{Error, problem};
use linecard_petri::PetriError;

pub(super) fn one_problem(path: &str, message: String) -> Error {
    Error::Config { problems: vec![problem(path.to_owned(), "", message)] }
}

pub(super) fn petri(path: &str, error: PetriError) -> Error {
    if error == PetriError::Interrupted {
        return Error::Interrupted;
    }
    let (part, said) = in_words(&error);
    Error::Config { problems: vec![problem(path.to_owned(), &part, said)] }
}

/// Returns the name of the part that an error is about, if there is one, and the problem.
pub(super) fn in_words(error: &PetriError) -> (String, String) {
    let called = |part: &str, name: &str| match name {
        "" => String::new(),
        name => format!("{part} {name}"),
    };
    match error {
        PetriError::Part { part, name, found, expected } => {
            (called(part, name), format!("found {found}, expected {expected}"))
        }
        PetriError::Expression { part, name, text, column, found, expected } => {
            let said = format!("in `{text}`, column {column}: found {found}, expected {expected}");
            (called(part, name), said)
        }
        other => (String::new(), other.to_string()),
    }
}

/// Returns the problem of a part; the part is named if it differs from the one that is `called` so.
pub(super) fn sentence(error: &PetriError, called: &str) -> String {
    let (part, said) = in_words(error);
    if part.starts_with(called) || part.is_empty() { said } else { format!("{part}: {said}") }
}
