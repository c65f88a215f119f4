//! Source lines of instructions, from the line tables of a program compiled with `-g` (DWARF 5, section 6.2;
//! versions 2 to 5).
//!
//! A line table contains the source line of each instruction: for a function inlined into another, the inlined
//! line. A damaged table is ignored from the damage on.

use crate::word::Width;
use gimli::{AttributeValue, DebugLine, DebugLineOffset, DebugLineStr, DebugStr, Format, LittleEndian};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

type Bytes<'a> = gimli::EndianSlice<'a, LittleEndian>;

/// A line of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePlace<'a> {
    /// Name of the file, without its folders.
    pub file: &'a str,
    /// Line, from 1.
    pub line: u32,
}

impl fmt::Display for SourcePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The line from an address on, up to that of the next row.
#[derive(Clone, Copy, Debug)]
struct Row {
    address: u32,
    file: u32,
    /// 0 if the code comes from no line, and behind the end of a function.
    line: u32,
    ends: bool,
}

/// Lines of a program.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    files: Vec<String>,
    rows: Vec<Row>,
}

impl Lines {
    /// Reads the line tables of an ELF file whose code is between two addresses; without tables there are no
    /// lines.
    pub(crate) fn read<'data>(elf: &impl Object<'data>, width: Width, code: (u32, u32)) -> Self {
        let section = |name| -> Cow<'data, [u8]> {
            let section = elf.section_by_name(name);
            section.and_then(|section| section.uncompressed_data().ok()).unwrap_or_default()
        };
        let (table, own_names, names) =
            (section(".debug_line"), section(".debug_line_str"), section(".debug_str"));
        let strings = Strings {
            line: DebugLineStr::from(Bytes::new(&own_names, LittleEndian)),
            all: DebugStr::from(Bytes::new(&names, LittleEndian)),
        };
        let mut reader = Reader { strings, code, numbers: HashMap::new(), lines: Self::default() };
        let address_bytes = if width == Width::Rv64 { 8 } else { 4 };
        let lines = DebugLine::new(&table, LittleEndian);
        let mut offset = 0;
        while offset < table.len() {
            match reader.unit(&lines, offset, address_bytes) {
                Ok(next) => offset = next,
                Err(_) => break,
            }
        }
        let mut lines = reader.lines;
        // Where one function ends the next may begin.
        lines.rows.sort_by_key(|row| (row.address, !row.ends));
        lines
    }

    /// Returns the source line of the instruction at an address, if known.
    #[must_use]
    pub fn at(&self, pc: u32) -> Option<SourcePlace<'_>> {
        let upto = self.rows.partition_point(|row| row.address <= pc);
        let row = self.rows[..upto].last().filter(|row| row.line > 0)?;
        Some(SourcePlace { file: &self.files[row.file as usize], line: row.line })
    }
}

/// String tables for file names outside of the line table.
struct Strings<'a> {
    line: DebugLineStr<Bytes<'a>>,
    all: DebugStr<Bytes<'a>>,
}

impl<'a> Strings<'a> {
    /// The last part of a path.
    fn name(&self, path: AttributeValue<Bytes<'a>>) -> Option<String> {
        let path = match path {
            AttributeValue::String(path) => path,
            AttributeValue::DebugLineStrRef(at) => self.line.get_str(at).ok()?,
            AttributeValue::DebugStrRef(at) => self.all.get_str(at).ok()?,
            _ => return None,
        };
        let name = path.slice().rsplit(|&byte| byte == b'/' || byte == b'\\').next()?;
        (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned())
    }
}

struct Reader<'a> {
    strings: Strings<'a>,
    code: (u32, u32),
    /// Numbers of files, by name.
    numbers: HashMap<String, u32>,
    lines: Lines,
}

impl<'a> Reader<'a> {
    /// Reads the table of one source file and its includes. Returns the start of the next one.
    fn unit(
        &mut self,
        table: &DebugLine<Bytes<'a>>,
        offset: usize,
        address_bytes: u8,
    ) -> Result<usize, gimli::Error> {
        let program = table.program(DebugLineOffset(offset), address_bytes, None, None)?;
        let header = program.header();
        let length_bytes = match header.format() {
            Format::Dwarf32 => 4,
            Format::Dwarf64 => 12,
        };
        let next = offset + length_bytes + header.unit_length();
        let mut files: HashMap<u64, Option<u32>> = HashMap::new();
        let mut first = self.lines.rows.len();
        let mut rows = program.rows();
        while let Some((header, row)) = rows.next_row()? {
            let file = *files.entry(row.file_index()).or_insert_with(|| {
                let name = self.strings.name(row.file(header)?.path_name())?;
                let number = *self.numbers.entry(name.clone()).or_insert(self.lines.files.len() as u32);
                if number as usize == self.lines.files.len() {
                    self.lines.files.push(name);
                }
                Some(number)
            });
            let ends = row.end_sequence();
            let line = row.line().and_then(|line| u32::try_from(line.get()).ok());
            let (line, file) = line.filter(|_| !ends).zip(file).unwrap_or_default();
            // An address beyond 32 bits is not in the code.
            let address = u32::try_from(row.address()).unwrap_or(u32::MAX);
            self.lines.rows.push(Row { address, file, line, ends });
            if ends {
                // Functions that the linker removed are at address 0, or at none.
                let inside = |row: &Row| (self.code.0..=self.code.1).contains(&row.address);
                if !self.lines.rows[first..].iter().all(inside) {
                    self.lines.rows.truncate(first);
                }
                first = self.lines.rows.len();
            }
        }
        self.lines.rows.truncate(first);
        Ok(next)
    }
}
