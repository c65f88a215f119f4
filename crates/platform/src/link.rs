//! A link that is described by its flow statistics, wherever a capture is read: `edge`, `core`, or a file like those.

use crate::error::Error;
use crate::preset;
use crate::program::Part;
use linecard_config::nearest;
use linecard_traffic::generators::{EmpiricalSizes, FlowMix, LinkMix, LinkPackets, Sizes};
use std::path::Path;

/// A description that has been read.
pub(crate) struct DescribedLink {
    part: Part,
}

impl DescribedLink {
    /// The link that a name stands for: a preset of `presets/traffic`, or a file that ends in `.toml`; none where it is the
    /// name of a capture.
    pub fn named(name: &str) -> Option<Result<Self, Error>> {
        if name.ends_with(".toml") {
            return Some(Part::read(name).map(|part| Self { part }));
        }
        if Path::new(name).exists() || name.contains(['/', '.']) {
            return None;
        }
        let links = || preset::names_of("traffic");
        Some(match links().find(|link| *link == name) {
            Some(link) => Part::read(&format!("traffic/{link}")).map(|part| Self { part }),
            None => {
                let known = links().collect::<Vec<_>>().join(", ");
                let near = nearest(name, links());
                Err(Error::Traffic(format!(
                    "{name}: there is neither a file nor a described link of this name (described links: {known}){near}"
                )))
            }
        })
    }

    /// What it is.
    pub fn title(&self) -> String {
        self.part.title()
    }

    /// Its packets: at least so many, behind those that are left out at its beginning.
    pub fn packets(&self, packets: u64) -> Result<LinkPackets, Error> {
        let (mix, skip) = self.mix(packets)?;
        mix.generate(skip).map_err(|error| Error::Traffic(error.to_string()))
    }

    fn mix(&self, packets: u64) -> Result<(LinkMix, f64), Error> {
        let share = |key: &str| self.part.number(key, 0.0, 100.0);
        let count = |key: &str| self.part.number(key, 1.0, 1e8);
        let skip = share("flows.skip")? / 100.0;
        let made = count("flows.packets")?.max((packets as f64 / (1.0 - skip)).ceil());
        let mix = FlowMix {
            packets: made as u64,
            single_flows_percent: share("flows.single_flows")?,
            packets_in_single_flows_percent: share("flows.packets_in_single_flows")?,
            large_flows_percent: share("flows.large_flows")?,
            packets_in_large_flows_percent: share("flows.packets_in_large_flows")?,
            largest_flow_packets: count("flows.largest_flow_packets")? as u64,
            concurrent_flows: count("flows.concurrent_flows")?,
            time_out_ns: (self.part.number("flows.time_out", 0.001, 1e6)? * 1e9) as u64,
            rate_pps: count("flows.rate")?,
            seed: self.part.number("flows.seed", 0.0, 1e15)? as u64,
        };
        let (bytes, percent) = (self.part.numbers("sizes.bytes")?, self.part.numbers("sizes.percent")?);
        let sizes: Vec<(u32, f64)> =
            bytes.iter().zip(&percent).map(|(&bytes, &share)| (bytes as u32, share)).collect();
        let sizes = EmpiricalSizes::new(&sizes).map_err(|error| Error::Traffic(error.to_string()))?;
        let mix = LinkMix {
            mix,
            sizes: Sizes::Empirical(sizes),
            hosts: count("flows.hosts")? as u32,
            tcp_share: share("flows.tcp")? / 100.0,
        };
        Ok((mix, skip))
    }
}
