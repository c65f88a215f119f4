//! Packet programs: ELF files, their control data, and kept traces.

use super::choice;
use crate::scratch::{self, Patience};
use linecard_iss::{Image, Machine, PACKET_ENTRY, Silent, run_standalone_until};
use linecard_platform::cached_traces;
use sha2::{Digest, Sha256};

/// Instructions of a packet.
const BUDGET: u64 = 20_000;

/// The path of a program that is shipped.
pub fn prebuilt(name: &str) -> String {
    format!("{}/../programs/prebuilt/{name}.elf", env!("CARGO_MANIFEST_DIR"))
}

/// An ELF file, run alone and given packets.
pub fn elf(data: &[u8]) {
    let Ok(image) = Image::read("x.elf", data) else { return };
    let patience = Patience::new();
    let _ = run_standalone_until(&image, BUDGET, &mut |_| patience.flow());
    // What a program sets up may take as long as twenty thousand million instructions: somebody ends it.
    let set_up = Machine::new_until(image, PACKET_ENTRY, b"", BUDGET, true, &mut |_| patience.flow());
    if let Ok(mut machine) = set_up {
        for packet in [&[0x45; 60][..], &[], &[0xff; 1500]] {
            let _ = machine.packet(packet, 1, &mut Silent);
        }
    }
}

/// Control data for the program that is chosen.
pub fn control_data(data: &[u8]) {
    const PROGRAMS: [&str; 10] =
        ["bitmap", "bsol", "cast", "classify", "drr", "ixp", "patricia", "portscan", "stream", "vscan"];
    let (chosen, control) = choice(data);
    let path = prebuilt(PROGRAMS[chosen % PROGRAMS.len()]);
    let bytes = std::fs::read(&path).expect("a shipped program");
    let image = Image::read(&path, &bytes).expect("a sound program");
    let patience = Patience::new();
    let set_up = Machine::new_until(image, PACKET_ENTRY, control, BUDGET, true, &mut |_| patience.flow());
    if let Ok(mut machine) = set_up {
        let _ = machine.packet(&[0x45; 60], 1, &mut Silent);
    }
}

/// What a kept trace holds, under a header that is right: damage is found by the checksum, so that only this way leads on.
pub fn stored_trace(data: &[u8]) {
    let (key, version) = ("0".repeat(64), 5u32);
    let mut hash = Sha256::new();
    hash.update(version.to_le_bytes());
    hash.update(&key);
    hash.update(data);
    let mut file = b"LC-TRACE".to_vec();
    file.extend(version.to_le_bytes());
    file.extend((data.len() as u64).to_le_bytes());
    file.extend(hash.finalize());
    file.extend(data);
    let folder = scratch::folder().join("traces");
    std::fs::create_dir_all(&folder).expect("a folder for traces");
    std::fs::write(folder.join(format!("{key}.trace")), file).expect("room for a trace");
    let listed = cached_traces(&folder.to_string_lossy()).expect("a folder that can be read");
    let problem = listed[0].problem.clone().unwrap_or_default();
    assert!(
        !problem.contains("checksum") && !problem.contains("version"),
        "stopped at the header: {problem}"
    );
}
