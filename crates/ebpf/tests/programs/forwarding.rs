//! drop, tx, redirect, router.

use super::same;
use crate::kit::{Numbers, checksum, map, plain_ipv4, shipped, stream, swapped_macs};
use linecard_ebpf::{Target, Verdict};
use std::collections::BTreeMap;

#[test]
fn drop_drops() {
    same(&mut shipped("drop"), &stream(100), |frame, _| (Verdict::Drop, frame.to_vec()));
}

#[test]
fn tx_swaps_addresses() {
    same(&mut shipped("tx"), &stream(200), |frame, _| (Verdict::Tx, swapped_macs(frame)));
}

#[test]
fn redirect_goes_where_its_map_says() {
    let mut machine = shipped("redirect");
    let ports = map(&machine, "ports");
    machine.insert(ports, &1u32.to_le_bytes(), &7u32.to_le_bytes()).expect("a port");
    machine.insert(ports, &2u32.to_le_bytes(), &9u32.to_le_bytes()).expect("a port");
    same(&mut machine, &stream(200), |frame, arrival| {
        let verdict = match arrival.interface {
            1 => Verdict::Redirect(Target::Interface(7)),
            2 => Verdict::Redirect(Target::Interface(9)),
            _ => Verdict::Pass,
        };
        (verdict, swapped_macs(frame))
    });
}

#[test]
fn router_takes_the_longest_prefix() {
    let mut machine = shipped("router");
    let (routes, ports) = (map(&machine, "routes"), map(&machine, "ports"));
    for port in 0..4u32 {
        machine.insert(ports, &port.to_le_bytes(), &(100 + port).to_le_bytes()).expect("a port");
    }
    let mut numbers = Numbers(3);
    // Prefixes by length and address; of duplicates, the last one counts.
    let mut table: BTreeMap<(u32, u32), [u8; 16]> = BTreeMap::new();
    for _ in 0..40 {
        let length = 8 + numbers.below(25);
        let address = 0x0a00_0000 | numbers.below(1024) & (u32::MAX << (32 - length));
        let mut hop = [0; 16];
        hop.iter_mut().take(12).for_each(|byte| *byte = numbers.below(256) as u8);
        // One port does not exist: packets to it are dropped.
        hop[12] = numbers.below(5) as u8;
        table.insert((length, address & (u32::MAX << (32 - length))), hop);
    }
    for (&(length, address), hop) in &table {
        let key = [length.to_le_bytes(), address.to_be_bytes()].concat();
        machine.insert(routes, &key, hop).expect("a route");
    }
    let mut redirected = 0;
    same(&mut machine, &stream(2000), |frame, _| {
        if !plain_ipv4(frame) || frame[22] <= 1 {
            return (Verdict::Pass, frame.to_vec());
        }
        let to = u32::from_be_bytes(frame[30..34].try_into().expect("4 bytes"));
        let fits = table.iter().filter(|((length, address), _)| (to ^ address) >> (32 - length) == 0);
        let Some((_, hop)) = fits.max_by_key(|((length, _), _)| *length) else {
            return (Verdict::Pass, frame.to_vec());
        };
        let mut left = frame.to_vec();
        left[..12].copy_from_slice(&hop[..12]);
        left[22] -= 1;
        // If the checksum of the received header is right, so is that of the sent one; programs update it, the test
        // computes it anew.
        if checksum(&frame[14..34]) == 0 {
            left[24..26].fill(0);
            let sum = checksum(&left[14..34]);
            left[24..26].copy_from_slice(&sum.to_be_bytes());
        }
        redirected += 1;
        match hop[12] {
            4 => (Verdict::Drop, left),
            port => (Verdict::Redirect(Target::Interface(100 + u32::from(port))), left),
        }
    });
    assert!(redirected > 500, "the table fits the stream");
}
