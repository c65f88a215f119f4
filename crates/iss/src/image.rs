//! A program as a file: segments, code ranges, symbols.

use crate::IssError;
use crate::lines::{Lines, SourcePlace};
use crate::word::Width;
use linecard_words::Mismatch;
use object::elf::{EM_RISCV, FileHeader32, FileHeader64, PF_X, PT_LOAD};
use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol, SymbolKind, SymbolSection};

/// Bytes of a program at their addresses.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Address of the first byte.
    pub address: u32,
    /// Bytes in the file.
    pub bytes: Vec<u8>,
    /// Size in memory; zeros follow the bytes.
    pub memory_bytes: u32,
    /// Whether it is code.
    pub executable: bool,
}

/// A symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Address.
    pub address: u32,
    /// Name.
    pub name: String,
    /// Whether it names a function or a label in code.
    pub code: bool,
}

/// The contents of an ELF file for RISC-V.
#[derive(Clone, Debug)]
pub struct Image {
    /// Name for messages.
    pub file: String,
    /// What is loaded, by address.
    pub segments: Vec<Segment>,
    /// Symbols with a name, by address.
    pub symbols: Vec<Symbol>,
    /// Entry of a standalone program.
    pub entry: u32,
    /// Register width of its code.
    pub width: Width,
    /// Source lines, if it was compiled with `-g`.
    pub lines: Lines,
}

/// Programs are small: a larger span means a wrong address.
const MOST_SPAN_BYTES: u64 = 256 << 20;
/// Most bytes of code: the decoded form is seven times as large.
const MOST_CODE_BYTES: u32 = 16 << 20;

impl Image {
    /// Reads an ELF file; messages name it `file`.
    ///
    /// # Errors
    ///
    /// If it is no executable for little-endian RISC-V, or is not below 4 GiB.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, IssError> {
        let unfit = |found: String, expected: &str| unfit(file, found, expected);
        if !bytes.starts_with(b"\x7fELF") {
            return Err(unfit(
                "a file that is not an ELF file".to_owned(),
                "a linked RISC-V program, or C source ending in `.c`",
            ));
        }
        let class = (bytes.get(4).copied(), bytes.get(5).copied());
        let machine = bytes.get(18..20).map(|half| u16::from_le_bytes([half[0], half[1]]));
        match (class, machine) {
            ((Some(1), Some(1)), Some(EM_RISCV)) => {
                Self::read_as::<FileHeader32<Endianness>>(file, bytes, Width::Rv32)
            }
            ((Some(2), Some(1)), Some(EM_RISCV)) => {
                Self::read_as::<FileHeader64<Endianness>>(file, bytes, Width::Rv64)
            }
            _ => Err(unfit(
                format!(
                    "a {}-bit ELF file for machine {}",
                    if class.0 == Some(2) { 64 } else { 32 },
                    machine.unwrap_or_default()
                ),
                "little-endian RISC-V (machine 243); compile with -march=rv32imac -mabi=ilp32, or \
                 -march=rv64imac -mabi=lp64",
            )),
        }
    }

    fn read_as<Elf: FileHeader<Endian = Endianness>>(
        file: &str,
        bytes: &[u8],
        width: Width,
    ) -> Result<Self, IssError> {
        let unfit = |found: String, expected: &str| unfit(file, found, expected);
        let elf = ElfFile::<Elf>::parse(bytes)
            .map_err(|error| unfit(format!("a damaged ELF file ({error})"), "a linked RISC-V program"))?;
        let endian = Endianness::Little;
        let headers = elf.elf_header().program_headers(endian, bytes).map_err(|error| {
            unfit(format!("damaged program headers ({error})"), "a linked RISC-V program")
        })?;
        // Headers may name the same bytes again and again.
        let (mut segments, mut all_bytes) = (Vec::new(), 0);
        for header in headers {
            let (address, memory_bytes): (u64, u64) =
                (header.p_vaddr(endian).into(), header.p_memsz(endian).into());
            if header.p_type(endian) != PT_LOAD || memory_bytes == 0 {
                continue;
            }
            let data = header
                .data(endian, bytes)
                .map_err(|()| unfit("a segment that reaches beyond the file".to_owned(), "a whole file"))?;
            let behind = address.checked_add(memory_bytes).filter(|&behind| behind <= u32::MAX.into());
            if behind.is_none() || data.len() as u64 > memory_bytes {
                return Err(unfit(
                    format!("a segment of {memory_bytes} bytes at {address:#x}"),
                    "a segment below 4 GiB whose data fit in its memory size; link the program at 0x10000",
                ));
            }
            all_bytes += data.len() as u64;
            if all_bytes > MOST_SPAN_BYTES {
                return Err(unfit(format!("segments of at least {all_bytes} bytes"), "at most 256 MiB"));
            }
            segments.push(Segment {
                address: address as u32,
                bytes: data.to_vec(),
                memory_bytes: memory_bytes as u32,
                executable: header.p_flags(endian) & PF_X != 0,
            });
        }
        segments.sort_by_key(|segment| segment.address);
        let lines = Lines::default();
        let mut image = Self { file: file.to_owned(), segments, symbols: Vec::new(), entry: 0, width, lines };
        let (low, high) = image.span();
        let (code_low, code_high) = image.code_span();
        if code_high == code_low || u64::from(high - low) > MOST_SPAN_BYTES {
            let found = format!("{} loadable segments that span {} bytes", image.segments.len(), high - low);
            return Err(unfit(
                found,
                "a linked program that contains code and spans at most 256 MiB (an object file `.o` must be \
                 linked first)",
            ));
        }
        if code_high - code_low > MOST_CODE_BYTES {
            return Err(unfit(format!("{} bytes of code", code_high - code_low), "at most 16 MiB"));
        }
        let entry = Into::<u64>::into(elf.elf_header().e_entry(endian));
        image.entry = u32::try_from(entry).map_err(|_| {
            unfit(format!("an entry at {entry:#x}"), "an address below 4 GiB; link the program at 0x10000")
        })?;
        image.symbols = elf.symbols().filter_map(|symbol| named(&symbol)).collect();
        image.symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        image.lines = Lines::read(&elf, width, (code_low, code_high));
        Ok(image)
    }

    /// Returns the address of a symbol.
    #[must_use]
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.address)
    }

    /// Returns the last code symbol at or before an address, and the distance from it.
    #[must_use]
    pub fn nearest(&self, address: u32) -> Option<(&str, u32)> {
        let upto = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols[..upto].iter().rev().find(|symbol| symbol.code)?;
        Some((&symbol.name, address - symbol.address))
    }

    /// Returns the last object at or before an address, and the distance from it.
    #[must_use]
    pub fn object(&self, address: u32) -> Option<(&str, u32)> {
        let upto = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols[..upto].iter().rev().find(|symbol| !symbol.code)?;
        Some((&symbol.name, address - symbol.address))
    }

    /// Returns the source line of the instruction at an address, if known: for code inlined into a caller, the
    /// inlined line.
    #[must_use]
    pub fn line(&self, pc: u32) -> Option<SourcePlace<'_>> {
        self.lines.at(pc)
    }

    /// Returns the first address, and the one behind the last.
    #[must_use]
    pub fn span(&self) -> (u32, u32) {
        let low = self.segments.first().map_or(0, |first| first.address);
        let high = self.segments.iter().map(|segment| segment.address + segment.memory_bytes).max();
        (low, high.unwrap_or(low))
    }

    /// Returns the first address of code, and the one behind the last.
    #[must_use]
    pub fn code_span(&self) -> (u32, u32) {
        let code = || self.segments.iter().filter(|segment| segment.executable);
        let low = code().map(|segment| segment.address).min().unwrap_or(0);
        (low, code().map(|segment| segment.address + segment.memory_bytes).max().unwrap_or(low))
    }
}

fn unfit(file: &str, found: String, expected: &str) -> IssError {
    IssError::Image(Mismatch::new(file, found, expected))
}

/// A symbol that is defined here and has a name. Those of a linker script have no type and no size.
fn named<'data>(symbol: &impl ObjectSymbol<'data>) -> Option<Symbol> {
    let name = symbol.name().ok().filter(|name| !name.is_empty() && !name.starts_with('$'))?;
    let address = u32::try_from(symbol.address()).ok()?;
    let code = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown) && symbol.is_definition();
    let placed = matches!(symbol.section(), SymbolSection::Absolute | SymbolSection::Section(_));
    placed.then(|| Symbol { address, name: name.to_owned(), code })
}
