//! Creates maps and their regions from the definitions of an object.

use super::hash::HashTable;
use super::trie::Trie;
use super::{Map, Ring, Table};
use crate::memory::{self, Bytes, MOST_ELEMENTS, MOST_VALUE_BYTES, Memory, Region};
use crate::object::{MapDefinition, MapKind, READ_ONLY_FLAG};
use crate::sparse::{DENSE_BYTES, MOST_SPARSE_VALUE_BYTES, MOST_WRITTEN_BYTES, Sparse};

/// Most bytes of a key, as in the kernel.
const MOST_KEY_BYTES: u32 = 512;

/// Bytes of an entry besides key and value, in maps that are searched: bucket and links, or a node.
const SEARCH_BYTES: u64 = 32;

/// Most bytes of values: the range of addresses in a trace.
const MOST_TRACED_BYTES: u64 = 1 << 32;

/// The reason that a map cannot be created: what was found, and what was expected.
type Refused = (String, String);

impl Map {
    /// Creates a map and its two regions. Returns the map, and the most memory that it may use.
    pub fn new(
        mut definition: MapDefinition,
        number: usize,
        cpus: u32,
        memory: &mut Memory,
        most_bytes: u64,
    ) -> Result<(Self, u64), Refused> {
        use MapKind as K;
        let kind = definition.kind;
        if kind == K::PerfEventArray && definition.most_entries == 0 {
            definition.most_entries = cpus;
        }
        if number >= memory::MOST_MAPS {
            return Err((format!("map number {number}"), format!("fewer than {} maps", memory::MOST_MAPS)));
        }
        check(&definition)?;
        let cpus = if kind.per_cpu() { u64::from(cpus) } else { 1 };
        let stride = match kind {
            K::Ringbuf => u64::from(definition.most_entries),
            _ => u64::from(definition.value_bytes).next_multiple_of(8),
        };
        let values = if kind == K::Ringbuf { 1 } else { u64::from(definition.most_entries) * cpus };
        let sparse = matches!(kind, K::Array | K::PercpuArray)
            && definition.data.is_none()
            && values * stride > DENSE_BYTES
            && stride <= MOST_SPARSE_VALUE_BYTES;
        let found = || format!("{values} values of {stride} bytes");
        if sparse && values * stride > MOST_TRACED_BYTES {
            return Err((found(), "at most 4 GiB of values".to_owned()));
        }
        if !sparse && (values > MOST_ELEMENTS || stride > MOST_VALUE_BYTES) {
            return Err((found(), "at most 2^26 values, each smaller than 64 MiB".to_owned()));
        }
        let searched = matches!(
            kind,
            K::Hash
                | K::PercpuHash
                | K::LruHash
                | K::LruPercpuHash
                | K::LpmTrie
                | K::HashOfMaps
                | K::DevmapHash
        );
        let searching = if searched { SEARCH_BYTES + u64::from(definition.key_bytes) } else { 0 };
        let held = if sparse { MOST_WRITTEN_BYTES.min(most_bytes) } else { values * stride };
        let room = held + u64::from(definition.most_entries) * searching;
        if room > most_bytes {
            let found = format!("up to {room} bytes");
            return Err((
                found,
                format!("at most {most_bytes} bytes, the remaining memory for maps; use fewer entries"),
            ));
        }
        let (key_bytes, most) = (definition.key_bytes, definition.most_entries);
        let index = memory::index(number);
        let table = match kind {
            K::Array | K::PercpuArray => Table::Array,
            K::ProgArray | K::PerfEventArray | K::ArrayOfMaps | K::Devmap | K::Cpumap | K::Xskmap => {
                Table::Places(vec![false; most as usize])
            }
            K::Hash | K::PercpuHash | K::HashOfMaps | K::DevmapHash => {
                Table::Hash(HashTable::new(key_bytes, most, false, index))
            }
            K::LruHash | K::LruPercpuHash => Table::Hash(HashTable::new(key_bytes, most, true, index)),
            K::LpmTrie => Table::Trie(Trie::new(key_bytes, most, index)),
            K::Ringbuf => Table::Ring(Ring::new(u64::from(most))),
            // Programs that use it are refused when they are loaded.
            K::Other(_) => Table::Nothing,
        };
        let all = !sparse && matches!(table, Table::Array | Table::Places(_) | Table::Ring(_));
        let readable = match kind {
            K::ProgArray | K::PerfEventArray | K::ArrayOfMaps | K::HashOfMaps | K::Xskmap => 0,
            K::Ringbuf => u64::from(most),
            _ => u64::from(definition.value_bytes),
        };
        let read_only =
            definition.flags & READ_ONLY_FLAG != 0 || matches!(kind, K::Devmap | K::DevmapHash | K::Cpumap);
        let writable = if read_only { 0 } else { readable };
        let mut region = Region {
            room: if sparse { 0 } else { readable },
            write_room: if sparse { 0 } else { writable },
            stride: stride as u32,
            atomic: true,
            bytes: Bytes(if all { vec![0; (values * stride) as usize] } else { Vec::new() }),
            sparse: sparse.then(|| Box::new(Sparse::new(values, stride, readable, writable, held))),
            ..Region::default()
        };
        if let Some(data) = &definition.data {
            region.bytes.get_mut(..data.len()).unwrap_or_default().copy_from_slice(data);
        }
        let (first, shift) = (memory::values(number).address(0, 0), region.shift());
        memory.add(definition.name.clone(), region);
        memory.add(format!("{}.index", definition.name), Region::default());
        Ok((
            Self { definition, number, first, shift, cpus, index_mask: u32::MAX, table, emitted: (0, 0) },
            room,
        ))
    }
}

/// Applies the checks of the kernel's `map_alloc_check` for each kind.
fn check(definition: &MapDefinition) -> Result<(), Refused> {
    use MapKind as K;
    let (key, value) = (definition.key_bytes, definition.value_bytes);
    let fits = match definition.kind {
        K::Array | K::PercpuArray => key == 4 && value > 0,
        K::ProgArray | K::PerfEventArray | K::ArrayOfMaps | K::Xskmap => key == 4 && value == 4,
        K::Devmap | K::DevmapHash | K::Cpumap => key == 4 && matches!(value, 4 | 8),
        K::Hash | K::PercpuHash | K::LruHash | K::LruPercpuHash => {
            (1..=MOST_KEY_BYTES).contains(&key) && value > 0
        }
        K::HashOfMaps => (1..=MOST_KEY_BYTES).contains(&key) && value == 4,
        K::LpmTrie => (5..=260).contains(&key) && value > 0,
        K::Ringbuf => key == 0 && value == 0 && definition.most_entries.is_power_of_two(),
        K::Other(_) => return Ok(()),
    };
    if !fits {
        let found =
            format!("keys of {key} bytes, values of {value} bytes, and {} entries", definition.most_entries);
        let expected = match definition.kind {
            K::Ringbuf => "no keys, no values, and a power of two as max_entries (the buffer size in bytes)",
            K::LpmTrie => "keys of 5 to 260 bytes that begin with the prefix length",
            K::Hash | K::PercpuHash | K::LruHash | K::LruPercpuHash => {
                "keys of 1 to 512 bytes, and values of at least 1 byte"
            }
            K::Array | K::PercpuArray => "keys of 4 bytes, and values of at least 1 byte",
            _ => "keys and values of 4 bytes",
        };
        return Err((found, expected.to_owned()));
    }
    if definition.most_entries == 0 {
        return Err(("no entries".to_owned(), "at least one (max_entries)".to_owned()));
    }
    Ok(())
}
