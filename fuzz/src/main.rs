//! One binary for all targets: the environment variable `FUZZ_TARGET` names the one that is run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linecard_fuzz::{TARGETS, Target};
use std::sync::OnceLock;

static CHOSEN: OnceLock<&'static Target> = OnceLock::new();

fuzz_target!(
    init: {
        let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
        let target = TARGETS.iter().find(|target| target.name == name);
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        let target = target.unwrap_or_else(|| {
            eprintln!("found FUZZ_TARGET=`{name}`, expected one of {}", names.join(", "));
            std::process::exit(2);
        });
        CHOSEN.get_or_init(|| target);
    },
    |data: &[u8]| {
        if let Some(target) = CHOSEN.get() {
            (target.run)(data);
        }
    }
);
