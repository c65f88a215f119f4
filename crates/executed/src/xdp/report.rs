//! The report of a run of an XDP program.

use super::request::{XdpRequest, refused_xdp};
use crate::packets::PacketStatistics;
use crate::trace::{Share, shares};
use linecard_ebpf::{
    AccessKind, Entry, Machine, MapKind, Outcome, Profile, RegionId, Target, Verdict, helper_name,
};
use linecard_files::Error;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The most entries of a map that a report lists; it states the total for all.
const MOST_ENTRIES: usize = 4096;

/// Accesses per packet to one memory region: `packet`, `context`, `stack`, a map's values, or `NAME.index`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "RegionUse")]
pub struct RegionReport {
    /// Name of the memory region.
    pub name: String,
    /// Reads.
    pub reads_per_packet: f64,
    /// Writes.
    pub writes_per_packet: f64,
    /// Atomic operations per packet.
    pub atomics_per_packet: f64,
    /// Bytes per packet of all reads, writes and atomic operations.
    pub bytes_per_packet: f64,
}

/// One key of a map, and its values; `numbers` contains values with a size of 1, 2, 4 or 8 bytes.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "XdpMapEntry")]
pub struct MapEntry {
    /// The key, in hexadecimal.
    pub key: String,
    /// The value of the key for each processor, in hexadecimal.
    pub values: Vec<String>,
    /// The values as numbers; `None` if the size of a value is not 1, 2, 4 or 8 bytes.
    pub numbers: Option<Vec<u64>>,
}

/// Final contents of a map; `listed` contains the first entries, or the first nonzero entries of an array.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "XdpMap")]
pub struct MapReport {
    /// Name.
    pub name: String,
    /// Type of the map, such as `HASH`.
    pub kind: String,
    /// Size of a key in bytes.
    pub key_bytes: u32,
    /// Size of a value in bytes.
    pub value_bytes: u32,
    /// Maximum number of entries in the map.
    pub most_entries: u32,
    /// Number of entries in the map.
    pub entries: u64,
    /// The first entries of the map, or the first nonzero entries of an array.
    pub listed: Vec<MapEntry>,
    /// Number of records that the program wrote to a ring buffer or emitted as perf events.
    pub records: u64,
    /// Bytes.
    pub record_bytes: u64,
}

/// The result of an XDP program that was executed on packets.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct XdpReport {
    /// The name of the program, as given in the request.
    pub name: String,
    /// Name of the program's function in the object file.
    pub program: String,
    /// Statistics of the packets, which are Ethernet frames without a frame check sequence.
    pub traffic: PacketStatistics,
    /// Verdicts, the most frequent first.
    pub verdicts: Vec<Share>,
    /// Number of instructions, summed over all packets; a 64-bit constant or a helper call counts as one instruction.
    pub instructions: u64,
    /// Mean number of instructions per packet; `least_instructions` and `most_instructions` are the minimum and
    /// maximum.
    pub instructions_per_packet: f64,
    /// Minimum number of instructions that the program executed for a packet.
    pub least_instructions: u64,
    /// Maximum number of instructions that the program executed for a packet.
    pub most_instructions: u64,
    /// Mean size of the packets after the program processed them.
    pub mean_bytes_left: f64,
    /// Accesses that instructions and helpers make to each memory region.
    pub regions: Vec<RegionReport>,
    /// Number of calls to each helper.
    pub helpers: Vec<Share>,
    /// Source lines, sorted by number of instructions.
    pub lines: Vec<Share>,
    /// Final contents of the maps.
    pub maps: Vec<MapReport>,
}

/// Counts during the run.
#[derive(Default)]
pub(super) struct Tally {
    verdicts: BTreeMap<Verdict, u64>,
    packets: u64,
    instructions: u64,
    extremes: Option<(u64, u64)>,
    bytes_left: u64,
}

fn name(verdict: Verdict) -> String {
    match verdict {
        Verdict::Aborted => "aborted".to_owned(),
        Verdict::Drop => "drop".to_owned(),
        Verdict::Pass => "pass".to_owned(),
        Verdict::Tx => "tx".to_owned(),
        Verdict::Redirect(Target::Interface(number)) => format!("redirect to interface {number}"),
        Verdict::Redirect(Target::Broadcast) => "redirect to all interfaces of a map".to_owned(),
        Verdict::Redirect(Target::Cpu(number)) => format!("redirect to processor {number}"),
        Verdict::Redirect(Target::Socket(queue)) => format!("redirect to the socket of queue {queue}"),
    }
}

impl Tally {
    pub fn add(&mut self, outcome: &Outcome, bytes_left: usize) {
        *self.verdicts.entry(outcome.verdict).or_insert(0) += 1;
        self.packets += 1;
        self.instructions += outcome.instructions;
        let (least, most) = self.extremes.unwrap_or((u64::MAX, 0));
        self.extremes = Some((least.min(outcome.instructions), most.max(outcome.instructions)));
        self.bytes_left += bytes_left as u64;
    }

    pub fn report(
        self,
        request: &XdpRequest,
        machine: &Machine,
        profile: &Profile,
        traffic: PacketStatistics,
    ) -> Result<XdpReport, Error> {
        let packets = self.packets as f64;
        let (least_instructions, most_instructions) = self.extremes.unwrap_or_default();
        let verdicts = self.verdicts.iter().map(|(&verdict, &count)| (name(verdict), count)).collect();
        let calls: u64 = profile.helpers().values().sum();
        let helpers =
            profile.helpers().iter().map(|(&number, &count)| (helper_name(number), count)).collect();
        Ok(XdpReport {
            name: request.name.clone(),
            program: machine.program().to_owned(),
            verdicts: shares(verdicts, self.packets),
            instructions: self.instructions,
            instructions_per_packet: self.instructions as f64 / packets,
            least_instructions,
            most_instructions,
            mean_bytes_left: self.bytes_left as f64 / packets,
            regions: regions(machine, profile, packets),
            helpers: shares(helpers, calls),
            lines: shares(lines(machine, profile), self.instructions),
            maps: maps(machine)?,
            traffic,
        })
    }
}

fn regions(machine: &Machine, profile: &Profile, packets: f64) -> Vec<RegionReport> {
    let ids = (0..machine.memory().regions()).map(|number| RegionId(number as u16));
    let found = ids.map(|id| {
        let [reads, writes, atomics] =
            [AccessKind::Read, AccessKind::Write, AccessKind::Atomic].map(|kind| profile.accesses(id, kind));
        RegionReport {
            name: machine.region(id).to_owned(),
            reads_per_packet: reads.accesses as f64 / packets,
            writes_per_packet: writes.accesses as f64 / packets,
            atomics_per_packet: atomics.accesses as f64 / packets,
            bytes_per_packet: (reads.bytes + writes.bytes + atomics.bytes) as f64 / packets,
        }
    });
    found.filter(|region| region.bytes_per_packet > 0.0).collect()
}

/// Returns the source lines, or instructions if the object has no line information.
fn lines(machine: &Machine, profile: &Profile) -> Vec<(String, u64)> {
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for (index, count) in (0..).zip(profile.executed(machine.code())).filter(|(_, count)| *count > 0) {
        let name = machine.line(index).map_or_else(|| machine.place(index), |line| line.to_string());
        *lines.entry(name).or_insert(0) += count;
    }
    lines.into_iter().collect()
}

fn maps(machine: &Machine) -> Result<Vec<MapReport>, Error> {
    let mut reports = Vec::new();
    for (number, definition) in machine.maps().enumerate() {
        // Constants of the program are not reported.
        if definition.name.starts_with(".rodata") {
            continue;
        }
        let entries = machine.entries(number).map_err(refused_xdp)?;
        let (records, record_bytes) = machine.emitted(number);
        reports.push(MapReport {
            name: definition.name.clone(),
            kind: definition.kind.name(),
            key_bytes: definition.key_bytes,
            value_bytes: definition.value_bytes,
            most_entries: definition.most_entries,
            entries: entries.len() as u64,
            listed: entries.iter().take(MOST_ENTRIES).map(|entry| listed(entry, definition.kind)).collect(),
            records,
            record_bytes,
        });
    }
    Ok(reports)
}

fn listed(entry: &Entry, kind: MapKind) -> MapEntry {
    let digits = |bytes: &Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let number = |bytes: &Vec<u8>| {
        let mut whole = [0; 8];
        whole.get_mut(..bytes.len())?.copy_from_slice(bytes);
        matches!(bytes.len(), 1 | 2 | 4 | 8).then_some(u64::from_le_bytes(whole))
    };
    // Entries that refer to programs and maps hold numbers that have a meaning in this run only.
    let shown = !kind.holds_maps() && kind != MapKind::ProgArray;
    MapEntry {
        key: digits(&entry.key),
        values: if shown { entry.values.iter().map(digits).collect() } else { Vec::new() },
        numbers: if shown { entry.values.iter().map(number).collect() } else { None },
    }
}
