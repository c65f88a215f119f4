//! A link that is described by its flow statistics, wherever a capture is read: `edge`, `core`, or a similar file.

use crate::error::Error;
use crate::preset::{self, ReadPreset, find, read};
use linecard_config::{Request, Section, nearest};
use linecard_traffic::generators::{EmpiricalSizes, FlowMix, LinkMix, LinkPackets, Sizes};
use std::path::Path;

/// Percentages with a few decimals may differ by this from a sum of 100.
const PERCENT_OFF: f64 = 0.01;

/// A description that has been read.
#[derive(Clone, Debug)]
pub struct DescribedLink {
    title: String,
    link: Link,
}

/// The content of a description.
#[derive(Clone, Debug)]
pub struct Link {
    /// The minimum number of packets of all flows together.
    packets: f64,
    /// The share of them that is left out at the beginning.
    skip: f64,
    flows: FlowMix,
    sizes: Vec<(u32, f64)>,
    hosts: u32,
    tcp_share: f64,
}

impl DescribedLink {
    /// Returns the link of a name: a preset of `presets/traffic`, or a file that ends in `.toml`; `None` if it is the
    /// name of a capture.
    pub fn named(name: &str) -> Option<Result<Self, Error>> {
        let of = |preset: &str| link(preset).map(|read| Self { title: read.title, link: read.value });
        if name.ends_with(".toml") {
            return Some(of(name));
        }
        if Path::new(name).exists() || name.contains(['/', '.']) {
            return None;
        }
        let links = || preset::names_of("traffic");
        Some(match links().find(|link| *link == name) {
            Some(link) => of(&format!("traffic/{link}")),
            None => {
                let known = links().collect::<Vec<_>>().join(", ");
                let near = nearest(name, links());
                Err(Error::Traffic(format!(
                    "{name}: no file or link profile has this name (link profiles: {known}){near}"
                )))
            }
        })
    }

    /// Returns the title.
    pub fn title(&self) -> String {
        self.title.clone()
    }

    /// Returns at least this number of packets, after the packets skipped at the beginning.
    pub fn packets(&self, packets: u64) -> Result<LinkPackets, Error> {
        let link = &self.link;
        let made = link.packets.max((packets as f64 / (1.0 - link.skip)).ceil());
        let sizes = EmpiricalSizes::new(&link.sizes).map_err(|error| Error::Traffic(error.to_string()))?;
        let mix = LinkMix {
            mix: FlowMix { packets: made as u64, ..link.flows },
            sizes: Sizes::Empirical(sizes),
            hosts: link.hosts,
            tcp_share: link.tcp_share,
        };
        mix.generate(link.skip).map_err(|error| Error::Traffic(error.to_string()))
    }
}

/// Reads a description.
///
/// # Errors
/// All problems at once.
pub fn link(preset: &str) -> Result<ReadPreset<Link>, Error> {
    read(Request { untitled: true, ..Request::of(preset, &find) }.read(), |document| {
        document.expect_kind("traffic");
        let root = document.root();
        let flows = root.needed_section("flows", "number and sizes of flows")?;
        let sizes = root.needed_section("sizes", "sizes of packets")?;
        Some(values(&flows, &sizes))
    })
}

fn values(flows: &Section<'_>, sizes: &Section<'_>) -> Link {
    let share = |key, meaning| flows.in_unit("%").number(key, 0.0..=100.0, meaning);
    let count = |key, unit, meaning| flows.in_unit(unit).number(key, 1.0..=1e8, meaning);
    let packets = count("packets", "packets", "total number of packets");
    let time_out_s = flows.in_unit("s").number("time_out", 0.001..=1e6, "idle time after which a flow ends");
    let mix = FlowMix {
        packets: packets as u64,
        single_flows_percent: share("single_flows", "flows with one packet, as a fraction of all flows"),
        packets_in_single_flows_percent: share(
            "packets_in_single_flows",
            "packets in flows of one packet, as a fraction of all packets",
        ),
        large_flows_percent: share(
            "large_flows",
            "flows of more than 1000 packets, as a fraction of all flows",
        ),
        packets_in_large_flows_percent: share(
            "packets_in_large_flows",
            "packets in flows of more than 1000 packets, as a fraction of all packets",
        ),
        largest_flow_packets: count("largest_flow_packets", "packets", "maximum number of packets of a flow")
            as u64,
        concurrent_flows: count(
            "concurrent_flows",
            "flows",
            "number of concurrently active flows; a flow is inactive after `time_out` without a packet",
        ),
        time_out_ns: (time_out_s * 1e9) as u64,
        rate_pps: count(
            "rate",
            "packets/s",
            "mean packets per second of all `packets`, the skipped packets included; lower at both ends, higher in between",
        ),
        seed: flows.number("seed", 0.0..=1e15, "seed; the same seed generates identical traffic") as u64,
    };
    let bytes = list(sizes, "bytes", "bytes", "sizes of packets");
    let percent = list(sizes, "percent", "%", "percentage of packets for each size");
    let sum: f64 = percent.iter().sum();
    // A list that is missing is reported already.
    let both = sizes.has("bytes") && sizes.has("percent");
    if both && bytes.len() != percent.len() {
        let found = format!("found {} values for {} sizes in `bytes`", percent.len(), bytes.len());
        sizes.fail("percent", format!("{found}, expected one for each size"));
    } else if !percent.is_empty() && (sum - 100.0).abs() > PERCENT_OFF {
        sizes.fail("percent", format!("found a sum of {sum} %, expected 100 %"));
    }
    let skip = share(
        "skip",
        "fraction of all packets to skip at the beginning, so that some flows are already active; below 100 %",
    );
    if skip >= 100.0 {
        flows.fail("skip", "found 100 %, expected less: the link would have no packets");
    }
    Link {
        packets,
        skip: skip / 100.0,
        flows: mix,
        sizes: bytes.iter().zip(&percent).map(|(&bytes, &share)| (bytes as u32, share)).collect(),
        hosts: count("hosts", "hosts", "number of hosts on each side of the link") as u32,
        tcp_share: share("tcp", "TCP flows, as a fraction of all flows") / 100.0,
    }
}

/// Returns required numbers; the generator of sizes checks them.
fn list(sizes: &Section<'_>, key: &str, unit: &'static str, meaning: &str) -> Vec<f64> {
    if !sizes.has(key) {
        sizes.missing(key, &format!("a list of numbers ({meaning})"));
    }
    sizes.in_unit(unit).numbers(key, f64::NEG_INFINITY..=f64::INFINITY, meaning)
}
