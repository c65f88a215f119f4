//! Hash tables, with and without LRU eviction.
//!
//! Cost: a lookup reads the bucket (8 bytes), and for each entry of its chain link, hash and key. LRU kinds
//! also write the entry's links when it is used. An insert writes the entry's links and key and the bucket; a
//! removal writes the bucket or the previous entry. The kernel's LRU is approximate, per processor and in
//! batches; here it is exact.

use crate::hook::{AccessKind, Hook, Watch};
use crate::memory::RegionId;

const NONE: u32 = u32::MAX;
/// Links, hash and use of an entry, in front of its key.
const LINK_BYTES: u64 = 16;
const BUCKET_BYTES: u64 = 8;

#[derive(Clone, Copy, Debug)]
struct Entry {
    next: u32,
    older: u32,
    newer: u32,
    live: bool,
}

/// Keys and their entries; the number of an entry gives the position of its value, which is stored elsewhere.
#[derive(Clone, Debug)]
pub(super) struct HashTable {
    key_bytes: usize,
    most: u32,
    lru: bool,
    /// First entry of each chain, plus one: 0 means none, because an array of zeros costs little.
    heads: Vec<u32>,
    entries: Vec<Entry>,
    keys: Vec<u8>,
    free: Vec<u32>,
    live: u32,
    oldest: u32,
    newest: u32,
    region: RegionId,
}

/// The entry for a key that is written.
pub(super) enum Place {
    Old(u32),
    New(u32),
    Full,
}

impl HashTable {
    pub fn new(key_bytes: u32, most: u32, lru: bool, region: RegionId) -> Self {
        Self {
            key_bytes: key_bytes as usize,
            most,
            lru,
            heads: vec![0; most.next_power_of_two() as usize],
            entries: Vec::new(),
            keys: Vec::new(),
            free: Vec::new(),
            live: 0,
            oldest: NONE,
            newest: NONE,
            region,
        }
    }

    fn bucket(&self, key: &[u8]) -> usize {
        // A multiplication carries upwards, so the upper bits select the bucket after they are folded down.
        let mut hash = 0x9e37_79b9_7f4a_7c15u64 ^ key.len() as u64;
        for word in key.chunks(8) {
            let mut bytes = [0; 8];
            bytes[..word.len()].copy_from_slice(word);
            hash = (hash.rotate_left(5) ^ u64::from_le_bytes(bytes)).wrapping_mul(0xff51_afd7_ed55_8ccd);
            hash ^= hash >> 32;
        }
        hash as usize & (self.heads.len() - 1)
    }

    fn key(&self, entry: u32) -> &[u8] {
        let from = entry as usize * self.key_bytes;
        &self.keys[from..from + self.key_bytes]
    }

    fn address(&self, entry: u32) -> u64 {
        let entry_bytes = LINK_BYTES + (self.key_bytes as u64).next_multiple_of(8);
        self.heads.len() as u64 * BUCKET_BYTES + u64::from(entry) * entry_bytes
    }

    /// Returns the bytes of buckets and entries.
    pub fn extent(&self) -> u64 {
        self.address(self.most)
    }

    /// Returns the bucket of a key, its entry, and the entry before it in the chain.
    fn search<H: Hook>(&self, key: &[u8], watch: &mut Watch<'_, H>) -> (usize, u32, Option<u32>) {
        let bucket = self.bucket(key);
        watch.access(self.region, AccessKind::Read, bucket as u64 * BUCKET_BYTES, BUCKET_BYTES);
        let (mut before, mut at) = (NONE, self.heads[bucket].wrapping_sub(1));
        while at != NONE {
            watch.access(self.region, AccessKind::Read, self.address(at), LINK_BYTES + self.key_bytes as u64);
            if self.key(at) == key {
                return (bucket, before, Some(at));
            }
            before = at;
            at = self.entries[at as usize].next;
        }
        (bucket, before, None)
    }

    pub fn find<H: Hook>(&mut self, key: &[u8], watch: &mut Watch<'_, H>) -> Option<u32> {
        let (_, _, found) = self.search(key, watch);
        if let Some(entry) = found {
            self.used(entry, watch);
        }
        found
    }

    /// Returns the entry for a key that is written: its own, a new one, or none.
    pub fn place<H: Hook>(&mut self, key: &[u8], new: bool, watch: &mut Watch<'_, H>) -> Place {
        let (bucket, _, found) = self.search(key, watch);
        if let Some(entry) = found {
            self.used(entry, watch);
            return Place::Old(entry);
        }
        if !new {
            return Place::Full;
        }
        if self.live == self.most {
            if !self.lru {
                return Place::Full;
            }
            let oldest = self.key(self.oldest).to_vec();
            self.remove(&oldest, watch);
        }
        let entry = self.free.pop().unwrap_or_else(|| {
            self.entries.push(Entry { next: NONE, older: NONE, newer: NONE, live: false });
            self.keys.resize(self.keys.len() + self.key_bytes, 0);
            self.entries.len() as u32 - 1
        });
        let from = entry as usize * self.key_bytes;
        self.keys[from..from + self.key_bytes].copy_from_slice(key);
        self.entries[entry as usize] =
            Entry { next: self.heads[bucket].wrapping_sub(1), older: NONE, newer: NONE, live: true };
        self.heads[bucket] = entry + 1;
        self.live += 1;
        self.append(entry);
        watch.access(self.region, AccessKind::Write, self.address(entry), LINK_BYTES + self.key_bytes as u64);
        watch.access(self.region, AccessKind::Write, bucket as u64 * BUCKET_BYTES, BUCKET_BYTES);
        Place::New(entry)
    }

    pub fn remove<H: Hook>(&mut self, key: &[u8], watch: &mut Watch<'_, H>) -> Option<u32> {
        let (bucket, before, found) = self.search(key, watch);
        let entry = found?;
        let next = self.entries[entry as usize].next;
        if before == NONE {
            self.heads[bucket] = next.wrapping_add(1);
            watch.access(self.region, AccessKind::Write, bucket as u64 * BUCKET_BYTES, BUCKET_BYTES);
        } else {
            self.entries[before as usize].next = next;
            watch.access(self.region, AccessKind::Write, self.address(before), BUCKET_BYTES);
        }
        self.take_out(entry);
        self.entries[entry as usize].live = false;
        self.free.push(entry);
        self.live -= 1;
        Some(entry)
    }

    /// Returns keys and their entries, by key, so that the order of buckets is not visible.
    pub fn listed(&self) -> Vec<(Vec<u8>, u32)> {
        let live = (0..self.entries.len() as u32).filter(|&entry| self.entries[entry as usize].live);
        let mut listed: Vec<_> = live.map(|entry| (self.key(entry).to_vec(), entry)).collect();
        listed.sort();
        listed
    }

    fn used<H: Hook>(&mut self, entry: u32, watch: &mut Watch<'_, H>) {
        if self.lru {
            self.take_out(entry);
            self.append(entry);
            watch.access(self.region, AccessKind::Write, self.address(entry), BUCKET_BYTES);
        }
    }

    fn append(&mut self, entry: u32) {
        self.entries[entry as usize].older = self.newest;
        self.entries[entry as usize].newer = NONE;
        match self.newest {
            NONE => self.oldest = entry,
            newest => self.entries[newest as usize].newer = entry,
        }
        self.newest = entry;
    }

    fn take_out(&mut self, entry: u32) {
        let Entry { older, newer, .. } = self.entries[entry as usize];
        match older {
            NONE => self.oldest = newer,
            older => self.entries[older as usize].newer = newer,
        }
        match newer {
            NONE => self.newest = older,
            newer => self.entries[newer as usize].older = older,
        }
    }
}
