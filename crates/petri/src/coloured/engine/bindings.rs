//! The bindings of a timed transition that its coloured tokens permit, each with its timers.

use super::store::NONE;

#[derive(Default)]
pub(super) struct Bindings {
    /// Arcs that take coloured tokens.
    stride: usize,
    /// For each binding and arc the entry, and the neighbouring bindings at that entry.
    entries: Vec<u32>,
    next: Vec<u32>,
    prev: Vec<u32>,
    /// For each arc and entry the first binding.
    heads: Vec<Vec<u32>>,
    /// Busy servers, and their last timer.
    pub busy: Vec<u32>,
    pub timer: Vec<u32>,
    live: Vec<bool>,
    free: Vec<u32>,
    pub count: u32,
}

impl Bindings {
    pub fn new(stride: usize) -> Self {
        Self { stride, heads: vec![Vec::new(); stride], ..Self::default() }
    }

    #[inline]
    pub fn entries(&self, binding: u32) -> &[u32] {
        &self.entries[binding as usize * self.stride..(binding as usize + 1) * self.stride]
    }

    #[inline]
    pub fn is_live(&self, binding: u32) -> bool {
        self.live[binding as usize]
    }

    /// Returns the number of positions for bindings, free ones included.
    pub fn len(&self) -> u32 {
        self.live.len() as u32
    }

    /// Returns the first binding with an entry at an arc.
    #[inline]
    pub fn at(&self, arc: usize, entry: u32) -> Option<u32> {
        self.heads[arc].get(entry as usize).copied().filter(|&binding| binding != NONE)
    }

    /// Returns the binding after another with the same entry at an arc.
    #[inline]
    pub fn after(&self, arc: usize, binding: u32) -> Option<u32> {
        Some(self.next[binding as usize * self.stride + arc]).filter(|&binding| binding != NONE)
    }

    pub fn add(&mut self, entries: &[u32]) -> u32 {
        let binding = self.free.pop().unwrap_or_else(|| {
            self.entries.extend_from_slice(entries);
            self.next.resize(self.entries.len(), NONE);
            self.prev.resize(self.entries.len(), NONE);
            self.busy.push(0);
            self.timer.push(NONE);
            self.live.push(false);
            self.live.len() as u32 - 1
        });
        self.live[binding as usize] = true;
        self.count += 1;
        let first = binding as usize * self.stride;
        for (arc, &entry) in entries.iter().enumerate() {
            self.entries[first + arc] = entry;
            let heads = &mut self.heads[arc];
            if heads.len() <= entry as usize {
                heads.resize(entry as usize + 1, NONE);
            }
            let after = std::mem::replace(&mut heads[entry as usize], binding);
            self.next[first + arc] = after;
            self.prev[first + arc] = NONE;
            if after != NONE {
                self.prev[after as usize * self.stride + arc] = binding;
            }
        }
        binding
    }

    /// Removes a binding; its timers must be cancelled before.
    pub fn remove(&mut self, binding: u32) {
        let first = binding as usize * self.stride;
        for arc in 0..self.stride {
            let (before, after) = (self.prev[first + arc], self.next[first + arc]);
            match before {
                NONE => self.heads[arc][self.entries[first + arc] as usize] = after,
                _ => self.next[before as usize * self.stride + arc] = after,
            }
            if after != NONE {
                self.prev[after as usize * self.stride + arc] = before;
            }
        }
        self.live[binding as usize] = false;
        self.count -= 1;
        self.free.push(binding);
    }
}
