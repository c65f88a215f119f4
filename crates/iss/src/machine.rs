//! A loaded packet program, which is called for each packet.

use crate::allocator::{Allocator, Refused};
use crate::code::Code;
use crate::cpu::{Hook, STOP, Silent};
use crate::error::{Fault, IssError, Place};
use crate::far::{Far, Near, Parts};
use crate::hart::Hart;
use crate::image::Image;
use crate::memory::Memory;
use linecard_words::Mismatch;
use serde::Serialize;
use std::ops::ControlFlow;

/// Function that is called for each packet: `uint32_t app_packet(uint8_t *packet, uint32_t bytes)`.
pub const PACKET_ENTRY: &str = "app_packet";
/// Function that is called once, if it exists: `void app_init(const uint8_t *control, uint32_t bytes)`.
pub const INIT_ENTRY: &str = "app_init";
/// Function of the runtime in which a program ends if it rejects a line of its control data, its argument.
const BAD_CONTROL: &str = "lc_bad_control_line";
/// Function of the runtime in which a program ends if its tables exceed the heap.
const OUT_OF_MEMORY: &str = "lc_out_of_memory";
/// Size of the heap for `malloc`.
pub const HEAP_BYTES: u32 = 32 << 20;
/// Largest packet: the maximum of an IP header.
pub const MOST_PACKET_BYTES: usize = 65_535;
/// Most instructions of the initialisation, which builds tables.
pub const INIT_BUDGET: u64 = 20_000_000_000;

/// Instructions between two calls of `progress`.
const LOOK: u64 = 1 << 20;

const PAGE_BYTES: u32 = 4096;
const PACKET_ROOM_BYTES: u32 = 65_536;
const STACK_BYTES: u32 = 15 * PAGE_BYTES;
/// Less than the range of traces: their last halfword marks a repeated run.
const MOST_CODE_BYTES: u32 = (2 << 20) - 2;

/// The layout of the simulated memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Layout {
    /// First address.
    pub low: u32,
    /// Top of the stack, which grows down.
    pub stack_top: u32,
    /// First address whose accesses count as data: state, heap, control data and packets.
    pub data_low: u32,
    /// Heap of the runtime.
    pub heap_low: u32,
    /// Control data.
    pub control_low: u32,
    /// Packet buffer; no other data are above it.
    pub packet_low: u32,
    /// End of the addresses that count as data.
    pub data_high: u32,
    /// End of the memory.
    pub high: u32,
}

impl Layout {
    fn new(image: &Image, control_bytes: usize) -> Result<Self, IssError> {
        let unfit = |found: String, expected: &str| {
            IssError::Image(Mismatch::new(image.file.clone(), found, expected))
        };
        let (image_low, image_high) = image.span();
        let (code_low, code_high) = image.code_span();
        if code_high - code_low > MOST_CODE_BYTES {
            return Err(unfit(format!("{} bytes of code", code_high - code_low), "at most 2 MiB"));
        }
        let pages = |bytes: u64| bytes.div_ceil(u64::from(PAGE_BYTES)) * u64::from(PAGE_BYTES);
        // The overflow of a stack below the image reaches unmapped memory and is detected; above the packet it
        // would not be.
        let below = image_low >= STACK_BYTES + PAGE_BYTES;
        let heap_low = pages(u64::from(image_high));
        let control_low = heap_low + u64::from(HEAP_BYTES);
        let packet_low = control_low + pages(control_bytes as u64);
        let data_high = packet_low + u64::from(PACKET_ROOM_BYTES);
        let high = data_high + if below { 0 } else { u64::from(PAGE_BYTES + STACK_BYTES) };
        if high >= u64::from(STOP) {
            return Err(unfit(
                format!("an image that ends at {image_high:#x}"),
                "space for 32 MiB of heap above the image; link the program at 0x10000",
            ));
        }
        let image_page = image_low & !(PAGE_BYTES - 1);
        let state = image.symbol("__lc_state_start").zip(image.symbol("__lc_state_end"));
        let data_low = match state {
            Some((first, behind)) if first < behind => {
                if behind < image_high {
                    return Err(unfit(
                        format!("sections after __lc_state_end ({behind:#x})"),
                        "the section .pktstate at the end of the image; link with programs/runtime/linecard.ld",
                    ));
                }
                first
            }
            _ => heap_low as u32,
        };
        Ok(Self {
            low: if below { image_page - STACK_BYTES } else { image_page },
            stack_top: if below { image_page } else { high as u32 },
            data_low,
            heap_low: heap_low as u32,
            control_low: control_low as u32,
            packet_low: packet_low as u32,
            data_high: data_high as u32,
            high: high as u32,
        })
    }
}

impl Layout {
    /// Returns memory in which accesses behind the image are checked.
    fn checked(&self, image: &Image, control_bytes: usize, blocks_are_known: bool) -> Memory {
        let image_high = image.span().1.next_multiple_of(16);
        let control_high = self.control_low + control_bytes as u32;
        let mut far = Far::new(Parts {
            all: image_high..self.high,
            // Other runtimes begin their heap at the end of the image.
            heap: image_high..self.control_low,
            control: self.control_low..control_high,
            packet: self.packet_low..self.data_high,
            stack: self.data_high + PAGE_BYTES..self.high.max(self.data_high + PAGE_BYTES),
        });
        far.open_heap(!blocks_are_known);
        let mut memory = Memory::new(self.low, image_high, image.code_span());
        memory.far = Some(Box::new(far));
        memory
    }
}

/// Returns a number of bytes as text.
fn counted(bytes: u32) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

/// Describes an offset relative to an object of the stated size.
fn aside(offset: i64, bytes: u32) -> String {
    match offset - i64::from(bytes) {
        beyond @ 1.. => format!("{} beyond the end of", counted(beyond as u32)),
        0 => "directly beyond the end of".to_owned(),
        _ if offset == 0 => "at the start of".to_owned(),
        _ if offset < 0 => format!("{} before", counted(-offset as u32)),
        _ => format!("{} from the start of", counted(offset as u32)),
    }
}

/// A packet program, ready to be called.
#[derive(Clone, Debug)]
pub struct Machine {
    image: Image,
    code: Code,
    memory: Memory,
    /// The allocator, if memory is checked and the program uses the runtime's.
    allocator: Option<Allocator>,
    hart: Hart,
    layout: Layout,
    entry: u32,
    budget: u64,
    packets: u64,
}

impl Machine {
    /// Loads a program and calls its `app_init` with the control data, if it has one. `budget` is the most
    /// instructions per packet.
    ///
    /// # Errors
    ///
    /// If it has no `app_packet`, exceeds the simulated memory, or faults in `app_init`.
    pub fn new(image: Image, control: &[u8], budget: u64) -> Result<Self, IssError> {
        // No progress function stops it.
        Self::new_until(image, PACKET_ENTRY, control, budget, true, &mut |_| ControlFlow::Continue(()))
    }

    /// As `new`, for a program whose packets go to the function `entry`. `progress` is called periodically with
    /// the instructions of `app_init` so far, and may end it. `checked` is whether accesses outside of heap
    /// blocks and of the packet, and to freed blocks, are errors; costs and results of correct programs do not
    /// depend on it.
    ///
    /// # Errors
    ///
    /// As [`Machine::new`], and if `progress` ended it.
    pub fn new_until(
        image: Image,
        entry: &str,
        control: &[u8],
        budget: u64,
        checked: bool,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Self, IssError> {
        let Some(address) = image.symbol(entry) else {
            let names: Vec<&str> = image
                .symbols
                .iter()
                .filter(|symbol| symbol.code)
                .map(|symbol| symbol.name.as_str())
                .take(8)
                .collect();
            return Err(Mismatch::new(image.file.clone(), format!(
                    "no symbol `{entry}` (functions: {})",
                    if names.is_empty() { "none; stripped?".to_owned() } else { names.join(", ") }
                ), format!(
                    "a function `uint32_t {entry}(uint8_t *packet, uint32_t bytes)`, neither static nor stripped, or \
                     the name of another function (entry)"
                )).into());
        };
        let layout = Layout::new(&image, control.len())?;
        let code = Code::new(&image);
        let allocator = if checked { Allocator::find(&image, &code) } else { None };
        let mut memory = match checked {
            true => layout.checked(&image, control.len(), allocator.is_some()),
            false => Memory::new(layout.low, layout.high, image.code_span()),
        };
        for segment in &image.segments {
            memory.fill(segment.address, &segment.bytes);
        }
        memory.fill(layout.control_low, control);
        let mut machine = Self {
            hart: Hart::new(image.width),
            image,
            code,
            memory,
            allocator,
            layout,
            entry: address,
            budget,
            packets: 0,
        };
        if let Some(init) = machine.image.symbol(INIT_ENTRY) {
            let arguments =
                if control.is_empty() { [0, 0] } else { [layout.control_low, control.len() as u32] };
            machine.call(init, arguments, &mut Silent, INIT_BUDGET, Place::Init, progress)?;
        }
        Ok(machine)
    }

    /// Calls the program with a packet that arrived at `time_us`, and returns its result.
    ///
    /// # Errors
    ///
    /// If it faults, exceeds its budget, or keeps a lock; if the packet is larger than IP permits.
    pub fn packet<H: Hook>(&mut self, packet: &[u8], time_us: u32, hook: &mut H) -> Result<u32, IssError> {
        self.packet_until(packet, time_us, hook, &mut |_| ControlFlow::Continue(()))
    }

    /// As `packet`; `progress` is called periodically with the total instructions, and may end it.
    ///
    /// # Errors
    ///
    /// As [`Machine::packet`], and if `progress` ended it.
    pub fn packet_until<H: Hook>(
        &mut self,
        packet: &[u8],
        time_us: u32,
        hook: &mut H,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<u32, IssError> {
        if packet.len() > MOST_PACKET_BYTES {
            return Err(IssError::TooLarge {
                what: "a packet",
                found_bytes: packet.len(),
                most_bytes: MOST_PACKET_BYTES,
            });
        }
        self.packets += 1;
        self.hart.set_time(time_us);
        self.memory.fill(self.layout.packet_low, packet);
        let packet_at = match &mut self.memory.far {
            Some(far) => far.packet(packet.len() as u32),
            None => self.layout.packet_low,
        };
        let arguments = [packet_at, packet.len() as u32];
        let place = Place::Packet(self.packets);
        self.call(self.entry, arguments, hook, self.budget, place, progress)?;
        Ok(self.hart.a0())
    }

    fn call<H: Hook>(
        &mut self,
        function: u32,
        arguments: [u32; 2],
        hook: &mut H,
        budget: u64,
        place: Place,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), IssError> {
        self.hart.call(self.layout.stack_top, arguments);
        if let Some((allocator, far)) = self.allocator.as_mut().zip(self.memory.far.as_mut()) {
            allocator.restart(far);
        }
        let before = self.hart.instructions();
        let mut pc = function;
        loop {
            // In parts, so that `progress` can end a long call; most packets take one part.
            let taken = self.hart.instructions() - before;
            let look = LOOK.min(budget.saturating_sub(taken));
            let code = self.allocator.as_ref().map_or(&self.code, |allocator| &allocator.code);
            let (fault, index) = match self.hart.run(code, &mut self.memory, hook, pc, look) {
                Ok(()) => break,
                Err(faulted) => faulted,
            };
            pc = self.code.pc(index);
            let taken = self.hart.instructions() - before;
            match fault {
                Fault::Runaway { .. } if taken > budget => {
                    return Err(self.image.fault(place, Fault::Runaway { budget }, pc));
                }
                Fault::Runaway { .. } => {
                    if progress(self.hart.instructions()).is_break() {
                        return Err(IssError::Interrupted);
                    }
                }
                Fault::Called | Fault::Returned => {
                    let Self { allocator, memory, hart, .. } = self;
                    if let Some((allocator, far)) = allocator.as_mut().zip(memory.far.as_mut()) {
                        match fault {
                            Fault::Called => allocator
                                .called(index, function, hart, far)
                                .map_err(|refused| self.refused_free(place, refused))?,
                            _ => pc = allocator.returned(hart, far),
                        }
                    }
                    if pc == STOP {
                        break;
                    }
                }
                _ => {
                    let told = self.told(place, pc).or_else(|| self.beyond(place, fault, index));
                    return Err(told.unwrap_or_else(|| self.image.fault(place, fault, pc)));
                }
            }
        }
        match self.hart.held().first() {
            None => Ok(()),
            Some(&address) => Err(self.image.fault(place, Fault::NeverUnlocked { address }, function)),
        }
    }

    /// Returns the error that the program itself reports by ending in one of two functions of the runtime.
    fn told(&self, place: Place, pc: u32) -> Option<IssError> {
        let file = self.image.file.clone();
        match self.image.nearest(pc)?.0 {
            BAD_CONTROL => Some(IssError::Control { file, line: self.hart.a0() }),
            OUT_OF_MEMORY => Some(IssError::OutOfMemory { place, file }),
            _ => None,
        }
    }

    /// Returns the error of a checked access, if known.
    fn beyond(&self, place: Place, fault: Fault, index: u32) -> Option<IssError> {
        let Fault::OutOfRange { what, address } = fault else { return None };
        let near = self.memory.far.as_ref()?.near(u32::try_from(address).ok()?)?;
        let bytes = u32::from(self.code.access_bytes(index));
        let access = format!("{what} of {} at {address:#010x}", counted(bytes));
        Some(self.memory_error(place, access, near, self.code.pc(index)))
    }

    fn refused_free(&self, place: Place, (address, near, pc): Refused) -> IssError {
        let access = format!("free of {address:#010x}");
        match near {
            Some(near) => self.memory_error(place, access, near, pc),
            None => self.image.fault(place, Fault::OutOfRange { what: "free", address: address.into() }, pc),
        }
    }

    fn memory_error(&self, place: Place, access: String, near: Near, pc: u32) -> IssError {
        let (symbol, line) = self.image.where_is(pc);
        let beyond = match near {
            Near::Packet { bytes, offset } => {
                format!("{} the packet of {}", aside(offset, bytes), counted(bytes))
            }
            Near::Block { block, offset } => {
                let at = |pc| self.place_of(pc);
                let by = at(block.allocated_by);
                match block.freed_by {
                    Some(freed) => format!(
                        "{} the {}-byte block that {by} allocated and {} freed",
                        aside(offset, block.bytes),
                        block.bytes,
                        at(freed)
                    ),
                    None => format!(
                        "{} the {}-byte block that {by} allocated",
                        aside(offset, block.bytes),
                        block.bytes
                    ),
                }
            }
            Near::Heap => "in the heap, beyond all allocated blocks".to_owned(),
        };
        IssError::Memory { place, access, beyond, pc, symbol, line }
    }

    /// Returns what an address contains: an object of the program, a block of its heap, or the part of memory.
    #[must_use]
    pub fn named(&self, address: u32) -> String {
        let byte = |offset: u32| if offset == 0 { String::new() } else { format!(", byte {offset}") };
        if address >= self.layout.packet_low {
            return "packet".to_owned();
        }
        if address >= self.layout.control_low {
            return format!("control data{}", byte(address - self.layout.control_low));
        }
        if address < self.layout.heap_low {
            let found = self.image.object(address);
            return found.map_or_else(
                || format!("{address:#x}"),
                |(name, offset)| format!("`{name}`{}", byte(offset)),
            );
        }
        match self.memory.far.as_ref().and_then(|far| far.block_at(address)) {
            Some((block, offset)) => {
                let by = self.place_of(block.allocated_by);
                format!("the {}-byte block that {by} allocated{}", block.bytes, byte(offset))
            }
            None => format!("heap{}", byte(address - self.layout.heap_low)),
        }
    }

    /// Returns file and line of an instruction, or its function.
    fn place_of(&self, pc: u32) -> String {
        self.image.line(pc).map_or_else(|| self.image.where_is(pc).0, |line| line.to_string())
    }

    /// Returns the program as it was loaded.
    #[must_use]
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Returns its code.
    #[must_use]
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// Returns its layout.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the instructions executed so far, including those of the initialisation.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.hart.instructions()
    }

    /// Returns bytes of the program's memory.
    ///
    /// # Panics
    ///
    /// If they reach beyond it.
    #[must_use]
    pub fn bytes(&self, address: u32, count: usize) -> &[u8] {
        self.memory.bytes(address, count)
    }

    /// Returns the packet as the program left it.
    #[must_use]
    pub fn packet_bytes(&self, count: usize) -> &[u8] {
        self.memory.bytes(self.layout.packet_low, count)
    }
}
