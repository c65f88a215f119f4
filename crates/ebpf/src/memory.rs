//! The memory of programs: separate regions, and addresses that contain their region.
//!
//! An address is 12 bits of region, 26 bits of element and 26 bits of offset. Elements are the values of a map
//! and the frames of the stack: an offset outside of its element is an error even if another element follows.
//! The packet is region 0 and below 2^32, because `data` and `data_end` of `struct xdp_md` are 32 bits wide;
//! its first bytes are unmapped, so that null pointers are detected.

use crate::error::Fault;
use crate::sparse::Sparse;
use std::ops::{Deref, DerefMut};

const REGION_SHIFT: u32 = 52;
const ELEMENT_SHIFT: u32 = 26;
const OFFSET_MASK: u64 = (1 << ELEMENT_SHIFT) - 1;
const ELEMENT_MASK: u64 = (1 << (REGION_SHIFT - ELEMENT_SHIFT)) - 1;
/// Region of addresses that are handles of maps and not memory.
const HANDLES: u64 = 0xfff;

/// Most bytes of one value: the range of an offset.
pub const MOST_VALUE_BYTES: u64 = OFFSET_MASK;
/// Most values of one map: the range of an element number.
pub const MOST_ELEMENTS: u64 = ELEMENT_MASK + 1;
/// Most maps, including inner ones: each has two regions.
pub const MOST_MAPS: usize = 2000;
/// Start of the headroom of a packet; addresses below are unmapped.
pub const HEADROOM_START: u64 = 4096;
/// Headroom of a packet, as in the kernel (`XDP_PACKET_HEADROOM`).
pub const HEADROOM_BYTES: u64 = 256;
/// Size of a frame of the stack.
pub const STACK_BYTES: u64 = 512;

/// Number of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(pub u16);

/// The packet with its headroom; in traces its byte 256 is the first as received.
pub const PACKET: RegionId = RegionId(0);
/// `struct xdp_md`.
pub const CONTEXT: RegionId = RegionId(1);
/// The stack: 512 bytes per active function.
pub const STACK: RegionId = RegionId(2);
const FIRST_MAP: usize = 3;

/// Returns the region of a map's values.
#[must_use]
pub fn values(map: usize) -> RegionId {
    RegionId((FIRST_MAP + 2 * map) as u16)
}

/// Returns the region of a map's index: buckets and entries, or nodes. Programs cannot reach it.
#[must_use]
pub fn index(map: usize) -> RegionId {
    RegionId((FIRST_MAP + 2 * map + 1) as u16)
}

/// Returns the map of a region, and whether the region is its index.
pub(crate) fn map_of(region: usize) -> Option<(usize, bool)> {
    region.checked_sub(FIRST_MAP).map(|behind| (behind / 2, behind % 2 == 1))
}

/// Returns the handle of a map in a register.
#[must_use]
pub fn map_handle(map: usize) -> u64 {
    HANDLES << REGION_SHIFT | map as u64
}

/// Returns the map of a handle.
#[must_use]
pub fn handled(value: u64) -> Option<usize> {
    // No region is higher.
    value.checked_sub(HANDLES << REGION_SHIFT).map(|map| map as usize)
}

impl RegionId {
    /// Returns the address of a byte.
    #[must_use]
    pub const fn address(self, element: u64, offset: u64) -> u64 {
        (self.0 as u64) << REGION_SHIFT | element << ELEMENT_SHIFT | offset
    }
}

/// Bytes that are mostly zero: unwritten ones use no memory, also in a copy.
#[derive(Debug, Default)]
pub(crate) struct Bytes(pub Vec<u8>);

impl Deref for Bytes {
    type Target = Vec<u8>;

    #[inline(always)]
    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Bytes {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

impl Clone for Bytes {
    fn clone(&self) -> Self {
        const PAGE: usize = 4096;
        let mut copy = vec![0; self.len()];
        for (to, from) in copy.chunks_mut(PAGE).zip(self.chunks(PAGE)) {
            if from != &[0; PAGE][..from.len()] {
                to.copy_from_slice(from);
            }
        }
        Self(copy)
    }
}

/// Memory of one region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Region {
    /// First valid offset of an element.
    pub start: u64,
    /// Readable bytes behind it.
    pub room: u64,
    /// Writable bytes behind it.
    pub write_room: u64,
    /// Distance of elements; narrow, so that the compiler sees that positions cannot overflow.
    pub stride: u32,
    /// Address that traces begin at.
    pub origin: u64,
    /// Whether the kernel permits atomic operations on it.
    pub atomic: bool,
    pub bytes: Bytes,
    /// Values that are too many to store, instead of `bytes`, which then has no room.
    pub sparse: Option<Box<Sparse>>,
}

impl Region {
    /// Returns the position of an access in the bytes; `None` if it leaves its element's first `room` bytes.
    #[inline(always)]
    fn position(&self, address: u64, bytes: u64, room: u64) -> Option<usize> {
        let offset = address & OFFSET_MASK;
        // With 32 bits, an offset before the start is far beyond any room, and adding the size cannot wrap around.
        let within = u64::from(offset.wrapping_sub(self.start) as u32);
        if within.checked_add(bytes)? > room {
            return None;
        }
        let element = address >> ELEMENT_SHIFT & ELEMENT_MASK;
        Some((element * u64::from(self.stride) + offset) as usize)
    }

    /// Returns the location of a byte of the region with a number, as in traces.
    #[inline(always)]
    fn traced(&self, number: u64, at: u64) -> Traced {
        (RegionId(number as u16), at.wrapping_sub(self.origin) as u32)
    }

    /// Loads from a sparse region; a separate function, because most regions are not sparse.
    #[inline(never)]
    fn load_sparse<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        self.sparse.as_ref()?.read(address, N as u64)?.try_into().ok()
    }

    /// Stores to a sparse region.
    #[inline(never)]
    fn store_sparse(&mut self, address: u64, value: &[u8]) -> Option<()> {
        self.sparse.as_mut()?.write(address, value.len() as u64)?.copy_from_slice(value);
        Some(())
    }

    /// Element and offset of an address.
    #[inline(always)]
    fn split(&self, address: u64) -> (u64, u64) {
        match &self.sparse {
            Some(sparse) => sparse.split(address),
            None => (address >> ELEMENT_SHIFT & ELEMENT_MASK, address & OFFSET_MASK),
        }
    }

    /// Bits of an address below the number of its element.
    pub fn shift(&self) -> u32 {
        self.sparse.as_ref().map_or(ELEMENT_SHIFT, |sparse| sparse.shift)
    }

    /// Bytes of an element that can be read.
    fn extent(&self) -> u64 {
        self.sparse.as_ref().map_or(self.room, |sparse| sparse.room)
    }
}

/// A location as in traces: the region, and the byte in it.
pub type Traced = (RegionId, u32);

/// The memory of a program.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub(crate) regions: Vec<Region>,
    names: Vec<String>,
}

/// Read, write or atomic operation, as in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Read,
    Write,
    Atomic,
}

impl Doing {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Atomic => "atomic operation",
        }
    }
}

impl Memory {
    /// Adds the next region.
    pub(crate) fn add(&mut self, name: String, region: Region) {
        self.regions.push(region);
        self.names.push(name);
    }

    /// Returns the name of a region.
    #[must_use]
    pub fn name(&self, region: RegionId) -> &str {
        self.names.get(usize::from(region.0)).map_or("no region", String::as_str)
    }

    /// Returns the number of regions.
    #[must_use]
    pub fn regions(&self) -> usize {
        self.regions.len()
    }

    pub(crate) fn region(&self, id: RegionId) -> &Region {
        &self.regions[usize::from(id.0)]
    }

    pub(crate) fn region_mut(&mut self, id: RegionId) -> &mut Region {
        &mut self.regions[usize::from(id.0)]
    }

    /// Loads, little-endian. Returns also the location, as in traces.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&self, address: u64) -> Option<([u8; N], Traced)> {
        let number = address >> REGION_SHIFT;
        let region = self.regions.get(number as usize)?;
        let Some(at) = region.position(address, N as u64, region.room) else {
            return Some((region.load_sparse(address)?, self.traced(address)));
        };
        let bytes = region.bytes.get(at..at + N)?.try_into().ok()?;
        Some((bytes, region.traced(number, at as u64)))
    }

    /// Stores, little-endian. Returns the location, as in traces.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Option<Traced> {
        let number = address >> REGION_SHIFT;
        let region = self.regions.get_mut(number as usize)?;
        let Some(at) = region.position(address, N as u64, region.write_room) else {
            region.store_sparse(address, &value)?;
            return Some(self.traced(address));
        };
        region.bytes.get_mut(at..at + N)?.copy_from_slice(&value);
        Some(region.traced(number, at as u64))
    }

    /// Returns bytes for a helper to read.
    #[inline]
    pub(crate) fn bytes(&self, address: u64, count: u64) -> Result<&[u8], Fault> {
        let found = self.regions.get((address >> REGION_SHIFT) as usize).and_then(|region| {
            let Some(at) = region.position(address, count, region.room) else {
                return region.sparse.as_ref()?.read(address, count);
            };
            region.bytes.get(at..at.checked_add(count as usize)?)
        });
        found.ok_or_else(|| self.fault(Doing::Read, address, count))
    }

    /// Returns bytes for a helper to write.
    pub(crate) fn bytes_mut(&mut self, address: u64, count: u64) -> Result<&mut [u8], Fault> {
        let number = (address >> REGION_SHIFT) as usize;
        if self.regions.get(number).is_some_and(|region| region.sparse.is_some()) {
            // The fault is computed first, because the found bytes stay borrowed on the path without them, too.
            let fault = self.fault(Doing::Write, address, count);
            let sparse = self.regions.get_mut(number).and_then(|region| region.sparse.as_mut());
            return sparse.and_then(|sparse| sparse.write(address, count)).ok_or(fault);
        }
        let within = self.regions.get(number).and_then(|region| {
            let at = region.position(address, count, region.write_room)?;
            let behind = at.checked_add(count as usize)?;
            (behind <= region.bytes.len()).then_some(at..behind)
        });
        match within {
            Some(range) => Ok(&mut self.regions[number].bytes[range]),
            None => Err(self.fault(Doing::Write, address, count)),
        }
    }

    /// Returns the error that no more values of a large map can be written.
    #[cold]
    pub(crate) fn too_much_written(&self, map: usize) -> Fault {
        let id = values(map);
        let most = self.region(id).sparse.as_ref().map_or(0, |sparse| sparse.most_bytes());
        Fault::TooMuchWritten { region: self.name(id).to_owned(), most }
    }

    /// Returns region and offset, as in traces.
    #[inline(always)]
    pub(crate) fn traced(&self, address: u64) -> Traced {
        let number = address >> REGION_SHIFT;
        let Some(region) = self.regions.get(number as usize) else { return (RegionId(number as u16), 0) };
        let (element, offset) = region.split(address);
        region.traced(number, element * u64::from(region.stride) + offset)
    }

    /// Returns the region of an address, and its byte in traces.
    #[must_use]
    pub fn traced_at(&self, address: u64) -> Traced {
        self.traced(address)
    }

    /// Returns why an access is an error.
    #[cold]
    pub(crate) fn fault(&self, doing: Doing, address: u64, bytes: u64) -> Fault {
        let what = doing.name();
        // An address just below an element is a negative offset into it, and the borrow changed the number of the
        // element.
        let shift = self.regions.get((address >> REGION_SHIFT) as usize).map_or(ELEMENT_SHIFT, Region::shift);
        let offset = address & ((1 << shift) - 1);
        let below = offset > 1 << (shift - 1) && address >> REGION_SHIFT < HANDLES;
        let meant = if below { address + (1 << shift) } else { address };
        let number = (meant >> REGION_SHIFT) as usize;
        let no_memory = Fault::NoMemory { what, address, bytes };
        let Some(region) = self.regions.get(number) else { return no_memory };
        let (element, _) = region.split(meant);
        let room = region.extent();
        // The lowest addresses belong to the packet's region, but no pointer to them exists.
        if number == 0 && (element > 0 || offset < HEADROOM_START) || room == 0 {
            return no_memory;
        }
        let inside = !below && offset.wrapping_sub(region.start).saturating_add(bytes) <= room;
        if let Some(sparse) = region.sparse.as_ref().filter(|_| inside && doing != Doing::Read) {
            return Fault::TooMuchWritten { region: self.names[number].clone(), most: sparse.most_bytes() };
        }
        if inside && doing != Doing::Read && region.write_room < region.room {
            return Fault::ReadOnly { what, bytes, region: self.names[number].clone() };
        }
        let offset = if below { offset as i64 - (1 << shift) } else { offset as i64 };
        Fault::OutOfBounds {
            what,
            bytes,
            offset: offset - region.origin as i64,
            region: self.names[number].clone(),
            from: region.start - region.origin,
            behind: region.start - region.origin + room,
            bound: match RegionId(number as u16) {
                PACKET => "data_end",
                STACK => "the stack size of 512 bytes",
                CONTEXT => "the size of struct xdp_md",
                _ => "the size of the value",
            },
        }
    }

    /// Returns why an atomic operation is an error, or `None` if only the memory refuses it.
    pub(crate) fn atomic(&self, address: u64, bytes: u64) -> Result<(), Fault> {
        let number = (address >> REGION_SHIFT) as usize;
        let Some(region) = self.regions.get(number).filter(|region| region.extent() > 0) else {
            return Ok(());
        };
        let (_, offset) = region.split(address);
        if region.atomic && offset.is_multiple_of(bytes) {
            return Ok(());
        }
        Err(Fault::Atomic { bytes, region: self.names[number].clone(), offset })
    }
}
