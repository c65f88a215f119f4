//! Packet sizes.

use super::choice::WeightedChoice;
use super::random::{Random, below};
use crate::TrafficError;
use linecard_words::Mismatch;
use std::path::Path;
use std::sync::Arc;

/// The smallest size: an IPv4 header.
pub const MIN_PACKET_BYTES: u32 = 20;
/// The largest size: the maximum of an IPv4 total length.
pub const MAX_PACKET_BYTES: u32 = 65_535;

/// "Simple IMIX" as IP total lengths: 40, 576 and 1500 bytes as 7 : 4 : 1, as in test equipment (on the name,
/// see RFC 6985). Its mean is 340⅓ bytes.
const IMIX: [(u32, u32); 3] = [(40, 7), (576, 4), (1500, 1)];

/// The sizes of packets, as IP total lengths.
#[derive(Clone, Debug)]
pub enum Sizes {
    /// All packets have one size.
    Fixed(u32),
    /// Simple IMIX: 40, 576 and 1500 bytes as 7 : 4 : 1.
    Imix,
    /// A measured distribution.
    Empirical(EmpiricalSizes),
}

impl Sizes {
    /// Returns the mean size in bytes.
    #[must_use]
    pub fn mean_bytes(&self) -> f64 {
        match self {
            Self::Fixed(bytes) => f64::from(*bytes),
            Self::Imix => {
                let total: u32 = IMIX.iter().map(|(_, weight)| weight).sum();
                let bytes: u32 = IMIX.iter().map(|(bytes, weight)| bytes * weight).sum();
                f64::from(bytes) / f64::from(total)
            }
            Self::Empirical(sizes) => sizes.mean_bytes,
        }
    }

    /// Returns the mean of the square of the size.
    #[must_use]
    pub fn mean_square_bytes(&self) -> f64 {
        match self {
            Self::Fixed(bytes) => f64::from(*bytes) * f64::from(*bytes),
            Self::Imix => {
                let total: u32 = IMIX.iter().map(|(_, weight)| weight).sum();
                let squares: u32 = IMIX.iter().map(|(bytes, weight)| bytes * bytes * weight).sum();
                f64::from(squares) / f64::from(total)
            }
            Self::Empirical(sizes) => sizes.mean_square_bytes,
        }
    }

    pub(super) fn check(&self) -> Result<(), TrafficError> {
        match self {
            Self::Fixed(bytes) => check_size(*bytes),
            // Empirical sizes were checked when they were read.
            Self::Imix | Self::Empirical(_) => Ok(()),
        }
    }

    pub(super) fn draw(&self, random: &mut Random) -> u32 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Imix => {
                let total = IMIX.iter().map(|&(_, weight)| u64::from(weight)).sum();
                let mut at = below(random, total);
                for (bytes, weight) in IMIX {
                    if at < u64::from(weight) {
                        return bytes;
                    }
                    at -= u64::from(weight);
                }
                IMIX[0].0
            }
            Self::Empirical(sizes) => sizes.table.bytes[sizes.table.choice.draw(random)],
        }
    }
}

fn check_size(bytes: u32) -> Result<(), TrafficError> {
    if (MIN_PACKET_BYTES..=MAX_PACKET_BYTES).contains(&bytes) {
        return Ok(());
    }
    Err(Mismatch::new("packet size in bytes", bytes, format!("{MIN_PACKET_BYTES} to {MAX_PACKET_BYTES}"))
        .into())
}

/// A measured size distribution.
#[derive(Clone, Debug)]
pub struct EmpiricalSizes {
    table: Arc<SizeTable>,
    mean_bytes: f64,
    mean_square_bytes: f64,
}

#[derive(Debug)]
struct SizeTable {
    bytes: Vec<u32>,
    choice: WeightedChoice,
}

impl EmpiricalSizes {
    /// Returns a distribution of sizes and their weights.
    ///
    /// # Errors
    ///
    /// If no IP packet has one of the sizes, or the weights are invalid.
    pub fn new(sizes: &[(u32, f64)]) -> Result<Self, TrafficError> {
        for &(bytes, _) in sizes {
            check_size(bytes)?;
        }
        let weights: Vec<f64> = sizes.iter().map(|&(_, weight)| weight).collect();
        let choice = WeightedChoice::new(&weights)?;
        let total: f64 = weights.iter().sum();
        let moment = |power: i32| {
            let weighted: f64 =
                sizes.iter().map(|&(bytes, weight)| f64::from(bytes).powi(power) * weight).sum();
            weighted / total
        };
        let (mean_bytes, mean_square_bytes) = (moment(1), moment(2));
        // The product of a squared size and its weight overflows first.
        if !mean_bytes.is_finite() || !mean_square_bytes.is_finite() {
            return Err(Mismatch::new(
                "weights of sizes",
                format!("weights with sum {total:e}, for which the computation of the mean size overflows"),
                "weights whose sum is below 1e290",
            )
            .into());
        }
        let bytes = sizes.iter().map(|&(bytes, _)| bytes).collect();
        Ok(Self { table: Arc::new(SizeTable { bytes, choice }), mean_bytes, mean_square_bytes })
    }

    /// Reads a CSV file: lines of `bytes,weight`, or of sizes alone, one packet per line; a first line that
    /// begins with `bytes` is a heading.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or the number of the first invalid line.
    pub fn from_csv(path: &Path) -> Result<Self, TrafficError> {
        let text = crate::remap::read_text(path)?;
        let mut sizes = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') || (sizes.is_empty() && line.starts_with("bytes")) {
                continue;
            }
            let size = parse_line(line).ok_or_else(|| TrafficError::BadLine {
                file: path.to_owned(),
                line: index as u64 + 1,
                found: format!("`{line}`"),
                expected: format!(
                    "a size from {MIN_PACKET_BYTES} to {MAX_PACKET_BYTES} bytes, then optionally a comma and a \
                     weight of at least 0"
                ),
            })?;
            sizes.push(size);
        }
        Self::new(&sizes)
    }
}

fn parse_line(line: &str) -> Option<(u32, f64)> {
    let (bytes, weight) = line.split_once(',').unwrap_or((line, "1"));
    let bytes = bytes.trim().parse().ok()?;
    let weight: f64 = weight.trim().parse().ok()?;
    (check_size(bytes).is_ok() && weight >= 0.0 && weight.is_finite()).then_some((bytes, weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_beyond_the_range_of_numbers_is_refused() {
        // Sizes with these weights can be drawn, but their mean and mean square cannot be computed.
        for weight in [1e307, 1e306, 1e304, 1e300] {
            let error = EmpiricalSizes::new(&[(64, weight), (1500, 0.5)]);
            assert!(error.is_err() || error.is_ok_and(|sizes| sizes.mean_square_bytes == 4096.0), "{weight}");
        }
        assert!(EmpiricalSizes::new(&[(1500, 1e304), (64, 1.0)]).is_err());
        let sound = EmpiricalSizes::new(&[(64, 1e290), (128, 1e290)]).unwrap();
        assert_eq!((sound.mean_bytes, sound.mean_square_bytes), (96.0, 10_240.0));
    }
}
