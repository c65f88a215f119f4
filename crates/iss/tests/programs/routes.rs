//! patricia, bitmap, bsol and ixp: each against a search of all prefixes, and thereby against each other.

use super::kit::{Program, TCP, folder, ipv4};
use flate2::read::GzDecoder;
use linecard_sim::{Stream, stream};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::net::Ipv4Addr;

const PROGRAMS: [&str; 4] = ["patricia", "bitmap", "bsol", "ixp"];

#[derive(Clone, Copy)]
struct Route {
    prefix: u32,
    length: u32,
    hop: u32,
}

fn mask(length: u32) -> u32 {
    if length == 0 { 0 } else { u32::MAX << (32 - length) }
}

/// Finds the longest prefix by trying every length.
struct Naive(Vec<HashMap<u32, u32>>);

impl Naive {
    fn new(routes: &[Route]) -> Self {
        let mut of_length = vec![HashMap::new(); 33];
        for route in routes {
            of_length[route.length as usize].insert(route.prefix & mask(route.length), route.hop);
        }
        Self(of_length)
    }

    fn hop(&self, address: u32) -> u32 {
        let find = |length: usize| self.0[length].get(&(address & mask(length as u32)));
        (0..=32).rev().find_map(find).copied().unwrap_or(0)
    }
}

fn table(routes: &[Route]) -> String {
    let mut text = String::new();
    for route in routes {
        writeln!(text, "{}/{} {}", Ipv4Addr::from(route.prefix), route.length, route.hop).expect("text");
    }
    text
}

/// Addresses at the edges of prefixes, inside them, and anywhere.
fn addresses(routes: &[Route], draw: &mut Stream) -> Vec<u32> {
    let mut addresses: Vec<u32> = (0..200).map(|_| draw.bits() as u32).collect();
    for route in routes {
        let (first, last) = (route.prefix, route.prefix | !mask(route.length));
        let inside = first | (draw.bits() as u32 & !mask(route.length));
        addresses.extend([first, last, first.wrapping_sub(1), last.wrapping_add(1), inside]);
    }
    addresses
}

fn hold_to_naive(name: &str, text: &str, routes: &[Route], addresses: &[u32]) {
    let naive = Naive::new(routes);
    let mut program = Program::new(name, text.as_bytes());
    for &address in addresses {
        let found = program.packet(&ipv4(1, address, TCP, b""));
        assert_eq!(
            found,
            naive.hop(address),
            "{name}, {} among {} routes",
            Ipv4Addr::from(address),
            routes.len()
        );
    }
}

#[test]
fn small_tables_give_the_longest_match() {
    let mut draw = stream(1993, "routes");
    for round in 0..60 {
        let count = [0, 1, 2, 3, 10, 100][round % 6];
        let crowded = draw.below(2) == 0;
        let routes: Vec<Route> = (0..count)
            .map(|_| {
                let length = [0, 7, 8, 9, 15, 16, 17, 24, 31, 32, draw.below(33)][draw.below(11) as usize];
                let bits = draw.bits() as u32;
                let address = if crowded {
                    [0, 0x0a00_0000, 0xffff_fc00][bits as usize % 3] | bits >> 22
                } else {
                    bits
                };
                Route { prefix: address & mask(length), length, hop: 1 + draw.below(4000) }
            })
            .collect();
        let addresses = addresses(&routes, &mut draw);
        for name in PROGRAMS {
            hold_to_naive(name, &table(&routes), &routes, &addresses);
        }
    }
}

fn read(text: &str) -> Vec<Route> {
    let route = |line: &str| {
        let mut fields = line.split_whitespace();
        let (prefix, length) = fields.next()?.split_once('/')?;
        let hop = fields.next()?;
        let hop = hop.parse::<Ipv4Addr>().map_or_else(|_| hop.parse().expect("a number"), u32::from);
        Some(Route { prefix: prefix.parse::<Ipv4Addr>().ok()?.into(), length: length.parse().ok()?, hop })
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(route).collect()
}

#[test]
fn the_shipped_table_gives_the_longest_match() {
    let text = std::fs::read_to_string(folder().join("control/routes.txt")).expect("the shipped table");
    let routes = read(&text);
    assert_eq!(routes.len(), 20_000);
    let mut draw = stream(2008, "addresses");
    let addresses = addresses(&routes[..4000], &mut draw);
    for name in PROGRAMS {
        hold_to_naive(name, &text, &routes, &addresses);
    }
}

#[test]
fn a_whole_backbone_table_of_2008_loads() {
    let file = folder().join("../../shared/data/routes/ipv4-rv20080501.txt.gz");
    let Ok(packed) = std::fs::File::open(&file) else {
        println!("skipped: {} is not there", file.display());
        return;
    };
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).expect("whole gzip data");
    let routes = read(&text);
    assert_eq!(routes.len(), 270_849);
    let mut draw = stream(2008, "addresses");
    let some: Vec<Route> = routes.iter().step_by(97).copied().collect();
    let addresses = addresses(&some, &mut draw);
    for name in PROGRAMS {
        hold_to_naive(name, &text, &routes, &addresses);
    }
}

#[test]
fn patricia_matches_masks_with_holes() {
    let mut draw = stream(1991, "masks");
    for _ in 0..40 {
        let routes: Vec<(u32, u32)> = (0..1 + draw.below(30))
            .map(|_| {
                let mask =
                    [0xffff_00ff, 0xff00_ff00, 0xffff_ff0f, 0x00ff_ffff, 0xffff_ff00][draw.below(5) as usize];
                (draw.bits() as u32 & 0x0303_0303 & mask, mask)
            })
            .collect();
        let text: String = routes
            .iter()
            .enumerate()
            .map(|(number, &(key, mask))| {
                format!("{}/{} {}\n", Ipv4Addr::from(key), Ipv4Addr::from(mask), number + 1)
            })
            .collect();
        let mut program = Program::new("patricia", text.as_bytes());
        for _ in 0..200 {
            let address = draw.bits() as u32 & 0x0303_0303;
            let found = program.packet(&ipv4(1, address, TCP, b"")) as usize;
            let matching: Vec<_> = routes.iter().filter(|&&(key, mask)| address & mask == key).collect();
            match found {
                0 => assert_eq!(matching, Vec::<&(u32, u32)>::new(), "{}", Ipv4Addr::from(address)),
                number => assert!(matching.contains(&&routes[number - 1]), "{}", Ipv4Addr::from(address)),
            }
        }
    }
}
