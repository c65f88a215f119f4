//! Source lines of instructions (`.BTF.ext`, line information).

use super::btf::{Words, header, part, string};
use std::collections::HashMap;
use std::fmt;

/// The source location of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// File, as it was passed to the compiler.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Text of the line, if the compiler kept it.
    pub text: String,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.text.is_empty() { Ok(()) } else { write!(f, ": {}", self.text) }
    }
}

/// First slot, file, line, text; names are places in the table of strings.
#[derive(Clone, Copy, Debug)]
struct Entry {
    slot: u32,
    file: u32,
    text: u32,
    line: u32,
}

/// The lines of all sections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    sections: HashMap<String, Vec<Entry>>,
    strings: Vec<u8>,
}

impl Lines {
    /// Returns `None` if nothing can be read; messages then name the instruction alone.
    pub fn read(data: &[u8], strings: &[u8]) -> Option<Self> {
        let (length, mut words) = header(data)?;
        let (_functions, _functions_length) = (words.next()?, words.next()?);
        let (offset, bytes) = (words.next()?, words.next()?);
        let mut words = Words(part(data, length, offset, bytes)?);
        let record = words.next()? as usize;
        if record < 16 || !record.is_multiple_of(4) {
            return None;
        }
        let mut sections: HashMap<String, Vec<Entry>> = HashMap::new();
        while let Some((name, count)) = words.next().zip(words.next()) {
            let entries = sections.entry(string(strings, name)?.to_owned()).or_default();
            for _ in 0..count {
                let (Some(bytes), Some(rest)) = (words.0.get(..record), words.0.get(record..)) else { break };
                let mut fields = Words(bytes);
                let (at, file, text, place) =
                    (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
                // The lowest ten bits are the column.
                entries.push(Entry { slot: at / 8, file, text, line: place >> 10 });
                words.0 = rest;
            }
        }
        for entries in sections.values_mut() {
            entries.sort_by_key(|entry| entry.slot);
        }
        Some(Self { sections, strings: strings.to_vec() })
    }

    /// The line of a slot of a section.
    pub fn at(&self, section: &str, slot: u32) -> Option<SourceLine> {
        let entries = self.sections.get(section)?;
        let upto = entries.partition_point(|entry| entry.slot <= slot);
        let entry = entries.get(upto.checked_sub(1)?)?;
        Some(SourceLine {
            file: string(&self.strings, entry.file)?.to_owned(),
            line: entry.line,
            text: string(&self.strings, entry.text).unwrap_or("").trim().to_owned(),
        })
    }
}
