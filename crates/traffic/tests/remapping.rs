//! Address maps against a real routing table.

use crate::common;

use common::reference_data;
use linecard_traffic::remap::{AddressMap, AddressMapOptions, read_prefixes};
use linecard_traffic::{FlowStatistics, FlowStatisticsBuilder, OpenOptions, PacketSource, open};
use std::collections::HashSet;

#[test]
fn anonymised_addresses_find_routes_and_flows_stay_apart() {
    let Some(data) = reference_data("anonymised_addresses_find_routes_and_flows_stay_apart") else { return };
    let prefixes = read_prefixes(&data.join("routes/ipv4-rv20080501.txt.gz")).unwrap();
    assert_eq!(prefixes.len(), 270_849);
    let table: HashSet<(u32, u8)> = prefixes.iter().copied().collect();
    let routed =
        |address: u32| (8..=32_u8).any(|bits| table.contains(&(address & u32::MAX << (32 - bits), bits)));
    let path = data.join("traces/nlanr-sample.tsh");
    let open = || open(&path, &OpenOptions::default()).unwrap();
    let options = AddressMapOptions { seed: 1, source: (0x0a00_0000, 8), host_bits: 8 };
    let map = AddressMap::new(&prefixes, options).unwrap();
    assert!(map.is_one_to_one() && map.describe().contains("10.0.0.0/8"), "{}", map.describe());
    let (mut source, mut after) = (open(), FlowStatisticsBuilder::default());
    while let Some(mut packet) = source.next_packet().unwrap() {
        map.apply(&mut packet);
        assert!(routed(packet.flow.src as u32) && routed(packet.flow.dst as u32));
        after.add(&packet);
    }
    let before = FlowStatistics::of_source(&mut open()).unwrap();
    assert_eq!(before, after.finish(None));
}

#[test]
fn a_line_that_is_no_prefix_is_named() {
    let path = std::env::temp_dir().join(format!("linecard-prefixes-{}", std::process::id()));
    std::fs::write(&path, "# routes\n8.0.0.0/8 next\n2001:db8::/32\n9.0.0.0/33\n").unwrap();
    let error = read_prefixes(&path).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(
        error.contains("line 4: found `9.0.0.0/33`") || error.contains("line 4: `9.0.0.0/33`"),
        "{error}"
    );
}

#[test]
fn short_prefixes_and_shared_blocks_are_stated() {
    // A default route, and one /16 of 256 blocks for 2^24 blocks of addresses.
    let (default, routed) = ((0, 0), (0x0808_0000, 16));
    let described = AddressMap::new(&[default, routed], AddressMapOptions::default()).unwrap().describe();
    for part in [
        "256 routed /24 blocks",
        "up to 65536 source blocks share one",
        "shorter than /8 do not count as routed: 1",
    ] {
        assert!(described.contains(part), "{described}");
    }
    let error = AddressMap::new(&[default], AddressMapOptions::default()).unwrap_err().to_string();
    assert!(error.contains("1 prefixes, of which 1 are shorter than /8 and do not count"), "{error}");
}
