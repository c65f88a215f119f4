//! tunnel, too_big, balancer: packets that grow and shrink.

use super::same;
use crate::kit::{TCP, UDP, checksum, five_tuple, held, long, map, plain_ipv4, shipped, stream};
use linecard_ebpf::Verdict;
use std::collections::BTreeMap;

/// A frame encapsulated in an IPv4 header and forwarded to a next hop.
fn inside(frame: &[u8], service_class: u8, source: [u8; 4], destination: [u8; 4], mac: [u8; 6]) -> Vec<u8> {
    let bytes = u16::from_be_bytes([frame[16], frame[17]]).wrapping_add(20);
    let mut header = vec![0x45, service_class];
    header.extend(bytes.to_be_bytes());
    header.extend([0, 0, 0, 0, 64, 4, 0, 0]);
    header.extend(source);
    header.extend(destination);
    let sum = checksum(&header);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    [&mac, &frame[..6], &[8, 0], &header, &frame[14..]].concat()
}

/// Address, port and protocol of a service, as the programs' lookup key.
fn service(key: &[u8; 16]) -> [u8; 8] {
    [key[4], key[5], key[6], key[7], key[10], key[11], key[12], 0]
}

#[test]
fn tunnel_puts_services_into_ip() {
    let mut machine = shipped("tunnel");
    let services = map(&machine, "services");
    let mut known = BTreeMap::new();
    for host in 0..8u8 {
        let protocol = if host % 2 == 0 { UDP } else { TCP };
        let key = [10, 0, host >> 2, host & 3, 0, if host < 4 { 80 } else { 53 }, protocol, 0];
        let ends = ([192, 0, 2, host], [198, 51, 100, host], [6, 5, 4, 3, 2, host]);
        known.insert(key, ends);
        let value = [&ends.0[..], &ends.1, &ends.2, &[0, 0]].concat();
        machine.insert(services, &key, &value).expect("a service");
    }
    let mut count = 0;
    same(&mut machine, &stream(3000), |frame, _| {
        let found = five_tuple(frame).and_then(|key| known.get(&service(&key)));
        let Some(&(source, destination, mac)) = found else { return (Verdict::Pass, frame.to_vec()) };
        count += 1;
        (Verdict::Tx, inside(frame, frame[15], source, destination, mac))
    });
    assert!(count > 20);
    assert_eq!(long(&held(&machine, "tunnelled")[0].1), count);
}

#[test]
fn too_big_answers_with_what_it_quotes() {
    let mut machine = shipped("too_big");
    let mut count = 0;
    same(&mut machine, &stream(1000), |frame, _| {
        if !plain_ipv4(frame) || frame.len() - 14 <= 600 {
            return (Verdict::Pass, frame.to_vec());
        }
        count += 1;
        let mut message = vec![3, 4, 0, 0, 0, 0];
        message.extend(600u16.to_be_bytes());
        message.extend(&frame[14..14 + 84]);
        let sum = checksum(&message);
        message[2..4].copy_from_slice(&sum.to_be_bytes());
        let mut header = vec![0x45, 0, 0, 20 + message.len() as u8, 0, 0, 0, 0, 64, 1, 0, 0];
        header.extend(&frame[30..34]);
        header.extend(&frame[26..30]);
        let sum = checksum(&header);
        header[10..12].copy_from_slice(&sum.to_be_bytes());
        (Verdict::Tx, [&frame[6..12], &frame[..6], &[8, 0], &header, &message].concat())
    });
    assert!(count > 50);
    assert_eq!(long(&held(&machine, "answered")[0].1), count);
}

#[test]
fn balancer_keeps_connections_and_spreads_them() {
    let mut machine = shipped("balancer");
    let (services, rings, servers) =
        (map(&machine, "services"), map(&machine, "rings"), map(&machine, "servers"));
    // There are two services; the ring of the second leads to servers 4 to 7.
    let known: Vec<[u8; 8]> = vec![[10, 0, 0, 1, 0, 80, TCP, 0], [10, 0, 1, 2, 0, 53, UDP, 0]];
    for (number, key) in (0u32..).zip(&known) {
        machine.insert(services, key, &number.to_le_bytes()).expect("a service");
        for place in 0..251u32 {
            let (at, server) = (number * 251 + place, number * 4 + place * 7 % 4);
            machine.insert(rings, &at.to_le_bytes(), &server.to_le_bytes()).expect("a place");
        }
    }
    for number in 0..8u8 {
        let mut server = vec![172, 16, 0, number, 2, 2, 2, 2, 2, number];
        server.resize(32, 0);
        machine.insert(servers, &u32::from(number).to_le_bytes(), &server).expect("a server");
    }
    let mut chosen: BTreeMap<[u8; 16], u8> = BTreeMap::new();
    let mut counts = [0u64; 8];
    for frame in stream(6000) {
        let (verdict, left) = super::process(&mut machine, &frame, linecard_ebpf::Arrival::default());
        let key = five_tuple(&frame);
        let Some((key, number)) =
            key.and_then(|key| Some((key, known.iter().position(|each| *each == service(&key))?)))
        else {
            assert_eq!((verdict, left), (Verdict::Pass, frame));
            continue;
        };
        // The program may choose any server; it must keep the server and send the packet there.
        let server = *chosen.entry(key).or_insert(left[33]);
        assert_eq!(usize::from(server) / 4, number, "a server of the service");
        let destination = [172, 16, 0, server];
        let source = [key[4], key[5], key[6], key[7]];
        assert_eq!(left, inside(&frame, 0, source, destination, [2, 2, 2, 2, 2, server]));
        assert_eq!(verdict, Verdict::Tx);
        counts[usize::from(server)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 0), "all servers get something: {counts:?}");
    for (number, (_, value)) in held(&machine, "servers").iter().enumerate() {
        assert_eq!(long(&value[16..]), counts[number]);
    }
    assert_eq!(held(&machine, "connections").len(), chosen.len());
}
