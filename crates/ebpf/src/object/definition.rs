//! Maps as an object defines them: the BTF form (`.maps`) and the legacy one (`maps`).

use super::btf::{Btf, kind};

/// Flag of a map that programs only read.
pub const READ_ONLY_FLAG: u32 = 1 << 7;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal;)*) => {
        /// Kind of a map (`enum bpf_map_type`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum MapKind {
            $($(#[$doc])* $name,)*
            /// An unsupported kind, by its number.
            Other(u32),
        }

        impl MapKind {
            /// Returns the kind of a number.
            #[must_use]
            pub fn from_number(number: u32) -> Self {
                match number { $($number => Self::$name,)* other => Self::Other(other) }
            }

            /// Returns its name, as in the kernel without `BPF_MAP_TYPE_`.
            #[must_use]
            pub fn name(self) -> String {
                match self { $(Self::$name => $text.to_owned(),)* Self::Other(number) => other(number) }
            }
        }
    };
}

kinds! {
    /// Exact match, values anywhere.
    Hash = 1, "HASH";
    /// Values by index.
    Array = 2, "ARRAY";
    /// Programs of tail calls.
    ProgArray = 3, "PROG_ARRAY";
    /// Where events for user space go.
    PerfEventArray = 4, "PERF_EVENT_ARRAY";
    /// A hash with a value for each processor.
    PercpuHash = 5, "PERCPU_HASH";
    /// An array with a value for each processor.
    PercpuArray = 6, "PERCPU_ARRAY";
    /// A hash that forgets what was used least recently.
    LruHash = 9, "LRU_HASH";
    /// The same with a value for each processor.
    LruPercpuHash = 10, "LRU_PERCPU_HASH";
    /// Longest prefix.
    LpmTrie = 11, "LPM_TRIE";
    /// Maps by index.
    ArrayOfMaps = 12, "ARRAY_OF_MAPS";
    /// Maps by key.
    HashOfMaps = 13, "HASH_OF_MAPS";
    /// Interfaces by index.
    Devmap = 14, "DEVMAP";
    /// Target processors.
    Cpumap = 16, "CPUMAP";
    /// Sockets by queue.
    Xskmap = 17, "XSKMAP";
    /// Interfaces by key.
    DevmapHash = 25, "DEVMAP_HASH";
    /// Records for user space, in order.
    Ringbuf = 27, "RINGBUF";
}

/// Returns names of unsupported kinds, for messages.
fn other(number: u32) -> String {
    const NAMES: [(u32, &str); 14] = [
        (7, "STACK_TRACE"),
        (8, "CGROUP_ARRAY"),
        (15, "SOCKMAP"),
        (18, "SOCKHASH"),
        (19, "CGROUP_STORAGE"),
        (20, "REUSEPORT_SOCKARRAY"),
        (22, "QUEUE"),
        (23, "STACK"),
        (24, "SK_STORAGE"),
        (26, "STRUCT_OPS"),
        (29, "TASK_STORAGE"),
        (30, "BLOOM_FILTER"),
        (31, "USER_RINGBUF"),
        (33, "ARENA"),
    ];
    let known = NAMES.iter().find(|(known, _)| *known == number);
    known.map_or_else(|| format!("kind {number}"), |(_, name)| (*name).to_owned())
}

impl MapKind {
    /// Returns whether each processor has a separate value.
    #[must_use]
    pub fn per_cpu(self) -> bool {
        matches!(self, Self::PercpuArray | Self::PercpuHash | Self::LruPercpuHash)
    }

    /// Returns whether its values are maps.
    #[must_use]
    pub fn holds_maps(self) -> bool {
        matches!(self, Self::ArrayOfMaps | Self::HashOfMaps)
    }
}

/// The definition of a map in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapDefinition {
    /// Name; data sections are maps of their section's name.
    pub name: String,
    /// Kind.
    pub kind: MapKind,
    /// Size of a key in bytes.
    pub key_bytes: u32,
    /// Size of a value in bytes.
    pub value_bytes: u32,
    /// Most entries; for a ring buffer its bytes.
    pub most_entries: u32,
    /// Flags (`BPF_F_…`).
    pub flags: u32,
    /// The definition of maps that are its values.
    pub inner: Option<Box<MapDefinition>>,
    /// Initial contents: index and reference.
    pub initial: Vec<(u32, Named)>,
    /// Bytes of its only value, for data sections; shorter than the value if the rest is zero.
    pub data: Option<Vec<u8>>,
}

/// An element of a map of maps or programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A map of the object, by number.
    Map(usize),
    /// A program of the object, by name.
    Program(String),
}

impl MapDefinition {
    /// Returns a map without contents.
    #[must_use]
    pub fn new(name: &str, kind: MapKind, key_bytes: u32, value_bytes: u32, most_entries: u32) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            key_bytes,
            value_bytes,
            most_entries,
            flags: 0,
            inner: None,
            initial: Vec::new(),
            data: None,
        }
    }

    /// A data section: an array of one value.
    pub(super) fn section(name: &str, bytes: Vec<u8>, size: u32, read_only: bool) -> Self {
        let mut made = Self::new(name, MapKind::Array, 4, size, 1);
        made.flags = if read_only { READ_ONLY_FLAG } else { 0 };
        made.data = Some(bytes);
        made
    }
}

/// A legacy definition: a struct of words (`struct bpf_map_def`), as long as its symbol.
pub(super) fn legacy(name: &str, bytes: &[u8]) -> Option<MapDefinition> {
    let word = |at: usize| bytes.get(4 * at..4 * at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let mut made = MapDefinition::new(name, MapKind::from_number(word(0)?), word(1)?, word(2)?, word(3)?);
    made.flags = word(4).unwrap_or(0);
    Some(made)
}

/// Definitions nest once: a map of maps whose values are no maps of maps.
const MOST_NESTED: u32 = 2;

/// A BTF definition, and the offset of its `values`, which relocations fill.
pub(super) fn from_btf(btf: &Btf, name: &str, of: u32, depth: u32) -> Result<(MapDefinition, u32), String> {
    let found = btf.bare(of).filter(|found| found.kind == kind::STRUCT);
    let found = found.ok_or("a variable in .maps that is not a struct")?;
    let mut made = MapDefinition::new(name, MapKind::Other(0), 0, 0, 0);
    let mut values_at = 0;
    for &(member, of, bits) in &found.members {
        let number = || btf.number(of).ok_or("a number that is not written with __uint");
        let size = || {
            let pointee = btf.pointee(of).ok_or("a type that is not written with __type")?;
            btf.size(pointee).ok_or("a type whose size is not known")
        };
        match btf.string(member).unwrap_or("") {
            "type" => made.kind = MapKind::from_number(number()?),
            "key_size" => made.key_bytes = number()?,
            "value_size" => made.value_bytes = number()?,
            "max_entries" => made.most_entries = number()?,
            "map_flags" => made.flags = number()?,
            "key" => made.key_bytes = size()?,
            "value" => made.value_bytes = size()?,
            "values" => {
                values_at = bits / 8;
                // The values are numbers of maps or programs, whose size may be missing.
                made.value_bytes = 4;
                made.inner = inner(btf, name, of, depth)?.map(Box::new);
            }
            // Pinning, NUMA placement and extra flags change nothing here.
            "pinning" | "numa_node" | "map_extra" => {}
            other => return Err(format!("the unknown attribute `{other}`")),
        }
    }
    if made.kind == MapKind::Other(0) {
        return Err("no type".to_owned());
    }
    Ok((made, values_at))
}

/// Reads the definition of the inner maps from `values`, an array of pointers to a definition.
fn inner(btf: &Btf, name: &str, of: u32, depth: u32) -> Result<Option<MapDefinition>, String> {
    let array =
        btf.bare(of).filter(|found| found.kind == kind::ARRAY).ok_or("values that are not an array")?;
    let element = array.members.first().map_or(0, |&(element, _, _)| element);
    let pointee = btf.pointee(element).ok_or("values that are not pointers")?;
    match btf.bare(pointee).map(|found| found.kind) {
        Some(kind::STRUCT) if depth < MOST_NESTED => {
            from_btf(btf, &format!("{name}.inner"), pointee, depth + 1).map(|(made, _)| Some(made))
        }
        Some(kind::STRUCT) => Err("maps of maps of maps".to_owned()),
        // Programs of a PROG_ARRAY.
        _ => Ok(None),
    }
}
