//! `nat`: network address translation between two ports.
//!
//! Source: Hasan 2003, section 5.2. A hash of addresses and ports indexes a hash table in SRAM, which contains
//! a replacement address and port. SYN and FIN change the table, under a lock per bucket. The first 64 bytes
//! pass through registers, in two 32-byte transfers.
//!
//! Choices that the paper leaves open: a packet of an unknown flow inserts it as a SYN does (captures begin in
//! the middle of flows); FIN and RST remove it; a hash selects the output side of a flow.

use crate::admission::Protocols;
use crate::checksum::update;
use crate::io::{Io, WORD_BYTES};
use linecard_program::script::{Access, Action, Block, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_program::{DropReason, PacketHead};

/// The application's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NatConfig {
    /// Buckets of the hash table, a power of two; each has a lock.
    pub buckets: u32,
    /// Most entries.
    pub entries: u32,
    /// Output ports.
    pub ports: u16,
    /// Cycles to read the header into registers, translate it and update the checksums.
    pub translate_cycles: u32,
    /// Cycles to insert or remove an entry.
    pub update_cycles: u32,
    /// First address of the translated range; entry number n uses the n-th source port from 1024 on.
    pub address: u32,
}

/// The translation of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation {
    /// Source address.
    pub address: u32,
    /// Source port.
    pub port: u16,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Key {
    source: u32,
    destination: u32,
    ports: u32,
    protocol: u8,
}

const NONE: u32 = u32::MAX;

/// A hash table with chains; in SRAM on the real machine.
#[derive(Clone, Debug)]
struct Table {
    buckets: Vec<u32>,
    entries: Vec<(Key, u32)>,
    free: Vec<u32>,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    lookups: u64,
    reads: u64,
    inserted: u64,
    removed: u64,
}

/// Words of an entry: key of 13 bytes, translation of 6, link.
const ENTRY_WORDS: u16 = 6;

impl Table {
    fn new(config: &NatConfig) -> Self {
        Self {
            buckets: vec![NONE; config.buckets as usize],
            entries: vec![(Key::default(), NONE); config.entries as usize],
            free: (0..config.entries).rev().collect(),
            counters: Counters::default(),
        }
    }

    /// Returns the entry of a key in a bucket, and the number of entries read.
    fn find(&mut self, bucket: u32, key: &Key) -> (Option<u32>, u32) {
        let mut at = self.buckets[bucket as usize];
        let mut reads = 0;
        while at != NONE {
            reads += 1;
            let (found, next) = self.entries[at as usize];
            if found == *key {
                break;
            }
            at = next;
        }
        self.counters.lookups += 1;
        self.counters.reads += u64::from(reads);
        ((at != NONE).then_some(at), reads)
    }

    fn insert(&mut self, bucket: u32, key: Key) -> Option<u32> {
        let entry = self.free.pop()?;
        self.entries[entry as usize] = (key, self.buckets[bucket as usize]);
        self.buckets[bucket as usize] = entry;
        self.counters.inserted += 1;
        Some(entry)
    }

    fn remove(&mut self, bucket: u32, entry: u32) {
        let next = self.entries[entry as usize].1;
        let mut at = self.buckets[bucket as usize];
        if at == entry {
            self.buckets[bucket as usize] = next;
        } else {
            while self.entries[at as usize].1 != entry {
                at = self.entries[at as usize].1;
            }
            self.entries[at as usize].1 = next;
        }
        self.free.push(entry);
        self.counters.removed += 1;
    }
}

/// The roles of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NatRoles {
    /// Memory of the translation table.
    pub table: RoleId,
    /// Unit that hashes addresses and ports.
    pub hash: RoleId,
}

/// The translating application.
#[derive(Clone, Debug)]
pub struct Nat {
    io: Io,
    config: NatConfig,
    roles: NatRoles,
    table: Table,
}

/// The parts from which the program continues.
mod part {
    /// The bucket has been read.
    pub const FOUND: u8 = 0;
    /// The bucket is locked.
    pub const LOCKED: u8 = 1;
    /// A new entry has been written.
    pub const WRITTEN: u8 = 2;
    /// An entry has been removed from its chain.
    pub const UNLINKED: u8 = 3;
}

impl Nat {
    /// Returns a program with an empty table.
    ///
    /// # Panics
    ///
    /// If `buckets` is not a power of two.
    pub fn new(io: Io, config: NatConfig, roles: NatRoles) -> Self {
        assert!(config.buckets.is_power_of_two(), "buckets must be a power of two");
        Self { io, config, roles, table: Table::new(&config) }
    }

    fn bucket(&self, key: &Key) -> u32 {
        hash_of(key) & (self.config.buckets - 1)
    }

    fn read(&self, words: u16, steps: &mut Steps) {
        steps.access(self.roles.table, Access::Read, words * WORD_BYTES, 0);
    }

    fn write(&self, words: u16, steps: &mut Steps) {
        steps.access(self.roles.table, Access::Write, words * WORD_BYTES, 0);
    }

    /// Walks the chain of the bucket; a flow that is new, or that ends, changes the table under a lock.
    fn look_up(&mut self, head: &mut PacketHead, steps: &mut Steps) {
        let key = key_of(head);
        let bucket = self.bucket(&key);
        let (entry, reads) = self.table.find(bucket, &key);
        for _ in 0..reads {
            self.read(ENTRY_WORDS, steps);
        }
        match entry {
            Some(entry) if !ends(head) => self.finish(Some(entry), head, steps),
            _ => {
                steps.push(0, Action::Lock(bucket));
                steps.push(0, Action::More { part: part::LOCKED });
            }
        }
    }

    /// Another thread may have changed the chain while this one waited for the lock.
    fn change(&mut self, head: &mut PacketHead, steps: &mut Steps) {
        let key = key_of(head);
        steps.compute(self.config.update_cycles);
        let (entry, reads) = self.table.find(self.bucket(&key), &key);
        for _ in 0..reads.max(1) {
            self.read(ENTRY_WORDS, steps);
        }
        match entry {
            Some(entry) => self.end(Some(entry), head, steps),
            None => {
                self.write(ENTRY_WORDS, steps);
                steps.push(0, Action::More { part: part::WRITTEN });
            }
        }
    }

    /// Removes the entry of a flow that ends from its chain.
    fn end(&mut self, entry: Option<u32>, head: &mut PacketHead, steps: &mut Steps) {
        match entry {
            Some(entry) if ends(head) => {
                self.write(1, steps);
                steps.memo = entry;
                steps.push(0, Action::More { part: part::UNLINKED });
            }
            _ => self.unlock(entry, head, steps),
        }
    }

    fn unlock(&mut self, entry: Option<u32>, head: &mut PacketHead, steps: &mut Steps) {
        let bucket = self.bucket(&key_of(head));
        self.write(1, steps);
        steps.push(0, Action::Unlock(bucket));
        self.finish(entry, head, steps);
    }

    fn finish(&mut self, entry: Option<u32>, head: &mut PacketHead, steps: &mut Steps) {
        let Some(entry) = entry else {
            return steps.push(0, Action::Drop(DropReason::NatTableFull));
        };
        let port = (hash_of(&key_of(head)) >> 16) as u16 % self.config.ports;
        *head = translate(*head, translation_of(&self.config, entry));
        self.io.store_and_enqueue(head, port, steps);
    }
}

impl PacketProgram for Nat {
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        self.io.receive(steps);
        steps.compute(self.config.translate_cycles);
        if !self.io.accept(Protocols::Ipv4, head, info, steps) {
            return;
        }
        steps.access(self.roles.hash, Access::Ask, WORD_BYTES, 0);
        self.read(1, steps);
        steps.push(0, Action::More { part: part::FOUND });
    }

    fn more(&mut self, part: u8, _: u32, head: &mut PacketHead, steps: &mut Steps) {
        match part {
            part::FOUND => self.look_up(head, steps),
            part::LOCKED => self.change(head, steps),
            part::WRITTEN => {
                let key = key_of(head);
                let entry = self.table.insert(self.bucket(&key), key);
                self.end(entry, head, steps);
            }
            _ => {
                let entry = steps.memo;
                self.table.remove(self.bucket(&key_of(head)), entry);
                self.unlock(Some(entry), head, steps);
            }
        }
    }

    fn block(&mut self, block: &Block, steps: &mut Steps) {
        self.io.block(block, steps);
    }

    fn sends_blocks(&self) -> bool {
        true
    }

    fn locks(&self) -> u32 {
        self.config.buckets
    }

    fn restart_counters(&mut self) {
        self.table.counters = Counters::default();
    }

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        let Counters { lookups, reads, inserted, removed } = self.table.counters;
        vec![
            ("lookups", "lookups", lookups as f64),
            ("entries_read", "entries", reads as f64),
            ("entries_inserted", "entries", inserted as f64),
            ("entries_removed", "entries", removed as f64),
            ("entries_in_use", "entries", (self.table.entries.len() - self.table.free.len()) as f64),
        ]
    }
}

/// Returns whether a packet ends its flow.
fn ends(head: &PacketHead) -> bool {
    head.tcp_flags & (PacketHead::FIN | PacketHead::RST) != 0
}

fn key_of(head: &PacketHead) -> Key {
    Key {
        source: head.source,
        destination: head.destination,
        ports: u32::from(head.source_port) << 16 | u32::from(head.destination_port),
        protocol: head.protocol,
    }
}

/// A mixing hash (the finaliser of MurmurHash3), in place of the hash unit's polynomial.
fn hash_of(key: &Key) -> u32 {
    let mix = |h: u32, w: u32| {
        let mut x = (h ^ w).wrapping_mul(0x85eb_ca6b);
        x ^= x >> 13;
        x = x.wrapping_mul(0xc2b2_ae35);
        x ^ (x >> 16)
    };
    [key.source, key.destination, key.ports, u32::from(key.protocol)].into_iter().fold(0x9747_b28c, mix)
}

/// Returns the n-th pair of (address, port from 1024 on) for entry n, so that no two entries share one.
fn translation_of(config: &NatConfig, entry: u32) -> Translation {
    const PORTS: u32 = 65_536 - 1024;
    Translation { address: config.address.wrapping_add(entry / PORTS), port: (1024 + entry % PORTS) as u16 }
}

/// Returns the header with its source replaced and its IP checksum updated.
fn translate(mut head: PacketHead, to: Translation) -> PacketHead {
    let (old, new) = (head.source.to_be_bytes(), to.address.to_be_bytes());
    for half in [0, 2] {
        let word = |b: [u8; 4]| u16::from_be_bytes([b[half], b[half + 1]]);
        head.checksum = update(head.checksum, word(old), word(new));
    }
    head.source = to.address;
    head.source_port = to.port;
    head
}
