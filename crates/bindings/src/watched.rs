//! Work of the core on a thread of its own, while Python hears how far it is and may stop it.
//!
//! The thread that called looks for Ctrl-C and calls the progress callback every [`PERIOD`], whatever the work does. Work that
//! does not hear that it is to stop is left to itself after [`PATIENCE`]: it holds nothing of Python, and Ctrl-C is answered.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Time between two visits to Python: short enough for Ctrl-C, long enough to cost nothing.
const PERIOD: Duration = Duration::from_millis(50);
/// Time for work to end by itself when it is to stop.
const PATIENCE: Duration = Duration::from_millis(400);
/// As the main thread has: what reads a file calls itself for what lies within.
const STACK_BYTES: usize = 8 << 20;

thread_local! {
    /// Processor time of all work that this thread has waited for.
    static WORKED: Cell<u64> = const { Cell::new(0) };
}

/// Processor seconds of what the core has done so far for the thread that calls.
#[pyfunction]
pub fn worked_seconds() -> f64 {
    WORKED.get() as f64 / 1e9
}

/// Processor time of the thread that calls.
fn processor_nanoseconds() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What the work and whoever waits for it tell each other.
#[derive(Clone, Default)]
pub struct Ticker(Arc<Told>);

#[derive(Default)]
struct Told {
    stop: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Ticker {
    /// The work is so far; `Break` when it should stop.
    pub fn tick(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.0.done.store(done, Ordering::Relaxed);
        self.0.total.store(total, Ordering::Relaxed);
        match self.0.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Looks for Ctrl-C, and tells the callback how far the work is; the callback, too, may end it.
    fn visit(&self, py: Python<'_>, callback: Option<&Py<PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        let told = (self.0.done.load(Ordering::Relaxed), self.0.total.load(Ordering::Relaxed));
        callback.map_or(Ok(()), |callback| callback.call1(py, told).map(drop))
    }
}

/// Runs work on a thread of its own; what Python raises meanwhile, Ctrl-C included, ends it.
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
