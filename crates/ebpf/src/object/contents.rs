//! The contents of an object, and lookups in it.

use super::definition::MapDefinition;
use super::lines::{Lines, SourceLine};
use crate::code::Code;
use crate::error::EbpfError;
use crate::insn::Slot;
use linecard_words::Mismatch;
use std::collections::BTreeMap;

/// The target of an instruction's reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// A map as a handle.
    Map(usize),
    /// A byte of a map's first value: global variables.
    Data { map: usize, offset: u32 },
    /// A function: slot of the section.
    Code { section: usize, slot: u32 },
    /// A symbol outside of the object.
    Extern(String),
}

/// Code of one section.
#[derive(Clone, Debug)]
pub(crate) struct CodeSection {
    pub name: String,
    pub slots: Vec<Slot>,
    pub references: BTreeMap<u32, Reference>,
    /// Functions: first slot, slots, name.
    pub functions: Vec<(u32, u32, String)>,
}

impl CodeSection {
    /// The function that a slot is part of.
    fn function(&self, slot: u32) -> Option<&(u32, u32, String)> {
        self.functions.iter().find(|(first, slots, _)| (*first..first + slots).contains(&slot))
    }
}

/// A program that can be selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Name of its function.
    pub name: String,
    /// Section.
    pub section: String,
    /// Instruction slots of eight bytes of its function.
    pub slots: u32,
    pub(crate) section_number: usize,
    pub(crate) first: u32,
}

/// An object with resolved references.
#[derive(Clone, Debug)]
pub struct Object {
    pub(super) file: String,
    pub(super) programs: Vec<Program>,
    pub(super) maps: Vec<MapDefinition>,
    pub(crate) code: Vec<CodeSection>,
    pub(super) lines: Option<Lines>,
}

impl Object {
    /// Returns the name of its file.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns its programs, by section and position.
    #[must_use]
    pub fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// Adds a map, for programs that no compiler made: constants with [`map_handle`] refer to it.
    ///
    /// [`map_handle`]: crate::map_handle
    #[must_use]
    pub fn with_map(mut self, definition: MapDefinition) -> Self {
        self.maps.push(definition);
        self
    }

    /// Returns its maps, including data sections.
    #[must_use]
    pub fn maps(&self) -> &[MapDefinition] {
        &self.maps
    }

    /// Returns the program of a function or a section; `None` selects the only one.
    ///
    /// # Errors
    ///
    /// If there is none of that name, or several.
    pub fn program(&self, name: Option<&str>) -> Result<&Program, EbpfError> {
        let refuse = |what: String, found: String, expected: &str| {
            EbpfError::Request(Mismatch::new(format!("{}: {what}", self.file), found, expected))
        };
        let listed = || {
            let names = self.programs.iter().map(|each| format!("`{}` in {}", each.name, each.section));
            names.collect::<Vec<_>>().join(", ")
        };
        let Some(name) = name else {
            // Objects also contain programs of other types; only XDP programs receive packets.
            let xdp: Vec<&Program> =
                self.programs.iter().filter(|each| each.section.starts_with("xdp")).collect();
            return match (xdp.as_slice(), self.programs.as_slice()) {
                (&[only], _) | ([], [only]) => Ok(only),
                (_, []) => Err(refuse(
                    "programs".to_owned(),
                    "none".to_owned(),
                    "a function in a section such as `xdp`",
                )),
                _ => Err(refuse(
                    "the program".to_owned(),
                    listed(),
                    "one program, selected by function or section name (--section NAME)",
                )),
            };
        };
        if let Some(found) = self.programs.iter().find(|each| each.name == name) {
            return Ok(found);
        }
        let mut within = self.programs.iter().filter(|each| each.section == name);
        match (within.next(), within.next()) {
            (Some(found), None) => Ok(found),
            (None, _) => Err(refuse(
                format!("program `{name}`"),
                listed(),
                "the function or section name of one of these programs",
            )),
            (Some(_), Some(_)) => Err(refuse(
                format!("section `{name}`"),
                format!("several programs: {}", listed()),
                "a function",
            )),
        }
    }

    /// Returns the location of an operation for messages: instruction, function, source line.
    pub(crate) fn place(&self, code: &Code, index: u32) -> String {
        let (number, slot) = code.place(index);
        let Some(section) = self.code.get(number) else { return format!("operation {index}") };
        let mut place = format!("instruction {slot} of section {}", section.name);
        if let Some((first, _, name)) = section.function(slot) {
            place = format!("{place} ({name} + {})", slot - first);
        }
        if let Some(line) = self.line(number, slot) {
            place = format!("{place}, {line}");
        }
        place
    }

    /// Name of the function that a slot of a code section is part of.
    pub(crate) fn function(&self, section: usize, slot: u32) -> Option<&str> {
        self.code.get(section)?.function(slot).map(|(_, _, name)| name.as_str())
    }

    /// The source line of a slot of a code section.
    pub(crate) fn line(&self, section: usize, slot: u32) -> Option<SourceLine> {
        self.lines.as_ref()?.at(&self.code.get(section)?.name, slot)
    }
}
