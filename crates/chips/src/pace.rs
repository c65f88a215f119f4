//! The pace of a replayed capture: a factor, or a rate at which its frames arrive.

use crate::arrivals::Source;
use linecard_files::{Error, problem};

/// How fast the time of a capture passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pace {
    /// By a factor in trillionths.
    Scaled(u128),
    /// So that its frames arrive at this mean rate, over wires that carry `line_gbps`.
    Rate { gbps: f64, line_gbps: f64, overhead_bytes: u32 },
}

impl Pace {
    /// The pace of the capture itself.
    pub const OWN: Self = Self::Scaled(TRILLION as u128);

    /// Returns the pace that is faster by a factor, in whole millionths.
    pub fn faster(factor: f64) -> Self {
        Self::Scaled((factor * 1e6).round().max(1.0) as u128 * 1_000_000)
    }

    /// Returns the factor for the packets of `source`, in trillionths; a rate requires a pass over all of them.
    ///
    /// # Errors
    /// If the packets have no rate, or the wires do not carry the requested one.
    pub fn trillionths(self, source: impl FnOnce() -> Result<Source, Error>) -> Result<u128, Error> {
        match self {
            Self::Scaled(trillionths) => Ok(trillionths),
            Self::Rate { gbps, line_gbps, overhead_bytes } => {
                let wrong = |message: String| Error::Config {
                    problems: vec![problem("--set".into(), "traffic.rate_gbps", message)],
                };
                let flow = Flow::of(source()?);
                let own_gbps = flow.gbps().ok_or_else(|| {
                    wrong(
                        "the capture has no rate to scale, because all its packets have the same timestamp"
                            .to_owned(),
                    )
                })?;
                fits_wires(gbps, flow.mean_bytes(), line_gbps, overhead_bytes).map_err(wrong)?;
                Ok((gbps / own_gbps * TRILLION).round().max(1.0) as u128)
            }
        }
    }
}

const TRILLION: f64 = 1e12;

/// Checks that wires carry frames of a mean size at a rate.
///
/// # Errors
/// They do not; the message states what they carry.
pub(super) fn fits_wires(
    gbps: f64,
    mean_bytes: f64,
    line_gbps: f64,
    overhead_bytes: u32,
) -> Result<(), String> {
    let on_the_wire = gbps * (mean_bytes + f64::from(overhead_bytes)) / mean_bytes;
    // A rate that was computed from packets per second must not show its rounding error.
    let rounded = (gbps * 1e9).round() / 1e9;
    match on_the_wire <= line_gbps * 1.000_001 {
        true => Ok(()),
        false => {
            let most = rounded_down(gbps * line_gbps / on_the_wire);
            let (on_the_wire, line) = told_apart(on_the_wire, line_gbps);
            Err(format!(
                "with preamble and inter-frame gap, {rounded} Gbit/s of {mean_bytes:.0}-byte frames occupy \
                 {on_the_wire} Gbit/s on the wire. The ports have a total line rate of {line} Gbit/s; expected at most \
                 {most} Gbit/s of frames"
            ))
        }
    }
}

/// Returns the decimals of a rate for three significant digits, at least two.
fn decimals(rate: f64) -> usize {
    (2.0 - rate.max(f64::MIN_POSITIVE).log10().floor()).clamp(2.0, 15.0) as usize
}

/// Returns a rate with three significant digits or more.
pub(super) fn significant(gbps: f64) -> String {
    if gbps == 0.0 { "0".to_owned() } else { format!("{gbps:.*}", decimals(gbps)) }
}

/// As `significant`, and never above the rate: a limit that is stated is accepted.
fn rounded_down(gbps: f64) -> String {
    let decimals = decimals(gbps);
    let scale = 10_f64.powi(decimals as i32);
    // A whole number of steps must not lose one to the error of the product.
    format!("{:.decimals$}", (gbps * scale * (1.0 + 1e-9)).floor() / scale)
}

/// Returns two different rates with as many decimals as tell them apart and state the lower one to 0.1 %.
fn told_apart(higher: f64, lower: f64) -> (String, String) {
    let shown = |decimals: usize| (format!("{higher:.decimals$}"), format!("{lower:.decimals$}"));
    let is_enough = |(higher, shown): &(String, String)| {
        let off = shown.parse().map_or(lower, |shown: f64| (shown - lower).abs());
        higher != shown && off <= lower * 1e-3
    };
    (1..15).map(shown).find(is_enough).unwrap_or_else(|| shown(15))
}

/// The counts of a pass over a capture.
#[derive(Default)]
struct Flow {
    packets: u64,
    bytes: u64,
    last_bytes: u64,
    first_ns: u64,
    last_ns: u64,
}

impl Flow {
    /// Counts up to the end, or up to damage that ends the capture, which the run itself reports.
    fn of(mut source: Source) -> Self {
        let mut flow = Self::default();
        while let Ok(Some((time_ns, bytes))) = source.next_frame() {
            if flow.packets == 0 {
                flow.first_ns = time_ns;
            }
            flow.packets += 1;
            flow.bytes += u64::from(bytes);
            (flow.last_bytes, flow.last_ns) = (u64::from(bytes), time_ns);
        }
        flow
    }

    fn mean_bytes(&self) -> f64 {
        self.bytes as f64 / self.packets as f64
    }

    /// Returns the rate of all packets but the last, after which the gap is unknown.
    fn gbps(&self) -> Option<f64> {
        let span_ns = self.last_ns.saturating_sub(self.first_ns);
        (span_ns > 0).then(|| (self.bytes - self.last_bytes) as f64 * 8.0 / span_ns as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(gbps: f64, line_gbps: f64) -> String {
        fits_wires(gbps, 64.0, line_gbps, 20).unwrap_err()
    }

    #[test]
    fn a_stated_limit_is_below_the_refused_rate_and_accepted() {
        // 10 Gbit/s carry 10 × 64 / 84 = 7.6190 Gbit/s of 64-byte frames, and 7.62 Gbit/s take 10.00125 Gbit/s.
        let told = refused(7.62, 10.0);
        assert!(told.contains("7.62 Gbit/s of 64-byte frames occupy 10.001 Gbit/s on the wire"), "{told}");
        assert!(told.contains("line rate of 10.000 Gbit/s; expected at most 7.61 Gbit/s"), "{told}");
        assert!(fits_wires(7.61, 64.0, 10.0, 20).is_ok());
        // 0.1 Mbit/s carries 0.0000762 Gbit/s.
        let told = refused(10.0, 0.0001);
        assert!(told.contains("line rate of 0.0001 Gbit/s; expected at most 0.0000761 Gbit/s"), "{told}");
        assert!(fits_wires(0.0000761, 64.0, 0.0001, 20).is_ok());
        // A limit with few digits keeps them: frames without gaps.
        assert!(fits_wires(3.0, 64.0, 2.3, 0).unwrap_err().ends_with("at most 2.30 Gbit/s of frames"));
    }

    #[test]
    fn rates_have_three_significant_digits_and_two_decimals() {
        let cases = [
            (6.97e-7, "0.000000697"),
            (0.0123, "0.0123"),
            (0.5, "0.500"),
            (6.371, "6.37"),
            (100.159, "100.16"),
        ];
        for (gbps, said) in cases {
            assert_eq!(significant(gbps), said);
        }
        assert_eq!(significant(0.0), "0");
    }
}
