//! stateful_firewall, token_bucket.

use super::same;
use crate::kit::{five_tuple, held, map, plain_ipv4, shipped, stream, word};
use linecard_ebpf::Verdict;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn firewall_passes_rules_and_answers() {
    let mut machine = shipped("stateful_firewall");
    let rules = map(&machine, "rules");
    let frames = stream(3000);
    // Every fifth flow of the stream has a rule.
    let flows: BTreeSet<[u8; 16]> = frames.iter().filter_map(|frame| five_tuple(frame)).collect();
    let mut listed: BTreeMap<[u8; 16], (u32, u32)> = BTreeMap::new();
    for (number, flow) in flows.into_iter().enumerate().filter(|(number, _)| number % 5 == 0) {
        let action = 1 + number as u32 / 5 % 2;
        listed.insert(flow, (action, 0));
        machine.insert(rules, &flow, &[action.to_le_bytes(), [0; 4]].concat()).expect("a rule");
    }
    let mut open = BTreeSet::new();
    let mut answered = 0;
    same(&mut machine, &frames, |frame, arrival| {
        let verdict = match five_tuple(frame) {
            None => Verdict::Pass,
            Some(key) => match listed.get_mut(&key) {
                Some((action, hits)) => {
                    *hits += 1;
                    if *action == 1 { Verdict::Drop } else { Verdict::Pass }
                }
                None if arrival.interface == 1 => {
                    let mut answer = key;
                    answer[..4].copy_from_slice(&key[4..8]);
                    answer[4..8].copy_from_slice(&key[..4]);
                    answer[8..10].copy_from_slice(&key[10..12]);
                    answer[10..12].copy_from_slice(&key[8..10]);
                    open.insert(answer);
                    Verdict::Pass
                }
                None if open.contains(&key) => {
                    answered += 1;
                    Verdict::Pass
                }
                None => Verdict::Drop,
            },
        };
        (verdict, frame.to_vec())
    });
    assert!(answered > 10, "some answers come");
    for (key, value) in held(&machine, "rules") {
        let key: [u8; 16] = key.try_into().expect("a five-tuple");
        assert_eq!(listed[&key], (word(&value), word(&value[4..])));
    }
    assert_eq!(held(&machine, "open").len(), open.len());
}

#[test]
fn token_bucket_gives_each_source_its_rate() {
    const RATE: u64 = 1_000_000;
    const BURST: u64 = 3000;
    let mut machine = shipped("token_bucket");
    let mut buckets: BTreeMap<[u8; 4], (u64, u64)> = BTreeMap::new();
    let (mut passed, mut dropped) = (0, 0);
    same(&mut machine, &stream(4000), |frame, arrival| {
        if !plain_ipv4(frame) {
            return (Verdict::Pass, frame.to_vec());
        }
        let source: [u8; 4] = frame[26..30].try_into().expect("an address");
        let (tokens, since) = buckets.entry(source).or_insert((BURST, arrival.time_ns));
        let gained = u128::from(arrival.time_ns - *since) * u128::from(RATE) / 1_000_000_000;
        *tokens = (*tokens + gained as u64).min(BURST);
        *since = arrival.time_ns;
        let bytes = frame.len() as u64;
        if *tokens < bytes {
            dropped += 1;
            return (Verdict::Drop, frame.to_vec());
        }
        *tokens -= bytes;
        passed += 1;
        (Verdict::Pass, frame.to_vec())
    });
    assert!(passed > 1000 && dropped > 50, "{passed} and {dropped}");
}
