//! Arguments of helpers, and their error results.

use crate::error::Fault;
use crate::world::World;

/// Arguments of a helper, in r1 to r5.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<'a> {
    pub helper: &'static str,
    pub values: &'a [u64; 5],
}

impl Arguments<'_> {
    pub fn get(&self, number: u8) -> u64 {
        self.values[usize::from(number) - 1]
    }

    pub fn fault(&self, argument: u8, expected: &'static str) -> Fault {
        let found = format!("{:#x}", self.get(argument));
        Fault::Argument { helper: self.helper, argument, found, expected }
    }

    /// Returns the map of an argument.
    pub fn map(&self, world: &World, number: u8) -> Result<usize, Fault> {
        world.map(self.get(number)).ok_or_else(|| self.fault(number, "a map"))
    }

    /// Returns a size argument.
    pub fn size(&self, number: u8, most: u64, expected: &'static str) -> Result<u64, Fault> {
        let size = self.get(number) & 0xffff_ffff;
        if size <= most { Ok(size) } else { Err(self.fault(number, expected)) }
    }

    /// Returns the packet, which is the only context.
    pub fn context(&self, number: u8) -> Result<(), Fault> {
        let context = crate::memory::CONTEXT.address(0, 0);
        if self.get(number) == context {
            Ok(())
        } else {
            Err(self.fault(number, "the program's struct xdp_md"))
        }
    }
}

/// Returns a negative error number.
pub(crate) fn failed(errno: i64) -> u64 {
    errno as u64
}
