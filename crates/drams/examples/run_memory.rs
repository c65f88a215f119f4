//! Run a DRAM part under a pattern: `cargo run --release --example run_memory -- ddr4_2400 frfcfs_open random 100000 0`.

use linecard_drams::{MemoryInput, MemoryRequest, run_memory};
use std::ops::ControlFlow;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [device, policy, pattern, count, spacing] = &arguments[..] else {
        return Err("expected: DEVICE POLICY PATTERN COUNT SPACING".into());
    };
    let request = MemoryRequest {
        device: device.clone(),
        policy: policy.clone(),
        overrides: Vec::new(),
        input: MemoryInput::Pattern {
            name: pattern.clone(),
            count: count.parse()?,
            spacing: spacing.parse()?,
            reads: None,
            narrow: 0.0,
            seed: 1,
        },
        in_flight: None,
        requests: None,
        commands: None,
        tick_every_clock: false,
    };
    let report = run_memory(&request, &mut |_| ControlFlow::Continue(()))?;
    println!("{} clocks, {:.3} GB/s", report.end_clock, report.bandwidth_gbytes_s);
    Ok(())
}
