//! `nat`: network address translation between two ports.
//!
//! Source: Hasan 2003, section 5.2. An index from addresses and ports finds a replacement address and port in a
//! hash table in SRAM. SYN and FIN change the table, under a lock for each bucket. The first 64 bytes go through
//! registers, in two 32-byte transfers.
//!
//! Decided here, because the paper does not say: a packet of an unknown flow enters it like a SYN does (captures
//! begin in the middle of flows); FIN and RST take it out; the side by which a flow leaves is drawn by its hash.

use crate::checksum::update;
use crate::io::{IoCosts, accept_ipv4, output, receive, store_and_enqueue};
use linecard_program::{Application, Ctx, DropReason, PacketHead, Program, Source, Unit};
use std::cell::RefCell;
use std::rc::Rc;

/// The application's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NatConfig {
    /// Buckets of the hash table, a power of two; each has a lock.
    pub buckets: u32,
    /// Entries at most.
    pub entries: u32,
    /// Output ports.
    pub ports: u16,
    /// Cycles to read the header into registers, translate it and update the checksums.
    pub translate_cycles: u32,
    /// Cycles to insert or remove an entry.
    pub update_cycles: u32,
    /// First address of the translated range; entry number n has the n-th source port from 1024 on of it.
    pub address: u32,
}

/// What a flow is translated to.
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

/// A hash table with chains, in SRAM on the real machine.
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
const ENTRY_WORDS: u32 = 6;

impl Table {
    fn new(config: &NatConfig) -> Self {
        Self {
            buckets: vec![NONE; config.buckets as usize],
            entries: vec![(Key::default(), NONE); config.entries as usize],
            free: (0..config.entries).rev().collect(),
            counters: Counters::default(),
        }
    }

    /// The entry of a key in a bucket, and how many entries were read.
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

/// The translating application.
pub struct Nat {
    costs: IoCosts,
    config: NatConfig,
    table: Rc<RefCell<Table>>,
}

impl Nat {
    /// Translate with an empty table.
    ///
    /// # Panics
    /// If `buckets` is not a power of two.
    pub fn new(costs: IoCosts, config: NatConfig) -> Self {
        assert!(config.buckets.is_power_of_two(), "buckets must be a power of two");
        Self { costs, config, table: Rc::new(RefCell::new(Table::new(&config))) }
    }
}

impl Application for Nat {
    fn name(&self) -> &'static str {
        "nat"
    }

    fn locks(&self) -> u32 {
        self.config.buckets
    }

    fn input(&self, ctx: Ctx) -> Program {
        Box::pin(input(ctx, self.costs, self.config, Rc::clone(&self.table)))
    }

    fn output(&self, ctx: Ctx) -> Program {
        Box::pin(output(ctx, self.costs))
    }

    fn restart_counters(&self) {
        self.table.borrow_mut().counters = Counters::default();
    }

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        let table = self.table.borrow();
        let Counters { lookups, reads, inserted, removed } = table.counters;
        vec![
            ("lookups", "lookups", lookups as f64),
            ("entries_read", "entries", reads as f64),
            ("entries_inserted", "entries", inserted as f64),
            ("entries_removed", "entries", removed as f64),
            ("entries_in_use", "entries", (table.entries.len() - table.free.len()) as f64),
        ]
    }
}

async fn input(ctx: Ctx, costs: IoCosts, config: NatConfig, table: Rc<RefCell<Table>>) {
    loop {
        let packet = receive(&ctx, &costs).await;
        ctx.compute(config.translate_cycles);
        if !accept_ipv4(&ctx, packet).await {
            continue;
        }
        let head = ctx.head();
        let key = key_of(&head);
        ctx.read(Unit::Hash, 1).await;
        let hash = hash_of(&key);
        let bucket = hash & (config.buckets - 1);

        ctx.read(Unit::Sram, 1).await;
        let (mut entry, reads) = table.borrow_mut().find(bucket, &key);
        for _ in 0..reads {
            ctx.read(Unit::Sram, ENTRY_WORDS).await;
        }
        let ends = head.tcp_flags & (PacketHead::FIN | PacketHead::RST) != 0;
        if entry.is_none() || ends {
            ctx.lock(bucket).await;
            ctx.compute(config.update_cycles);
            // Another thread may have changed the chain while this one waited.
            let (found, reads) = table.borrow_mut().find(bucket, &key);
            for _ in 0..reads.max(1) {
                ctx.read(Unit::Sram, ENTRY_WORDS).await;
            }
            entry = match found {
                Some(entry) => Some(entry),
                None => {
                    ctx.write(Unit::Sram, ENTRY_WORDS).await;
                    table.borrow_mut().insert(bucket, key)
                }
            };
            if let (Some(entry), true) = (entry, ends) {
                ctx.write(Unit::Sram, 1).await;
                table.borrow_mut().remove(bucket, entry);
            }
            ctx.write(Unit::Sram, 1).await;
            ctx.unlock(bucket).await;
        }
        let Some(entry) = entry else {
            ctx.discard(packet, DropReason::NatTableFull).await;
            continue;
        };
        ctx.set_head(translate(head, translation_of(&config, entry)));
        let queue = (hash >> 16) as u16 % config.ports;
        store_and_enqueue(&ctx, &costs, packet, queue, Source::Registers).await;
    }
}

fn key_of(head: &PacketHead) -> Key {
    Key {
        source: head.source,
        destination: head.destination,
        ports: u32::from(head.source_port) << 16 | u32::from(head.destination_port),
        protocol: head.protocol,
    }
}

/// A mixing hash (the finaliser of MurmurHash3), standing for the hash unit's polynomial.
fn hash_of(key: &Key) -> u32 {
    let mix = |h: u32, w: u32| {
        let mut x = (h ^ w).wrapping_mul(0x85eb_ca6b);
        x ^= x >> 13;
        x = x.wrapping_mul(0xc2b2_ae35);
        x ^ (x >> 16)
    };
    [key.source, key.destination, key.ports, u32::from(key.protocol)].into_iter().fold(0x9747_b28c, mix)
}

/// Entry n translates to the n-th pair of (address, port from 1024 on), so no two entries share one.
fn translation_of(config: &NatConfig, entry: u32) -> Translation {
    const PORTS: u32 = 65_536 - 1024;
    Translation { address: config.address.wrapping_add(entry / PORTS), port: (1024 + entry % PORTS) as u16 }
}

/// The header with its source replaced and its IP checksum updated.
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
