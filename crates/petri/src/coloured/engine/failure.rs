//! Errors inside a firing.

use super::super::fault::Fault;

/// A failure inside a firing.
pub(super) struct Failure {
    pub transition: u32,
    pub what: &'static str,
    pub place: Option<u32>,
    pub fault: Fault,
}

pub(super) type Done<T> = Result<T, Box<Failure>>;

/// Why a run ended before its time.
pub(super) enum Ended {
    Failed(Box<Failure>),
    Interrupted,
}

impl From<Box<Failure>> for Ended {
    fn from(failure: Box<Failure>) -> Self {
        Self::Failed(failure)
    }
}

#[cold]
pub(super) fn guard_failed(transition: u32, fault: Fault) -> Box<Failure> {
    Box::new(Failure { transition, what: "the guard", place: None, fault })
}

/// A number of tokens.
#[inline]
pub(super) fn as_weight(weight: i64) -> Result<u32, Fault> {
    u32::try_from(weight).map_err(|_| Fault::NoWeight(weight))
}
