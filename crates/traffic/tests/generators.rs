//! Generators: equal packets from equal seeds, and the specified distributions.

use linecard_traffic::generators::{Arrivals, EmpiricalSizes, FlowShape, Generator, GeneratorConfig, Sizes};
use linecard_traffic::{FlowStatistics, Packet, PacketSource, ip};

fn config(sizes: Sizes, arrivals: Arrivals) -> GeneratorConfig {
    GeneratorConfig { seed: 11, packets: Some(100_000), sizes, arrivals, flows: FlowShape::default() }
}

const ONE_GIGABIT: u64 = 1_000_000_000;

fn packets(config: &GeneratorConfig) -> Vec<Packet> {
    let mut generator = Generator::new(config).unwrap();
    std::iter::from_fn(|| generator.next_packet().unwrap()).collect()
}

#[test]
fn the_first_packets_never_change() {
    let config = config(Sizes::Imix, Arrivals::Poisson { bits_per_second: ONE_GIGABIT });
    let lines: Vec<String> = packets(&config)
        .iter()
        .take(6)
        .map(|p| {
            let (src, dst) = (p.flow.src, p.flow.dst);
            format!(
                "{} {} {src:08x} {dst:08x} {} {} {}",
                p.time_ns, p.wire_bytes, p.flow.src_port, p.flow.dst_port, p.flow.protocol
            )
        })
        .collect();
    assert_eq!(lines.join("\n"), include_str!("snapshots/imix_poisson_seed_11.txt").trim_end());
}

#[test]
fn one_choice_does_not_disturb_the_others() {
    let poisson = Arrivals::Poisson { bits_per_second: ONE_GIGABIT };
    let line = Arrivals::BackToBack { bits_per_second: ONE_GIGABIT, overhead_bytes: 38 };
    let (a, b) = (packets(&config(Sizes::Imix, poisson)), packets(&config(Sizes::Imix, line)));
    assert!(a.iter().zip(&b).all(|(a, b)| (a.wire_bytes, a.flow) == (b.wire_bytes, b.flow)));
    let c = packets(&config(Sizes::Fixed(64), line));
    assert!(b.iter().zip(&c).all(|(b, c)| b.flow == c.flow));
}

#[test]
fn back_to_back_times_are_exact() {
    let line = Arrivals::BackToBack { bits_per_second: 3, overhead_bytes: 1 };
    let mut config = config(Sizes::Fixed(20), line);
    config.packets = Some(1000);
    for (index, packet) in packets(&config).iter().enumerate() {
        assert_eq!(packet.time_ns, index as u64 * 21 * 8 * 1_000_000_000 / 3);
    }
}

#[test]
fn loads_and_means_are_as_asked() {
    let empirical = EmpiricalSizes::new(&[(40, 2.0), (1500, 1.0), (576, 1.0)]).unwrap();
    for (sizes, mean) in
        [(Sizes::Fixed(64), 64.0), (Sizes::Imix, 4084.0 / 12.0), (Sizes::Empirical(empirical), 539.0)]
    {
        assert_eq!(sizes.mean_bytes(), mean);
        let config = config(sizes, Arrivals::Poisson { bits_per_second: ONE_GIGABIT });
        let statistics = FlowStatistics::of_source(&mut Generator::new(&config).unwrap()).unwrap();
        let error = (statistics.mean_bytes - mean).abs() / mean;
        assert!(error < 0.015, "mean {} instead of {mean}", statistics.mean_bytes);
        let load = statistics.bytes as f64 * 8.0 / statistics.seconds;
        assert!((load / ONE_GIGABIT as f64 - 1.0).abs() < 0.015, "load {load}");
    }
}

#[test]
fn gaps_of_a_poisson_process_are_exponential() {
    let config = config(Sizes::Fixed(125), Arrivals::Poisson { bits_per_second: ONE_GIGABIT });
    let packets = packets(&config);
    let gaps: Vec<f64> = packets.windows(2).map(|pair| (pair[1].time_ns - pair[0].time_ns) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    assert!((mean - 1000.0).abs() < 12.0, "mean gap {mean} ns");
    // In an exponential distribution, the share exp(-1) is above the mean.
    let beyond = gaps.iter().filter(|&&gap| gap > 1000.0).count() as f64 / gaps.len() as f64;
    assert!((beyond - (-1.0_f64).exp()).abs() < 0.006, "{beyond}");
}

#[test]
fn flows_are_public_heavy_tailed_and_begin_with_syn() {
    let mut config = config(Sizes::Imix, Arrivals::Poisson { bits_per_second: ONE_GIGABIT });
    let statistics = FlowStatistics::of_source(&mut Generator::new(&config).unwrap()).unwrap();
    assert!((25.0..35.0).contains(&statistics.top10_flows_percent), "{statistics:?}");
    let packets = packets(&config);
    let mut begun = std::collections::HashSet::new();
    for packet in &packets {
        assert!(ip::is_public_v4(packet.flow.src as u32) && ip::is_public_v4(packet.flow.dst as u32));
        assert_eq!(ip::ones_complement_sum(&packet.ip_header), 0xffff);
        if packet.flow.protocol == ip::TCP {
            assert_eq!(packet.tcp_flags == 2, begun.insert(packet.flow));
        }
    }
    config.flows = FlowShape { flows: 1, ..FlowShape::default() };
    let one = FlowStatistics::of_source(&mut Generator::new(&config).unwrap()).unwrap();
    assert_eq!(one.flows, 1);
}

#[test]
fn parameters_that_cannot_work_are_refused() {
    let good = config(Sizes::Imix, Arrivals::Poisson { bits_per_second: 1 });
    let bad = [
        GeneratorConfig { sizes: Sizes::Fixed(19), ..good.clone() },
        GeneratorConfig { sizes: Sizes::Fixed(65_536), ..good.clone() },
        GeneratorConfig { arrivals: Arrivals::Poisson { bits_per_second: 0 }, ..good.clone() },
        GeneratorConfig { flows: FlowShape { flows: 0, ..good.flows }, ..good.clone() },
        GeneratorConfig { flows: FlowShape { zipf_exponent: -1.0, ..good.flows }, ..good.clone() },
        GeneratorConfig { flows: FlowShape { tcp_share: 1.1, ..good.flows }, ..good.clone() },
    ];
    for config in bad {
        assert!(Generator::new(&config).is_err(), "{config:?}");
    }
    assert!(EmpiricalSizes::new(&[]).is_err());
    assert!(EmpiricalSizes::new(&[(40, -1.0)]).is_err());
}

#[test]
fn empirical_sizes_from_a_file() {
    let directory = std::env::temp_dir().join(format!("linecard-sizes-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("sizes.csv");
    std::fs::write(&path, "bytes,weight\n40,3\n\n# a comment\n1500,1\n").unwrap();
    assert_eq!(Sizes::Empirical(EmpiricalSizes::from_csv(&path).unwrap()).mean_bytes(), 405.0);
    std::fs::write(&path, "40\n40\n1500\n1500\n").unwrap();
    assert_eq!(Sizes::Empirical(EmpiricalSizes::from_csv(&path).unwrap()).mean_bytes(), 770.0);
    std::fs::write(&path, "bytes,weight\n40,3\n12,1\n").unwrap();
    let error = EmpiricalSizes::from_csv(&path).unwrap_err().to_string();
    assert!(error.contains("line 3: found") || error.contains("line 3: `12,1`"), "{error}");
    std::fs::remove_dir_all(&directory).unwrap();
}
