//! Runs work of the core on a separate thread; Python receives the progress and can stop the work.
//!
//! The calling thread checks for Ctrl-C and calls the progress callback every [`PERIOD`], regardless of the work. If
//! the work does not react to a stop within [`PATIENCE`], the calling thread returns without it: the work holds no
//! Python objects.

use crate::{errors, plain};
use linecard_platform::Error;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use serde::Serialize;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Time between two checks in Python: short enough for Ctrl-C, and long enough to have no measurable cost.
const PERIOD: Duration = Duration::from_millis(50);
/// Time in which stopped work must end by itself.
const PATIENCE: Duration = Duration::from_millis(400);
/// Stack size, as large as that of the main thread, because readers of nested files are recursive.
const STACK_BYTES: usize = 8 << 20;

thread_local! {
    /// Processor time of all work for which this thread has waited.
    static WORKED: Cell<u64> = const { Cell::new(0) };
}

/// Returns the processor time, in seconds, of all work that the core has done for the calling thread.
#[pyfunction]
pub fn worked_seconds() -> f64 {
    WORKED.get() as f64 / 1e9
}

/// Returns the processor time of the calling thread.
fn processor_nanoseconds() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The channel between the work and the thread that waits for it.
#[derive(Clone, Default)]
pub struct Ticker(Arc<Told>);

#[derive(Default)]
struct Told {
    stop: AtomicBool,
    /// Whether the work has reported its progress; until then, its total is unknown.
    reported: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Ticker {
    /// Reports the progress of the work; returns `Break` if the work should stop.
    pub fn tick(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.0.done.store(done, Ordering::Relaxed);
        self.0.total.store(total, Ordering::Relaxed);
        self.0.reported.store(true, Ordering::Relaxed);
        match self.0.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Checks for Ctrl-C and passes the progress to the callback, which can also stop the work.
    fn visit(&self, py: Python<'_>, callback: Option<&Py<PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        let (done, total) = (self.0.done.load(Ordering::Relaxed), self.0.total.load(Ordering::Relaxed));
        let reported = self.0.reported.load(Ordering::Relaxed);
        callback.filter(|_| reported).map_or(Ok(()), |callback| callback.call1(py, (done, total)).map(drop))
    }
}

/// Runs work on a separate thread; an exception that Python raises meanwhile, such as Ctrl-C, stops the work.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Ticker) -> T + Send + 'static,
) -> PyResult<T> {
    let ticker = Ticker::default();
    let (send, mut receive) = mpsc::channel();
    let its = ticker.clone();
    let thread = Builder::new()
        .name("linecard".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let result = work(&its);
            // If the caller no longer waits, nothing receives the result.
            let _ = send.send((result, processor_nanoseconds()));
        })
        .map_err(|error| PyOSError::new_err(format!("cannot start a thread: {error}")))?;
    loop {
        let receive = &mut receive;
        match py.detach(move || receive.recv_timeout(PERIOD)) {
            Ok((result, nanoseconds)) => {
                WORKED.set(WORKED.get() + nanoseconds);
                return Ok(result);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(raised) = ticker.visit(py, progress.as_ref()) {
            ticker.0.stop.store(true, Ordering::Relaxed);
            let end = Instant::now() + PATIENCE;
            py.detach(|| {
                while !thread.is_finished() && Instant::now() < end {
                    std::thread::sleep(Duration::from_millis(2));
                }
            });
            return Err(raised);
        }
    }
    // The thread ended without a result.
    match thread.join() {
        Err(panic) => std::panic::resume_unwind(panic),
        Ok(()) => unreachable!("work that ends sends its result"),
    }
}

/// As [`watched`], for work of the platform; returns its result as plain data.
pub fn answered<'py, T: Serialize + Send + 'static>(
    py: Python<'py>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Ticker) -> Result<T, Error> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    plain::to_python(py, &watched(py, progress, work)?.map_err(errors::platform)?)
}
