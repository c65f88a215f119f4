//! Forwarding tables: from a file, or generated.

use linecard_apps::Route;
use linecard_sim::stream;
use linecard_traffic::remap::read_text;
use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::path::Path;

/// The routes of `path` (lines of `prefix next_hop …`, plain or gzip), or generated ones if it is empty.
pub(crate) fn routes(path: &str, ports: u16, seed: u64) -> Result<Vec<Route>, String> {
    if path.is_empty() { Ok(generated(ports, seed)) } else { read(path, ports) }
}

/// Bits of the prefixes that cover all public addresses in a generated table.
const COVER_BITS: u8 = 14;
const LONGER_PREFIXES: u32 = 1_000;

/// A table of the project's own making: prefixes of 14 bits that cover the whole address space, as many for each
/// port, and 1,000 longer ones with the lengths of a real table (more than half are /24). Uniform addresses find
/// each port equally often, as the studies assume.
fn generated(ports: u16, seed: u64) -> Vec<Route> {
    let mut random = stream(seed, "routes");
    let cover = 1 << COVER_BITS;
    let mut routes = Vec::with_capacity((cover + LONGER_PREFIXES) as usize);
    let port = |i: u32| Route { prefix: 0, length: COVER_BITS, port: (i % u32::from(ports)) as u16 };
    routes.extend((0..cover).map(port));
    random.shuffle(&mut routes);
    (0..).zip(&mut routes).for_each(|(i, route): (u32, &mut Route)| route.prefix = i << (32 - COVER_BITS));
    for _ in 0..LONGER_PREFIXES {
        let length = match random.below(100) {
            0..55 => 24,
            55..65 => 23,
            65..76 => 22,
            76..82 => 21,
            82..90 => 20,
            90..96 => 19,
            _ => 16,
        };
        let prefix = (random.bits() as u32) & (u32::MAX << (32 - length));
        routes.push(Route { prefix, length: length as u8, port: random.below(u32::from(ports)) as u16 });
    }
    routes
}

fn read(path: &str, ports: u16) -> Result<Vec<Route>, String> {
    let fail = |line: usize, message: String| format!("{path}: line {line}: {message}");
    let text = read_text(Path::new(path)).map_err(|error| error.to_string())?;
    // Next hops become ports in order of first appearance.
    let mut hops: HashMap<&str, usize> = HashMap::new();
    let mut routes = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut fields = line.split_whitespace();
        let Some(prefix) = fields.next().filter(|p| !p.starts_with('#')) else { continue };
        let (address, length) = prefix
            .split_once('/')
            .ok_or_else(|| fail(number + 1, format!("found `{prefix}`, expected address/length")))?;
        if address.contains(':') {
            continue; // IPv6: this table is IPv4's.
        }
        let address: Ipv4Addr = address
            .parse()
            .map_err(|_| fail(number + 1, format!("found `{address}`, expected an IPv4 address")))?;
        let length: u8 = length
            .parse()
            .ok()
            .filter(|l| *l <= 32)
            .ok_or_else(|| fail(number + 1, format!("found length `{length}`, expected 0 to 32")))?;
        let hop = fields.next().unwrap_or("");
        let seen = hops.len();
        let index = *hops.entry(hop).or_insert(seen);
        routes.push(Route { prefix: address.into(), length, port: (index % usize::from(ports)) as u16 });
    }
    if routes.is_empty() {
        return Err(format!("{path}: no IPv4 route in this file; expected lines of `prefix next_hop`"));
    }
    Ok(routes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use linecard_apps::RouteTable;
    use std::io::Write;

    /// A file of this test and process.
    fn file(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("linecard-routes-{name}-{}", std::process::id()))
    }

    #[test]
    fn many_next_hops_take_time_in_proportion_to_their_number() {
        // A search through all hops seen would compare 10^11 words here.
        let path = file("hops");
        let line = |i: u32| format!("{}/32 hop{}\n", Ipv4Addr::from(i), i % 450_000);
        let text: String = (0..500_000).map(line).collect();
        std::fs::write(&path, text).unwrap();
        let routes = read(path.to_str().unwrap(), 16).unwrap();
        assert_eq!(routes.len(), 500_000);
        // In order of first appearance, and the same hop again the same port.
        assert!(routes.iter().enumerate().all(|(i, route)| usize::from(route.port) == i % 450_000 % 16));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_small_file_that_expands_without_end_is_refused() {
        let path = file("bomb");
        let mut packed =
            flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
        for _ in 0..300 {
            packed.write_all(&vec![b'#'; 1 << 20]).unwrap();
        }
        packed.finish().unwrap();
        let error = read(path.to_str().unwrap(), 16).unwrap_err();
        assert!(error.contains("larger than 256 MiB unpacked"), "{error}");
        assert!(error.contains("linecard-routes-bomb"), "{error}");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_generated_table_serves_every_port_equally() {
        let table = RouteTable::new(&generated(16, 1));
        let mut random = stream(2, "addresses");
        let mut hits = [0u32; 16];
        for _ in 0..160_000 {
            let (port, _) = table.lookup(random.bits() as u32);
            hits[usize::from(port.expect("all addresses are covered"))] += 1;
        }
        assert!(hits.iter().all(|&h| (9_300..10_700).contains(&h)), "{hits:?}");
    }
}
