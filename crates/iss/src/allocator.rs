//! Watches calls of the runtime's allocator, and checks accesses to the blocks that it returns.
//!
//! The first instructions of its functions are replaced in a copy of the code; while the allocator runs they
//! are restored, and it sees its heap unchanged.

use crate::code::Code;
use crate::cpu::{A0, RA, STOP, WATCHED};
use crate::decode::{Op, Opcode};
use crate::far::{Far, Near};
use crate::hart::Hart;
use crate::image::Image;

/// A global variable of the runtime's allocator; programs without it have no checked blocks
/// (`programs/runtime/malloc.c`).
const ITS_OWN: &str = "pages_used";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Malloc,
    Calloc,
    Free,
}

const FUNCTIONS: [(&str, Function); 3] =
    [("malloc", Function::Malloc), ("calloc", Function::Calloc), ("free", Function::Free)];

/// An active call.
#[derive(Clone, Copy, Debug)]
struct Call {
    /// The requested bytes, and the calling instruction.
    bytes: Option<u32>,
    caller: u32,
    returns_to: u32,
}

/// The allocator of a program.
#[derive(Clone, Debug)]
pub struct Allocator {
    /// The program's code with calls watched.
    pub code: Code,
    /// Index and first instruction of each function.
    functions: Vec<(u32, Op, Function)>,
    under_way: Option<Call>,
}

/// An invalid call: the address, what it is near to, and the calling instruction.
pub type Refused = (u32, Option<Near>, u32);

impl Allocator {
    /// Returns the allocator of a program with this code; `None` if it is unknown.
    pub fn find(image: &Image, code: &Code) -> Option<Self> {
        image.symbol(ITS_OWN)?;
        let found = |&(name, function): &(&str, Function)| {
            let index = image.symbol(name)?.wrapping_sub(code.low) / 2;
            Some((index, *code.ops.get(index as usize)?, function))
        };
        let functions: Vec<_> = FUNCTIONS.iter().filter_map(found).collect();
        let mut allocator = Self { code: code.clone(), functions, under_way: None };
        allocator.watch(true);
        Some(allocator)
    }

    fn watch(&mut self, calls: bool) {
        for &(index, op, _) in &self.functions {
            self.code.ops[index as usize].code = if calls { Opcode::Watched } else { op.code };
        }
    }

    /// Discards a call that did not complete.
    pub fn restart(&mut self, far: &mut Far) {
        if self.under_way.take().is_some() {
            self.watch(true);
            far.open_heap(false);
        }
    }

    /// Handles the call of a function; the program was entered at `entry`.
    pub fn called(&mut self, index: u32, entry: u32, hart: &mut Hart, far: &mut Far) -> Result<(), Refused> {
        let returns_to = hart.register(RA);
        // The last action of a function may be a jump, whose target returns instead.
        let caller = if returns_to == STOP { entry } else { returns_to.wrapping_sub(4) };
        let function = self.functions.iter().find(|(first, ..)| *first == index).map(|(.., which)| *which);
        let bytes = match function {
            Some(Function::Malloc) => Some(hart.register(A0)),
            Some(Function::Calloc) => hart.register(A0).checked_mul(hart.register(A0 + 1)),
            _ => {
                let address = hart.register(A0);
                let kept_at = far.freed(address, caller).map_err(|near| (address, near, caller))?;
                hart.set_register(A0, kept_at);
                None
            }
        };
        self.under_way = Some(Call { bytes, caller, returns_to });
        self.watch(false);
        far.open_heap(true);
        hart.set_register(RA, WATCHED);
        Ok(())
    }

    /// Handles its return. Returns the return address.
    pub fn returned(&mut self, hart: &mut Hart, far: &mut Far) -> u32 {
        let Some(Call { bytes, caller, returns_to }) = self.under_way.take() else { return WATCHED };
        self.watch(true);
        far.open_heap(false);
        let kept_at = hart.register(A0);
        if let Some(bytes) = bytes.filter(|_| kept_at != 0) {
            hart.set_register(A0, far.allocated(kept_at, bytes, caller));
        }
        returns_to
    }
}
