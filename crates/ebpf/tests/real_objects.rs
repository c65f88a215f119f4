//! Objects of public projects load, and their programs run on frames of many kinds. The objects are shared beside the
//! project and not part of it: without them, these tests report that they are missing, and pass.

use crate::kit;

use kit::frames;
use linecard_ebpf::{Arrival, EbpfError, Machine, MapKind, Object, Options, Recorder, Verdict};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn objects() -> Vec<(String, Object)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/xdp"));
    let Ok(listed) = std::fs::read_dir(&folder) else {
        eprintln!("SKIPPED: no objects of public projects in {}", folder.display());
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "o"));
    files.sort();
    let read = |file: &PathBuf| {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let object = Object::read(&name, &std::fs::read(file).expect("the file")).expect("an object");
        (name, object)
    };
    files.iter().map(read).collect()
}

/// Counts the verdicts of an object's programs over all frames.
fn verdicts(machine: &mut Machine) -> BTreeMap<Verdict, u32> {
    let mut found = BTreeMap::new();
    let mut recorder = Recorder::default();
    for (number, frame) in frames().iter().enumerate() {
        let arrival = Arrival { time_ns: 1000 * number as u64, ..Arrival::default() };
        let outcome = machine.packet(frame, arrival, &mut recorder).expect("a program that was verified");
        recorder.finish(&outcome, frame.len(), machine.packet_left().len());
        let steps: u64 = recorder.trace().steps(number).map(|step| u64::from(step.instructions)).sum();
        assert!(steps <= outcome.instructions, "no step behind the end");
        *found.entry(outcome.verdict).or_insert(0) += 1;
    }
    found
}

#[test]
fn every_program_runs_on_every_frame() {
    for (name, object) in objects() {
        assert!(!object.programs().is_empty(), "{name}");
        for program in object.programs() {
            let mut machine = Machine::load(&object, Some(&program.name), Options::default())
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let found = verdicts(&mut machine);
            println!("{name} {}: {found:?}", program.name);
            assert_eq!(found.values().sum::<u32>() as usize, frames().len());
        }
    }
}

#[test]
fn several_programs_need_a_name_and_sections_name_programs() {
    for (name, object) in objects() {
        if let [first, second, ..] = object.programs() {
            let refused = object.program(None).expect_err("several").to_string();
            assert!(refused.contains(&first.name) && refused.contains(&second.name), "{name}: {refused}");
            let refused = object.program(Some("no_such")).expect_err("none of that name").to_string();
            assert!(refused.contains("no_such") && refused.contains(&first.name), "{name}: {refused}");
        }
        for program in object.programs() {
            let alone = object.programs().iter().filter(|each| each.section == program.section).count() == 1;
            if alone {
                assert_eq!(object.program(Some(&program.section)).expect("the section's"), program);
            }
        }
    }
}

/// Katran with a service and a server behind it: the packet leaves encapsulated, to the server.
#[test]
fn katran_balances_what_its_maps_say() {
    let Some((_, object)) = objects().into_iter().find(|(name, _)| name == "katran.o") else { return };
    let program = object.programs()[0].name.clone();
    let options = Options { cpus: 2, ..Options::default() };
    let mut machine = Machine::load(&object, Some(&program), options).expect("Katran");
    let map = |machine: &Machine, name: &str| machine.map(name).expect("a map of Katran");
    let vip = [10, 0, 0, 2];
    // struct vip_definition has address (16), port (big-endian) and protocol; struct vip_meta has flags and number.
    let mut key = vip.to_vec();
    key.extend([0; 12]);
    key.extend(80u16.to_be_bytes());
    key.extend([kit::TCP, 0]);
    let vips = map(&machine, "vip_map");
    machine.insert(vips, &key, &[0, 0, 0, 0, 0, 0, 0, 0]).expect("a service");
    let rings = map(&machine, "ch_rings");
    for place in 0..65_537u32 {
        machine.insert(rings, &place.to_le_bytes(), &1u32.to_le_bytes()).expect("a place of the ring");
    }
    // struct real_definition has address (16) and flags.
    let reals = map(&machine, "reals");
    let mut real = vec![192, 168, 5, 7];
    real.extend([0; 16]);
    machine.insert(reals, &1u32.to_le_bytes(), &real).expect("a server");
    // The link address of the gateway.
    let control = map(&machine, "ctl_array");
    machine.insert(control, &0u32.to_le_bytes(), &[2, 9, 9, 9, 9, 9, 0, 0]).expect("a gateway");
    let frame = kit::tcp(([10, 0, 0, 1], 1000), (vip, 80), &[1; 6]);
    let mut recorder = Recorder::default();
    let outcome = machine.packet(&frame, Arrival::default(), &mut recorder).expect("no fault");
    let left = machine.packet_left();
    assert_eq!(outcome.verdict, Verdict::Tx);
    assert_eq!(left.len(), frame.len() + 20, "an IPv4 header in front");
    assert_eq!(left[..6], [2, 9, 9, 9, 9, 9], "to the gateway");
    assert_eq!(left[30..34], [192, 168, 5, 7], "to the server");
    assert_eq!(kit::checksum(&left[14..34]), 0);
    assert_eq!(left[34..], frame[14..], "what came is unchanged inside");
}

/// A program with a map of sockets redirects packets only if the map has sockets.
#[test]
fn a_socket_that_is_there_gets_the_packet() {
    for (name, object) in objects() {
        let Some(sockets) = object.maps().iter().find(|map| map.kind == MapKind::Xskmap) else { continue };
        for program in object.programs() {
            let mut machine =
                Machine::load(&object, Some(&program.name), Options::default()).expect("a program");
            let map = machine.map(&sockets.name).expect("its map");
            for queue in 0..sockets.most_entries.min(4) {
                machine.insert(map, &queue.to_le_bytes(), &1u32.to_le_bytes()).expect("a socket");
            }
            let found = verdicts(&mut machine);
            println!("{name} {}: {found:?}", program.name);
            assert!(
                found.keys().any(|verdict| matches!(verdict, Verdict::Redirect(_))),
                "{name} {}",
                program.name
            );
        }
    }
}

#[test]
fn damaged_objects_are_refused_or_run_but_never_panic() {
    for (name, object) in objects() {
        drop(object);
        let file =
            PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/xdp")).join(&name);
        let whole = std::fs::read(file).expect("the file");
        let options = Options { budget: 10_000, most_map_bytes: 1 << 26, ..Options::default() };
        for round in 0..300u64 {
            let mut bytes = whole.clone();
            let mut random = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            for _ in 0..1 + round % 8 {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (random >> 33) as usize % bytes.len();
                bytes[at] = (random >> 20) as u8;
            }
            if round % 5 == 0 {
                bytes.truncate((random >> 33) as usize % bytes.len());
            }
            let Ok(object) = Object::read(&name, &bytes) else { continue };
            for program in object.programs() {
                match Machine::load(&object, Some(&program.name), options) {
                    Ok(mut machine) => {
                        let _ = machine.packet(&frames()[0], Arrival::default(), &mut linecard_ebpf::Silent);
                    }
                    Err(EbpfError::Fault { .. }) => panic!("{name}: nothing ran"),
                    Err(_) => {}
                }
            }
        }
    }
}
