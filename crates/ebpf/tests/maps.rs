//! Maps against naive models: random sequences of lookups, updates and deletions by a program's own helpers.
//!
//! A program executes each operation: the packet selects it (first byte), with its flags, key and value, and the
//! program writes the result of a lookup to the packet.

use crate::kit;

use kit::{constant, exit, slot};
use linecard_ebpf::{
    AccessKind, Arrival, Event, Machine, MapDefinition, MapKind, Object, Options, Recorder, Silent, Slot,
    map_handle,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

const KEY_AT: i32 = 8;
const VALUE_AT: i32 = 40;
const FOUND_AT: i32 = 72;
const RESULT_AT: i16 = 80;
const PACKET_BYTES: usize = 96;
const VALUE_BYTES: u32 = 8;

/// A program that performs the operation of the packet on the map.
fn program() -> Vec<Slot> {
    let call = |helper: i32| slot(0x85, 0, 0, 0, helper);
    let argument = |register: u8, at: i32| [slot(0xbf, register, 6, 0, 0), slot(0x07, register, 0, 0, at)];
    let mut slots = vec![slot(0x61, 6, 1, 0, 0), slot(0x71, 7, 6, 0, 0)];
    slots.extend(constant(1, map_handle(0)));
    slots.extend(argument(2, KEY_AT));
    slots.extend([slot(0x15, 7, 0, 4, 1), slot(0x15, 7, 0, 14, 2)]);
    // 0: look up, and write the found value into the packet.
    let lookup = vec![call(1), slot(0x55, 0, 0, 1, 0), slot(0x05, 0, 0, 8, 0)];
    // 1: update; 2: delete.
    let found = [slot(0x79, 1, 0, 0, 0), slot(0x7b, 6, 1, FOUND_AT as i16, 0), slot(0xb7, 0, 0, 0, 1)];
    let end = [slot(0x7b, 6, 0, RESULT_AT, 0), slot(0xb7, 0, 0, 0, 2), exit()];
    let head = slots.len() - 2;
    let mut body = lookup;
    body[2].offset = 3;
    body.extend(found);
    body.extend(end);
    let update_at = body.len();
    body.extend(argument(3, VALUE_AT));
    body.extend([slot(0x71, 4, 6, 1, 0), call(2)]);
    body.extend(end);
    let delete_at = body.len();
    body.push(call(3));
    body.extend(end);
    slots[head].offset = (update_at + 1) as i16;
    slots[head + 1].offset = delete_at as i16;
    slots.extend(body);
    slots
}

fn machine(kind: MapKind, key_bytes: u32, entries: u32, cpus: u32) -> Machine {
    let bytes: Vec<u8> = program().iter().flat_map(|slot| slot.write()).collect();
    let object = Object::read("maps", &bytes).expect("raw instructions");
    let object = object.with_map(MapDefinition::new("map", kind, key_bytes, VALUE_BYTES, entries));
    Machine::load(&object, None, Options { cpus, ..Options::default() }).expect("a program")
}

#[derive(Clone, Debug)]
enum Doing {
    Lookup,
    Update(u8),
    Delete,
}

#[derive(Clone, Debug)]
struct Operation {
    doing: Doing,
    key: Vec<u8>,
    value: u64,
    cpu: u32,
}

/// Returns the result of the helper (1 if a lookup found something), and the value found.
fn perform(machine: &mut Machine, operation: &Operation) -> (i64, u64) {
    let mut packet = vec![0; PACKET_BYTES];
    let (code, flags) = match operation.doing {
        Doing::Lookup => (0, 0),
        Doing::Update(flags) => (1, flags),
        Doing::Delete => (2, 0),
    };
    packet[0] = code;
    packet[1] = flags;
    packet[KEY_AT as usize..][..operation.key.len()].copy_from_slice(&operation.key);
    packet[VALUE_AT as usize..][..8].copy_from_slice(&operation.value.to_le_bytes());
    let arrival = Arrival { cpu: operation.cpu, ..Arrival::default() };
    machine.packet(&packet, arrival, &mut Silent).expect("no fault");
    let word = |at: usize| u64::from_le_bytes(machine.packet_left()[at..at + 8].try_into().expect("8 bytes"));
    (word(RESULT_AT as usize) as i64, word(FOUND_AT as usize))
}

fn doing() -> impl Strategy<Value = Doing> {
    prop_oneof![3 => Just(Doing::Lookup), 3 => (0u8..3).prop_map(Doing::Update), 2 => Just(Doing::Delete)]
}

/// Operations on few keys of this size, so that keys recur.
fn operations(key_bytes: usize, keys: u32) -> impl Strategy<Value = Vec<Operation>> {
    let key = (0..keys).prop_map(move |key| {
        let mut bytes = vec![0xa5; key_bytes];
        bytes[..4].copy_from_slice(&key.to_le_bytes());
        bytes
    });
    let one = (doing(), key, 1u64.., 0u32..2);
    prop::collection::vec(
        one.prop_map(|(doing, key, value, cpu)| Operation { doing, key, value, cpu }),
        1..200,
    )
}

/// A model of a map whose entries come and go: keys in order of use, oldest first.
struct Model {
    entries: VecDeque<(Vec<u8>, [u64; 2])>,
    most: usize,
    lru: bool,
    per_cpu: bool,
}

impl Model {
    fn used(&mut self, key: &[u8]) -> Option<&mut [u64; 2]> {
        let at = self.entries.iter().position(|(each, _)| each == key)?;
        let entry = self.entries.remove(at)?;
        self.entries.push_back(entry);
        self.entries.back_mut().map(|(_, values)| values)
    }

    fn perform(&mut self, operation: &Operation) -> (i64, u64) {
        let cpu = if self.per_cpu { operation.cpu as usize } else { 0 };
        match operation.doing {
            Doing::Lookup => self.used(&operation.key).map_or((0, 0), |values| (1, values[cpu])),
            Doing::Update(flags) => {
                let (most, lru) = (self.most, self.lru);
                match (self.used(&operation.key), flags) {
                    (Some(_), 1) => return (-17, 0),
                    (None, 2) => return (-2, 0),
                    (Some(values), _) => values[cpu] = operation.value,
                    (None, _) => {
                        if self.entries.len() == most {
                            if !lru {
                                return (-7, 0);
                            }
                            self.entries.pop_front();
                        }
                        let mut values = [0; 2];
                        values[cpu] = operation.value;
                        self.entries.push_back((operation.key.clone(), values));
                    }
                }
                (0, 0)
            }
            Doing::Delete => {
                let before = self.entries.len();
                self.entries.retain(|(key, _)| *key != operation.key);
                (if self.entries.len() < before { 0 } else { -2 }, 0)
            }
        }
    }

    fn listed(&self) -> BTreeMap<Vec<u8>, Vec<u64>> {
        let values = if self.per_cpu { 2 } else { 1 };
        self.entries.iter().map(|(key, each)| (key.clone(), each[..values].to_vec())).collect()
    }
}

fn listed(machine: &Machine) -> BTreeMap<Vec<u8>, Vec<u64>> {
    let word = |bytes: &Vec<u8>| u64::from_le_bytes(bytes.as_slice().try_into().expect("8 bytes"));
    let entries = machine.entries(0).expect("the map");
    entries.into_iter().map(|entry| (entry.key, entry.values.iter().map(word).collect())).collect()
}

/// Prefixes that often overlap: few bits, and lengths from 0 to 32.
fn prefixes() -> impl Strategy<Value = Vec<Operation>> {
    let key = (0u32..=32, prop::sample::select(vec![0u32, 1, 2, 3, 0x80, 0x81, 0xc0, 0xff00]), any::<bool>());
    let key = key.prop_map(|(length, bits, low)| {
        let bits = if low { bits } else { bits << 24 };
        [length.to_le_bytes(), bits.to_be_bytes()].concat()
    });
    let one = (doing(), key, 1u64..);
    prop::collection::vec(one.prop_map(|(doing, key, value)| Operation { doing, key, value, cpu: 0 }), 1..200)
}

fn covers(prefix: (u32, u32), address: u32) -> bool {
    prefix.0 == 0 || (prefix.1 ^ address) >> (32 - prefix.0) == 0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hashes_keep_what_a_list_keeps(
        operations in operations(12, 14),
        kind in prop::sample::select(vec![MapKind::Hash, MapKind::PercpuHash, MapKind::LruHash, MapKind::LruPercpuHash]),
    ) {
        let (lru, per_cpu) = (matches!(kind, MapKind::LruHash | MapKind::LruPercpuHash), kind.per_cpu());
        let mut machine = machine(kind, 12, 8, 2);
        let mut model = Model { entries: VecDeque::new(), most: 8, lru, per_cpu };
        for operation in &operations {
            prop_assert_eq!(perform(&mut machine, operation), model.perform(operation), "{:?}", operation);
        }
        prop_assert_eq!(listed(&machine), model.listed());
    }

    #[test]
    fn arrays_keep_a_value_for_each_index(
        operations in operations(4, 10),
        kind in prop::sample::select(vec![MapKind::Array, MapKind::PercpuArray]),
    ) {
        let mut machine = machine(kind, 4, 8, 2);
        let mut model = [[0u64; 2]; 8];
        for operation in &operations {
            let index = u32::from_le_bytes(operation.key[..4].try_into().expect("4 bytes")) as usize;
            let cpu = if kind.per_cpu() { operation.cpu as usize } else { 0 };
            let expected = match (&operation.doing, model.get_mut(index)) {
                (Doing::Lookup, None) => (0, 0),
                (Doing::Lookup, Some(values)) => (1, values[cpu]),
                (Doing::Update(_), None) => (-7, 0),
                (Doing::Update(1), Some(_)) => (-17, 0),
                (Doing::Update(_), Some(values)) => {
                    values[cpu] = operation.value;
                    (0, 0)
                }
                (Doing::Delete, _) => (-22, 0),
            };
            prop_assert_eq!(perform(&mut machine, operation), expected, "{:?}", operation);
        }
    }

    #[test]
    fn tries_find_what_a_list_of_prefixes_finds(operations in prefixes()) {
        const MOST: usize = 12;
        let mut machine = machine(MapKind::LpmTrie, 8, MOST as u32, 1);
        let mut model: Vec<((u32, u32), u64)> = Vec::new();
        for operation in &operations {
            let length = u32::from_le_bytes(operation.key[..4].try_into().expect("4 bytes"));
            let address = u32::from_be_bytes(operation.key[4..].try_into().expect("4 bytes"));
            let at = model.iter().position(|&(prefix, _)| prefix.0 == length && covers(prefix, address));
            let expected = match (&operation.doing, at) {
                (Doing::Lookup, _) => {
                    // A key shorter than its address finds only prefixes that are no longer than the key.
                    let fits = model.iter().filter(|(prefix, _)| prefix.0 <= length && covers(*prefix, address));
                    fits.max_by_key(|(prefix, _)| prefix.0).map_or((0, 0), |&(_, value)| (1, value))
                }
                (Doing::Update(1), Some(_)) => (-17, 0),
                (Doing::Update(2), None) => (-2, 0),
                (Doing::Update(_), Some(at)) => {
                    model[at].1 = operation.value;
                    (0, 0)
                }
                (Doing::Update(_), None) if model.len() == MOST => (-28, 0),
                (Doing::Update(_), None) => {
                    model.push(((length, address), operation.value));
                    (0, 0)
                }
                (Doing::Delete, None) => (-2, 0),
                (Doing::Delete, Some(at)) => {
                    model.remove(at);
                    (0, 0)
                }
            };
            prop_assert_eq!(perform(&mut machine, operation), expected, "{:?}", operation);
        }
        prop_assert_eq!(listed(&machine).len(), model.len());
    }
}

/// The accesses of a lookup, by kind: the key, then those of the recipe, then the value, which the program itself
/// reads.
#[test]
fn a_lookup_costs_what_its_recipe_says() {
    let trace = |kind: MapKind, key: &[u8], filled: &[&[u8]]| {
        let mut machine = machine(kind, key.len() as u32, 8, 1);
        for each in filled {
            machine.insert(0, each, &1u64.to_le_bytes()).expect("an entry");
        }
        let mut packet = vec![0; PACKET_BYTES];
        packet[KEY_AT as usize..][..key.len()].copy_from_slice(key);
        let mut recorder = Recorder::default();
        let outcome = machine.packet(&packet, Arrival::default(), &mut recorder).expect("no fault");
        recorder.finish(&outcome, PACKET_BYTES, PACKET_BYTES);
        let accesses = recorder.trace().steps(0).filter_map(|step| match step.event {
            Event::Access(access) => {
                Some((machine.region(access.region).to_owned(), access.kind, access.bytes))
            }
            Event::Helper(_) => None,
        });
        accesses.filter(|(region, ..)| region.starts_with("map")).collect::<Vec<_>>()
    };
    let (read, write) = (AccessKind::Read, AccessKind::Write);
    let (values, index) = ("map".to_owned(), "map.index".to_owned());
    let value = (values.clone(), read, 8);
    assert_eq!(trace(MapKind::Array, &[3, 0, 0, 0], &[]), [(values.clone(), read, 8)]);
    let key = [1u8; 12];
    let (bucket, entry) = ((index.clone(), read, 8), (index.clone(), read, 16 + 12));
    assert_eq!(trace(MapKind::Hash, &key, &[]), [(index.clone(), read, 8)], "nothing in the bucket");
    assert_eq!(trace(MapKind::Hash, &key, &[&key]), [bucket.clone(), entry.clone(), value.clone()]);
    assert_eq!(
        trace(MapKind::LruHash, &key, &[&key]),
        [bucket, entry, (index.clone(), write, 8), value.clone()]
    );
    // 10.0.0.0/8 contains 10.1.0.0/16, which contains 10.1.2.3: two levels hold prefixes of the key.
    let prefix = |length: u8, bytes: [u8; 4]| [[length, 0, 0, 0], bytes].concat();
    let filled = [prefix(8, [10, 0, 0, 0]), prefix(16, [10, 1, 0, 0])];
    let filled: Vec<&[u8]> = filled.iter().map(Vec::as_slice).collect();
    let node = (index, read, 24 + 8);
    assert_eq!(trace(MapKind::LpmTrie, &prefix(32, [10, 1, 2, 3]), &filled), [node.clone(), node, value]);
}

#[test]
fn maps_that_cannot_be_made_are_refused() {
    let refused = |kind: MapKind, key: u32, value: u32, entries: u32| {
        let object =
            Object::read("raw", &[slot(0xb7, 0, 0, 0, 2).write(), exit().write()].concat()).expect("code");
        let object = object.with_map(MapDefinition::new("wrong", kind, key, value, entries));
        Machine::load(&object, None, Options::default()).expect_err("refused").to_string()
    };
    assert!(refused(MapKind::Array, 8, 8, 1).contains("keys of 4 bytes"));
    assert!(refused(MapKind::Hash, 4, 8, 0).contains("max_entries"));
    assert!(refused(MapKind::Ringbuf, 0, 0, 1000).contains("power of two"));
    assert!(refused(MapKind::LpmTrie, 4, 8, 10).contains("prefix length"));
    assert!(refused(MapKind::Hash, 4, 1 << 20, 1 << 20).contains("the remaining memory for maps"));
    assert!(refused(MapKind::Array, 4, 4, u32::MAX).contains("at most 4 GiB of values"));
}

fn array(entries: u32, most_map_bytes: u64) -> Machine {
    let bytes: Vec<u8> = program().iter().flat_map(|slot| slot.write()).collect();
    let object = Object::read("maps", &bytes).expect("raw instructions");
    let object = object.with_map(MapDefinition::new("map", MapKind::Array, 4, VALUE_BYTES, entries));
    Machine::load(&object, None, Options { most_map_bytes, ..Options::default() }).expect("a program")
}

fn at(index: u32, value: u64, doing: Doing) -> Operation {
    Operation { doing, key: index.to_le_bytes().to_vec(), value, cpu: 0 }
}

#[test]
fn arrays_of_millions_of_values_take_what_is_written_of_them() {
    for entries in [1 << 26, (1 << 28) + 5] {
        let mut machine = array(entries, 4 << 30);
        let last = entries - 1;
        assert_eq!(perform(&mut machine, &at(last, 0, Doing::Lookup)), (1, 0));
        for (index, value) in [(0, 7), (last, 9)] {
            assert_eq!(perform(&mut machine, &at(index, value, Doing::Update(0))), (0, 0));
            assert_eq!(perform(&mut machine, &at(index, 0, Doing::Lookup)), (1, value));
        }
        // The previous index has another value, and after the last index there is none.
        assert_eq!(perform(&mut machine, &at(last - 1, 0, Doing::Lookup)), (1, 0));
        assert_eq!(perform(&mut machine, &at(entries, 0, Doing::Lookup)), (0, 0));
        let held: Vec<_> = machine.entries(0).expect("the map").into_iter().map(|entry| entry.key).collect();
        assert_eq!(held, [0u32.to_le_bytes(), last.to_le_bytes()]);
    }
}

#[test]
fn an_index_of_an_array_is_masked_where_the_machine_does() {
    for (entries, beyond) in [(1u32 << 26, (1, 5)), (64, (1, 5)), (65, (0, 0))] {
        let mut machine = array(entries, 4 << 30);
        machine.mask_indices(true);
        perform(&mut machine, &at(3, 5, Doing::Update(0)));
        // The lower bits of the index select the value if the number of values is a power of two; otherwise the index
        // is compared.
        assert_eq!(perform(&mut machine, &at(entries * 4 + 3, 0, Doing::Lookup)), beyond, "{entries}");
    }
}

#[test]
fn a_map_of_which_more_is_written_than_is_kept_ends_the_run() {
    // Two pages of 64 KiB.
    let mut machine = array(1 << 26, 128 << 10);
    for index in [0, 1 << 20] {
        assert_eq!(perform(&mut machine, &at(index, 1, Doing::Update(0))), (0, 0));
    }
    let mut packet = vec![0; PACKET_BYTES];
    packet[0] = 1;
    packet[KEY_AT as usize..][..4].copy_from_slice(&(1u32 << 21).to_le_bytes());
    let fault = machine.packet(&packet, Arrival::default(), &mut Silent).expect_err("no room").to_string();
    assert!(fault.contains("more than 131072 bytes of map"), "{fault}");
    let refused = machine.insert(0, &(1u32 << 22).to_le_bytes(), &[1; 8]).expect_err("no room").to_string();
    assert!(refused.contains("more values than Linecard stores for a map of this size"), "{refused}");
}

#[test]
fn accesses_of_a_value_of_a_large_array_stay_in_it() {
    // r1 = map; [r10 - 4] = 2^25; r2 = r10 - 4; call lookup; if r0 == 0 exit; then a store, an addition and a load.
    let body = |offset: i16| {
        let mut slots = vec![slot(0x62, 10, 0, -4, 1 << 25)];
        slots.extend(constant(1, map_handle(0)));
        slots.extend([slot(0xbf, 2, 10, 0, 0), slot(0x07, 2, 0, 0, -4), slot(0x85, 0, 0, 0, 1)]);
        slots.extend([slot(0x55, 0, 0, 1, 0), exit(), slot(0xb7, 1, 0, 0, 1), slot(0x7b, 0, 1, 0, 0)]);
        slots.extend([slot(0xdb, 0, 1, 0, 0), slot(0x79, 0, 0, offset, 0), exit()]);
        slots
    };
    let load = |offset| {
        let bytes: Vec<u8> = body(offset).iter().flat_map(|slot| slot.write()).collect();
        let object = Object::read("maps", &bytes).expect("raw instructions");
        let object = object.with_map(MapDefinition::new("map", MapKind::Array, 4, VALUE_BYTES, 1 << 26));
        Machine::load(&object, None, Options::default()).expect("a program")
    };
    // 1 plus 1 is XDP_PASS.
    let mut machine = load(0);
    let verdict = machine.packet(&[0; 60], Arrival::default(), &mut Silent).expect("no fault").verdict;
    assert_eq!(verdict, linecard_ebpf::Verdict::Pass);
    for (offset, said) in [(1, "offset 1 of map"), (8, "offset 8 of map"), (-8, "offset -8 of map")] {
        let fault =
            load(offset).packet(&[0; 60], Arrival::default(), &mut Silent).expect_err("a fault").to_string();
        assert!(fault.contains(said), "{fault}");
    }
}
