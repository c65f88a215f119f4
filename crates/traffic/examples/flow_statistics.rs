//! Prints the flow statistics of captures as JSON, one object a line.
//!
//! ```text
//! cargo run --release -p linecard-traffic --example flow_statistics -- CAPTURE…
//! ```
//!
//! Findings go to standard error; the exit status is 1 if any capture was damaged or could not be read.

use linecard_traffic::{FlowStatistics, OpenOptions, TrafficError, open};
use std::path::Path;

/// Prints one capture; whether it was clean.
fn print(path: &Path) -> Result<bool, TrafficError> {
    let mut reader = open(path, &OpenOptions::default())?;
    let statistics = FlowStatistics::of_capture(&mut reader)?;
    for diagnostic in reader.report().diagnostics() {
        eprintln!("{diagnostic}");
    }
    println!("{}", serde_json::json!({ "file": path, "statistics": statistics }));
    Ok(statistics.clean)
}

fn main() {
    let mut clean = true;
    for path in std::env::args_os().skip(1) {
        clean &= print(Path::new(&path)).unwrap_or_else(|error| {
            eprintln!("{error}");
            false
        });
    }
    std::process::exit(i32::from(!clean));
}
