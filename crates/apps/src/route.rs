//! Longest-prefix match on IPv4: a trie with strides of 16, 8 and 8 bits, one SRAM read a level.
//!
//! Source of the shape: L3fwd16 keeps its tables in SRAM as a trie that is walked a level a read (Hasan 2003, section
//! 2). Leaf pushing inside a node; a node of 8 bits is made where a longer prefix needs it.

use std::ops::Range;

/// One route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Network address; bits beyond `length` are ignored.
    pub prefix: u32,
    /// Prefix length, 0 to 32.
    pub length: u8,
    /// Output port.
    pub port: u16,
}

/// What an entry holds: nothing, a port, or a node of the next level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry(u32);

impl Entry {
    /// Zero, so that the system's empty memory is a level without routes.
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

/// A forwarding table.
#[derive(Clone, Debug)]
pub struct RouteTable {
    /// The first level, as it comes from the system: what an [`Entry`] holds.
    root: Vec<u32>,
    /// Nodes of 256 entries, of the second and third level.
    nodes: Vec<[Entry; 256]>,
    routes: usize,
}

impl RouteTable {
    /// A table of `routes`; of two routes with the same prefix and length the later one stands.
    pub fn new(routes: &[Route]) -> Self {
        // Shorter prefixes first, so that longer ones overwrite them.
        let mut order: Vec<&Route> = routes.iter().collect();
        order.sort_by_key(|r| r.length);
        let longer = order.len() - order.partition_point(|r| r.length <= 16);
        let mut table = Self {
            root: vec![Entry::NONE.0; 1 << 16],
            nodes: Vec::with_capacity(longer.min(1 << 16)),
            routes: routes.len(),
        };
        order.into_iter().for_each(|route| table.insert(route));
        table
    }

    /// Routes given to [`RouteTable::new`].
    pub fn len(&self) -> usize {
        self.routes
    }

    /// Whether the table has no route.
    pub fn is_empty(&self) -> bool {
        self.routes == 0
    }

    /// The port of the longest prefix that covers `address`, and the memory reads that finding it took (1 to 3).
    #[inline]
    pub fn lookup(&self, address: u32) -> (Option<u16>, u32) {
        let mut entry = Entry(self.root[(address >> 16) as usize]);
        let mut reads = 1;
        for shift in [8, 0] {
            let Some(node) = entry.as_node() else { break };
            entry = self.nodes[node][(address >> shift) as usize & 255];
            reads += 1;
        }
        (entry.port(), reads)
    }

    fn insert(&mut self, route: &Route) {
        let (prefix, length) = (route.prefix, u32::from(route.length.min(32)));
        let entry = Entry::of_port(route.port);
        if length <= 16 {
            fill(&mut self.root[covered(prefix >> 16, 16 - length)], entry.0);
            return;
        }
        let second = self.child(None, (prefix >> 16) as usize);
        let middle = prefix >> 8 & 255;
        if length <= 24 {
            fill(&mut self.nodes[second][covered(middle, 24 - length)], entry);
            return;
        }
        let third = self.child(Some(second), middle as usize);
        fill(&mut self.nodes[third][covered(prefix & 255, 32 - length)], entry);
    }

    /// The node under an entry, made if there is none, with what the entry held pushed down.
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

/// The entries of a level that a prefix covers which ends so many bits before the level does.
#[inline]
fn covered(index: u32, open_bits: u32) -> Range<usize> {
    let count = 1 << open_bits;
    let first = (index & !(count - 1)) as usize;
    first..first + count as usize
}

/// Fills a range four entries at a time: most are short, and `fill` goes one by one through those below eight.
#[inline]
fn fill<T: Copy>(entries: &mut [T], entry: T) {
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

    /// The longest of all routes that cover the address, by looking at each.
    fn naive(routes: &[Route], address: u32) -> Option<u16> {
        let covers = |r: &&Route| r.length == 0 || (address ^ r.prefix) >> (32 - u32::from(r.length)) == 0;
        routes.iter().filter(covers).max_by_key(|r| r.length).map(|r| r.port)
    }

    proptest! {
        #[test]
        fn agrees_with_looking_at_every_route(
            routes in proptest::collection::vec((any::<u32>(), 0u8..=32, 0u16..64), 0..60),
            near in proptest::collection::vec((any::<prop::sample::Index>(), any::<u32>(), 0u32..32), 1..60),
        ) {
            let mut routes: Vec<Route> =
                routes.into_iter().map(|(prefix, length, port)| Route { prefix, length, port }).collect();
            // One route for each prefix: which of two equal ones stands is not the question.
            let mask = |r: &Route| if r.length == 0 { 0 } else { r.prefix & (u32::MAX << (32 - r.length)) };
            let mut seen = std::collections::HashSet::new();
            routes.retain(|r| seen.insert((mask(r), r.length)));
            let table = RouteTable::new(&routes);
            for (index, random, keep) in near {
                // Addresses near a prefix, so that long ones are hit.
                let base = if routes.is_empty() { random } else { index.get(&routes).prefix };
                let address = base ^ (random >> keep);
                prop_assert_eq!(table.lookup(address).0, naive(&routes, address));
            }
        }
    }

    #[test]
    fn reads_one_to_three_levels() {
        let route = |prefix, length, port| Route { prefix, length, port };
        let t = RouteTable::new(&[
            route(0x0a00_0000, 8, 1),
            route(0xc0a8_0100, 24, 2),
            route(0xc0a8_0180, 25, 3),
        ]);
        assert_eq!(t.lookup(0x0a01_0203), (Some(1), 1));
        assert_eq!(t.lookup(0xc0a8_0203), (None, 2));
        assert_eq!(t.lookup(0xc0a8_0103), (Some(2), 3));
        assert_eq!(t.lookup(0xc0a8_01ff), (Some(3), 3));
        assert_eq!(t.lookup(0x0b00_0000), (None, 1));
    }
}
