//! No panic reaches a user of Python: every function of the module is wrapped by `linecard._guard`, which turns one into an
//! `InternalError`. Where it happened is noted here, and nothing is printed.

use pyo3::panic::PanicException;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Where the last panic was, of whichever thread.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// Wraps every function that the module has by now.
pub fn all_of(module: &Bound<'_, PyModule>) -> PyResult<()> {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }));
    #[cfg(debug_assertions)]
    module.add_function(wrap_pyfunction!(defect, module)?)?;
    let py = module.py();
    let guarded = py.import("linecard._guard")?.getattr("guarded")?;
    let place = wrap_pyfunction!(panicked_at, module)?;
    let panic = py.get_type::<PanicException>();
    for name in module.index()? {
        let name = name.extract::<String>()?;
        let function = module.getattr(&name)?;
        module.setattr(&name, guarded.call1((function, &panic, &place))?)?;
    }
    Ok(())
}

/// Where the last panic was, as file, line and column.
#[pyfunction]
fn panicked_at() -> String {
    PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Panics in work on a thread of its own, as a defect of the core would: what tests provoke to see the whole way of one.
/// Only an extension with its checks on has it.
#[cfg(debug_assertions)]
#[pyfunction(name = "_defect")]
fn defect(py: Python<'_>, message: String) -> PyResult<()> {
    crate::watched::watched(py, None, move |_| panic!("{message}"))
}
