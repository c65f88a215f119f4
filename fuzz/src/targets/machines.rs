//! Presets of the machines of `np`, and the files that their applications read.

use super::{choice, lines};
use crate::result;
use crate::scratch::{self, Patience};
use linecard_platform::{PacketRequest, Program, ProgramRequest, RunRequest, describe, run, trace_program};

fn through(preset: &str, program: Option<&str>, overrides: Vec<String>) {
    if let Err(error) = describe(preset, &overrides) {
        result::error(&error);
    }
    let request = RunRequest {
        chip: preset.to_owned(),
        program: program.map(|name| Program::Listed(name.to_owned())),
        overrides,
        seed: 1,
        packets: 10,
        warmup_packets: Some(0),
        ..RunRequest::default()
    };
    let patience = Patience::new();
    match run(&request, &mut |_| patience.flow()) {
        Err(error) => result::error(&error),
        Ok(report) => {
            result::run(&report);
            result::finite(&report, result::OF_PARTS);
        }
    }
}

/// A preset's file.
pub fn machine(data: &[u8]) {
    through(&scratch::file("machine.toml", data), None, Vec::new());
}

/// Changes of a shipped machine, one a line.
pub fn machine_overrides(data: &[u8]) {
    let (chosen, rest) = choice(data);
    let presets = ["ixp1200", "hasan2003_all_pf", "hasan2003_adapt_pf", "ixp1200_eval"];
    through(presets[chosen % presets.len()], None, lines(rest));
}

/// A table of routes.
pub fn routes(data: &[u8]) {
    let path = scratch::file("routes", data);
    through("ixp1200", Some("l3fwd16"), vec![format!("program.routes={path}")]);
}

/// A firewall's templates.
pub fn rules(data: &[u8]) {
    let path = scratch::file("rules", data);
    through("ixp1200", Some("firewall"), vec![format!("firewall.rules={path}")]);
}

/// The steps of an extension, and the points of the host's link.
pub fn extension(data: &[u8]) {
    let text = String::from_utf8_lossy(data).replace(['\n', '\r'], " ");
    through("ixp1200_eval", Some("vanilla_ip"), vec![format!("program.extension={text}")]);
    if let Err(error) = describe("ixp1200_eval", &[format!("link.up={text}"), format!("link.down={text}")]) {
        result::error(&error);
    }
}

/// A file that describes the packets of a link.
pub fn described_link(data: &[u8]) {
    let request = ProgramRequest {
        entry: None,
        elf: super::programs::prebuilt("checksum"),
        control: None,
        packets: PacketRequest {
            traffic: scratch::file("link.toml", data),
            packets: 5,
            payload: "random".to_owned(),
            seed: 1,
            routes: None,
            strict: false,
        },
        budget: 100_000,
        checked: true,
    };
    let patience = Patience::new();
    if let Err(error) = trace_program(&request, &mut |_, _| patience.flow()) {
        result::error(&error);
    }
}
