//! The entries of a place that an arc can take: entries that fit the arc by themselves, indexed by the words that
//! other arcs of the transition determine.

use super::store::{NONE, mixed};
use rustc_hash::FxHashMap;

/// Entries of an arc by some of their words. Those of a queue stay in their order, others do not.
pub(super) struct Index {
    /// Words of the key; without any, there is one bucket.
    pub key: Vec<u16>,
    queue: bool,
    buckets: Vec<Bucket>,
    by_key: FxHashMap<u64, u32>,
    free: Vec<u32>,
    /// For each entry its bucket, and its neighbours in it or its place.
    links: Vec<Link>,
}

#[derive(Default)]
struct Bucket {
    hash: u64,
    first: u32,
    last: u32,
    members: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Link {
    bucket: u32,
    before: u32,
    after: u32,
}

const UNLINKED: Link = Link { bucket: NONE, before: NONE, after: NONE };

/// The position of a walk through a bucket.
#[derive(Clone, Copy)]
pub(super) struct Walk {
    bucket: u32,
    at: u32,
}

impl Index {
    pub fn new(key: Vec<u16>, queue: bool) -> Self {
        let mut index = Self {
            key,
            queue,
            buckets: Vec::new(),
            by_key: FxHashMap::default(),
            free: Vec::new(),
            links: Vec::new(),
        };
        if index.key.is_empty() {
            index.buckets.push(Bucket { first: NONE, last: NONE, ..Bucket::default() });
        }
        index
    }

    /// Adds an entry of these words.
    pub fn link(&mut self, entry: u32, words: &[i64]) {
        let bucket = self.bucket_for(words);
        if self.links.len() <= entry as usize {
            self.links.resize(entry as usize + 1, UNLINKED);
        }
        let held = &mut self.buckets[bucket as usize];
        if self.queue {
            let before = held.last;
            held.last = entry;
            self.links[entry as usize] = Link { bucket, before, after: NONE };
            if before == NONE {
                held.first = entry;
            } else {
                self.links[before as usize].after = entry;
            }
        } else {
            self.links[entry as usize] = Link { bucket, before: held.members.len() as u32, after: NONE };
            held.members.push(entry);
        }
    }

    fn bucket_for(&mut self, words: &[i64]) -> u32 {
        if self.key.is_empty() {
            return 0;
        }
        let hash = mixed(self.key.iter().map(|&word| words[word as usize]));
        let (buckets, free) = (&mut self.buckets, &mut self.free);
        *self.by_key.entry(hash).or_insert_with(|| {
            let bucket = free.pop().unwrap_or_else(|| {
                buckets.push(Bucket::default());
                buckets.len() as u32 - 1
            });
            let held = &mut buckets[bucket as usize];
            (held.hash, held.first, held.last) = (hash, NONE, NONE);
            bucket
        })
    }

    /// Removes an entry, if it is present.
    pub fn unlink(&mut self, entry: u32) {
        let Some(link) = self.links.get_mut(entry as usize) else { return };
        let Link { bucket, before, after } = std::mem::replace(link, UNLINKED);
        if bucket == NONE {
            return;
        }
        let held = &mut self.buckets[bucket as usize];
        let empty = if self.queue {
            match before {
                NONE => held.first = after,
                _ => self.links[before as usize].after = after,
            }
            match after {
                NONE => held.last = before,
                _ => self.links[after as usize].before = before,
            }
            held.first == NONE
        } else {
            held.members.swap_remove(before as usize);
            if let Some(&moved) = held.members.get(before as usize) {
                self.links[moved as usize].before = before;
            }
            held.members.is_empty()
        };
        if empty && !self.key.is_empty() {
            let hash = held.hash;
            self.by_key.remove(&hash);
            self.free.push(bucket);
        }
    }

    /// Begins a walk through the entries with these words of the key.
    #[inline]
    pub fn walk(&self, key: impl Iterator<Item = i64>) -> Walk {
        let bucket =
            if self.key.is_empty() { 0 } else { self.by_key.get(&mixed(key)).copied().unwrap_or(NONE) };
        let at = match bucket {
            NONE => NONE,
            _ if self.queue => self.buckets[bucket as usize].first,
            _ => 0,
        };
        Walk { bucket, at }
    }

    /// The next entry of a walk.
    #[inline]
    pub fn next(&self, walk: &mut Walk) -> Option<u32> {
        if walk.bucket == NONE || walk.at == NONE {
            return None;
        }
        if self.queue {
            let entry = walk.at;
            walk.at = self.links[entry as usize].after;
            Some(entry)
        } else {
            let entry = self.buckets[walk.bucket as usize].members.get(walk.at as usize).copied();
            walk.at += 1;
            entry
        }
    }

    /// Returns all entries of the only bucket, if the index has no key and is not a queue.
    pub fn members(&self) -> &[u32] {
        &self.buckets[0].members
    }
}
