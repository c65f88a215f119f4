//! The shipped XDP programs against oracles that compute the same another way, from the frames alone.

#[path = "../kit/mod.rs"]
mod kit;

mod answers;
mod counters;
mod filters;
mod forwarding;
mod tunnels;

use linecard_ebpf::{Arrival, Machine, Silent, Verdict};

/// Verdict and frame that a program leaves, with the arrival of a packet.
fn process(machine: &mut Machine, frame: &[u8], arrival: Arrival) -> (Verdict, Vec<u8>) {
    let outcome = machine.packet(frame, arrival, &mut Silent).expect("no fault");
    (outcome.verdict, machine.packet_left().to_vec())
}

/// Holds a program to an oracle over a stream of frames.
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

/// Every object that ships has an oracle here, and every program that is listed ships.
#[test]
fn every_program_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/xdp");
    let listed: toml::Table =
        std::fs::read_to_string(folder.join("xdp.toml")).expect("a list").parse().expect("TOML");
    let mut shipped: Vec<String> = std::fs::read_dir(folder.join("prebuilt"))
        .expect("objects")
        .map(|entry| {
            entry.expect("a file").path().file_stem().expect("a name").to_string_lossy().into_owned()
        })
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
