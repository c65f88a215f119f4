//! Types of an object (`.BTF`) that maps and messages need: the kernel's `Documentation/bpf/btf.rst`.
//!
//! Damaged data contain fewer types, but never cause a failure: the user of a missing type reports it.

use std::collections::HashMap;

const MAGIC: u16 = 0xeb9f;
/// Following a chain of types stops here: damaged data can have circles.
const MOST_STEPS: usize = 64;

/// The used parts of a type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Type {
    pub kind: u8,
    pub name: u32,
    /// Size, or the type that it refers to.
    pub size_or_type: u32,
    /// Members of a struct: name, type, offset in bits. An array has one: element type, number of elements.
    pub members: Vec<(u32, u32, u32)>,
}

pub(crate) mod kind {
    pub const INT: u8 = 1;
    pub const PTR: u8 = 2;
    pub const ARRAY: u8 = 3;
    pub const STRUCT: u8 = 4;
    pub const UNION: u8 = 5;
    pub const ENUM: u8 = 6;
    pub const TYPEDEF: u8 = 8;
    pub const VOLATILE: u8 = 9;
    pub const CONST: u8 = 10;
    pub const RESTRICT: u8 = 11;
    pub const FUNC_PROTO: u8 = 13;
    pub const VAR: u8 = 14;
    pub const DATASEC: u8 = 15;
    pub const DECL_TAG: u8 = 17;
    pub const TYPE_TAG: u8 = 18;
    pub const ENUM64: u8 = 19;
}

/// All types of an object; number 0 is `void`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Btf {
    types: Vec<Type>,
    strings: Vec<u8>,
    variables: HashMap<String, u32>,
}

/// Reads little-endian words one after another.
pub(crate) struct Words<'a>(pub &'a [u8]);

impl Words<'_> {
    pub fn next(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }
}

/// Returns a part of the data after the header, at the offset and length that the header states.
pub(crate) fn part(data: &[u8], header: u32, offset: u32, length: u32) -> Option<&[u8]> {
    let from = header.checked_add(offset)? as usize;
    data.get(from..from.checked_add(length as usize)?)
}

/// Returns the length of the header, and its words after the first eight bytes.
pub(crate) fn header(data: &[u8]) -> Option<(u32, Words<'_>)> {
    let magic = u16::from_le_bytes([*data.first()?, *data.get(1)?]);
    if magic != MAGIC {
        return None;
    }
    let mut words = Words(data.get(4..)?);
    let length = words.next()?;
    Some((length, words))
}

/// A string of a table of strings.
pub(crate) fn string(strings: &[u8], at: u32) -> Option<&str> {
    let rest = strings.get(at as usize..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}

impl Btf {
    pub fn read(data: &[u8]) -> Option<Self> {
        let (length, mut words) = header(data)?;
        let [type_offset, type_length, string_offset, string_length] =
            [words.next()?, words.next()?, words.next()?, words.next()?];
        let strings = part(data, length, string_offset, string_length)?.to_vec();
        let mut words = Words(part(data, length, type_offset, type_length)?);
        let mut found = Self { types: vec![Type::default()], strings, variables: HashMap::new() };
        while let Some(read) = read_type(&mut words) {
            let number = found.types.len() as u32;
            if read.kind == kind::VAR
                && let Some(name) = found.string(read.name)
            {
                found.variables.insert(name.to_owned(), number);
            }
            found.types.push(read);
        }
        Some(found)
    }

    pub fn string(&self, at: u32) -> Option<&str> {
        string(&self.strings, at)
    }

    pub fn strings(&self) -> &[u8] {
        &self.strings
    }

    pub fn get(&self, number: u32) -> Option<&Type> {
        self.types.get(number as usize)
    }

    /// The type of a global variable.
    pub fn variable(&self, name: &str) -> Option<u32> {
        self.get(*self.variables.get(name)?).map(|found| found.size_or_type)
    }

    /// Returns a type without typedefs and qualifiers.
    pub fn bare(&self, mut number: u32) -> Option<&Type> {
        for _ in 0..MOST_STEPS {
            let found = self.get(number)?;
            match found.kind {
                kind::TYPEDEF | kind::VOLATILE | kind::CONST | kind::RESTRICT | kind::TYPE_TAG => {
                    number = found.size_or_type;
                }
                _ => return Some(found),
            }
        }
        None
    }

    /// Size of a type in bytes.
    pub fn size(&self, number: u32) -> Option<u32> {
        let (mut number, mut times) = (number, 1u32);
        for _ in 0..MOST_STEPS {
            let found = self.bare(number)?;
            match found.kind {
                kind::INT | kind::STRUCT | kind::UNION | kind::ENUM | kind::ENUM64 => {
                    return found.size_or_type.checked_mul(times);
                }
                kind::PTR => return times.checked_mul(8),
                kind::ARRAY => {
                    let &(element, _, count) = found.members.first()?;
                    times = times.checked_mul(count)?;
                    number = element;
                }
                _ => return None,
            }
        }
        None
    }

    /// Returns N of `__uint(name, N)`, which is encoded as a pointer to an array of N elements.
    pub fn number(&self, member: u32) -> Option<u32> {
        let pointer = self.bare(member).filter(|found| found.kind == kind::PTR)?;
        let array = self.bare(pointer.size_or_type).filter(|found| found.kind == kind::ARRAY)?;
        array.members.first().map(|&(_, _, count)| count)
    }

    /// Returns the type to which a pointer points.
    pub fn pointee(&self, member: u32) -> Option<u32> {
        self.bare(member).filter(|found| found.kind == kind::PTR).map(|found| found.size_or_type)
    }
}

/// Reads the next type; `None` at the end, or if the data are damaged.
fn read_type(words: &mut Words<'_>) -> Option<Type> {
    let (name, info, size_or_type) = (words.next()?, words.next()?, words.next()?);
    let count = info & 0xffff;
    let mut read = Type { kind: (info >> 24 & 31) as u8, name, size_or_type, members: Vec::new() };
    match read.kind {
        kind::ARRAY => {
            let (element, index, count) = (words.next()?, words.next()?, words.next()?);
            read.members.push((element, index, count));
        }
        kind::STRUCT | kind::UNION => {
            let bits = info >> 31 == 1;
            for _ in 0..count {
                let (name, of, offset) = (words.next()?, words.next()?, words.next()?);
                // With bit fields the offset has the size of the field above its 24 bits.
                read.members.push((name, of, if bits { offset & 0x00ff_ffff } else { offset }));
            }
        }
        kind::INT | kind::VAR | kind::DECL_TAG => {
            words.next()?;
        }
        kind::ENUM | kind::FUNC_PROTO => skip(words, 2 * count)?,
        kind::DATASEC | kind::ENUM64 => skip(words, 3 * count)?,
        _ => {}
    }
    Some(read)
}

fn skip(words: &mut Words<'_>, count: u32) -> Option<()> {
    words.0 = words.0.get(4 * count as usize..)?;
    Some(())
}
