//! The shipped XDP programs against oracles that compute the same in another way, from the frames alone.

use crate::kit;

mod answers;
mod counters;
mod filters;
mod forwarding;
mod tunnels;

use linecard_ebpf::{Arrival, Counters, Machine, Recorder, Silent, Verdict};

/// Processes a packet. Returns the verdict and the frame that the program leaves.
fn process(machine: &mut Machine, frame: &[u8], arrival: Arrival) -> (Verdict, Vec<u8>) {
    let outcome = machine.packet(frame, arrival, &mut Silent).expect("no fault");
    (outcome.verdict, machine.packet_left().to_vec())
}

/// Compares a program with an oracle over a stream of frames.
fn same(
    machine: &mut Machine,
    frames: &[Vec<u8>],
    mut oracle: impl FnMut(&[u8], Arrival) -> (Verdict, Vec<u8>),
) {
    for (number, frame) in frames.iter().enumerate() {
        let arrival = Arrival {
            time_ns: number as u64 * 40_000,
            interface: 1 + number as u32 % 3,
            ..Arrival::default()
        };
        let found = process(machine, frame, arrival);
        assert!(
            found == oracle(frame, arrival),
            "frame {number}: {:?} and\n{:02x?} from\n{frame:02x?}",
            found.0,
            found.1
        );
    }
}

/// Damaged frames: no program makes an invalid access, and observers change nothing.
#[test]
fn no_frame_makes_a_program_fault_and_listening_changes_nothing() {
    let mut numbers = kit::Numbers(7);
    let frames: Vec<Vec<u8>> = kit::stream(1500)
        .into_iter()
        .map(|mut frame| {
            for _ in 0..numbers.below(4) {
                // Headers decide the path through a program.
                let at = numbers.below(frame.len().min(64) as u32) as usize;
                frame[at] = numbers.below(256) as u8;
            }
            let bytes = numbers.below(frame.len() as u32 + 1) as usize;
            frame.truncate(if numbers.below(3) == 0 { bytes.max(14) } else { frame.len() });
            frame
        })
        .collect();
    for name in listed().keys() {
        let (mut plain, mut counted, mut traced) =
            (kit::shipped(name), kit::shipped(name), kit::shipped(name));
        let mut counters = Counters::new(counted.code());
        let mut recorder = Recorder::default();
        let mut instructions = 0;
        for frame in &frames {
            let arrival = Arrival::default();
            let outcome =
                plain.packet(frame, arrival, &mut Silent).unwrap_or_else(|fault| panic!("{name}: {fault}"));
            assert_eq!(counted.packet(frame, arrival, &mut counters).expect("no fault"), outcome);
            assert_eq!(traced.packet(frame, arrival, &mut recorder).expect("no fault"), outcome);
            recorder.finish(&outcome, frame.len(), traced.packet_left().len());
            let last = recorder.trace().packets().len() - 1;
            let steps: u64 = recorder.trace().steps(last).map(|step| u64::from(step.instructions)).sum();
            assert!(steps < outcome.instructions, "behind the last step comes the exit");
            assert!(
                plain.packet_left() == traced.packet_left() && plain.packet_left() == counted.packet_left()
            );
            instructions += outcome.instructions;
        }
        assert_eq!(counters.executed(counted.code()).iter().sum::<u64>(), instructions, "{name}");
    }
}

/// The programs that `xdp.toml` lists.
fn listed() -> toml::Table {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/xdp/xdp.toml");
    std::fs::read_to_string(file).expect("a list").parse().expect("TOML")
}

/// Every shipped object has an oracle here, and every listed program is shipped.
#[test]
fn every_program_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/xdp");
    let listed = listed();
    let mut shipped: Vec<String> = std::fs::read_dir(folder.join("prebuilt"))
        .expect("objects")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "o"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    shipped.sort();
    let mut names: Vec<&String> = listed.keys().collect();
    names.sort();
    assert_eq!(names, shipped.iter().collect::<Vec<_>>());
    for (name, entry) in &listed {
        let machine = kit::shipped(name);
        let own: Vec<&str> = machine.maps().map(|map| map.name.as_str()).collect();
        for map in entry.get("maps").and_then(toml::Value::as_array).into_iter().flatten() {
            let map = map.as_str().expect("a name");
            assert!(own.contains(&map), "{name} has no map {map}");
        }
    }
}
