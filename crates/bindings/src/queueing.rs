//! `linecard.queueing`: simulates queue managers with the operations of a workload or of a capture.

use crate::capture::each_packet;
use crate::errors::{QueueingFailure, platform, queueing as python_error};
use crate::plain;
use crate::request::from_python;
use crate::watched::{Ticker, watched};
use linecard_flowcache::{Digester, Hash, Key};
use linecard_platform::{ConfigProblem, Described, Error, queue_settings};
use linecard_queueing::{
    Gaps, Kind, MOST_DESIGN_THREADS, Operation, Q_ARRAY_ENTRIES, QueueingError, Report, Settings, Unloaded,
    Window, Workload, design, gaps, operations_of_queues, predict, run, smallest, unloaded,
};
use linecard_traffic::{Compression, DamageReport, Diagnostic, Severity};
use linecard_words::About;
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Adds these functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(queueing_run, module)?)?;
    module.add_function(wrap_pyfunction!(queueing_design, module)?)?;
    module.add_function(wrap_pyfunction!(queueing_settings, module)?)?;
    Ok(())
}

/// What a run and a search ask for alike.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Workload in the notation of Kumar and Crowley (2006), or name of a capture.
    workload: String,
    /// Whether it is a capture.
    capture: bool,
    /// Preset of the machine, and changes of its settings.
    machine: String,
    settings: Vec<String>,
    /// Operations to measure, and those before.
    operations: u64,
    warmup: u64,
    /// Seed of the workload.
    seed: u64,
    /// Whether to stop at the first damaged record of the capture.
    strict: bool,
}

/// The origin of the operations.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
struct Input {
    /// Workload in the notation of Kumar and Crowley (2006), or name of the capture.
    workload: String,
    /// `workload` if the operations come from a workload; otherwise, the file format of the capture.
    format: &'static str,
    /// Compression format of the capture file.
    compression: Option<Compression>,
    /// Number of packets in the capture that were mapped to queues; 0 if the operations come from a workload.
    packets: u64,
    /// Number of packets in the capture that have no IP header; the simulation ignores them.
    packets_without_flow: u64,
    /// Number of damaged records in the capture that were skipped.
    damaged_records: u64,
    /// Problems that were found in the capture; of each kind, at most the first ten.
    diagnostics: Vec<Diagnostic>,
    #[serde(skip)]
    queues: Option<Vec<u32>>,
}

/// Results of one queue manager for the workload. Rates and fractions are averages over the measured
/// operations.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "QueueRow")]
struct Row {
    #[serde(flatten)]
    report: Report,
    #[serde(flatten)]
    unloaded: Unloaded,
    /// Throughput that the analytical model predicts if section 3.6 of Kumar and Crowley (2006) is interpreted as a
    /// recursion.
    model_mops: f64,
    /// Predicted throughput minus simulated throughput, in percent of the simulated throughput.
    model_difference_percent: f64,
    /// Throughput predicted by the formula as printed in Kumar and Crowley (2006).
    model_printed_mops: f64,
    /// Cache hit rate that the analytical model predicts solely from the order of the operations.
    model_hit_rate: f64,
    /// Throughput at which the memory ports saturate if the hit rate is `model_hit_rate`; `None` if the memory sets no
    /// limit.
    memory_limit_mops: Option<f64>,
}

/// Results of every simulated queue manager for one workload.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "QueueingReport")]
pub struct Outcome {
    /// One row for each queue manager, in the order in which the request lists them.
    rows: Vec<Row>,
    #[serde(flatten)]
    input: Input,
    /// Distribution of the distances between consecutive arrivals in the same queue.
    gaps: Gaps,
}

/// All simulated sizes of the queuing cache, and the smallest size that reaches the target throughput.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "QueueDesignReport")]
pub struct DesignOutcome {
    /// The design with the smallest `product`; of equal designs, the one with the fewest entries, then the fewest
    /// engines. `None` if no design reaches the target.
    smallest: Option<linecard_queueing::Design>,
    /// One row for each combination of a number of entries and a number of engines.
    designs: Vec<linecard_queueing::Design>,
    /// Target throughput in million operations per second.
    target_mops: f64,
    /// Maximum number of threads in the search.
    most_threads: u32,
    #[serde(flatten)]
    input: Input,
}

/// Runs managers under a workload or a capture; see `linecard.queueing`.
#[pyfunction]
#[pyo3(signature = (request, *, managers, progress))]
fn queueing_run<'py>(
    request: &Bound<'py, PyAny>,
    managers: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let request: Request = from_python(request)?;
    let outcome = watched(py, progress, move |ticker| {
        let (settings, kinds) = check(&request, &managers)?;
        let input = Input::read(&request, settings.queues, ticker)?;
        let (stream, window) = input.stream(&request, &settings)?;
        let total = stream.len() as u64 * kinds.len() as u64;
        let mut rows = Vec::with_capacity(kinds.len());
        for (done, &kind) in (0u64..).zip(&kinds) {
            let before = done * stream.len() as u64;
            let mut stopped = false;
            let report = run(kind, &settings, &stream, window, &mut |completed| {
                stopped = ticker.tick(before + completed, total) == ControlFlow::Break(());
                !stopped
            })?;
            if stopped {
                return Err(QueueingFailure::Stopped);
            }
            let model = predict(kind, &settings, &stream);
            rows.push(Row {
                model_mops: model.recursion_mops,
                model_difference_percent: (model.recursion_mops / report.throughput_mops - 1.0) * 100.0,
                model_printed_mops: model.printed_mops,
                model_hit_rate: model.hit_rate,
                memory_limit_mops: Some(model.memory_mops).filter(|mops| mops.is_finite()),
                unloaded: unloaded(kind, &settings)?,
                report,
            });
        }
        let entries = if kinds == [Kind::QArray] { Q_ARRAY_ENTRIES } else { settings.entries };
        let gaps = gaps(&stream, settings.all_queues(), entries);
        Ok(Outcome { input, gaps, rows })
    })?;
    plain::to_python(py, &outcome.map_err(python_error)?)
}

/// Finds the smallest queuing cache for a target; see `linecard.queueing_design`.
#[pyfunction]
#[pyo3(signature = (request, *, target_mops, progress))]
fn queueing_design<'py>(
    request: &Bound<'py, PyAny>,
    target_mops: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let request: Request = from_python(request)?;
    let outcome = watched(py, progress, move |ticker| {
        let (settings, _) = check(&request, &[])?;
        let input = Input::read(&request, settings.queues, ticker)?;
        let most = Settings { threads: MOST_DESIGN_THREADS, ..settings.clone() };
        let (stream, window) = input.stream(&request, &most)?;
        let mut stopped = false;
        let designs = design(&settings, &stream, window, target_mops, &mut |done, total| {
            stopped = ticker.tick(done, total) == ControlFlow::Break(());
            !stopped
        })?;
        if stopped {
            return Err(QueueingFailure::Stopped);
        }
        let most_threads = MOST_DESIGN_THREADS;
        Ok(DesignOutcome { input, target_mops, most_threads, smallest: smallest(&designs), designs })
    })?;
    plain::to_python(py, &outcome.map_err(python_error)?)
}

/// One setting of the simulated machine, of the queue managers or of the traffic.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "QueueSetting")]
pub struct Setting {
    /// Key.
    key: String,
    /// Value.
    value: String,
    /// Unit of the value.
    unit: String,
    /// Meaning of the setting.
    meaning: String,
    /// Source of the value.
    source: String,
}

/// Every setting with value, unit, meaning and source; see `linecard.queueing_settings`.
#[pyfunction]
#[pyo3(signature = (machine, changes) -> "list[dict[str, Any]]")]
fn queueing_settings(py: Python<'_>, machine: String, changes: Vec<String>) -> PyResult<Bound<'_, PyAny>> {
    let (_, described) = queue_settings(&machine, &changes).map_err(platform)?;
    let setting = |Described { key, value, unit, meaning, source, .. }| Setting {
        key,
        value: value.to_string(),
        unit,
        meaning,
        source,
    };
    plain::to_python(py, &described.into_iter().map(setting).collect::<Vec<_>>())
}

/// Returns the checked settings and managers, or all of their problems.
fn check(request: &Request, managers: &[String]) -> Result<(Settings, Vec<Kind>), QueueingFailure> {
    let mut kinds = Vec::new();
    let mut unknown = Vec::new();
    for name in managers {
        match Kind::parse(name) {
            Ok(kind) if kinds.contains(&kind) => (),
            Ok(kind) => kinds.push(kind),
            Err(problem) => {
                let (place, message) = (problem.about().to_owned(), problem.sentence());
                unknown.push(ConfigProblem { place, key: String::new(), message });
            }
        }
    }
    match queue_settings(&request.machine, &request.settings) {
        Ok((settings, _)) if unknown.is_empty() => Ok((settings, kinds)),
        Ok(_) => Err(Error::Config { problems: unknown }.into()),
        Err(Error::Config { problems }) => {
            Err(Error::Config { problems: [problems, unknown].concat() }.into())
        }
        Err(error) => Err(error.into()),
    }
}

impl Input {
    fn read(request: &Request, queues: u32, ticker: &Ticker) -> Result<Self, QueueingFailure> {
        if request.capture {
            return Self::capture(&request.workload, queues, request.strict, ticker);
        }
        Workload::parse(&request.workload)?;
        Ok(Self { workload: request.workload.clone(), format: "workload", ..Self::default() })
    }

    /// Maps the packets of a capture or a link profile to queues by a hash of their five-tuple (section 4.1.3).
    fn capture(path: &str, queues: u32, strict: bool, ticker: &Ticker) -> Result<Self, QueueingFailure> {
        let key = Key::five_tuple();
        let bad_hash = |error| QueueingError::bad("hash", "crc32c", error);
        let digester = Digester::new(Hash::Crc32c, 32, 1).map_err(bad_hash)?;
        let mut ids = Vec::new();
        let read = each_packet(path, 0, strict, ticker, |packet| {
            if let Some(key) = key.of(packet) {
                let digest = u64::from(digester.digest(&key));
                ids.push(((digest * u64::from(queues)) >> 32) as u32);
            }
            Ok::<_, QueueingFailure>(())
        })?;
        let ControlFlow::Continue((read, packets)) = read else { return Err(QueueingFailure::Stopped) };
        if ids.is_empty() {
            return Err(QueueingFailure::NoFlow { name: path.to_owned(), packets });
        }
        let report = read.report();
        Ok(Self {
            workload: path.to_owned(),
            packets: ids.len() as u64,
            packets_without_flow: packets - ids.len() as u64,
            format: read.format(),
            compression: Some(read.compression()),
            damaged_records: report.map_or(0, |report| report.total(Severity::Damage)),
            diagnostics: report.map_or(&[][..], DamageReport::diagnostics).to_vec(),
            queues: Some(ids),
        })
    }

    /// Returns enough operations to keep every thread busy until the last measured operation. With `operations` 0, the
    /// run measures all operations of a capture, and at least [`LEAST_OF_CAPTURE`]. A capture is repeated when it ends.
    fn stream(
        &self,
        request: &Request,
        settings: &Settings,
    ) -> Result<(Vec<Operation>, Window), QueueingFailure> {
        let &Request { operations, warmup, seed, .. } = request;
        let levels = u64::from(settings.levels);
        let fill = u64::from(settings.backlog) * levels;
        let measured = match (&self.queues, operations) {
            (Some(queues), 0) => (queues.len() as u64 * 2 * levels).max(LEAST_OF_CAPTURE),
            (None, 0) => {
                let expected = "1 or more; 0 is permitted only if the operations come from a capture";
                return Err(QueueingError::bad("operations", 0, expected).into());
            }
            (_, operations) => operations,
        };
        let tail = u64::from(settings.threads) * 2 * levels;
        let count = measured.saturating_add(warmup + fill + tail);
        if count > MOST_OPERATIONS {
            let expected = format!("at most {MOST_OPERATIONS}, including the warm-up");
            return Err(QueueingError::bad("operations", count, expected).into());
        }
        let stream = match &self.queues {
            Some(queues) => operations_of_queues(queues, settings, count)?,
            None => Workload::parse(&self.workload)?.operations(settings, count, seed)?,
        };
        Ok((stream, Window { warmup: warmup + fill, measured }))
    }
}

/// Minimum number of operations of a capture; a shorter capture is repeated.
const LEAST_OF_CAPTURE: u64 = 20_000;
/// Maximum number of operations of one run, which take a gibibyte.
const MOST_OPERATIONS: u64 = 1 << 28;
