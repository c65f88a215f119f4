//! XDP programs: objects of clang, and instructions as they come.

use linecard_ebpf::{Arrival, Machine, Object, Options, Recorder};

/// Instructions of a packet.
const BUDGET: u64 = 20_000;
/// Bytes that maps may take.
const MOST_MAP_BYTES: u64 = 1 << 24;

/// Loads every program of a file and gives it packets; what is recorded stays within what was executed.
fn run(file: &str, data: &[u8]) {
    let Ok(object) = Object::read(file, data) else { return };
    let options = Options { budget: BUDGET, cpus: 2, most_map_bytes: MOST_MAP_BYTES, ..Options::default() };
    for program in object.programs().iter().take(4) {
        let Ok(mut machine) = Machine::load(&object, Some(&program.name), options) else { continue };
        let mut recorder = Recorder::default();
        for packet in [&[0x45; 60][..], &[], &[0xff; 1500]] {
            match machine.packet(packet, Arrival::default(), &mut recorder) {
                Ok(outcome) => {
                    recorder.finish(&outcome, packet.len(), machine.packet_left().len());
                    let last = recorder.trace().packets().len() - 1;
                    let steps: u64 =
                        recorder.trace().steps(last).map(|step| u64::from(step.instructions)).sum();
                    assert!(steps <= outcome.instructions, "no step behind the end");
                }
                Err(_) => recorder.abandon(),
            }
        }
        for map in 0..object.maps().len() {
            let _ = machine.entries(map);
        }
    }
}

/// An object file.
pub fn xdp_object(data: &[u8]) {
    if data.starts_with(b"\x7fELF") {
        run("x.o", data);
    }
}

/// Instructions without anything around them; what is left of the last is cut off.
pub fn bytecode(data: &[u8]) {
    if !data.starts_with(b"\x7fELF") {
        run("x.bin", &data[..data.len() - data.len() % 8]);
    }
}
