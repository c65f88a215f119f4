//! parse_count, reads, adds, count_min, and the programs that were measured on a card: read_words, add_word, sketch.

use super::same;
use crate::kit::{five_tuple, held, long, map, plain_ipv4, shipped, stream, word};
use linecard_ebpf::{AccessKind, Arrival, Profile, Verdict, values};
use std::collections::BTreeMap;

/// The programs' hash, from its description: multiplication and folding.
fn hash(word: u32, seed: u32) -> u32 {
    let hash = (word ^ seed).wrapping_mul(0x9e37_79b1);
    let hash = (hash ^ hash >> 15).wrapping_mul(0x85eb_ca6b);
    hash ^ hash >> 13
}

fn flow_hash(key: &[u8; 16], seed: u32) -> u32 {
    let half = |at: usize| u32::from(u16::from_le_bytes([key[at], key[at + 1]]));
    let ports = half(8) << 16 | half(10);
    let inner = hash(ports ^ u32::from(key[12]), seed);
    hash(word(&key[..4]) ^ hash(word(&key[4..8]) ^ inner, seed), seed)
}

#[test]
fn parse_count_counts_protocols() {
    let mut machine = shipped("parse_count");
    let mut counts: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    same(&mut machine, &stream(2000), |frame, _| {
        let mut at = 12;
        let mut tags = 0;
        let kind = |at: usize| frame.get(at..at + 2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
        while tags < 2 && matches!(kind(at), Some(0x8100 | 0x88a8)) {
            at += 4;
            tags += 1;
        }
        let header = &frame[(at + 2).min(frame.len())..];
        let protocol = match kind(at) {
            Some(0x0800) if header.len() >= 20 => header[9],
            Some(0x86dd) if header.len() >= 40 => header[6],
            _ => 255,
        };
        let count = counts.entry(protocol.into()).or_default();
        *count = (count.0 + 1, count.1 + frame.len() as u64);
        (Verdict::Drop, frame.to_vec())
    });
    let found: BTreeMap<u32, (u64, u64)> = held(&machine, "counts")
        .iter()
        .map(|(key, value)| (word(key), (long(value), long(&value[8..]))))
        .collect();
    assert_eq!(found, counts);
}

#[test]
fn reads_walks_its_table() {
    let mut machine = shipped("reads");
    let table = map(&machine, "table");
    let entry = |place: u32| place.wrapping_mul(2_654_435_761) ^ 0x55;
    for place in 0..65_536u32 {
        machine.insert(table, &place.to_le_bytes(), &entry(place).to_le_bytes()).expect("an entry");
    }
    let mut sums = BTreeMap::new();
    same(&mut machine, &stream(500), |frame, _| {
        if !plain_ipv4(frame) {
            return (Verdict::Pass, frame.to_vec());
        }
        let source = word(&frame[26..]);
        let sum = (0..4)
            .fold(0u32, |sum, read| sum.wrapping_add(entry(hash(source.wrapping_add(sum), read) % 65_536)));
        sums.insert(source & 255, sum);
        (Verdict::Drop, frame.to_vec())
    });
    let found: BTreeMap<u32, u32> =
        held(&machine, "sums").iter().map(|(key, value)| (word(key), word(value))).collect();
    assert_eq!(found, sums);
}

/// Four reads of the table and one access to the sums, independent of the packet.
#[test]
fn reads_reads_as_often_as_it_says() {
    let mut machine = shipped("reads");
    let mut profile = Profile::new(machine.code());
    let frames: Vec<_> = stream(100).into_iter().filter(|frame| plain_ipv4(frame)).collect();
    for frame in &frames {
        machine.packet(frame, Arrival::default(), &mut profile).expect("no fault");
    }
    let count = profile.accesses(values(map(&machine, "table")), AccessKind::Read);
    assert_eq!((count.accesses, count.bytes), (4 * frames.len() as u64, 16 * frames.len() as u64));
    assert_eq!(
        profile.accesses(values(map(&machine, "sums")), AccessKind::Write).accesses,
        frames.len() as u64
    );
    assert_eq!(profile.helpers().get(&1), Some(&(5 * frames.len() as u64)));
}

#[test]
fn adds_counts_in_four_places() {
    let mut machine = shipped("adds");
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    same(&mut machine, &stream(1000), |frame, _| {
        if !plain_ipv4(frame) {
            return (Verdict::Pass, frame.to_vec());
        }
        for add in 0..4 {
            *counts.entry(hash(word(&frame[26..]), add) % 65_536).or_default() += 1;
        }
        (Verdict::Drop, frame.to_vec())
    });
    let found: BTreeMap<u32, u64> =
        held(&machine, "counters").iter().map(|(key, value)| (word(key), long(value))).collect();
    assert_eq!(found, counts);
}

#[test]
fn count_min_never_counts_too_little_and_limits_flows() {
    const LIMIT: u32 = 5;
    let mut machine = shipped("count_min");
    let limit = map(&machine, "limit");
    machine.insert(limit, &0u32.to_le_bytes(), &LIMIT.to_le_bytes()).expect("a limit");
    let mut rows = vec![0u32; 4 * 4096];
    let mut exact: BTreeMap<[u8; 16], u32> = BTreeMap::new();
    let mut dropped = 0;
    same(&mut machine, &stream(3000), |frame, _| {
        let Some(key) = five_tuple(frame) else { return (Verdict::Pass, frame.to_vec()) };
        let places = (0..4).map(|row| row * 4096 + flow_hash(&key, row) % 4096);
        let mut least = u32::MAX;
        for place in places {
            rows[place as usize] += 1;
            least = least.min(rows[place as usize]);
        }
        let count = exact.entry(key).or_default();
        *count += 1;
        assert!(least >= *count, "a sketch never counts too little");
        dropped += u32::from(least > LIMIT);
        (if least > LIMIT { Verdict::Drop } else { Verdict::Pass }, frame.to_vec())
    });
    assert!(dropped > 0, "some flow comes often enough");
    for (key, value) in held(&machine, "sketch") {
        assert_eq!(rows[word(&key) as usize], word(&value));
    }
}

#[test]
fn read_words_reads_the_first_words_until_one_is_not_zero() {
    let mut machine = shipped("read_words");
    same(&mut machine, &stream(3), |frame, _| (Verdict::Pass, frame.to_vec()));
    let mut value = vec![0u8; 1 << 16];
    value[12] = 1;
    let table = map(&machine, "table");
    machine.insert(table, &0u32.to_le_bytes(), &value).expect("a value");
    same(&mut machine, &stream(3), |frame, _| (Verdict::Drop, frame.to_vec()));
    // The program does not read the fifth word.
    (value[12], value[16]) = (0, 1);
    machine.insert(table, &0u32.to_le_bytes(), &value).expect("a value");
    same(&mut machine, &stream(3), |frame, _| (Verdict::Pass, frame.to_vec()));
}

#[test]
fn add_word_adds_five_ten_times_a_packet() {
    let mut machine = shipped("add_word");
    same(&mut machine, &stream(20), |frame, _| (Verdict::Pass, frame.to_vec()));
    let table = held(&machine, "table");
    let (_, value) = table.first().expect("the value");
    assert_eq!(word(value), 20 * 10 * 5);
    assert!(value[4..].iter().all(|&byte| byte == 0), "one word");
}

#[test]
fn sketch_counts_each_packet_in_every_row_at_places_without_the_row() {
    let mixed = |value: u32, row: u32| {
        let value = (value >> 15).wrapping_mul(0x9e37_79b1 + 2 * row);
        let value = (value >> 12).wrapping_mul(0x85eb_ca6b + 4 * row);
        value ^ value >> 15
    };
    let half = |bytes: &[u8]| u32::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    let mut machine = shipped("sketch");
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    same(&mut machine, &stream(300), |frame, _| {
        if frame.len() < 42 {
            return (Verdict::Pass, frame.to_vec());
        }
        let mut key = mixed(half(&frame[12..]), 0);
        if frame[12..14] == [8, 0] {
            key ^= mixed(word(&frame[26..]), 0) ^ mixed(word(&frame[30..]), 0) ^ mixed(frame[23].into(), 0);
            if matches!(frame[23], 6 | 17) {
                key ^= mixed(half(&frame[34..]), 0) ^ mixed(half(&frame[36..]), 0);
            }
        }
        for row in 0..4 {
            *counts.entry(mixed(key, row) & 0x3fff).or_default() += 1;
        }
        (Verdict::Drop, frame.to_vec())
    });
    let found: BTreeMap<u32, u32> = held(&machine, "counters")
        .iter()
        .map(|(key, value)| (word(key), word(value)))
        .filter(|(_, count)| *count > 0)
        .collect();
    assert_eq!(found, counts);
}
