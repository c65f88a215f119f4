//! `linecard.flows`: statistics of a capture.

use crate::capture::each_packet;
use crate::watched::{Ticker, watched};
use crate::{errors, plain};
use linecard_platform::InputError;
use linecard_traffic::flows::FlowStatisticsBuilder;
use linecard_traffic::{Compression, DamageReport, Diagnostic, FlowStatistics, Severity, TrafficError};
use linecard_words::Mismatch;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::ControlFlow;

/// Counts the packets and flows of a capture; see `linecard.flows`.
#[pyfunction]
#[pyo3(signature = (path, *, packets, strict, most_flows, progress))]
pub fn flows<'py>(
    py: Python<'py>,
    path: String,
    packets: u64,
    strict: bool,
    most_flows: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let outcome =
        watched(py, progress, move |ticker| count_flows(&path, packets, strict, most_flows, ticker))?;
    match outcome.map_err(errors::input)? {
        ControlFlow::Continue(statistics) => plain::to_python(py, &statistics),
        ControlFlow::Break(()) => Err(PyKeyboardInterrupt::new_err("interrupted")),
    }
}

/// Statistics of one capture. The 5-tuple of protocol, addresses and ports identifies a unidirectional flow.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "FlowsReport")]
pub struct CaptureStatistics {
    /// Path of the capture, or name of a link profile.
    file: String,
    /// Format of the capture; `described link` for a link profile.
    format: &'static str,
    /// Compression.
    compression: Compression,
    #[serde(flatten)]
    statistics: FlowStatistics,
    /// Number of findings that indicate damage.
    damaged_records: u64,
    /// Findings in the capture, with file, byte offset and packet number; of each kind, at most the first ten.
    diagnostics: Vec<Diagnostic>,
}

fn count_flows(
    path: &str,
    packets: u64,
    strict: bool,
    most_flows: u64,
    ticker: &Ticker,
) -> Result<ControlFlow<(), CaptureStatistics>, InputError> {
    let mut builder = FlowStatisticsBuilder::default();
    let read = each_packet(path, packets, strict, ticker, |packet| {
        builder.add(packet);
        // Only the table grows with the capture.
        match builder.table().len() as u64 {
            flows if flows > most_flows => Err(InputError::from(TrafficError::BadParameter(Mismatch::new(
                "flows",
                format!("more than {most_flows} in {path}"),
                "fewer flows; if the memory suffices, raise --most-flows. Each flow occupies about 100 bytes, and 220 \
                 bytes while the table grows",
            )))),
            _ => Ok(()),
        }
    })?;
    let ControlFlow::Continue((input, _)) = read else { return Ok(ControlFlow::Break(())) };
    let report = input.report();
    Ok(ControlFlow::Continue(CaptureStatistics {
        file: path.to_owned(),
        format: input.format(),
        compression: input.compression(),
        statistics: builder.finish(report),
        damaged_records: report.map_or(0, |report| report.total(Severity::Damage)),
        diagnostics: report.map_or(&[][..], DamageReport::diagnostics).to_vec(),
    }))
}
