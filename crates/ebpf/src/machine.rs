//! A loaded program, which is called for each packet.

use crate::check::check;
use crate::code::Code;
use crate::decode::decode;
use crate::error::{EbpfError, Fault};
use crate::executor::{Ended, Failed, Processor, execute};
use crate::hook::{At, Hook, Silent, Watch};
use crate::maps::{Entry, Map, errno};
use crate::memory::{Memory, RegionId};
use crate::object::{MapDefinition, MapKind, Named, Object, Program, SourceLine};
use crate::routes::Route;
use crate::world::{Arrival, MOST_PACKET_BYTES, Target, World};
use linecard_words::Mismatch;

/// The options of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Most instructions per packet; the kernel's verifier follows a million.
    pub budget: u64,
    /// Processors: values of per-processor maps.
    pub cpus: u32,
    /// Seed of `bpf_get_prandom_u32`.
    pub seed: u64,
    /// Memory that all maps may take, in bytes.
    pub most_map_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { budget: 1_000_000, cpus: 1, seed: 1, most_map_bytes: 4 << 30 }
    }
}

/// The verdict on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// `XDP_ABORTED`, or a result that is no verdict, which the kernel handles in the same way.
    Aborted,
    /// `XDP_DROP`.
    Drop,
    /// `XDP_PASS`: up to the kernel.
    Pass,
    /// `XDP_TX`: back out of the receiving interface.
    Tx,
    /// `XDP_REDIRECT`, to the target that a helper has set.
    Redirect(Target),
}

/// The result of a program on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The value that it returned.
    pub returned: u32,
    /// Instructions executed; a 64-bit constant counts once, a call of a helper once.
    pub instructions: u64,
}

/// A program with its maps.
#[derive(Clone, Debug)]
pub struct Machine {
    object: Object,
    program: String,
    code: Code,
    world: World,
    processor: Processor,
    options: Options,
    entries: Vec<u32>,
    packets: u64,
    map_bytes: u64,
}

impl Machine {
    /// Loads a program of an object, selected by function or section; `None` selects the only one.
    ///
    /// # Errors
    ///
    /// If there is no such program, if it needs unsupported features, or if its maps are too large.
    pub fn load(object: &Object, program: Option<&str>, options: Options) -> Result<Self, EbpfError> {
        let chosen = object.program(program)?;
        let code = decode(&object.code);
        if options.cpus == 0 {
            let (found, expected) = ("0".to_owned(), "at least 1".to_owned());
            return Err(EbpfError::Request(Mismatch::new("processors", found, expected)));
        }
        let mut machine = Self {
            object: object.clone(),
            program: chosen.name.clone(),
            code,
            world: World::new(options.seed, options.cpus),
            processor: Processor::default(),
            options,
            entries: Vec::new(),
            packets: 0,
            map_bytes: 0,
        };
        machine.enter(&chosen.clone())?;
        for definition in object.maps() {
            machine.add(definition.clone())?;
        }
        for (map, definition) in object.maps().iter().enumerate() {
            for (index, named) in &definition.initial {
                machine.put(map, &index.to_le_bytes(), named)?;
            }
        }
        Ok(machine)
    }

    /// Sets whether lookups in arrays of a power of two of values use the lower bits of the index, as some
    /// offloads do, and so always find a value.
    pub fn mask_indices(&mut self, masked: bool) {
        self.world.maps.iter_mut().for_each(|map| map.mask_index(masked));
    }

    /// Checks a program before it runs for the first time. Returns the index of its first operation.
    fn enter(&mut self, program: &Program) -> Result<u32, EbpfError> {
        let entry = self.code.index(program.section_number, program.first);
        let entry = entry.ok_or_else(|| {
            EbpfError::Object(Mismatch::new(
                self.object.file(),
                format!("program `{}` that begins inside an instruction", program.name),
                "an instruction",
            ))
        })?;
        if self.entries.contains(&entry) {
            return Ok(entry);
        }
        self.entries.push(entry);
        let problems = check(&mut self.code, &self.object, &self.entries);
        if problems.is_empty() {
            return Ok(entry);
        }
        let (file, program) = (self.object.file().to_owned(), program.name.clone());
        Err(EbpfError::Unsupported { file, program, problems })
    }

    /// Adds a map. Returns its number.
    fn add(&mut self, definition: MapDefinition) -> Result<usize, EbpfError> {
        let number = self.world.maps.len();
        let left = self.options.most_map_bytes - self.map_bytes;
        let what = format!("{}: map `{}` ({})", self.object.file(), definition.name, definition.kind.name());
        let made = Map::new(definition, number, self.options.cpus, &mut self.world.memory, left);
        let (map, bytes) =
            made.map_err(|(found, expected)| EbpfError::Request(Mismatch::new(what, found, expected)))?;
        self.map_bytes += bytes;
        if map.definition.kind == MapKind::Ringbuf {
            self.world.rings.push(number);
        }
        self.world.maps.push(map);
        Ok(number)
    }

    /// Executes the program on a packet, with a hook.
    ///
    /// # Errors
    ///
    /// If the program violates a rule that the kernel's verifier enforces, with the instruction and its source
    /// line; if the packet is larger than 256 KiB.
    #[inline]
    pub fn packet<H: Hook>(
        &mut self,
        packet: &[u8],
        arrival: Arrival,
        hook: &mut H,
    ) -> Result<Outcome, EbpfError> {
        self.packets += 1;
        if packet.len() > MOST_PACKET_BYTES {
            return Err(EbpfError::Request(Mismatch::new(
                format!("packet {}", self.packets),
                format!("{} bytes", packet.len()),
                format!("at most {MOST_PACKET_BYTES}"),
            )));
        }
        self.world.receive(packet, arrival);
        let Ended { result, instructions } = execute(
            &self.code,
            &mut self.world,
            &mut self.processor,
            hook,
            self.entries[0],
            self.options.budget,
        );
        let (returned, failed) = match result {
            Ok(returned) => (returned as u32, self.kept()),
            Err(failed) => (0, Some(failed)),
        };
        if let Some((fault, index)) = failed.map(|failed| *failed) {
            self.world.forget();
            return Err(EbpfError::Fault {
                packet: self.packets,
                fault: Box::new(fault),
                place: self.object.place(&self.code, index),
            });
        }
        let verdict = match (returned, self.world.redirect) {
            (1, _) => Verdict::Drop,
            (2, _) => Verdict::Pass,
            (3, _) => Verdict::Tx,
            (4, Some(target)) => Verdict::Redirect(target),
            _ => Verdict::Aborted,
        };
        Ok(Outcome { verdict, returned, instructions })
    }

    /// Returns a resource that the program acquired and did not release.
    fn kept(&mut self) -> Option<Box<Failed>> {
        self.world.held().map(|what| Box::new((Fault::Kept(what), self.entries[0])))
    }

    /// Returns the packet as the program left it.
    #[must_use]
    pub fn packet_left(&self) -> &[u8] {
        self.world.packet()
    }

    /// Returns the object that it was loaded from.
    #[must_use]
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// Returns the name of the program.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns its code.
    #[must_use]
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// Returns the first operations of the programs that it runs: its own, and the targets of tail calls.
    #[must_use]
    pub fn starts(&self) -> &[u32] {
        &self.entries
    }

    /// Returns the location of an operation: instruction, function and source line.
    #[must_use]
    pub fn place(&self, index: u32) -> String {
        self.object.place(&self.code, index)
    }

    /// Returns the source line of an operation, if the object contains it.
    #[must_use]
    pub fn line(&self, index: u32) -> Option<SourceLine> {
        let (section, slot) = self.code.place(index);
        self.object.line(section, slot)
    }

    /// Returns the name of an operation's function, if the object contains it.
    #[must_use]
    pub fn function(&self, index: u32) -> Option<&str> {
        let (section, slot) = self.code.place(index);
        self.object.function(section, slot)
    }

    /// Returns its memory, which names the regions.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.world.memory
    }

    /// Returns the name of a region.
    #[must_use]
    pub fn region(&self, region: RegionId) -> &str {
        self.world.memory.name(region)
    }

    /// Adds a route for `bpf_fib_lookup`.
    pub fn add_route(&mut self, route: Route) {
        self.world.fib.add(route);
    }

    /// Returns the definitions of all maps, by number; inner maps follow those of the object.
    pub fn maps(&self) -> impl Iterator<Item = &MapDefinition> {
        self.world.maps.iter().map(|map| &map.definition)
    }

    /// Returns the bytes of the two regions of each map, by number: of its values, with those of every processor, and
    /// of its index; 0 if it has none.
    pub fn map_extents(&self) -> impl Iterator<Item = [u64; 2]> {
        self.world.maps.iter().map(|map| map.extents(&self.world.memory))
    }

    /// Returns the number of a map.
    ///
    /// # Errors
    ///
    /// If the object has none of that name; the error lists its maps.
    pub fn map(&self, name: &str) -> Result<usize, EbpfError> {
        self.maps().position(|definition| definition.name == name).ok_or_else(|| {
            EbpfError::Request(Mismatch::new(
                format!("{}: map `{name}`", self.object.file()),
                "no map of that name",
                match self.maps().map(|map| map.name.as_str()).collect::<Vec<_>>() {
                    none if none.is_empty() => "no map, because the object contains no maps".to_owned(),
                    names => format!("one of {}", names.join(", ")),
                },
            ))
        })
    }

    /// Inserts a value in a map, as user space does; a per-processor map gets it for every processor.
    ///
    /// # Errors
    ///
    /// If the sizes are not the map's, or the map does not accept it.
    pub fn insert(&mut self, map: usize, key: &[u8], value: &[u8]) -> Result<(), EbpfError> {
        let definition = self.definition(map)?;
        let refuse = |found: String, expected: String| {
            Err(EbpfError::Request(Mismatch::new(format!("map `{}`", definition.name), found, expected)))
        };
        if matches!(definition.kind, MapKind::ProgArray | MapKind::ArrayOfMaps | MapKind::HashOfMaps) {
            let expected = "the name of a program, or entries of an inner map".to_owned();
            return refuse("a value".to_owned(), expected);
        }
        if key.len() != definition.key_bytes as usize {
            return refuse(
                format!("a key of {} bytes", key.len()),
                format!("{} bytes", definition.key_bytes),
            );
        }
        if value.len() != definition.value_bytes as usize {
            let expected = format!("{} bytes", definition.value_bytes);
            return refuse(format!("a value of {} bytes", value.len()), expected);
        }
        self.write(map, key, value)
    }

    fn definition(&self, map: usize) -> Result<&MapDefinition, EbpfError> {
        let found = self.world.maps.get(map).map(|map| &map.definition);
        found.ok_or_else(|| {
            EbpfError::Request(Mismatch::new(
                "map",
                format!("number {map}"),
                format!("less than {}", self.world.maps.len()),
            ))
        })
    }

    fn write(&mut self, map: usize, key: &[u8], value: &[u8]) -> Result<(), EbpfError> {
        let cpus = self.world.maps[map].values_per_key();
        let mut silent = Silent;
        for cpu in 0..cpus {
            let mut watch = Watch { hook: &mut silent, at: At { index: 0, executed: 0 } };
            let done = self.world.maps[map].update(&mut self.world.memory, key, value, 0, cpu, &mut watch);
            done.map_err(|error| {
                EbpfError::Request(Mismatch::new(
                    format!("map `{}`", self.world.maps[map].definition.name),
                    match error {
                        errno::ENOMEM => "more values than Linecard stores for a map of this size".to_owned(),
                        errno::E2BIG | errno::ENOSPC => "a key beyond the map's capacity".to_owned(),
                        _ => "a key that the map does not accept".to_owned(),
                    },
                    format!(
                        "at most {} entries; the index of an array must be smaller than this number",
                        self.world.maps[map].definition.most_entries
                    ),
                ))
            })?;
        }
        Ok(())
    }

    /// Inserts a program of the object in a PROG_ARRAY, for tail calls.
    ///
    /// # Errors
    ///
    /// If there is no such program, if it is unsupported, or if the index is too large.
    pub fn insert_program(&mut self, map: usize, index: u32, program: &str) -> Result<(), EbpfError> {
        self.put(map, &index.to_le_bytes(), &Named::Program(program.to_owned()))
    }

    /// Creates the inner map for a key of a map of maps. Returns its number.
    ///
    /// # Errors
    ///
    /// If the object does not define its inner maps, or if the map does not accept the key.
    pub fn insert_inner(&mut self, map: usize, key: &[u8]) -> Result<usize, EbpfError> {
        let definition = self.definition(map)?.clone();
        let Some(inner) = &definition.inner else {
            return Err(EbpfError::Request(Mismatch::new(
                format!("map `{}`", definition.name),
                format!("{} without `values` that define its inner maps", definition.kind.name()),
                "__array(values, struct …) in the object",
            )));
        };
        let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut made = inner.as_ref().clone();
        made.name = format!("{}.{digits}", definition.name);
        let number = self.add(made)?;
        self.put(map, key, &Named::Map(number))?;
        Ok(number)
    }

    fn put(&mut self, map: usize, key: &[u8], named: &Named) -> Result<(), EbpfError> {
        let definition = self.definition(map)?.clone();
        let number = match (named, definition.kind) {
            (Named::Map(inner), kind) if kind.holds_maps() => *inner as u32,
            (Named::Program(name), MapKind::ProgArray) => {
                let program = self.object.program(Some(name))?.clone();
                self.enter(&program)?
            }
            _ => {
                return Err(EbpfError::Request(Mismatch::new(
                    format!("map `{}` ({})", definition.name, definition.kind.name()),
                    "a map or a program as value",
                    "bytes",
                )));
            }
        };
        self.write(map, key, &number.to_le_bytes())
    }

    /// Returns the contents of a map by key; for arrays, the values that are not zero.
    ///
    /// # Errors
    ///
    /// If there is no such map.
    pub fn entries(&self, map: usize) -> Result<Vec<Entry>, EbpfError> {
        self.definition(map)?;
        Ok(self.world.maps[map].entries(&self.world.memory))
    }

    /// Describes a byte of a region, as traces identify it: a value by the map and its key.
    #[must_use]
    pub fn value_at(&self, region: usize, offset: u64) -> String {
        let name = self.world.memory.name(crate::memory::RegionId(region as u16));
        let Some((number, is_index)) = crate::memory::map_of(region) else { return name.to_owned() };
        match self.world.maps.get(number).filter(|_| !is_index) {
            Some(map) => map.value_at(&self.world.memory, offset),
            None => name.to_owned(),
        }
    }

    /// Returns the records passed to user space through a ring buffer or a perf event array, and their bytes.
    #[must_use]
    pub fn emitted(&self, map: usize) -> (u64, u64) {
        self.world.maps.get(map).map_or((0, 0), |map| map.emitted)
    }
}
