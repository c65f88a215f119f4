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
        false => Err(format!(
            "with preamble and inter-frame gap, {rounded} Gbit/s of {mean_bytes:.0}-byte frames occupy \
             {on_the_wire:.1} Gbit/s on the wire. The ports have a total line rate of {line_gbps:.1} Gbit/s; \
             expected at most {:.2} Gbit/s of frames",
            gbps * line_gbps / on_the_wire
        )),
    }
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
