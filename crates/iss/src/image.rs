//! A program as a file: segments, code ranges, symbols.

use crate::IssError;
use object::elf::{EM_RISCV, PF_X, PT_LOAD};
use object::read::elf::{ElfFile32, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol};

/// Bytes of a program at their addresses.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Address of the first byte.
    pub address: u32,
    /// Bytes that the file holds.
    pub bytes: Vec<u8>,
    /// Size in memory: behind the bytes come zeros.
    pub memory_bytes: u32,
    /// Whether it is code.
    pub executable: bool,
}

/// A symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its address.
    pub address: u32,
    /// Its name.
    pub name: String,
    /// Whether it names a function or a label in code.
    pub code: bool,
}

/// An ELF file for 32-bit RISC-V, read.
#[derive(Clone, Debug)]
pub struct Image {
    /// Name for messages.
    pub file: String,
    /// What is loaded, by address.
    pub segments: Vec<Segment>,
    /// Symbols with a name, by address.
    pub symbols: Vec<Symbol>,
    /// Where a program that runs by itself begins.
    pub entry: u32,
}

/// Programs are small: an image that spans more than this has an address that is wrong.
const MOST_SPAN_BYTES: u64 = 256 << 20;

impl Image {
    /// Reads an ELF file; `file` stands for it in messages.
    ///
    /// # Errors
    /// When it is no executable for 32-bit little-endian RISC-V.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, IssError> {
        let unfit = |found: String, expected: &str| IssError::Image {
            file: file.to_owned(),
            found,
            expected: expected.to_owned(),
        };
        if !bytes.starts_with(b"\x7fELF") {
            return Err(unfit(
                "a file that is no ELF file".to_owned(),
                "a linked RISC-V program, or C source ending in `.c`",
            ));
        }
        let class = (bytes.get(4).copied(), bytes.get(5).copied());
        let machine = bytes.get(18..20).map(|half| u16::from_le_bytes([half[0], half[1]]));
        if class != (Some(1), Some(1)) || machine != Some(EM_RISCV) {
            let found = format!(
                "an ELF file of {} bits for machine {}",
                if class.0 == Some(2) { 64 } else { 32 },
                machine.unwrap_or_default()
            );
            return Err(unfit(
                found,
                "32-bit little-endian RISC-V (machine 243): compile with -march=rv32imc -mabi=ilp32",
            ));
        }
        let elf = ElfFile32::<Endianness>::parse(bytes)
            .map_err(|error| unfit(format!("a damaged ELF file ({error})"), "a linked RISC-V program"))?;
        let endian = Endianness::Little;
        let headers = elf.elf_header().program_headers(endian, bytes).map_err(|error| {
            unfit(format!("damaged program headers ({error})"), "a linked RISC-V program")
        })?;
        let mut segments = Vec::new();
        for header in headers {
            if header.p_type(endian) != PT_LOAD || header.p_memsz(endian) == 0 {
                continue;
            }
            let data = header
                .data(endian, bytes)
                .map_err(|()| unfit("a segment that reaches beyond the file".to_owned(), "a whole file"))?;
            let (address, memory_bytes) = (header.p_vaddr(endian), header.p_memsz(endian));
            if address.checked_add(memory_bytes).is_none() || data.len() > memory_bytes as usize {
                return Err(unfit(
                    format!("a segment of {memory_bytes} bytes at {address:#x}"),
                    "one that fits into 32-bit addresses",
                ));
            }
            let executable = header.p_flags(endian) & PF_X != 0;
            segments.push(Segment { address, bytes: data.to_vec(), memory_bytes, executable });
        }
        segments.sort_by_key(|segment| segment.address);
        let span = segments.last().map_or(0, |last| u64::from(last.address) + u64::from(last.memory_bytes))
            - segments.first().map_or(0, |first| u64::from(first.address));
        if !segments.iter().any(|segment| segment.executable) || span > MOST_SPAN_BYTES {
            let found = format!("{} loadable segments over {span} bytes", segments.len());
            return Err(unfit(
                found,
                "a linked program with code, of at most 256 MiB (an object file `.o` must be linked first)",
            ));
        }
        let mut symbols: Vec<Symbol> = elf
            .symbols()
            .filter_map(|symbol| {
                let name = symbol.name().ok().filter(|name| !name.is_empty() && !name.starts_with('$'))?;
                let code = matches!(symbol.kind(), object::SymbolKind::Text | object::SymbolKind::Unknown);
                symbol
                    .is_definition()
                    .then(|| Symbol { address: symbol.address() as u32, name: name.to_owned(), code })
                    .or_else(|| {
                        // Symbols of a linker script are absolute.
                        matches!(symbol.section(), object::SymbolSection::Absolute).then(|| Symbol {
                            address: symbol.address() as u32,
                            name: name.to_owned(),
                            code: false,
                        })
                    })
            })
            .collect();
        symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        Ok(Self { file: file.to_owned(), segments, symbols, entry: elf.elf_header().e_entry(endian) })
    }

    /// Address of a symbol.
    #[must_use]
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.address)
    }

    /// The last code symbol at or before an address, and how far behind it the address is.
    #[must_use]
    pub fn nearest(&self, address: u32) -> Option<(&str, u32)> {
        let upto = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols[..upto].iter().rev().find(|symbol| symbol.code)?;
        Some((&symbol.name, address - symbol.address))
    }

    /// First address, and the one behind the last.
    #[must_use]
    pub fn span(&self) -> (u32, u32) {
        let low = self.segments.first().map_or(0, |first| first.address);
        let high = self.segments.iter().map(|segment| segment.address + segment.memory_bytes).max();
        (low, high.unwrap_or(low))
    }

    /// First address of code, and the one behind the last.
    #[must_use]
    pub fn code_span(&self) -> (u32, u32) {
        let code = || self.segments.iter().filter(|segment| segment.executable);
        let low = code().map(|segment| segment.address).min().unwrap_or(0);
        (low, code().map(|segment| segment.address + segment.memory_bytes).max().unwrap_or(low))
    }
}
