//! Longest-prefix match: a binary trie that keeps only nodes with a value or two branches.
//!
//! The structure is the kernel's (`kernel/bpf/lpm_trie.c`): a lookup reads one node per level, and stops at the
//! first that is no prefix of the key. Nodes that only branch hold no value.

use crate::hook::{AccessKind, Hook, Watch};
use crate::memory::RegionId;

const NONE: u32 = u32::MAX;
/// Children, length and flags of a node, in front of its prefix.
const NODE_BYTES: u64 = 24;

#[derive(Clone, Debug)]
struct Node {
    children: [u32; 2],
    length: u32,
    prefix: Vec<u8>,
    /// Number of its value; `None` for a node that only branches.
    value: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Trie {
    data_bytes: usize,
    most: u32,
    nodes: Vec<Node>,
    free_nodes: Vec<u32>,
    values: u32,
    free_values: Vec<u32>,
    root: u32,
    region: RegionId,
}

/// The result of an insertion.
pub(super) enum Inserted {
    Old(u32),
    New(u32),
    Full,
}

fn bit(data: &[u8], at: u32) -> usize {
    usize::from(data[at as usize / 8] >> (7 - at % 8) & 1)
}

/// Returns the common prefix length of two keys, up to a limit.
fn common(a: &[u8], b: &[u8], most: u32) -> u32 {
    let mut found = 0;
    for (a, b) in a.iter().zip(b) {
        if found >= most {
            break;
        }
        let differ = (a ^ b).leading_zeros();
        found += differ;
        if differ < 8 {
            break;
        }
    }
    found.min(most)
}

impl Trie {
    pub fn new(key_bytes: u32, most: u32, region: RegionId) -> Self {
        Self {
            data_bytes: key_bytes as usize - 4,
            most,
            nodes: Vec::new(),
            free_nodes: Vec::new(),
            values: 0,
            free_values: Vec::new(),
            root: NONE,
            region,
        }
    }

    /// Returns the prefix length and bits of a key; `None` if the length exceeds that of the map's keys.
    fn split<'k>(&self, key: &'k [u8]) -> Option<(u32, &'k [u8])> {
        let (length, data) = key.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*length);
        (length as usize <= 8 * self.data_bytes && data.len() == self.data_bytes).then_some((length, data))
    }

    fn node_bytes(&self) -> u64 {
        NODE_BYTES + (self.data_bytes as u64).next_multiple_of(8)
    }

    /// Returns the bytes of all nodes: with `n` values there are at most `n - 1` that only branch.
    pub fn extent(&self) -> u64 {
        (2 * u64::from(self.most) - 1) * self.node_bytes()
    }

    fn read<H: Hook>(&self, node: u32, watch: &mut Watch<'_, H>) {
        let bytes = self.node_bytes();
        watch.access(self.region, AccessKind::Read, u64::from(node) * bytes, bytes);
    }

    fn write<H: Hook>(&self, node: u32, watch: &mut Watch<'_, H>) {
        let bytes = self.node_bytes();
        watch.access(self.region, AccessKind::Write, u64::from(node) * bytes, bytes);
    }

    /// Returns the value of the longest prefix.
    pub fn find<H: Hook>(&self, key: &[u8], watch: &mut Watch<'_, H>) -> Option<u32> {
        let (length, data) = self.split(key)?;
        let (mut at, mut found) = (self.root, None);
        while at != NONE {
            self.read(at, watch);
            let node = &self.nodes[at as usize];
            if common(&node.prefix, data, node.length.min(length)) < node.length {
                break;
            }
            found = node.value.or(found);
            if node.length as usize == 8 * self.data_bytes || node.length == length {
                break;
            }
            at = node.children[bit(data, node.length)];
        }
        found
    }

    /// Returns the nodes on the path to a key, with the child taken, and the node at which the path ends.
    fn walk<H: Hook>(&self, length: u32, data: &[u8], watch: &mut Watch<'_, H>) -> (Vec<(u32, usize)>, u32) {
        let (mut way, mut at) = (Vec::new(), self.root);
        while at != NONE {
            self.read(at, watch);
            let node = &self.nodes[at as usize];
            if node.length >= length || common(&node.prefix, data, node.length) < node.length {
                break;
            }
            let side = bit(data, node.length);
            way.push((at, side));
            at = node.children[side];
        }
        (way, at)
    }

    /// Returns the value for a prefix, to be written; `new` permits a new prefix.
    pub fn insert<H: Hook>(&mut self, key: &[u8], new: bool, watch: &mut Watch<'_, H>) -> Option<Inserted> {
        let (length, data) = self.split(key)?;
        let (way, at) = self.walk(length, data, watch);
        let same = (at != NONE)
            .then(|| &self.nodes[at as usize])
            .map(|node| (node.length == length && common(&node.prefix, data, length) == length, node.value));
        if let Some((true, Some(value))) = same {
            return Some(Inserted::Old(value));
        }
        if !new || self.live() == self.most {
            return Some(Inserted::Full);
        }
        let value = self.free_values.pop().unwrap_or_else(|| {
            self.values += 1;
            self.values - 1
        });
        if let Some((true, None)) = same {
            self.nodes[at as usize].value = Some(value);
            self.write(at, watch);
            return Some(Inserted::New(value));
        }
        let made = self.node(length, data.to_vec(), Some(value));
        self.write(made, watch);
        let top = if at == NONE {
            made
        } else {
            let (old_length, prefix) =
                (self.nodes[at as usize].length, self.nodes[at as usize].prefix.clone());
            let shared = common(&prefix, data, old_length.min(length));
            if shared == length {
                // The new prefix is above the node.
                self.nodes[made as usize].children[bit(&prefix, length)] = at;
                made
            } else {
                // The two prefixes part below a common node.
                let parting = self.node(shared, data.to_vec(), None);
                self.nodes[parting as usize].children[bit(data, shared)] = made;
                self.nodes[parting as usize].children[bit(&prefix, shared)] = at;
                self.write(parting, watch);
                parting
            }
        };
        self.hang(way.last().copied(), top, watch);
        Some(Inserted::New(value))
    }

    /// Removes a prefix. Returns the number of its value.
    pub fn remove<H: Hook>(&mut self, key: &[u8], watch: &mut Watch<'_, H>) -> Option<u32> {
        let (length, data) = self.split(key)?;
        let (way, at) = self.walk(length, data, watch);
        let node = self.nodes.get(at as usize).filter(|_| at != NONE)?;
        if node.length != length || common(&node.prefix, data, length) < length {
            return None;
        }
        let (value, children) = (node.value?, node.children);
        self.free_values.push(value);
        self.nodes[at as usize].value = None;
        match children {
            [NONE, NONE] => {
                self.free_nodes.push(at);
                let parent = way.last().copied();
                self.hang(parent, NONE, watch);
                // A node without a value, at which two branches parted, has one branch left.
                if let Some((parent, side)) = parent
                    && self.nodes[parent as usize].value.is_none()
                {
                    let other = self.nodes[parent as usize].children[1 - side];
                    self.free_nodes.push(parent);
                    self.hang(way.len().checked_sub(2).map(|before| way[before]), other, watch);
                }
            }
            [NONE, only] | [only, NONE] => {
                self.free_nodes.push(at);
                self.hang(way.last().copied(), only, watch);
            }
            _ => self.write(at, watch),
        }
        Some(value)
    }

    /// Returns all keys with the numbers of their values, sorted by key.
    pub fn listed(&self) -> Vec<(Vec<u8>, u32)> {
        let (mut listed, mut open) = (Vec::new(), vec![self.root]);
        while let Some(at) = open.pop() {
            let Some(node) = self.nodes.get(at as usize) else { continue };
            if let Some(value) = node.value {
                let mut key = node.length.to_le_bytes().to_vec();
                key.extend(masked(&node.prefix, node.length));
                listed.push((key, value));
            }
            open.extend(node.children);
        }
        listed.sort_by(|a, b| (&a.0[4..], &a.0[..4]).cmp(&(&b.0[4..], &b.0[..4])));
        listed
    }

    fn live(&self) -> u32 {
        self.values - self.free_values.len() as u32
    }

    fn node(&mut self, length: u32, prefix: Vec<u8>, value: Option<u32>) -> u32 {
        let made = Node { children: [NONE, NONE], length, prefix, value };
        match self.free_nodes.pop() {
            Some(at) => {
                self.nodes[at as usize] = made;
                at
            }
            None => {
                self.nodes.push(made);
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// Makes a node the given child of another, or the root.
    fn hang<H: Hook>(&mut self, below: Option<(u32, usize)>, node: u32, watch: &mut Watch<'_, H>) {
        match below {
            None => self.root = node,
            Some((parent, side)) => {
                self.nodes[parent as usize].children[side] = node;
                self.write(parent, watch);
            }
        }
    }
}

/// Returns the first bits of a prefix; the others become zero.
fn masked(prefix: &[u8], length: u32) -> Vec<u8> {
    let keep = |at: usize| match (length as usize).saturating_sub(8 * at) {
        0 => 0,
        bits @ 1..=7 => 0xffu8 << (8 - bits),
        _ => 0xff,
    };
    prefix.iter().enumerate().map(|(at, byte)| byte & keep(at)).collect()
}
