//! The simulated memory: one window of bytes, and behind it an area with checks.

use crate::error::Fault;
use crate::far::Far;
use crate::word::Word;

/// Memory of a program, from `low` on.
#[derive(Clone, Debug)]
pub struct Memory {
    low: u32,
    bytes: Vec<u8>,
    code_low: u32,
    code_bytes: u32,
    /// Address bits that must be zero in aligned loads and stores; 0 if alignment is not required.
    aligned: u32,
    /// The checked area behind the window, if accesses are checked.
    pub far: Option<Box<Far>>,
}

/// The accesses of a width differ in bytes alone.
macro_rules! access {
    ($load:ident, $store:ident, $type:ty) => {
        /// Loads, little-endian. Returns the value, and its storage address.
        ///
        /// # Errors
        ///
        /// Outside memory, or not aligned.
        #[inline(always)]
        pub fn $load<A: Word>(&self, address: A) -> Result<($type, u32), Fault> {
            const BYTES: usize = size_of::<$type>();
            let at = address.offset(self.low);
            match self.bytes.get(at..at + BYTES) {
                Some(bytes) if ((address.low() & self.aligned) as usize).is_multiple_of(BYTES) => {
                    let mut value = [0; BYTES];
                    value.copy_from_slice(bytes);
                    Ok((<$type>::from_le_bytes(value), address.low()))
                }
                _ => match self.load_far(address.into(), BYTES as u32) {
                    Some((value, at)) => Ok((value as $type, at)),
                    None => Err(self.fault("load", address.into(), BYTES)),
                },
            }
        }

        /// Stores, little-endian. Returns the storage address.
        ///
        /// # Errors
        ///
        /// Outside memory, into code, or not aligned.
        #[inline(always)]
        pub fn $store<A: Word>(&mut self, address: A, value: $type) -> Result<u32, Fault> {
            const BYTES: usize = size_of::<$type>();
            let at = address.offset(self.low);
            let code = address.offset(self.code_low) < self.code_bytes as usize;
            let aligned = ((address.low() & self.aligned) as usize).is_multiple_of(BYTES);
            match self.bytes.get_mut(at..at + BYTES) {
                Some(bytes) if aligned && !code => {
                    bytes.copy_from_slice(&value.to_le_bytes());
                    Ok(address.low())
                }
                Some(_) if code => Err(Fault::StoreToCode { address: address.into() }),
                _ => match self.store_far(address.into(), BYTES as u32, value.into()) {
                    Some(at) => Ok(at),
                    None => Err(self.fault("store", address.into(), BYTES)),
                },
            }
        }
    };
}

impl Memory {
    /// Returns zeros from `low` to before `high`; stores into `code` (first, behind the last) are errors.
    #[must_use]
    pub fn new(low: u32, high: u32, code: (u32, u32)) -> Self {
        Self {
            low,
            bytes: vec![0; (high - low) as usize],
            code_low: code.0,
            code_bytes: code.1 - code.0,
            aligned: u32::MAX,
            far: None,
        }
    }

    /// Loads from behind the window. Not inlined, because it would enlarge every load and store.
    #[inline(never)]
    fn load_far(&self, address: u64, bytes: u32) -> Option<(u64, u32)> {
        let far = self.far.as_ref().filter(|_| address & u64::from((bytes - 1) & self.aligned) == 0)?;
        far.load(address, bytes)
    }

    #[inline(never)]
    fn store_far(&mut self, address: u64, bytes: u32, value: u64) -> Option<u32> {
        let aligned = address & u64::from((bytes - 1) & self.aligned) == 0;
        self.far.as_mut().filter(|_| aligned)?.store(address, bytes, value)
    }

    /// Returns the storage address of a byte.
    pub fn kept_at(&self, address: u32) -> u32 {
        self.far.as_ref().map_or(address, |far| far.kept_at(address))
    }

    /// Permits misaligned loads and stores (standalone programs).
    pub fn allow_misaligned(&mut self) {
        self.aligned = 0;
    }

    access!(load_u8, store_u8, u8);
    access!(load_u16, store_u16, u16);
    access!(load_u32, store_u32, u32);
    access!(load_u64, store_u64, u64);

    /// Checks whether an atomic instruction may access the stated bytes; alignment is always required.
    ///
    /// # Errors
    ///
    /// Outside memory, or not aligned.
    pub fn check_atomic<A: Word>(&self, address: A, bytes: usize) -> Result<(), Fault> {
        let is_far = || self.far.as_ref().is_some_and(|far| far.may(address.into(), bytes as u32));
        let inside = address.offset(self.low) + bytes <= self.bytes.len() || is_far();
        if inside && (address.low() as usize).is_multiple_of(bytes) {
            return Ok(());
        }
        Err(self.fault("atomic access", address.into(), bytes))
    }

    #[cold]
    fn fault(&self, what: &'static str, address: u64, bytes: usize) -> Fault {
        let inside = address.offset(self.low) + bytes <= self.bytes.len();
        let far = self.far.is_some() && address <= u32::MAX.into() && !address.is_multiple_of(bytes as u64);
        if inside || far {
            Fault::Misaligned { what, address, bytes: bytes as u32 }
        } else {
            Fault::OutOfRange { what, address }
        }
    }

    /// Writes bytes, also into code.
    ///
    /// # Panics
    ///
    /// If they reach beyond the memory: the caller defines the layout.
    pub fn fill(&mut self, address: u32, bytes: &[u8]) {
        let at = (address - self.low) as usize;
        match &mut self.far {
            Some(far) if at >= self.bytes.len() => far.fill(address, bytes),
            _ => self.bytes[at..at + bytes.len()].copy_from_slice(bytes),
        }
    }

    /// Returns bytes.
    ///
    /// # Panics
    ///
    /// If they reach beyond the memory.
    #[must_use]
    pub fn bytes(&self, address: u32, count: usize) -> &[u8] {
        let at = (address - self.low) as usize;
        match &self.far {
            Some(far) if at >= self.bytes.len() => far.bytes(address, count),
            _ => &self.bytes[at..at + count],
        }
    }
}
