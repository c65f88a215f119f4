//! name_cache, alaw: programs that change the contents of a packet.

use super::same;
use crate::kit::{checksum, five_tuple, held, long, map, shipped, stream, swapped_macs, udp};
use linecard_ebpf::Verdict;
use std::collections::BTreeMap;

/// Encodes a name as in a question: each part with its length.
fn encoded(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in name.split('.') {
        bytes.push(part.len() as u8);
        bytes.extend(part.bytes());
    }
    bytes.push(0);
    bytes
}

fn query(id: u16, name: &[u8], kind: u16) -> Vec<u8> {
    let mut payload = id.to_be_bytes().to_vec();
    payload.extend([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    payload.extend(name);
    payload.extend(kind.to_be_bytes());
    payload.extend([0, 1]);
    udp(([10, 0, 0, 1], 40_000 + id), ([10, 0, 0, 2], 53), &payload)
}

#[test]
fn name_cache_answers_what_it_knows() {
    let mut machine = shipped("name_cache");
    let names = map(&machine, "names");
    let known: BTreeMap<&str, [u8; 4]> =
        [("a.b", [1, 2, 3, 4]), ("www.example.org", [5, 6, 7, 8]), ("a.name.of.thirty.two.by.tes.x", [9; 4])]
            .into();
    for (name, address) in &known {
        let mut key = encoded(name);
        key.resize(32, 0);
        machine.insert(names, &key, address).expect("a name");
    }
    let mut frames = stream(300);
    let asked = [
        "a.b",
        "www.example.org",
        "unknown",
        "a.name.of.thirty.two.by.tes.x",
        "a.name.that.is.longer.than.the.cache.takes",
    ];
    let mut expected: BTreeMap<Vec<u8>, Option<[u8; 4]>> = BTreeMap::new();
    for (id, name) in (0u16..40).zip(asked.iter().cycle()) {
        let kind = if id % 8 == 7 { 28 } else { 1 };
        let frame = query(id, &encoded(name), kind);
        let short = encoded(name).len() <= 32;
        if kind == 1 && short {
            expected.insert(frame.clone(), known.get(name).copied());
        }
        // Three frames pass: a query followed by more bytes, a query cut short, and an answer.
        frames.push([&frame[..], &[0]].concat());
        frames.push(frame[..frame.len() - 1].to_vec());
        let mut answer = frame.clone();
        answer[44] |= 0x80;
        frames.push(answer);
        frames.push(frame);
    }
    let (mut hits, mut misses) = (0, 0);
    same(&mut machine, &frames, |frame, _| {
        let Some(found) = expected.get(frame) else { return (Verdict::Pass, frame.to_vec()) };
        let Some(address) = found else {
            misses += 1;
            return (Verdict::Pass, frame.to_vec());
        };
        hits += 1;
        let mut left = swapped_macs(frame);
        left.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4]);
        left.extend(address);
        for (at, by) in [(16, 16u16), (38, 16)] {
            let length = u16::from_be_bytes([left[at], left[at + 1]]) + by;
            left[at..at + 2].copy_from_slice(&length.to_be_bytes());
        }
        let ends = left[26..34].to_vec();
        left[26..30].copy_from_slice(&ends[4..]);
        left[30..34].copy_from_slice(&ends[..4]);
        let ports = left[34..38].to_vec();
        left[34..36].copy_from_slice(&ports[2..]);
        left[36..38].copy_from_slice(&ports[..2]);
        left[40..42].fill(0);
        left[44..46].copy_from_slice(&[0x81, 0x80]);
        left[48..50].copy_from_slice(&[0, 1]);
        left[24..26].fill(0);
        let sum = checksum(&left[14..34]);
        left[24..26].copy_from_slice(&sum.to_be_bytes());
        (Verdict::Tx, left)
    });
    assert!(hits > 10 && misses > 4, "{hits} and {misses}");
    let counts: Vec<u64> = held(&machine, "answers").iter().map(|(_, value)| long(value)).collect();
    assert_eq!(counts, [hits, misses]);
}

/// G.711 according to its text: to a linear value, and from that to the other code.
fn ulaw_to_alaw(code: u8) -> u8 {
    let inverted = !code;
    let (segment, low) = (u32::from(inverted >> 4 & 7), u32::from(inverted & 15));
    let linear = (((low << 3) + 0x84) << segment) - 0x84;
    let magnitude = linear >> 3;
    let sign = if inverted & 0x80 == 0 { 0x80 } else { 0 };
    let value = if magnitude < 32 {
        magnitude >> 1
    } else {
        let segment = 27 - magnitude.leading_zeros();
        segment << 4 | (magnitude >> segment & 15)
    };
    (value as u8 | sign) ^ 0x55
}

#[test]
fn alaw_replaces_samples() {
    let mut machine = shipped("alaw");
    let table = map(&machine, "table");
    let codes: Vec<u8> = (0..=255).map(ulaw_to_alaw).collect();
    machine.insert(table, &0u32.to_le_bytes(), &codes).expect("a table");
    // Silence, and the loudest sample of each sign, as in the tables of the recommendation.
    assert_eq!([codes[0xff], codes[0x80], codes[0x00]], [0xd5, 0xaa, 0x2a]);
    let mut frames = stream(300);
    for number in 0..200u32 {
        let mut payload =
            vec![0x80, if number % 5 == 0 { 0x80 } else { 0 }, 0, number as u8, 0, 0, 0, 1, 1, 2, 3, 4];
        payload[1] |= if number % 7 == 0 { 9 } else { 0 };
        payload.extend((0..number).map(|at| (at * 13 + number) as u8));
        frames.push(udp(([10, 0, 0, 1], 5004), ([10, 0, 0, 2], 5004), &payload));
    }
    let mut changed = 0;
    same(&mut machine, &frames, |frame, _| {
        let to_port =
            five_tuple(frame).is_some_and(|key| key[12] == 17 && key[10..12] == 5004u16.to_be_bytes());
        if !to_port || frame.len() < 54 || frame[42] != 0x80 || frame[43] & 0x7f != 0 {
            return (Verdict::Pass, frame.to_vec());
        }
        changed += 1;
        let mut left = frame.to_vec();
        left[43] |= 8;
        left[40..42].fill(0);
        for sample in left.iter_mut().skip(54).take(160) {
            *sample = ulaw_to_alaw(*sample);
        }
        (Verdict::Tx, left)
    });
    assert!(changed > 100);
}
