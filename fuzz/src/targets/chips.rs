//! Chips, their changes, and the programs of steps that run on them.

use super::lines;
use crate::result;
use crate::scratch::{self, Patience};
use linecard_platform::{RunRequest, check_chip, drawing, run};

/// Packets of a run: enough to go through every stage of a program.
const PACKETS: u64 = 20;

/// What `check`, `draw` and `run` make of a chip, and whether the run says the same twice.
fn through(preset: &str, overrides: &[String]) {
    let warned = match check_chip(preset, overrides) {
        Ok(checked) => !checked.warnings.is_empty(),
        Err(error) => {
            result::error(&error);
            // What cannot be checked does not run either.
            let ran = run(&request(preset, overrides), &mut |_| Patience::new().flow());
            return assert!(ran.is_err(), "runs, though check says: {error}");
        }
    };
    if let Err(error) = drawing(preset, overrides) {
        result::error(&error);
    }
    let patience = Patience::new();
    let once = run(&request(preset, overrides), &mut |_| patience.flow());
    match once {
        Err(error) => {
            result::error(&error);
            let endless = error.to_string().starts_with("the run would never end");
            assert!(warned || !endless, "check has not warned: {error}");
        }
        Ok(report) => {
            result::run(&report);
            result::finite(&report, result::OF_PARTS);
            // Half of the time is left.
            let patience = Patience::new();
            if let Ok(again) = run(&request(preset, overrides), &mut |_| patience.flow()) {
                let bytes = |report| serde_json::to_string(report).expect("a report becomes JSON");
                assert_eq!(bytes(&report), bytes(&again), "the same run twice");
            }
        }
    }
}

fn request(preset: &str, overrides: &[String]) -> RunRequest {
    RunRequest {
        chip: preset.to_owned(),
        overrides: overrides.to_vec(),
        seed: 1,
        packets: PACKETS,
        warmup_packets: Some(0),
        ..RunRequest::default()
    }
}

/// A chip's file.
pub fn chip(data: &[u8]) {
    through(&scratch::file("chip.toml", data), &[]);
}

/// Changes of a shipped chip, one a line.
pub fn chip_overrides(data: &[u8]) {
    let (chosen, rest) = super::choice(data);
    let presets = ["example_smartnic", "ixp2800", "ixp2400", "ixp2400_dynamic"];
    through(presets[chosen % presets.len()], &lines(rest));
}

/// A program of steps, on a chip that binds what shipped programs name.
pub fn steps(data: &[u8]) {
    let path = scratch::file("steps.toml", data);
    through("example_smartnic", &[format!("program.run={path}")]);
}
