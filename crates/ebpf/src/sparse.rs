//! Values of arrays that are too large to store: pages of zeros that are allocated when they are written.

use std::collections::BTreeMap;

/// Bytes of a page, about: a page holds whole values.
const PAGE_BYTES: u64 = 64 << 10;
/// Most bytes of pages, of one map.
pub(crate) const MOST_WRITTEN_BYTES: u64 = 1 << 30;
/// Arrays of more bytes than this are sparse.
pub(crate) const DENSE_BYTES: u64 = 256 << 20;
/// Bits of an address below its region.
const ADDRESS_BITS: u32 = 52;

/// The contents of unwritten pages; no value of a sparse array is longer.
static ZEROS: [u8; PAGE_BYTES as usize] = [0; PAGE_BYTES as usize];
/// Longest value.
pub(crate) const MOST_SPARSE_VALUE_BYTES: u64 = PAGE_BYTES;

/// The values of an array, by page.
#[derive(Clone, Debug)]
pub(crate) struct Sparse {
    /// Bits of an offset in an address; the element is in the bits above.
    pub shift: u32,
    /// Bytes of a value that can be read, and that can be written.
    pub room: u64,
    write_room: u64,
    stride: u64,
    elements: u64,
    /// Values of a page.
    each: u64,
    /// Pages that there may be.
    most: usize,
    pages: BTreeMap<u64, Box<[u8]>>,
}

impl Sparse {
    /// So many values of which `most_bytes` may be written.
    pub fn new(elements: u64, stride: u64, room: u64, write_room: u64, most_bytes: u64) -> Self {
        let each = (PAGE_BYTES / stride).max(1);
        Self {
            // More than twice the room of a value, so that an address just below one is clearly not in the one
            // before.
            shift: stride.next_power_of_two().ilog2() + 2,
            room,
            write_room,
            stride,
            elements,
            each,
            most: (most_bytes / (each * stride)) as usize,
            pages: BTreeMap::new(),
        }
    }

    /// Bytes of all pages that there may be.
    pub fn most_bytes(&self) -> u64 {
        self.most as u64 * self.each * self.stride
    }

    /// Element and offset of an address.
    pub fn split(&self, address: u64) -> (u64, u64) {
        let below = address & ((1 << ADDRESS_BITS) - 1);
        (below >> self.shift, below & ((1 << self.shift) - 1))
    }

    /// Returns the page of an address, and the position in it; `None` if an access leaves the first `room` bytes of
    /// its value.
    fn position(&self, address: u64, bytes: u64, room: u64) -> Option<(u64, usize)> {
        let (element, offset) = self.split(address);
        let inside = element < self.elements && offset.checked_add(bytes)? <= room;
        let at = element % self.each * self.stride + offset;
        inside.then_some((element / self.each, at as usize))
    }

    /// Bytes to be read.
    #[cold]
    pub fn read(&self, address: u64, bytes: u64) -> Option<&[u8]> {
        let (page, at) = self.position(address, bytes, self.room)?;
        match self.pages.get(&page) {
            Some(page) => page.get(at..at + bytes as usize),
            None => ZEROS.get(..bytes as usize),
        }
    }

    /// Returns bytes that a program writes; `None` if no more pages are allowed.
    pub fn write(&mut self, address: u64, bytes: u64) -> Option<&mut [u8]> {
        self.made(address, bytes, self.write_room)
    }

    /// Returns bytes to be filled in maps that programs only read.
    pub fn fill(&mut self, address: u64, bytes: u64) -> Option<&mut [u8]> {
        self.made(address, bytes, self.room)
    }

    #[cold]
    fn made(&mut self, address: u64, bytes: u64, room: u64) -> Option<&mut [u8]> {
        let (number, at) = self.position(address, bytes, room)?;
        if self.pages.len() >= self.most && !self.pages.contains_key(&number) {
            return None;
        }
        let size = (self.each * self.stride) as usize;
        let page = self.pages.entry(number).or_insert_with(|| vec![0; size].into_boxed_slice());
        page.get_mut(at..at + bytes as usize)
    }

    /// Returns the numbers of the values of each existing page, and their bytes.
    pub fn written(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.pages
            .iter()
            .flat_map(|(page, bytes)| (page * self.each..).zip(bytes.chunks_exact(self.stride as usize)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_else_takes_memory() {
        let mut sparse = Sparse::new(1 << 40, 8, 4, 4, 2 * PAGE_BYTES);
        let at = |element: u64, offset: u64| (7 << ADDRESS_BITS) | element << sparse.shift | offset;
        let (far, next, third) = (at((1 << 40) - 1, 0), at(1, 2), at(1 << 20, 0));
        let outside = [at(1 << 40, 0), at(5, 4), at(5, 0) - 1];
        assert_eq!(sparse.read(far, 4), Some(&[0; 4][..]));
        assert!(sparse.pages.is_empty());
        sparse.write(far, 4).unwrap().copy_from_slice(&[1, 2, 3, 4]);
        sparse.write(next, 2).unwrap().copy_from_slice(&[5, 6]);
        assert_eq!((sparse.read(far, 4), sparse.read(next, 2)), (Some(&[1, 2, 3, 4][..]), Some(&[5, 6][..])));
        // Two pages are the maximum; bytes in them can still be written.
        assert!(sparse.write(third, 4).is_none() && sparse.write(next, 1).is_some());
        assert_eq!(sparse.read(third, 4), Some(&[0; 4][..]));
        for address in outside {
            assert!(sparse.read(address, 1).is_none() && sparse.write(address, 1).is_none(), "{address:#x}");
        }
        let listed: Vec<u64> = sparse
            .written()
            .filter(|(_, bytes)| bytes.iter().any(|&byte| byte != 0))
            .map(|(at, _)| at)
            .collect();
        assert_eq!(listed, [1, (1 << 40) - 1]);
    }
}
