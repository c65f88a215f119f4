//! Checked memory behind the image: blocks of the runtime's `malloc`, the packet up to its length, control
//! data.
//!
//! Blocks and the packet have separate addresses below the program, different from their storage. A red zone
//! follows each block, and a freed block keeps its address for a long time. Storage locations, traces and costs
//! are the same as without checks.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// Bytes per table entry.
const GRANULE: u32 = 16;
/// Entries contain the number of valid bytes of their granule, from its start; 0 to 16.
const COUNT_BITS: u32 = 5;
const COUNT: u32 = (1 << COUNT_BITS) - 1;
/// The red zone behind a block has the size of the block, within these bounds.
const RED_ZONE_BYTES: (u32, u32) = (GRANULE, 4096);
/// Addresses of blocks keep their offset within cache lines: functions that copy words depend on it.
const LINE: u32 = 64;
/// Bytes of freed blocks of each size whose addresses are not reused.
const KEPT_BYTES: usize = 1 << 20;
/// Bytes between separate areas.
const GUARD_BYTES: u32 = 4096;
/// Most addresses of blocks in total.
const MOST_BYTES: u32 = 1 << 29;

/// A block that the allocator returned.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Address for the program, and its size.
    pub address: u32,
    pub bytes: u32,
    /// Storage location.
    kept_at: u32,
    /// Bytes up to the next block's address.
    stride: u32,
    /// Calls that allocated it, and that freed it.
    pub allocated_by: u32,
    pub freed_by: Option<u32>,
}

/// The nearest object of an address.
#[derive(Clone, Copy, Debug)]
pub enum Near {
    /// A packet of the stated bytes, and the offset from its first byte.
    Packet { bytes: u32, offset: i64 },
    /// The same of a block.
    Block { block: Block, offset: i64 },
    /// The heap, past its blocks.
    Heap,
}

/// Bytes behind the image.
#[derive(Clone, Debug)]
pub struct Far {
    /// Address of the first stored byte.
    low: u32,
    bytes: Vec<u8>,
    /// Address ranges that are not remapped.
    plain: [Range<u32>; 2],
    heap: Range<u32>,
    /// Whether the heap is one of them: while the allocator runs, if it is not the runtime's, and when the
    /// addresses for blocks are used up.
    heap_is_open: bool,
    used_up: bool,
    /// Start of the remapped addresses, and for each granule its storage location and valid bytes.
    alias_low: u32,
    granules: Vec<u32>,
    packet_kept_at: u32,
    packet_bytes: u32,
    /// By address.
    blocks: Vec<Block>,
    /// Freed blocks in the order of time, by stride and place within a line.
    freed: HashMap<(u32, u32), VecDeque<u32>>,
}

/// Storage locations of the parts.
pub struct Parts {
    /// All of it.
    pub all: Range<u32>,
    pub heap: Range<u32>,
    pub control: Range<u32>,
    /// Room for the packet.
    pub packet: Range<u32>,
    /// A stack above the packet; `None` if it is elsewhere.
    pub stack: Range<u32>,
}

impl Far {
    pub fn new(parts: Parts) -> Self {
        let Parts { all, heap, control, packet, stack } = parts;
        let mut bytes = vec![0; (all.end - all.start) as usize];
        // A load reads eight bytes in any case.
        bytes.extend([0; 8]);
        let alias_low = (all.end + GUARD_BYTES).next_multiple_of(GUARD_BYTES);
        let first_block = packet.end - packet.start + GUARD_BYTES;
        Self {
            low: all.start,
            bytes,
            plain: [control, stack],
            heap,
            heap_is_open: true,
            used_up: false,
            alias_low,
            granules: vec![0; (first_block / GRANULE) as usize],
            packet_kept_at: packet.start,
            packet_bytes: 0,
            blocks: Vec::new(),
            freed: HashMap::new(),
        }
    }

    /// Sets whether the program may access the heap directly.
    pub fn open_heap(&mut self, open: bool) {
        self.heap_is_open = open || self.used_up;
    }

    /// Returns the storage position of an access to a block or the packet, counted from the first stored byte.
    #[inline(always)]
    fn block_position(&self, address: u64, bytes: u32) -> Option<usize> {
        let granule = address.wrapping_sub(self.alias_low.into()) / u64::from(GRANULE);
        let within = address as u32 % GRANULE;
        let entry = *self.granules.get(granule as usize)?;
        (within + bytes <= entry & COUNT).then_some(((entry >> COUNT_BITS) * GRANULE + within) as usize)
    }

    /// As `block_position`, for an access anywhere.
    fn position(&self, address: u64, bytes: u32, writes: bool) -> Option<usize> {
        self.block_position(address, bytes).or_else(|| self.other_position(address, bytes, writes))
    }

    #[cold]
    fn other_position(&self, address: u64, bytes: u32, writes: bool) -> Option<usize> {
        let address = u32::try_from(address).ok()?;
        let end = address.checked_add(bytes)?;
        let inside = |range: &Range<u32>| range.start <= address && end <= range.end;
        // Functions for strings and checksums load the whole of the last word.
        let begins_in = |range: Range<u32>| !writes && range.contains(&address) && end <= range.end + 3;
        if inside(&self.plain[0])
            || begins_in(self.plain[0].clone())
            || inside(&self.plain[1])
            || self.heap_is_open && inside(&self.heap)
        {
            return Some((address - self.low) as usize);
        }
        begins_in(self.alias_low..self.alias_low + self.packet_bytes)
            .then(|| (self.packet_kept_at - self.low + address - self.alias_low) as usize)
    }

    /// Loads a value, whose lowest `bytes` bytes count, and returns its storage address; `None` if the load is not
    /// permitted.
    #[inline(always)]
    pub fn load(&self, address: u64, bytes: u32) -> Option<(u64, u32)> {
        match self.block_position(address, bytes) {
            Some(at) => self.value_at(at),
            None => self.load_other(address, bytes),
        }
    }

    #[cold]
    #[inline(never)]
    fn load_other(&self, address: u64, bytes: u32) -> Option<(u64, u32)> {
        self.value_at(self.other_position(address, bytes, false)?)
    }

    #[inline(always)]
    fn value_at(&self, at: usize) -> Option<(u64, u32)> {
        let found = self.bytes.get(at..at + 8)?;
        Some((u64::from_le_bytes(found.try_into().ok()?), self.low + at as u32))
    }

    /// Returns whether the program may write the stated bytes there.
    pub fn may(&self, address: u64, bytes: u32) -> bool {
        self.position(address, bytes, true).is_some()
    }

    /// Stores the lowest bytes and returns their storage address.
    #[inline(always)]
    pub fn store(&mut self, address: u64, bytes: u32, value: u64) -> Option<u32> {
        let at = self.position(address, bytes, true)?;
        let value = value.to_le_bytes();
        self.bytes.get_mut(at..at + bytes as usize)?.copy_from_slice(&value[..bytes as usize]);
        Some(self.low + at as u32)
    }

    /// Returns the storage address of a byte; the address itself if the program may not access it.
    pub fn kept_at(&self, address: u32) -> u32 {
        self.position(address.into(), 1, false).map_or(address, |at| self.low + at as u32)
    }

    /// Returns the stored bytes.
    pub fn bytes(&self, address: u32, count: usize) -> &[u8] {
        let at = (self.kept_at(address) - self.low) as usize;
        &self.bytes[at..at + count]
    }

    pub fn fill(&mut self, address: u32, bytes: &[u8]) {
        let at = (address - self.low) as usize;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Permits the stated bytes of the packet's room from now on. Returns its address.
    pub fn packet(&mut self, bytes: u32) -> u32 {
        if bytes != self.packet_bytes {
            self.set(self.alias_low, self.packet_bytes, None);
            self.set(self.alias_low, bytes, Some(self.packet_kept_at));
            self.packet_bytes = bytes;
        }
        self.alias_low
    }

    /// Sets whether the program may access bytes from an address on.
    fn set(&mut self, address: u32, bytes: u32, kept_at: Option<u32>) {
        let first = ((address - self.alias_low) / GRANULE) as usize;
        let count = bytes.div_ceil(GRANULE);
        for (number, entry) in (0..count).zip(&mut self.granules[first..]) {
            let here = (bytes - number * GRANULE).min(GRANULE);
            *entry = match kept_at {
                Some(at) => ((at - self.low) / GRANULE + number) << COUNT_BITS | here,
                None => 0,
            };
        }
    }

    /// The allocator returned a block. Returns its address for the program.
    pub fn allocated(&mut self, kept_at: u32, bytes: u32, by: u32) -> u32 {
        let is_heap = self.heap.contains(&kept_at) && kept_at.is_multiple_of(GRANULE);
        if !is_heap || bytes > self.heap.end - kept_at {
            return kept_at;
        }
        let rounded = bytes.next_multiple_of(GRANULE);
        let stride = rounded + rounded.clamp(RED_ZONE_BYTES.0, RED_ZONE_BYTES.1);
        let freed = self.freed.entry((stride, kept_at % LINE)).or_default();
        let address = if freed.len() * stride as usize > KEPT_BYTES { freed.pop_front() } else { None };
        let block = |address| Block { address, bytes, kept_at, stride, allocated_by: by, freed_by: None };
        let address = match address {
            Some(address) => {
                if let Some(at) = self.at(address) {
                    self.blocks[at] = block(address);
                }
                address
            }
            None => {
                let next = self.granules.len() as u32 * GRANULE;
                let offset = next + (kept_at % LINE).wrapping_sub((self.alias_low + next) % LINE) % LINE;
                if offset + stride > MOST_BYTES || self.alias_low.checked_add(offset + stride).is_none() {
                    (self.used_up, self.heap_is_open) = (true, true);
                    return kept_at;
                }
                self.granules.resize(((offset + stride) / GRANULE) as usize, 0);
                self.blocks.push(block(self.alias_low + offset));
                self.alias_low + offset
            }
        };
        self.set(address, bytes, Some(kept_at));
        address
    }

    /// The program frees an address. Returns the allocator's address, or what it is near to if it is no live
    /// block.
    pub fn freed(&mut self, address: u32, by: u32) -> Result<u32, Option<Near>> {
        if address < self.alias_low {
            return Ok(address);
        }
        let Some(at) = self.at(address).filter(|&at| self.blocks[at].freed_by.is_none()) else {
            return Err(self.near(address));
        };
        let block = &mut self.blocks[at];
        block.freed_by = Some(by);
        let Block { bytes, kept_at, stride, .. } = *block;
        self.set(address, bytes, None);
        self.freed.entry((stride, kept_at % LINE)).or_default().push_back(address);
        Ok(kept_at)
    }

    /// Returns the live block of a stored byte, and the byte's offset in it.
    pub fn block_at(&self, kept_at: u32) -> Option<(Block, u32)> {
        let holds = |block: &&Block| {
            block.freed_by.is_none()
                && kept_at.checked_sub(block.kept_at).is_some_and(|offset| offset < block.bytes)
        };
        self.blocks.iter().find(holds).map(|block| (*block, kept_at - block.kept_at))
    }

    fn at(&self, address: u32) -> Option<usize> {
        self.blocks.binary_search_by_key(&address, |block| block.address).ok()
    }

    /// Returns what a refused address is near to.
    pub fn near(&self, address: u32) -> Option<Near> {
        let offset = i64::from(address) - i64::from(self.alias_low);
        let packet_room = i64::from(GUARD_BYTES);
        if (-packet_room..i64::from(self.packet_bytes) + packet_room).contains(&offset) {
            return Some(Near::Packet { bytes: self.packet_bytes, offset });
        }
        let of = |block: &Block| (*block, i64::from(address) - i64::from(block.address));
        let upto = self.blocks.partition_point(|block| block.address <= address);
        let before = self.blocks[..upto].last().map(of);
        let behind = self.blocks.get(upto).map(of);
        let beyond = |block: &Block, offset: i64| offset - i64::from(block.bytes);
        let near = match (before, behind) {
            (Some((block, offset)), Some((next, ahead))) => {
                // An access before a block that nearly reaches it counts as one of that block.
                match -ahead < beyond(&block, offset) && -ahead < i64::from(GRANULE) {
                    true => Some((next, ahead)),
                    false => Some((block, offset)),
                }
            }
            (Some((block, offset)), None) if beyond(&block, offset) < i64::from(MOST_BYTES) => {
                Some((block, offset))
            }
            (None, Some((next, ahead))) if -ahead < packet_room => Some((next, ahead)),
            _ => None,
        };
        let heap = self.heap.contains(&address).then_some(Near::Heap);
        near.map(|(block, offset)| Near::Block { block, offset }).or(heap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far() -> Far {
        let mut far = Far::new(Parts {
            all: 0x1000..0x9000,
            heap: 0x1000..0x5000,
            control: 0x5000..0x5010,
            packet: 0x6000..0x7000,
            stack: 0..0,
        });
        far.open_heap(false);
        far
    }

    #[test]
    fn a_block_is_what_was_asked_for_and_nothing_beside_it() {
        let mut far = far();
        let (first, second) = (far.allocated(0x1000, 13, 1), far.allocated(0x1010, 64, 2));
        for (address, bytes, may) in [
            (first, 4, true),
            (first + 12, 1, true),
            (first + 12, 4, false),
            (first + 13, 1, false),
            (first - 1, 1, false),
            (second + 60, 4, true),
            (second + 64, 4, false),
            (second + 64 + 60, 4, false),
            (0x1000, 1, false),
            (0x5000, 4, true),
            (0x500f, 1, true),
            (0x5010, 1, false),
        ] {
            assert_eq!(far.load(address.into(), bytes).is_some(), may, "{address:#x}, {bytes}");
        }
        assert_eq!(far.store(u64::from(second) + 8, 4, 7), Some(0x1018), "where it is kept");
        assert_eq!((second % LINE, far.kept_at(second)), (0x10, 0x1010));
    }

    #[test]
    fn an_address_is_not_used_again_soon() {
        let mut far = far();
        let first = far.allocated(0x1000, 64, 1);
        assert_eq!(far.freed(first, 2).ok(), Some(0x1000));
        assert!(far.load(first.into(), 4).is_none());
        assert!(far.freed(first, 3).is_err(), "freed twice");
        let again = far.allocated(0x1000, 64, 4);
        assert_ne!(first, again);
        assert!(far.load(first.into(), 4).is_none() && far.load(again.into(), 4).is_some());
        for _ in 0..100_000 {
            let block = far.allocated(0x2000, 64, 5);
            far.freed(block, 6).expect("a block");
        }
        assert!(far.granules.len() < 200_000, "addresses are used again in the end");
    }

    #[test]
    fn a_packet_ends_where_it_ends() {
        let mut far = far();
        for bytes in [60, 1500, 61, 20] {
            let address = far.packet(bytes);
            let may = |offset: u32, count| far.load((address + offset).into(), count).is_some();
            assert!(may(0, 4) && may(bytes - 1, 1) && !may(bytes, 1) && !may(bytes + 40, 4));
            assert!(may((bytes - 1) & !3, 4), "the last word may be loaded whole");
        }
    }
}
