//! Instructions in a file: eight bytes each (RFC 9669, section 3).

/// Size of an instruction in a file; a 64-bit constant takes two.
pub const SLOT_BYTES: usize = 8;

/// One slot of eight bytes, split into fields and not decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// The class, and its use of the other five bits.
    pub opcode: u8,
    /// Destination register.
    pub dst: u8,
    /// Source register, or the kind of a call or constant.
    pub src: u8,
    /// Offset of a jump in slots, or of a memory access in bytes.
    pub offset: i16,
    /// Immediate value.
    pub imm: i32,
}

/// Opcode of a 64-bit constant, the one instruction of two slots.
pub const LDDW: u8 = 0x18;
/// Opcode of a call.
pub const CALL: u8 = 0x85;

impl Slot {
    /// Splits eight bytes into fields.
    #[must_use]
    pub fn read(bytes: [u8; SLOT_BYTES]) -> Self {
        let [opcode, registers, o0, o1, i0, i1, i2, i3] = bytes;
        Self {
            opcode,
            dst: registers & 15,
            src: registers >> 4,
            offset: i16::from_le_bytes([o0, o1]),
            imm: i32::from_le_bytes([i0, i1, i2, i3]),
        }
    }

    /// Returns the eight bytes.
    #[must_use]
    pub fn write(self) -> [u8; SLOT_BYTES] {
        let [o0, o1] = self.offset.to_le_bytes();
        let [i0, i1, i2, i3] = self.imm.to_le_bytes();
        [self.opcode, self.src << 4 | self.dst, o0, o1, i0, i1, i2, i3]
    }

    /// Returns all slots of a section; bytes behind the last whole one are ignored.
    #[must_use]
    pub fn all(bytes: &[u8]) -> Vec<Self> {
        let (whole, _) = bytes.as_chunks::<SLOT_BYTES>();
        whole.iter().map(|&bytes| Self::read(bytes)).collect()
    }
}
