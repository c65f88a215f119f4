//! Accesses of a step: the memory, the amount, the address, and the instructions before, between and after
//! several.

use linecard_program::PacketHead;
use linecard_program::script::{Access, Action, PacketInfo, RoleId, Step};

/// Most bytes that an instruction moves between components (Spalink 2000, section 2.1).
const INSTRUCTION_BYTES: u16 = 32;

/// The amount of data of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// This number of bytes.
    Bytes(u16),
    /// All bytes of the packet.
    Packet,
}

/// The address of an access, within the bytes that its step covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// Equal for packets of one flow.
    Flow,
    /// A different one each time.
    Any,
    /// Always the first.
    Same,
    /// Consecutive, from the first again after the last.
    InOrder,
    /// All of them in pseudo-random order, repeatedly.
    Shuffled,
}

/// The addresses of a step's accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// How they are selected.
    pub address: Address,
    /// Bytes of their range.
    pub within_bytes: u32,
    /// Each thread has a separate range of this size; ranges are consecutive.
    pub per_thread: bool,
}

/// How a step accesses a memory or a unit.
#[derive(Clone, Copy, Debug)]
pub enum Reach {
    /// One access.
    Access {
        /// Kind.
        kind: Access,
        /// Whether the thread continues at once.
        posted: bool,
        /// Amount.
        amount: Amount,
    },
    /// A move of a number of bytes between components, by instructions of at most 32 bytes, one after another;
    /// the thread waits for each, and each continues where the one before ended ([`Access::Continue`]).
    Transfer {
        /// The number of bytes.
        bytes: u16,
    },
}

impl Reach {
    /// Returns the number of instructions.
    fn instructions(self) -> u64 {
        match self {
            Reach::Access { .. } => 1,
            Reach::Transfer { bytes } => u64::from(bytes.div_ceil(INSTRUCTION_BYTES)),
        }
    }
}

/// The accesses of a step: one or more, one after another.
#[derive(Clone, Copy, Debug)]
pub struct ListedAccess {
    /// The role.
    pub role: RoleId,
    /// The kind of access.
    pub reach: Reach,
    /// Addresses.
    pub span: Span,
    /// The number of repetitions.
    pub times: u32,
}

impl ListedAccess {
    /// Returns the total number of instructions.
    pub fn instructions(&self) -> u64 {
        u64::from(self.times) * self.reach.instructions()
    }
}

/// A prepared instruction: its step for a move to the first byte of the range, and the part of it that depends on the
/// packet, if there is one.
#[derive(Clone, Debug)]
pub(super) struct Instruction {
    pub step: Step,
    pub aim: Option<Aim>,
}

/// Address and amount of an instruction, for the present packet.
#[derive(Clone, Debug)]
pub(super) struct Aim {
    address: Address,
    /// The instruction accesses all bytes of the packet.
    is_packet: bool,
    /// The address is any, and the size fixed: the case of most instructions.
    is_drawn: bool,
    /// Bytes of the range, and of the separate range of each thread, or 0.
    within_bytes: u32,
    own_bytes: u32,
    /// Bytes of the move that it is part of, at least 1, and the number of moves that fit in the range.
    slot_bytes: u32,
    slots: u32,
    /// Distinguishes the moves of a step from those of others, and from each other.
    draw: u32,
    distance: u32,
    /// How often the step executes per packet.
    times: u32,
}

/// Returns the slot at a position of a pseudo-random order in which each of `slots` slots occurs once.
///
/// Each round of a multiplication by an odd number and a shifted exclusive or is a permutation of the numbers of as
/// many bits as `slots` needs. Results beyond the last slot are permuted again.
#[inline]
fn shuffled(position: u32, slots: u32) -> u32 {
    const ROUNDS: [u32; 3] = [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35];
    let bits = (u32::BITS - (slots - 1).leading_zeros()).max(1);
    let (mask, shift) = (u32::MAX >> (u32::BITS - bits), bits.div_ceil(2));
    let mut slot = position;
    loop {
        for odd in ROUNDS {
            slot = slot.wrapping_add(1).wrapping_mul(odd) & mask;
            slot ^= slot >> shift;
        }
        if slot < slots {
            return slot;
        }
    }
}

/// Returns the number of consecutive accesses of the stated size that fit.
#[inline]
fn slots_of(within_bytes: u32, bytes: u16) -> u32 {
    (within_bytes / u32::from(bytes.max(1))).max(1)
}

/// Returns a pseudo-random number, the same for the same packet and step.
#[inline(always)]
pub(super) fn mix(number: u64, step: u32) -> u32 {
    let mut x =
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(step).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (x >> 32) as u32
}

/// Returns the slot of a draw from all numbers of 32 bits.
#[inline(always)]
fn scaled(draw: u32, slots: u32) -> u32 {
    ((u64::from(draw) * u64::from(slots)) >> 32) as u32
}

impl Instruction {
    /// Returns the instructions of accesses, with no cycles before any of them.
    pub fn of(accesses: &[ListedAccess]) -> Vec<Self> {
        let mut found = Vec::new();
        let mut draw = 0_u32;
        for access in accesses {
            for _ in 0..access.times {
                access.add_to(draw, &mut found);
                draw = draw.wrapping_add(0x9e37_79b9);
            }
        }
        found
    }

    /// As `of`, with all cycles before the first.
    pub fn after(cycles: u32, access: ListedAccess, times: u32) -> Vec<Self> {
        let mut found = Self::of(&[access]);
        if let Some(first) = found.first_mut() {
            first.step.cycles = cycles;
        }
        for aim in found.iter_mut().filter_map(|instruction| instruction.aim.as_mut()) {
            aim.times = times;
        }
        found
    }

    /// As `of`, with the cycles spread evenly before, between and after them; returns also those after the
    /// last.
    pub fn spread(mut cycles: u32, accesses: &[ListedAccess]) -> (Vec<Self>, u32) {
        let mut found = Self::of(accesses);
        let mut gaps = found.len() as u32 + 1;
        for instruction in &mut found {
            instruction.step.cycles = cycles / gaps;
            cycles -= instruction.step.cycles;
            gaps -= 1;
        }
        (found, cycles)
    }
}

impl Aim {
    /// Returns the same for a step that is a distance of draws behind.
    pub fn behind(self, distance: u32) -> Self {
        let behind = |draw: u32| draw.wrapping_add(distance);
        Self { draw: behind(self.draw), distance: behind(self.distance), ..self }
    }

    /// Directs an access to its address for a packet; `number` is that of the packet, mixed with the seed, and `draw`
    /// distinguishes steps.
    #[inline(always)]
    pub fn direct(
        &self,
        head: &PacketHead,
        info: &PacketInfo,
        number: u64,
        draw: u32,
        access_bytes: &mut u16,
        access_address: &mut u32,
    ) {
        let offset = if self.is_drawn {
            scaled(mix(number, draw.wrapping_add(self.draw)), self.slots) * self.slot_bytes
        } else {
            self.other_offset(head, info, number, draw, access_bytes)
        };
        let first = info.thread.wrapping_mul(self.own_bytes).wrapping_add(offset);
        *access_address = first.wrapping_add(*access_address);
    }

    /// Returns the offset in the range of an access that is not merely drawn, and sets its size if that is the packet's.
    #[inline(never)]
    fn other_offset(
        &self,
        head: &PacketHead,
        info: &PacketInfo,
        number: u64,
        draw: u32,
        access_bytes: &mut u16,
    ) -> u32 {
        let (mut bytes, mut slots) = (self.slot_bytes, self.slots);
        if self.is_packet {
            let packet_bytes = head.bytes.min(u32::from(u16::MAX)) as u16;
            *access_bytes = packet_bytes;
            bytes = u32::from(packet_bytes.max(1));
            slots = slots_of(self.within_bytes, packet_bytes);
        }
        let slot = match self.address {
            Address::Same => 0,
            Address::Flow => scaled(info.flow_hash.wrapping_mul(0x9e37_79b1), slots),
            Address::Any => scaled(mix(number, draw.wrapping_add(self.draw)), slots),
            Address::InOrder | Address::Shuffled => {
                let draw = draw.wrapping_add(self.distance);
                let passed = info.number.wrapping_mul(u64::from(self.times)).wrapping_add(u64::from(draw));
                let position = (passed % u64::from(slots)) as u32;
                if self.address == Address::Shuffled { shuffled(position, slots) } else { position }
            }
        };
        slot * bytes
    }
}

impl ListedAccess {
    /// Appends its instructions for one repetition; `draw` distinguishes it from others of its step.
    fn add_to(&self, draw: u32, found: &mut Vec<Instruction>) {
        let role = self.role;
        let mut add = |kind, posted, bytes, address, aim| {
            let action = Action::Access { role, kind, posted, bytes, address, used_after: 1 };
            found.push(Instruction { step: Step { cycles: 0, action }, aim });
        };
        match self.reach {
            Reach::Access { kind, posted, amount } => {
                let (bytes, is_packet) = match amount {
                    Amount::Bytes(bytes) => (bytes, false),
                    Amount::Packet => (0, true),
                };
                add(kind, posted, bytes, 0, self.aim(bytes, is_packet, draw));
            }
            Reach::Transfer { bytes: whole } => {
                for moved in (0..whole).step_by(INSTRUCTION_BYTES.into()) {
                    let kind = if moved > 0 { Access::Continue } else { Access::Read };
                    let bytes = (whole - moved).min(INSTRUCTION_BYTES);
                    add(kind, false, bytes, u32::from(moved), self.aim(whole, false, draw));
                }
            }
        }
    }

    /// Returns the part that depends on the packet, if there is one.
    fn aim(&self, slot_bytes: u16, is_packet: bool, draw: u32) -> Option<Aim> {
        let span = self.span;
        let slots = slots_of(span.within_bytes, slot_bytes);
        let is_fixed = !is_packet && !span.per_thread && (span.address == Address::Same || slots == 1);
        let Span { address, within_bytes, per_thread } = span;
        let own_bytes = if per_thread { within_bytes } else { 0 };
        (!is_fixed).then_some(Aim {
            address,
            is_packet,
            is_drawn: address == Address::Any && !is_packet,
            within_bytes,
            own_bytes,
            slot_bytes: u32::from(slot_bytes.max(1)),
            slots,
            draw,
            distance: 0,
            times: 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::template::Template;
    use super::*;
    use linecard_program::script::Steps;

    /// Returns the addresses of four reads per packet of `packets`, 64 bytes each, within a range.
    fn addresses(address: Address, within_bytes: u32, thread: Option<u32>, packets: u64) -> Vec<u32> {
        let reach = Reach::Access { kind: Access::Read, posted: false, amount: Amount::Bytes(64) };
        let span = Span { address, within_bytes, per_thread: thread.is_some() };
        let access = ListedAccess { role: RoleId(0), reach, span, times: 1 };
        let template = Template::accesses(Instruction::after(0, access, 4), 0);
        let mut steps = Steps::default();
        for number in 0..packets {
            let info = PacketInfo { number, thread: thread.unwrap_or(3), ..PacketInfo::default() };
            (0..4).for_each(|time| template.write(&PacketHead::default(), &info, number, time, &mut steps));
        }
        let address = |step: &Step| match step.action {
            Action::Access { address, .. } => address,
            _ => u32::MAX,
        };
        (0..).map_while(|at| steps.get(at)).map(|step| address(&step)).collect()
    }

    #[test]
    fn those_in_order_go_round_and_those_of_a_thread_lie_behind_those_of_the_one_before() {
        let five = [0, 64, 128, 192, 256, 0, 64, 128];
        assert_eq!(addresses(Address::InOrder, 320, None, 2), five);
        assert_eq!(addresses(Address::InOrder, 320, Some(2), 2), five.map(|at| 640 + at));
    }

    #[test]
    fn shuffled_ones_pass_every_slot_once_before_any_again() {
        for slots in [1, 2, 3, 12, 16, 100, 1_024, 24_576] {
            let mut first = addresses(Address::Shuffled, 64 * slots, Some(0), u64::from(slots.div_ceil(4)));
            first.truncate(slots as usize);
            // Successive slots of a random order have 1 - 1/e of all distances.
            let mut distances: Vec<u32> =
                first.windows(2).map(|two| (two[1] / 64 + slots - two[0] / 64) % slots).collect();
            distances.sort_unstable();
            distances.dedup();
            let share = distances.len() as f64 / f64::from(slots);
            assert!(slots < 100 || (0.58..0.68).contains(&share), "{slots}: {share} of all distances");
            first.sort_unstable();
            assert!(first.iter().zip(0..).all(|(&at, slot)| at == 64 * slot), "{slots}: {first:?}");
        }
    }
}
