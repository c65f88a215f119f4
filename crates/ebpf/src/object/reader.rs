//! An ELF file of clang: sections, symbols, relocations.
//!
//! Source of the relocations: the kernel's `Documentation/bpf/llvm_reloc.rst`.

use super::btf::Btf;
use super::contents::{CodeSection, Object, Program, Reference};
use super::definition::{self, MapDefinition, Named};
use super::lines::Lines;
use crate::error::EbpfError;
use crate::insn::{CALL, LDDW, SLOT_BYTES, Slot};
use linecard_words::Mismatch;
use object::elf::EM_BPF;
use object::read::elf::{ElfFile64, FileHeader};
use object::{
    Endianness, Object as _, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags,
    SectionIndex, SectionKind, SymbolIndex, SymbolKind,
};
use std::collections::{BTreeMap, HashMap};

/// Most bytes of a section; an object of 150 KB such as Katran is a large one.
const MOST_SECTION_BYTES: u64 = 64 << 20;
/// `R_BPF_64_64`: a 64-bit constant that is an address.
const CONSTANT_ADDRESS: u32 = 1;
/// `R_BPF_64_ABS64`: a pointer in data.
const DATA_POINTER: u32 = 2;
/// `R_BPF_64_32`: the target of a call.
const CALL_TARGET: u32 = 10;

/// The use of a section of the file.
#[derive(Clone, Copy, Debug)]
enum Became {
    Code(usize),
    Data(usize),
    Maps,
}

pub(super) struct Reader<'a> {
    file: &'a str,
    elf: ElfFile64<'a, Endianness>,
    btf: Btf,
    became: HashMap<SectionIndex, Became>,
    /// Maps by section and offset, with the offset of their `values`.
    placed: HashMap<(SectionIndex, u64), (usize, u32)>,
    maps: Vec<MapDefinition>,
    code: Vec<CodeSection>,
}

impl<'a> Reader<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Result<Self, EbpfError> {
        let refuse = |found: String| {
            EbpfError::Object(Mismatch::new(
                file,
                found,
                "an object file for eBPF, 64-bit and little-endian (clang -target bpfel -O2 -g -c)",
            ))
        };
        let elf = ElfFile64::<Endianness>::parse(bytes).map_err(|error| refuse(error.to_string()))?;
        let (endian, header) = (elf.endian(), elf.elf_header());
        let machine = header.e_machine(endian);
        if machine != EM_BPF || endian != Endianness::Little {
            return Err(refuse(format!("an ELF file for machine {machine} ({endian:?}-endian)")));
        }
        let (became, placed) = (HashMap::new(), HashMap::new());
        Ok(Self { file, elf, btf: Btf::default(), became, placed, maps: Vec::new(), code: Vec::new() })
    }

    fn refuse(&self, found: String, expected: &str) -> EbpfError {
        EbpfError::Object(Mismatch::new(self.file, found, expected))
    }

    pub fn read(mut self) -> Result<Object, EbpfError> {
        let data = |name: &str| self.elf.section_by_name(name).and_then(|section| section.data().ok());
        let btf = data(".BTF").and_then(Btf::read);
        let lines = btf.as_ref().zip(data(".BTF.ext")).and_then(|(btf, ext)| Lines::read(ext, btf.strings()));
        self.btf = btf.unwrap_or_default();
        self.sections()?;
        self.definitions()?;
        self.functions();
        self.relocate()?;
        // Functions that programs share are in `.text`; if no other section has code, the programs are there, too.
        let mut programs = self.programs(|section| section.name != ".text");
        if programs.is_empty() {
            programs = self.programs(|section| section.name == ".text");
            programs.retain(|program| !self.calls(program));
        }
        self.initial_values(&programs)?;
        Ok(Object { file: self.file.to_owned(), programs, maps: self.maps, code: self.code, lines })
    }

    /// Functions of sections.
    fn programs(&self, wanted: impl Fn(&CodeSection) -> bool) -> Vec<Program> {
        let sections = self.code.iter().enumerate().filter(|(_, section)| wanted(section));
        let of = |(number, section): (usize, &CodeSection)| {
            let program = move |(first, slots, name): &(u32, u32, String)| Program {
                name: name.clone(),
                section: section.name.clone(),
                slots: *slots,
                section_number: number,
                first: *first,
            };
            section.functions.iter().map(program).collect::<Vec<_>>()
        };
        sections.flat_map(of).collect()
    }

    /// Returns whether a function of its own section calls it.
    fn calls(&self, called: &Program) -> bool {
        let section = &self.code[called.section_number];
        let target = |at: u32, slot: &Slot| match section.references.get(&at) {
            Some(Reference::Code { slot, .. }) => i64::from(*slot),
            _ => i64::from(at) + i64::from(slot.imm) + 1,
        };
        let mut calls = (0..).zip(&section.slots).filter(|(_, slot)| slot.opcode == CALL && slot.src == 1);
        calls.any(|(at, slot)| target(at, slot) == i64::from(called.first))
    }

    /// Reads code and data; sections that only describe the object are skipped.
    fn sections(&mut self) -> Result<(), EbpfError> {
        let mut sections: Vec<(SectionIndex, Became)> = Vec::new();
        for section in self.elf.sections() {
            let name =
                section.name().map_err(|error| self.refuse(error.to_string(), "a section with a name"))?;
            let damaged = |found: String| self.refuse(format!("section {name} {found}"), "a whole section");
            if section.size() > MOST_SECTION_BYTES {
                let found = format!("section {name} of {} bytes", section.size());
                return Err(self.refuse(found, "at most 64 MiB"));
            }
            let executable = matches!(section.flags(), SectionFlags::Elf { sh_flags } if sh_flags & 4 != 0);
            let bytes = section.data().map_err(|error| damaged(format!("that cannot be read ({error})")))?;
            if executable {
                if !bytes.len().is_multiple_of(SLOT_BYTES) {
                    return Err(damaged(format!(
                        "of {} bytes, which is not a whole number of instructions",
                        bytes.len()
                    )));
                }
                sections.push((section.index(), Became::Code(self.code.len())));
                self.code.push(CodeSection {
                    name: name.to_owned(),
                    slots: Slot::all(bytes),
                    references: BTreeMap::new(),
                    functions: Vec::new(),
                });
            } else if matches!(name, "maps" | ".maps") {
                sections.push((section.index(), Became::Maps));
            } else if is_data(name, section.kind()) && section.size() > 0 {
                sections.push((section.index(), Became::Data(self.maps.len())));
                let read_only = name.starts_with(".rodata");
                self.maps.push(MapDefinition::section(
                    name,
                    bytes.to_vec(),
                    section.size() as u32,
                    read_only,
                ));
            }
        }
        self.became.extend(sections);
        Ok(())
    }

    /// Maps, in the order of their symbols.
    fn definitions(&mut self) -> Result<(), EbpfError> {
        let mut found = Vec::new();
        for symbol in self.elf.symbols() {
            let Some(section) = symbol.section_index() else { continue };
            if !matches!(self.became.get(&section), Some(Became::Maps))
                || symbol.kind() == SymbolKind::Section
            {
                continue;
            }
            let name = symbol.name().unwrap_or("").to_owned();
            let data = self
                .elf
                .section_by_index(section)
                .ok()
                .and_then(|section| Some((section.name().ok()? == "maps", section.data().ok()?)));
            let Some((legacy, bytes)) = data else { continue };
            let refuse =
                |found: String| self.refuse(format!("map `{name}` with {found}"), "the definition of a map");
            let made = if legacy {
                let (from, size) = (symbol.address() as usize, symbol.size() as usize);
                let bytes = from.checked_add(size).and_then(|behind| bytes.get(from..behind));
                let made = bytes.and_then(|bytes| definition::legacy(&name, bytes));
                (made.ok_or_else(|| refuse("fewer than 16 bytes".to_owned()))?, 0)
            } else {
                let of = self
                    .btf
                    .variable(&name)
                    .ok_or_else(|| refuse("no type in .BTF (compile with -g)".to_owned()))?;
                definition::from_btf(&self.btf, &name, of, 1).map_err(refuse)?
            };
            found.push(((section, symbol.address()), made));
        }
        for (place, (definition, values_at)) in found {
            self.placed.insert(place, (self.maps.len(), values_at));
            self.maps.push(definition);
        }
        Ok(())
    }

    fn functions(&mut self) {
        for symbol in self.elf.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
            let Some(Became::Code(number)) = symbol.section_index().and_then(|at| self.became.get(&at))
            else {
                continue;
            };
            let section = &mut self.code[*number];
            let (first, slots) = (symbol.address() / SLOT_BYTES as u64, symbol.size() / SLOT_BYTES as u64);
            if slots > 0 && first + slots <= section.slots.len() as u64 {
                let name = symbol.name().unwrap_or("").to_owned();
                section.functions.push((first as u32, slots as u32, name));
            }
        }
        for section in &mut self.code {
            section.functions.sort();
            if section.functions.is_empty() && !section.slots.is_empty() {
                section.functions.push((0, section.slots.len() as u32, section.name.clone()));
            }
        }
    }

    /// Returns the section, value and name of a relocation's target.
    fn target(&self, target: RelocationTarget) -> Result<(Option<SectionIndex>, u64, String), EbpfError> {
        let RelocationTarget::Symbol(SymbolIndex(number)) = target else {
            return Err(self.refuse("a relocation without a symbol".to_owned(), "a symbol"));
        };
        let symbol = self.elf.symbol_by_index(SymbolIndex(number));
        let symbol = symbol.map_err(|error| self.refuse(error.to_string(), "a relocation to a symbol"))?;
        let section = symbol.section_index().filter(|_| !symbol.is_undefined());
        Ok((section, symbol.address(), symbol.name().unwrap_or("").to_owned()))
    }

    fn relocate(&mut self) -> Result<(), EbpfError> {
        let mut resolved = Vec::new();
        for section in self.elf.sections() {
            let Some(Became::Code(number)) = self.became.get(&section.index()) else { continue };
            let code = &self.code[*number];
            for (offset, relocation) in section.relocations() {
                let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
                let at = (offset / SLOT_BYTES as u64) as u32;
                let Some(slot) = code.slots.get(at as usize) else {
                    let found = format!(
                        "a relocation at byte {offset} of {}, beyond the end of the section",
                        code.name
                    );
                    return Err(self.refuse(found, "an instruction there"));
                };
                let place = || format!("instruction {at} of {}", code.name);
                let (section, value, name) = self.target(relocation.target())?;
                let reference = match (r_type, slot.opcode, section.map(|at| (at, self.became.get(&at)))) {
                    (CONSTANT_ADDRESS | CALL_TARGET, _, None) => Reference::Extern(name),
                    (CALL_TARGET, CALL, Some((_, Some(&Became::Code(section))))) => {
                        let first = (value / SLOT_BYTES as u64) as i64 + i64::from(slot.imm) + 1;
                        Reference::Code { section, slot: first as u32 }
                    }
                    (CONSTANT_ADDRESS, LDDW, Some((_, Some(&Became::Code(section))))) => {
                        Reference::Code { section, slot: ((value + u64::from(slot.imm as u32)) / 8) as u32 }
                    }
                    (CONSTANT_ADDRESS, LDDW, Some((_, Some(&Became::Data(map))))) => {
                        Reference::Data { map, offset: (value as u32).wrapping_add(slot.imm as u32) }
                    }
                    (CONSTANT_ADDRESS, LDDW, Some((in_section, Some(Became::Maps)))) => {
                        let offset = value.wrapping_add(u64::from(slot.imm as u32));
                        let Some(&(map, _)) = self.placed.get(&(in_section, offset)) else {
                            let found = format!("a reference from {} to byte {offset} of the maps", place());
                            return Err(self.refuse(found, "the beginning of a map"));
                        };
                        Reference::Map(map)
                    }
                    _ => {
                        let found = format!("a relocation of type {r_type} to `{name}` at {}", place());
                        return Err(self.refuse(found, "a map, a global variable or a function"));
                    }
                };
                resolved.push((*number, at, reference));
            }
        }
        for (number, at, reference) in resolved {
            self.code[number].references.insert(at, reference);
        }
        Ok(())
    }

    /// Reads the initial contents, `.values = { … }`, of maps of maps and of programs.
    fn initial_values(&mut self, programs: &[Program]) -> Result<(), EbpfError> {
        let mut found = Vec::new();
        for section in self.elf.sections().filter(|section| section.name() == Ok(".maps")) {
            for (offset, relocation) in section.relocations() {
                let RelocationFlags::Elf { r_type: DATA_POINTER } = relocation.flags() else { continue };
                let here =
                    self.placed.iter().filter(|((at, from), _)| *at == section.index() && *from <= offset);
                let Some((&(_, from), &(map, values_at))) = here.max_by_key(|((_, from), _)| *from) else {
                    continue;
                };
                let index = (offset - from).checked_sub(u64::from(values_at)).map(|behind| behind / 8);
                let (target, value, name) = self.target(relocation.target())?;
                let named = target.and_then(|target| match self.became.get(&target)? {
                    Became::Maps => self.placed.get(&(target, value)).map(|&(map, _)| Named::Map(map)),
                    Became::Code(number) => {
                        let first = (value / SLOT_BYTES as u64) as u32;
                        let is = |each: &&Program| each.section_number == *number && each.first == first;
                        programs.iter().find(is).map(|each| Named::Program(each.name.clone()))
                    }
                    Became::Data(_) => None,
                });
                let (Some(index), Some(named)) = (index, named) else {
                    let found = format!("`{name}` in the values of map `{}`", self.maps[map].name);
                    return Err(self.refuse(found, "a map or a program"));
                };
                found.push((map, index as u32, named));
            }
        }
        for (map, index, named) in found {
            self.maps[map].initial.push((index, named));
        }
        Ok(())
    }
}

fn is_data(name: &str, kind: SectionKind) -> bool {
    let named = [".rodata", ".data", ".bss"].iter().any(|prefix| name.starts_with(prefix));
    named && !matches!(kind, SectionKind::Debug | SectionKind::Metadata)
}
