//! Longest-prefix match on IPv4 and IPv6: tries with a first level of 16 bits and further levels of 8, one
//! memory read per level.
//!
//! Source of the structure: L3fwd16 keeps its tables in SRAM as a trie with one read per level (Hasan 2003,
//! section 2). It uses leaf pushing inside a node; a node of 8 bits exists where a longer prefix needs it. IPv4
//! takes 1 to 3 reads, IPv6 1 to 15, depending on the longest prefix on the path.

use linecard_program::{NetworkKind, PacketHead};
use std::cell::LazyCell;
use std::ops::Range;

/// An address that a trie walks.
pub trait Address: Copy {
    /// Length.
    const BITS: u32;

    /// Returns the bits that select an entry at a level: 16 at level 0, then 8 each.
    fn at_level(self, level: u32) -> usize;
}

impl Address for u32 {
    const BITS: u32 = u32::BITS;

    #[inline]
    fn at_level(self, level: u32) -> usize {
        (self >> (16 - 8 * level)) as usize & level_mask(level)
    }
}

impl Address for u128 {
    const BITS: u32 = u128::BITS;

    #[inline]
    fn at_level(self, level: u32) -> usize {
        (self >> (112 - 8 * level)) as usize & level_mask(level)
    }
}

#[inline]
fn level_mask(level: u32) -> usize {
    if level == 0 { 0xffff } else { 0xff }
}

/// One route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route<A = u32> {
    /// Network address; bits beyond `length` are ignored.
    pub prefix: A,
    /// Prefix length, 0 to 32 or 128.
    pub length: u8,
    /// Output port.
    pub port: u16,
}

/// The contents of an entry: nothing, a port, or a node of the next level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry(u32);

impl Entry {
    /// Zero, so that zeroed memory from the system is a level without routes.
    const NONE: Entry = Entry(0);
    const NODE: u32 = 1 << 31;

    fn of_port(port: u16) -> Self {
        Entry(u32::from(port) + 1)
    }

    #[inline]
    fn port(self) -> Option<u16> {
        self.0.checked_sub(1).map(|port| port as u16)
    }

    fn node(index: u32) -> Self {
        Entry(Self::NODE | index)
    }

    #[inline]
    fn as_node(self) -> Option<usize> {
        (self.0 & Self::NODE != 0).then_some((self.0 & !Self::NODE) as usize)
    }
}

/// Most nodes of a table: one gibibyte.
const MOST_NODES: usize = 1 << 20;

/// A table exceeds its limit of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// The trie of one protocol.
#[derive(Clone, Debug)]
struct Trie {
    /// The first level, as allocated by the system: values of [`Entry`].
    root: Vec<u32>,
    /// Nodes of 256 entries, of the further levels.
    nodes: Vec<[Entry; 256]>,
}

impl Default for Trie {
    fn default() -> Self {
        Self { root: vec![Entry::NONE.0; 1 << 16], nodes: Vec::new() }
    }
}

impl Trie {
    fn new<A: Address>(routes: &[Route<A>], most_nodes: usize) -> Result<Self, TooLarge> {
        // Shorter prefixes first, so that longer ones overwrite them.
        let mut order: Vec<&Route<A>> = routes.iter().collect();
        order.sort_by_key(|r| r.length);
        let longer = order.len() - order.partition_point(|r| r.length <= 16);
        let mut trie = Self { nodes: Vec::with_capacity(longer.min(1 << 16)), ..Self::default() };
        for route in order {
            trie.insert(route);
            if trie.nodes.len() > most_nodes {
                return Err(TooLarge);
            }
        }
        Ok(trie)
    }

    #[inline]
    fn lookup<A: Address>(&self, address: A) -> (Option<u16>, u32) {
        let mut entry = Entry(self.root[address.at_level(0)]);
        let mut reads = 1;
        while let Some(node) = entry.as_node() {
            entry = self.nodes[node][address.at_level(reads)];
            reads += 1;
        }
        (entry.port(), reads)
    }

    #[inline(always)]
    fn insert<A: Address>(&mut self, route: &Route<A>) {
        let (prefix, length) = (route.prefix, u32::from(route.length));
        // Most routes of a table end in the first level.
        match 16u32.checked_sub(length) {
            Some(open) => {
                fill(&mut self.root[covered(prefix.at_level(0), open)], Entry::of_port(route.port).0);
            }
            None => self.insert_long(prefix, length.min(A::BITS), Entry::of_port(route.port)),
        }
    }

    /// As `insert`, for a prefix that ends behind the first level.
    fn insert_long<A: Address>(&mut self, prefix: A, length: u32, entry: Entry) {
        let mut node = self.child(None, prefix.at_level(0));
        let (mut level, mut bits) = (1, 24);
        while length > bits {
            node = self.child(Some(node), prefix.at_level(level));
            (level, bits) = (level + 1, bits + 8);
        }
        fill(&mut self.nodes[node][covered(prefix.at_level(level), bits - length)], entry);
    }

    /// Returns the node under an entry; creates it if there is none, with the entry's contents pushed down.
    fn child(&mut self, parent: Option<usize>, index: usize) -> usize {
        let entry = match parent {
            None => Entry(self.root[index]),
            Some(node) => self.nodes[node][index],
        };
        if let Some(node) = entry.as_node() {
            return node;
        }
        let node = self.nodes.len();
        self.nodes.push([entry; 256]);
        let link = Entry::node(node as u32);
        match parent {
            None => self.root[index] = link.0,
            Some(parent) => self.nodes[parent][index] = link,
        }
        node
    }
}

/// A forwarding table; empty by default.
#[derive(Debug)]
pub struct RouteTable {
    v4: Trie,
    /// Built by the first packet that needs it: most traffic is IPv4.
    v6: LazyCell<Trie, Box<dyn FnOnce() -> Trie>>,
}

impl Default for RouteTable {
    fn default() -> Self {
        Self { v4: Trie::default(), v6: LazyCell::new(Box::new(Trie::default)) }
    }
}

impl RouteTable {
    /// Returns a table of routes of IPv4 and of IPv6; of two routes with the same prefix and length the later
    /// one counts.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] if the nodes of a protocol take more than a gibibyte.
    pub fn new(v4: &[Route], v6: &[Route<u128>]) -> Result<Self, TooLarge> {
        let v6 = Trie::new(v6, MOST_NODES)?;
        Ok(Self { v4: Trie::new(v4, MOST_NODES)?, v6: LazyCell::new(Box::new(|| v6)) })
    }

    /// As `new`, with routes of IPv6 that are listed when the first IPv6 address is looked up. Their nodes have no
    /// limit: they are generated, not read from a file.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] if the nodes of IPv4 take more than a gibibyte.
    pub fn with_lazy_v6(
        v4: &[Route],
        v6: impl FnOnce() -> Vec<Route<u128>> + 'static,
    ) -> Result<Self, TooLarge> {
        // Without a limit there is no error.
        let build = || Trie::new(&v6(), usize::MAX).unwrap_or_default();
        Ok(Self { v4: Trie::new(v4, MOST_NODES)?, v6: LazyCell::new(Box::new(build)) })
    }

    /// Returns the port of the longest prefix that covers an IPv4 address, and the memory reads of the lookup
    /// (1 to 3).
    #[inline]
    pub fn lookup(&self, address: u32) -> (Option<u16>, u32) {
        self.v4.lookup(address)
    }

    /// As `lookup`, for an IPv6 address (1 to 15 reads).
    #[inline]
    pub fn lookup_v6(&self, address: u128) -> (Option<u16>, u32) {
        self.v6.lookup(address)
    }

    /// As `lookup`, for the destination of a packet, which is IPv4 or IPv6.
    #[inline]
    pub fn route(&self, head: &PacketHead) -> (Option<u16>, u32) {
        match head.network {
            NetworkKind::Ipv6 => self.lookup_v6(head.destination_v6()),
            _ => self.lookup(head.destination),
        }
    }
}

/// Returns the entries of a level that a prefix covers, if it ends the stated number of bits before the level
/// does.
#[inline]
fn covered(index: usize, open_bits: u32) -> Range<usize> {
    let count = 1 << open_bits;
    let first = index & !(count - 1);
    first..first + count
}

/// Fills a range four entries at a time: most are short, and `fill` goes one by one through those below eight.
#[inline]
fn fill<T: Copy>(entries: &mut [T], entry: T) {
    if let [a, b, c, d] = entries {
        [*a, *b, *c, *d] = [entry; 4];
        return;
    }
    for part in entries.chunks_mut(4) {
        match part {
            [a, b, c, d] => [*a, *b, *c, *d] = [entry; 4],
            fewer => fewer.iter_mut().for_each(|each| *each = entry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// The longest of all routes that cover the address, by looking at each: they share its first `length` bits.
    fn naive<A: Copy + Into<u128>>(routes: &[Route<A>], bits: u32, address: A) -> Option<u16> {
        let first = |address: A, length: u8| match length {
            0 => 0,
            _ => address.into() >> (bits - u32::from(length)),
        };
        let covers = |r: &&Route<A>| first(address, r.length) == first(r.prefix, r.length);
        routes.iter().filter(covers).max_by_key(|r| r.length).map(|r| r.port)
    }

    /// One route for each prefix: the test does not decide between equal ones.
    fn distinct<A: Copy + Into<u128>>(routes: Vec<(A, u8, u16)>, bits: u32) -> Vec<Route<A>> {
        let mut seen = HashSet::new();
        let cut = |prefix: A, length: u8| prefix.into().checked_shr(bits - u32::from(length)).unwrap_or(0);
        let mut routes: Vec<Route<A>> =
            routes.into_iter().map(|(prefix, length, port)| Route { prefix, length, port }).collect();
        routes.retain(|r| seen.insert((cut(r.prefix, r.length), r.length)));
        routes
    }

    proptest! {
        #[test]
        fn agrees_with_looking_at_every_route(
            routes in proptest::collection::vec((any::<u32>(), 0u8..=32, 0u16..64), 0..60),
            near in proptest::collection::vec((any::<prop::sample::Index>(), any::<u32>(), 0u32..32), 1..60),
        ) {
            let routes = distinct(routes, 32);
            let table = RouteTable::new(&routes, &[]).unwrap();
            for (index, random, keep) in near {
                // Addresses near a prefix, so that long ones are hit.
                let base = if routes.is_empty() { random } else { index.get(&routes).prefix };
                let address = base ^ (random >> keep);
                prop_assert_eq!(table.lookup(address).0, naive(&routes, 32, address));
            }
        }

        #[test]
        fn agrees_with_looking_at_every_route_of_128_bits(
            routes in proptest::collection::vec((any::<u128>(), 0u8..=128, 0u16..64, 0u32..128), 0..60),
            near in proptest::collection::vec((any::<prop::sample::Index>(), any::<u128>(), 0u32..128), 1..60),
        ) {
            // Prefixes that begin alike, so that one lies within another.
            let alike = |(random, length, port, keep): (u128, u8, u16, u32)| (random >> keep, length, port);
            let routes = distinct(routes.into_iter().map(alike).collect(), 128);
            let table = RouteTable::new(&[], &routes).unwrap();
            for (index, random, keep) in near {
                let base = if routes.is_empty() { random } else { index.get(&routes).prefix };
                let address = base ^ (random >> keep);
                let (port, reads) = table.lookup_v6(address);
                prop_assert_eq!(port, naive(&routes, 128, address));
                // A level is read if a longer prefix begins with all bits of the address that precede the level.
                let leads_on = |bits: u32| {
                    let first = |address: u128| address >> (128 - bits);
                    routes.iter().any(|r| u32::from(r.length) > bits && first(r.prefix) == first(address))
                };
                prop_assert_eq!(reads, 1 + (16..128).step_by(8).take_while(|&bits| leads_on(bits)).count() as u32);
            }
        }
    }

    #[test]
    fn reads_one_to_three_levels() {
        let route = |prefix, length, port| Route { prefix, length, port };
        let routes = [route(0x0a00_0000, 8, 1), route(0xc0a8_0100, 24, 2), route(0xc0a8_0180, 25, 3)];
        let t = RouteTable::new(&routes, &[]).unwrap();
        assert_eq!(t.lookup(0x0a01_0203), (Some(1), 1));
        assert_eq!(t.lookup(0xc0a8_0203), (None, 2));
        assert_eq!(t.lookup(0xc0a8_0103), (Some(2), 3));
        assert_eq!(t.lookup(0xc0a8_01ff), (Some(3), 3));
        assert_eq!(t.lookup(0x0b00_0000), (None, 1));
    }

    #[test]
    fn an_ipv6_prefix_takes_a_read_for_its_first_16_bits_and_one_for_each_8_behind_them() {
        let address = |text: &str| u128::from(text.parse::<std::net::Ipv6Addr>().unwrap());
        let route = |text: &str, length, port| Route { prefix: address(text), length, port };
        let routes = [
            route("2000::", 3, 1),
            route("2001:db8::", 32, 2),
            route("2001:db8:1::", 48, 3),
            route("2001:db8:1::1", 128, 4),
        ];
        let t = RouteTable::new(&[], &routes).unwrap();
        let found = |text| t.lookup_v6(address(text));
        assert_eq!(found("2a00::1"), (Some(1), 1));
        assert_eq!(found("2001:ffff::1"), (Some(1), 2), "something longer begins with 2001");
        assert_eq!(found("2001:db8:ff00::1"), (Some(2), 4), "bits 32 to 39 of the /48 are 00");
        assert_eq!(found("2001:db8:1:ff00::1"), (Some(3), 6));
        assert_eq!(found("2001:db8:1::1"), (Some(4), 15));
        assert_eq!(found("2001:db8:1::2"), (Some(3), 15));
        assert_eq!(found("4000::"), (None, 1));
        assert_eq!(t.lookup(0x2001_0db8), (None, 1), "no route of IPv4");
    }

    #[test]
    fn a_table_with_more_nodes_than_it_may_have_is_refused() {
        // Host routes that differ in their first 16 bits and share nothing after them take 14 nodes each.
        let routes = [1, 2, 3].map(|n: u128| Route { prefix: n << 112 | 1, length: 128, port: 0 });
        assert_eq!(Trie::new(&routes, 42).unwrap().nodes.len(), 42);
        assert_eq!(Trie::new(&routes, 41).err(), Some(TooLarge));
    }
}
