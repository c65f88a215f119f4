//! Maps: storage of programs between packets, and the cost of lookups and updates.
//!
//! Values are consecutive in a region of memory; a lookup returns the address of one, and the program's own accesses
//! to it read the value. The accesses of the lookup itself go to a second region that programs cannot reach, and
//! appear in a trace:
//!
//! | kind | a lookup costs | an update costs besides |
//! |---|---|---|
//! | ARRAY, PERCPU_ARRAY | nothing: the address is computed | the write of the value |
//! | HASH, PERCPU_HASH, DEVMAP_HASH | bucket, and each entry of its chain up to the key's | entry, bucket and value |
//! | LRU_HASH, LRU_PERCPU_HASH | the same, and a write of the entry's links | the same; a full map loses an entry |
//! | LPM_TRIE | a node per level | the node and its parent |
//! | ARRAY_OF_MAPS, DEVMAP, CPUMAP, XSKMAP, PROG_ARRAY | a read of the element | |
//! | HASH_OF_MAPS | as HASH, and a read of the element | |
//! | RINGBUF, PERF_EVENT_ARRAY | | a write of the record |

mod hash;
mod make;
mod ring;
mod trie;

pub(crate) use ring::Ring;

use crate::hook::{AccessKind, Hook, Watch};
use crate::memory::{self, Memory};
use crate::object::{MapDefinition, MapKind};
use hash::{HashTable, Place};
use std::collections::BTreeMap;
use trie::{Inserted, Trie};

/// Error numbers that helpers return.
pub(crate) mod errno {
    pub const ENOENT: i64 = -2;
    pub const E2BIG: i64 = -7;
    /// No more written values of a large map are kept.
    pub const ENOMEM: i64 = -12;
    pub const ENOSPC: i64 = -28;
    pub const EEXIST: i64 = -17;
    pub const EINVAL: i64 = -22;
}

/// Bytes of records that user space maps for each entry of a perf event array: a page.
const PERF_BUFFER_BYTES: u64 = 4096;

/// Update only a new key.
const NO_EXIST: u64 = 1;
/// Update only an existing key.
const EXIST: u64 = 2;

#[derive(Clone, Debug)]
enum Table {
    /// Every index has a value.
    Array,
    /// An index has a value once it was written.
    Places(Vec<bool>),
    Hash(HashTable),
    Trie(Trie),
    Ring(Ring),
    /// An unsupported kind.
    Nothing,
}

/// One key and its values: one value per processor if the map has several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Vec<u8>,
    /// Values.
    pub values: Vec<Vec<u8>>,
}

/// A map with its contents.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    pub definition: MapDefinition,
    pub number: usize,
    /// Address of the first value, and the bits of an address below the number of a value.
    first: u64,
    shift: u32,
    /// Values per key.
    cpus: u64,
    /// The bits of an index that select a value of an array.
    index_mask: u32,
    table: Table,
    /// Records passed to user space, and their bytes.
    pub emitted: (u64, u64),
}

/// The result of a lookup.
type Found = Option<u64>;

impl Map {
    /// Returns the address of a value, or the handle of a map; `None` if the key is missing.
    #[inline]
    pub fn lookup<H: Hook>(
        &mut self,
        memory: &Memory,
        key: &[u8],
        cpu: u32,
        watch: &mut Watch<'_, H>,
    ) -> Found {
        let element = match &mut self.table {
            Table::Array => return self.element(u32::from_le_bytes(key.try_into().ok()?), cpu),
            Table::Places(there) => {
                let index = array_index(key, self.definition.most_entries)?;
                let bytes = u64::from(self.definition.value_bytes);
                watch.access(
                    memory::values(self.number),
                    AccessKind::Read,
                    index * bytes.next_multiple_of(8),
                    bytes,
                );
                there[index as usize].then_some(index)?
            }
            Table::Hash(table) => u64::from(table.find(key, watch)?),
            Table::Trie(trie) => u64::from(trie.find(key, watch)?),
            Table::Ring(_) | Table::Nothing => return None,
        };
        let address = self.address(element, cpu);
        if !self.definition.kind.holds_maps() {
            return Some(address);
        }
        if self.definition.kind == MapKind::HashOfMaps {
            watch.access(memory::values(self.number), AccessKind::Read, element * 8, 8);
        }
        Some(memory::map_handle(self.number_at(memory, element) as usize))
    }

    /// Returns whether the map is an array, whose values are found by their index.
    #[inline]
    pub fn is_array(&self) -> bool {
        matches!(self.table, Table::Array)
    }

    /// Returns the address of a value of an array, if the index is valid.
    #[inline]
    pub fn element(&self, index: u32, cpu: u32) -> Found {
        let index = index & self.index_mask;
        (index < self.definition.most_entries).then(|| self.address(index.into(), cpu))
    }

    /// Sets whether only the lower bits of an index count, in arrays of a power of two of values: every index is then
    /// valid.
    pub fn mask_index(&mut self, masked: bool) {
        let most = self.definition.most_entries;
        self.index_mask = if masked && most.is_power_of_two() { most - 1 } else { u32::MAX };
    }

    /// Returns the number in an element of a map of maps, programs, interfaces, processors or sockets.
    fn number_at(&self, memory: &Memory, element: u64) -> u32 {
        let region = memory.region(memory::values(self.number));
        let at = (element * u64::from(region.stride)) as usize;
        let word = region.bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        word.map_or(0, u32::from_le_bytes)
    }

    /// Returns the number (of a program or map) that is stored under a key, if there is one.
    pub fn target<H: Hook>(&mut self, memory: &Memory, key: u32, watch: &mut Watch<'_, H>) -> Option<u32> {
        let element = match &mut self.table {
            Table::Places(there) => {
                let bytes = u64::from(self.definition.value_bytes);
                let at = u64::from(key) * bytes.next_multiple_of(8);
                let found = *there.get(key as usize)?;
                watch.access(memory::values(self.number), AccessKind::Read, at, bytes);
                found.then_some(u64::from(key))?
            }
            Table::Hash(table) => u64::from(table.find(&key.to_le_bytes(), watch)?),
            _ => return None,
        };
        Some(self.number_at(memory, element))
    }

    #[inline]
    fn address(&self, element: u64, cpu: u32) -> u64 {
        // Mostly there is one value per key, and a division takes long.
        let number = if self.cpus == 1 { element } else { element * self.cpus + u64::from(cpu) % self.cpus };
        self.first | number << self.shift
    }

    /// Writes a value for one processor, as a program does.
    pub fn update<H: Hook>(
        &mut self,
        memory: &mut Memory,
        key: &[u8],
        value: &[u8],
        flags: u64,
        cpu: u32,
        watch: &mut Watch<'_, H>,
    ) -> Result<(), i64> {
        if flags > EXIST {
            return Err(errno::EINVAL);
        }
        let (element, new) = self.place(memory, key, flags, watch)?;
        let address = self.address(element, cpu);
        let region = memory.region_mut(memory::values(self.number));
        let stride = region.stride as usize;
        let first = (element * self.cpus) as usize * stride;
        if let Some(sparse) = &mut region.sparse {
            sparse.fill(address, value.len() as u64).ok_or(errno::ENOMEM)?.copy_from_slice(value);
            let at = first + (u64::from(cpu) % self.cpus) as usize * stride;
            watch.access(memory::values(self.number), AccessKind::Write, at as u64, value.len() as u64);
            return Ok(());
        }
        if new {
            region.bytes[first..first + self.cpus as usize * stride].fill(0);
        }
        let at = first + (u64::from(cpu) % self.cpus) as usize * stride;
        region.bytes[at..at + value.len()].copy_from_slice(value);
        watch.access(memory::values(self.number), AccessKind::Write, at as u64, value.len() as u64);
        Ok(())
    }

    /// Returns the element for a key that is written, and whether it is new.
    fn place<H: Hook>(
        &mut self,
        memory: &mut Memory,
        key: &[u8],
        flags: u64,
        watch: &mut Watch<'_, H>,
    ) -> Result<(u64, bool), i64> {
        let most = self.definition.most_entries;
        let (element, new) = match &mut self.table {
            Table::Array => {
                let index = array_index(key, most).ok_or(errno::E2BIG)?;
                if flags == NO_EXIST {
                    return Err(errno::EEXIST);
                }
                (index, false)
            }
            Table::Places(there) => {
                let index = array_index(key, most).ok_or(errno::E2BIG)?;
                let new = !std::mem::replace(&mut there[index as usize], true);
                (index, new)
            }
            Table::Hash(table) => {
                if flags == NO_EXIST && table.find(key, watch).is_some() {
                    return Err(errno::EEXIST);
                }
                match table.place(key, flags != EXIST, watch) {
                    Place::Old(entry) => (u64::from(entry), false),
                    Place::New(entry) => (u64::from(entry), true),
                    Place::Full => return Err(if flags == EXIST { errno::ENOENT } else { errno::E2BIG }),
                }
            }
            Table::Trie(trie) => match trie.insert(key, flags != EXIST, watch).ok_or(errno::EINVAL)? {
                Inserted::Old(_) if flags == NO_EXIST => return Err(errno::EEXIST),
                Inserted::Old(value) => (u64::from(value), false),
                Inserted::New(value) => (u64::from(value), true),
                Inserted::Full => return Err(if flags == EXIST { errno::ENOENT } else { errno::ENOSPC }),
            },
            Table::Ring(_) | Table::Nothing => return Err(errno::EINVAL),
        };
        // Values of hashes and tries are allocated when their entries are.
        let region = memory.region_mut(memory::values(self.number));
        let behind = ((element + 1) * self.cpus * u64::from(region.stride)) as usize;
        if region.sparse.is_none() && region.bytes.len() < behind {
            region.bytes.resize(behind, 0);
        }
        Ok((element, new))
    }

    /// Removes a key.
    pub fn delete<H: Hook>(&mut self, key: &[u8], watch: &mut Watch<'_, H>) -> Result<(), i64> {
        match &mut self.table {
            Table::Hash(table) => table.remove(key, watch).map(|_| ()).ok_or(errno::ENOENT),
            Table::Trie(trie) => trie.remove(key, watch).map(|_| ()).ok_or(errno::ENOENT),
            Table::Places(there) => {
                let index = array_index(key, self.definition.most_entries).ok_or(errno::EINVAL)?;
                if std::mem::replace(&mut there[index as usize], false) { Ok(()) } else { Err(errno::ENOENT) }
            }
            Table::Array | Table::Ring(_) | Table::Nothing => Err(errno::EINVAL),
        }
    }

    /// Returns the ring, if this is a ring buffer.
    pub fn ring(&mut self) -> Option<&mut Ring> {
        match &mut self.table {
            Table::Ring(ring) => Some(ring),
            _ => None,
        }
    }

    /// Returns its contents by key; for arrays, the values that are not zero.
    pub fn entries(&self, memory: &Memory) -> Vec<Entry> {
        let bytes = self.definition.value_bytes as usize;
        let region = memory.region(memory::values(self.number));
        let (stride, cpus) = (region.stride as usize, self.cpus as usize);
        let values = |element: usize| -> Vec<&[u8]> {
            (0..cpus).map(|cpu| &region.bytes[(element * cpus + cpu) * stride..][..bytes]).collect()
        };
        let entry = |key: Vec<u8>, element: usize| Entry {
            key,
            values: values(element).into_iter().map(<[u8]>::to_vec).collect(),
        };
        let indexed = |there: &dyn Fn(usize) -> bool| {
            let there = (0..self.definition.most_entries as usize).filter(|&index| there(index));
            there.map(|index| entry((index as u32).to_le_bytes().to_vec(), index)).collect()
        };
        match &self.table {
            Table::Array if region.sparse.is_some() => {
                let mut found: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
                for (value, data) in region.sparse.iter().flat_map(|sparse| sparse.written()) {
                    if data.iter().any(|&byte| byte != 0) {
                        let values =
                            found.entry(value / self.cpus).or_insert_with(|| vec![vec![0; bytes]; cpus]);
                        values[(value % self.cpus) as usize].copy_from_slice(&data[..bytes]);
                    }
                }
                let entry = |(index, values)| Entry { key: (index as u32).to_le_bytes().to_vec(), values };
                found.into_iter().map(entry).collect()
            }
            Table::Array => {
                let all = cpus * stride;
                indexed(&|index| region.bytes[index * all..][..all].iter().any(|&byte| byte != 0))
            }
            Table::Places(there) => indexed(&|index| there[index]),
            Table::Hash(table) => {
                table.listed().into_iter().map(|(key, element)| entry(key, element as usize)).collect()
            }
            Table::Trie(trie) => {
                trie.listed().into_iter().map(|(key, value)| entry(key, value as usize)).collect()
            }
            Table::Ring(_) | Table::Nothing => Vec::new(),
        }
    }

    /// Describes a byte of its values: the map and the key.
    pub fn value_at(&self, memory: &Memory, offset: u64) -> String {
        let region = memory.region(memory::values(self.number));
        let stride = u64::from(region.stride.max(1));
        let (element, within) = (offset / stride / self.cpus, offset % stride);
        let hex = |key: &[u8]| key.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let of = |listed: Vec<(Vec<u8>, u32)>| {
            listed
                .into_iter()
                .find(|(_, at)| u64::from(*at) == element)
                .map(|(key, _)| format!("0x{}", hex(&key)))
        };
        let key = match &self.table {
            _ if self.definition.kind == MapKind::PerfEventArray => {
                return format!("`{}`", self.definition.name);
            }
            Table::Array | Table::Places(_) => Some(element.to_string()),
            Table::Hash(table) => of(table.listed()),
            Table::Trie(trie) => of(trie.listed()),
            Table::Ring(_) | Table::Nothing => None,
        };
        let name = &self.definition.name;
        // Variables of a program are one value.
        let what = match key.filter(|_| self.definition.data.is_none()) {
            Some(key) => format!("`{name}[{key}]`"),
            None => format!("`{name}`"),
        };
        if within == 0 { what } else { format!("{what}, byte {within}") }
    }

    /// Returns the bytes of its two regions: the values, and the index, which arrays have none of.
    pub fn extents(&self, memory: &Memory) -> [u64; 2] {
        let stride = u64::from(memory.region(memory::values(self.number)).stride);
        let most = u64::from(self.definition.most_entries);
        let values = match self.definition.kind {
            // One region for all records.
            MapKind::Ringbuf => stride,
            MapKind::PerfEventArray => most * PERF_BUFFER_BYTES,
            _ => most * self.cpus * stride,
        };
        let index = match &self.table {
            Table::Hash(table) => table.extent(),
            Table::Trie(trie) => trie.extent(),
            Table::Array | Table::Places(_) | Table::Ring(_) | Table::Nothing => 0,
        };
        [values, index]
    }

    /// Returns the values per key: one per processor for a per-processor map.
    pub fn values_per_key(&self) -> u32 {
        self.cpus as u32
    }
}

fn array_index(key: &[u8], most: u32) -> Option<u64> {
    let index = u32::from_le_bytes(key.try_into().ok()?);
    (index < most).then_some(u64::from(index))
}
