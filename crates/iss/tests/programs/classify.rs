//! classify, against a map.

use super::kit::{ICMP, Program, TCP, UDP, ipv6, of_flow, udp_body};
use linecard_sim::stream;
use std::collections::HashMap;

const NEW: u32 = 1 << 31;

#[test]
fn flows_are_numbered_as_a_map_numbers_them() {
    // 64 buckets for thousands of flows cause long chains.
    let mut program = Program::new("classify", b"buckets 64 # few\n");
    let mut draw = stream(5, "flows");
    let mut numbers = HashMap::new();
    for _ in 0..20_000 {
        let (src, dst) = (draw.below(20), draw.below(20));
        let protocol = [TCP, UDP, ICMP][draw.below(3) as usize];
        let ports = (1 + draw.below(4) as u16, 1 + draw.below(4) as u16);
        let mut packet = of_flow(src, dst, protocol, ports, 8);
        let later_fragment = draw.below(8) == 0;
        if later_fragment {
            packet[7] = 9;
        }
        let has_ports = protocol != ICMP && !later_fragment;
        let key = (src, dst, protocol, has_ports.then_some(ports));
        let next = numbers.len() as u32 + 1;
        let seen = numbers.contains_key(&key);
        let number = *numbers.entry(key).or_insert(next);
        assert_eq!(program.packet(&packet), if seen { number } else { number | NEW }, "{key:?}");
        assert_eq!(program.locks, if seen { 0 } else { 2 }, "only a new flow takes the lock");
    }
    assert!(numbers.len() > 3000);
}

#[test]
fn version_6_flows_differ_by_addresses_and_ports_and_from_version_4() {
    let mut program = Program::new("classify", b"");
    let packet = |src: u128, dst, port| ipv6(src, dst, UDP, &udp_body((port, 53), b""));
    let mut expected = 0;
    for src in [1, 1 << 96, 1 << 64 | 1] {
        for dst in [1, 2, 1 << 127] {
            for port in [9, 10] {
                expected += 1;
                assert_eq!(program.packet(&packet(src, dst, port)), expected | NEW);
                assert_eq!(program.packet(&packet(src, dst, port)), expected);
            }
        }
    }
    assert_eq!(program.packet(&of_flow(1, 1, UDP, (9, 53), 0)), (expected + 1) | NEW);
}
