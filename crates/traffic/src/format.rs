//! Formats, and their detection: by signature; without one, by the file's ending; otherwise by the plausibility
//! of the first bytes.

use crate::readers::legacy_dag::LegacyDag;
use crate::readers::{csv, erf, pcap, pcapng, tsh};
use serde::Serialize;
use std::path::Path;

/// Bytes that detection reads for a format without a signature.
pub(crate) const SNIFF_BYTES: usize = 64 << 10;

/// A capture file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// libpcap savefile.
    Pcap,
    /// pcapng.
    PcapNg,
    /// Endace extensible record format.
    Erf,
    /// NLANR time sequenced headers.
    Tsh,
    /// Records of old DAG cards.
    LegacyDag,
    /// Text with named columns.
    Csv,
}

impl Format {
    /// All formats, in order of preference.
    pub const ALL: [Self; 6] = [Self::Pcap, Self::PcapNg, Self::Erf, Self::Tsh, Self::LegacyDag, Self::Csv];

    /// Returns its name, as in options and results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pcap => "pcap",
            Self::PcapNg => "pcapng",
            Self::Erf => "erf",
            Self::Tsh => "tsh",
            Self::LegacyDag => "dag",
            Self::Csv => "csv",
        }
    }

    /// Returns the format that a file's ending names, without compression endings. Only formats without a
    /// signature are detected by name.
    fn from_ending(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let endings = name.split('.').skip(1);
        [Self::Erf, Self::Tsh, Self::LegacyDag, Self::Csv]
            .into_iter()
            .find(|format| endings.clone().any(|ending| ending == format.name()))
    }

    /// Returns the format of a file that begins with `start`.
    pub(crate) fn sniff(start: &[u8], path: &Path) -> Option<Self> {
        if pcap::sniff(start) {
            return Some(Self::Pcap);
        }
        if pcapng::sniff(start) {
            return Some(Self::PcapNg);
        }
        if let Some(format) = Self::from_ending(path) {
            return Some(format);
        }
        type Fits = fn(&[u8]) -> bool;
        let guesses: [(Self, Fits); 4] = [
            (Self::Csv, csv::sniff),
            (Self::Tsh, tsh::sniff),
            (Self::Erf, erf::sniff),
            (Self::LegacyDag, |start| LegacyDag::sniff(start).is_some()),
        ];
        guesses.into_iter().find(|(_, fits)| fits(start)).map(|(format, _)| format)
    }
}
