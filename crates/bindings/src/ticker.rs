//! Progress out, Ctrl-C in: what happens now and then during a long call that runs without the GIL.

use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Time between two visits to Python: short enough for Ctrl-C, long enough to cost nothing.
pub const PERIOD: Duration = Duration::from_millis(50);

/// Calls Python's progress callback and looks for pending signals, at most once per [`PERIOD`].
pub struct Ticker {
    callback: Option<Py<PyAny>>,
    next: Instant,
    error: Option<PyErr>,
}

impl Ticker {
    /// A ticker that reports to `callback(done, total)`.
    pub fn new(callback: Option<Py<PyAny>>) -> Self {
        Self { callback, next: Instant::now() + PERIOD, error: None }
    }

    /// Reports progress when it is time; `Break` when the work should stop.
    pub fn tick(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        let now = Instant::now();
        if now < self.next {
            return ControlFlow::Continue(());
        }
        let visit = Python::attach(|py| {
            py.check_signals()?;
            self.callback.as_ref().map_or(Ok(()), |callback| callback.call1(py, (done, total)).map(drop))
        });
        self.next = Instant::now() + PERIOD;
        match visit {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// What the callback raised, if anything.
    pub fn into_error(self) -> Option<PyErr> {
        self.error
    }
}
