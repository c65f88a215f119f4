//! Converts Rust errors to Python exceptions. The classes of the exceptions are defined in `linecard.errors`.

use crate::plain;
use linecard_flowcache::FlowCacheError;
use linecard_platform::{ConfigProblem, Error, InputError};
use linecard_queueing::QueueingError;
use linecard_traffic::TrafficError;
use linecard_words::About;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

mod python {
    pyo3::import_exception!(linecard.errors, ConfigError);
    pyo3::import_exception!(linecard.errors, RunError);
    pyo3::import_exception!(linecard.errors, TrafficError);
}

/// Converts an error of the platform to the exception that Python raises.
pub fn platform(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Config { problems } => Python::attach(|py| match plain::to_python(py, &problems) {
            Ok(problems) => python::ConfigError::new_err((message, problems.unbind())),
            Err(error) => error,
        }),
        Error::Traffic(_) => python::TrafficError::new_err(message),
        Error::Run(_) => python::RunError::new_err(message),
        Error::Interrupted => PyKeyboardInterrupt::new_err(message),
    }
}

/// Converts an error of a capture or of a link profile to the exception that Python raises.
pub fn input(error: InputError) -> PyErr {
    platform(error.into())
}

/// Converts an error in the parameters of a generator to the exception that Python raises.
pub fn parameter(error: TrafficError) -> PyErr {
    match error {
        TrafficError::BadParameter(wrong) => config(&[wrong]),
        error => python::ConfigError::new_err(error.to_string()),
    }
}

/// Returns the exception for a value of a request that has the wrong type.
pub fn request(key: String, message: String) -> PyErr {
    platform(Error::Config { problems: vec![ConfigProblem { place: key, key: String::new(), message }] })
}

/// The reason why a simulation of flow caches returned no rows.
#[derive(Debug)]
pub enum FlowCacheFailure {
    /// What is wrong with the request, everything at once.
    Request(Vec<FlowCacheError>),
    /// The file cannot be read.
    Traffic(InputError),
    /// The contents of the input cannot be used.
    Input {
        /// The file, or a word for an input that is not a file.
        name: String,
        /// Why.
        problem: FlowCacheError,
    },
    /// Somebody stopped it.
    Stopped,
}

impl From<InputError> for FlowCacheFailure {
    fn from(error: InputError) -> Self {
        Self::Traffic(error)
    }
}

impl From<TrafficError> for FlowCacheFailure {
    fn from(error: TrafficError) -> Self {
        Self::Traffic(error.into())
    }
}

/// Converts an error of a flow cache to the exception that Python raises.
pub fn flowcache(failure: FlowCacheFailure) -> PyErr {
    match failure {
        FlowCacheFailure::Request(problems) => config(&problems),
        FlowCacheFailure::Traffic(InputError::Capture(error @ TrafficError::UnknownFormat { .. })) => {
            python::TrafficError::new_err(format!("{error}; for a file of digests, set the format u32le"))
        }
        FlowCacheFailure::Traffic(error) => input(error),
        FlowCacheFailure::Input { name, problem } => {
            python::TrafficError::new_err(format!("{name}: {problem}"))
        }
        FlowCacheFailure::Stopped => PyKeyboardInterrupt::new_err("interrupted"),
    }
}

/// The reason why no queue manager was simulated.
#[derive(Debug)]
pub enum QueueingFailure {
    /// The machine cannot be read, or a manager is unknown.
    Machine(Error),
    /// What is wrong with the request, everything at once.
    Request(Vec<QueueingError>),
    /// The capture cannot be read.
    Traffic(InputError),
    /// No packet of the capture has a flow.
    NoFlow {
        /// The capture.
        name: String,
        /// Packets in it.
        packets: u64,
    },
    /// Somebody stopped it.
    Stopped,
}

impl From<Error> for QueueingFailure {
    fn from(error: Error) -> Self {
        Self::Machine(error)
    }
}

impl From<QueueingError> for QueueingFailure {
    fn from(error: QueueingError) -> Self {
        Self::Request(vec![error])
    }
}

impl From<InputError> for QueueingFailure {
    fn from(error: InputError) -> Self {
        Self::Traffic(error)
    }
}

/// Converts an error of a queue manager to the exception that Python raises.
pub fn queueing(failure: QueueingFailure) -> PyErr {
    match failure {
        QueueingFailure::Machine(error) => platform(error),
        QueueingFailure::Request(problems) => match &problems[..] {
            [defect @ (QueueingError::Corrupt { .. } | QueueingError::Deadlock { .. })] => {
                python::RunError::new_err(defect.to_string())
            }
            problems => config(problems),
        },
        QueueingFailure::Traffic(error) => input(error),
        QueueingFailure::NoFlow { name, packets } => python::TrafficError::new_err(format!(
            "{name}: none of the {packets} packets belongs to an IP flow, but a hash of the five-tuple selects \
             the queue of each packet"
        )),
        QueueingFailure::Stopped => PyKeyboardInterrupt::new_err("interrupted"),
    }
}

/// Returns the exception for the problems of a request.
fn config(problems: &[impl About + ToString]) -> PyErr {
    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let plain: Vec<ConfigProblem> = problems.iter().map(problem).collect();
    Python::attach(|py| match plain::to_python(py, &plain) {
        Ok(problems) => python::ConfigError::new_err((texts.join("\n"), problems.unbind())),
        Err(error) => error,
    })
}

fn problem(problem: &impl About) -> ConfigProblem {
    ConfigProblem { place: String::new(), key: problem.about().to_owned(), message: problem.sentence() }
}
