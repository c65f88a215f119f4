//! Forwarding tables: from a file, or generated.

use linecard_apps::{Route, RouteTable, TooLarge};
use linecard_sim::{Stream, stream};
use linecard_traffic::remap::read_text;
use std::collections::HashMap;
use std::net::IpAddr;
use std::path::Path;
use std::rc::Rc;

/// A forwarding table, and its routes of IPv4.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes {
    pub table: Rc<RouteTable>,
    pub v4: Rc<Vec<Route>>,
}

/// Routes of both protocols.
#[derive(Default)]
struct Listed {
    v4: Vec<Route>,
    v6: Vec<Route<u128>>,
}

/// Returns the table of the routes of `path` (lines of `prefix next_hop …`, plain or gzip), or of generated routes
/// if it is empty.
pub(crate) fn routes(path: &str, ports: u16, seed: u64) -> Result<Routes, String> {
    let too_large = |TooLarge| {
        format!(
            "{path}: its long prefixes are so far apart that the table exceeds 1 GiB; expected fewer long prefixes"
        )
    };
    let (v4, table) = if path.is_empty() {
        let v4 = generated_v4(ports.into(), seed);
        let table = RouteTable::with_lazy_v6(&v4, move || generated_v6(ports.into(), seed));
        (v4, table)
    } else {
        let Listed { v4, v6 } = read(path, ports)?;
        let table = RouteTable::new(&v4, &v6);
        (v4, table)
    };
    Ok(Routes { table: Rc::new(table.map_err(too_large)?), v4: Rc::new(v4) })
}

/// Bits of the prefixes of a generated table that cover all addresses of IPv4, and global unicast of IPv6 (2000::/3).
const COVER_V4: u8 = 14;
const COVER_V6: u8 = 16;
const LONGER_PREFIXES: u32 = 1_000;

/// Returns generated routes that cover all addresses of IPv4: prefixes of 14 bits, the same number for each port, and
/// 1,000 longer ones with the lengths of a real table (more than half are /24). Uniform addresses find each port
/// equally often, as the studies assume.
fn generated_v4(ports: u32, seed: u64) -> Vec<Route> {
    let mut random = stream(seed, "routes");
    let mut routes = Vec::with_capacity((1 << COVER_V4) + LONGER_PREFIXES as usize);
    routes.extend(cover(COVER_V4, ports, &mut random, |i| i << (32 - COVER_V4)));
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
        routes.push(Route { prefix, length: length as u8, port: random.below(ports) as u16 });
    }
    routes
}

/// Returns generated routes that cover all addresses of IPv6: prefixes of 16 bits in global unicast, the same number
/// for each port, and of 3 bits elsewhere.
fn generated_v6(ports: u32, seed: u64) -> Vec<Route<u128>> {
    let mut random = stream(seed, "routes of IPv6");
    let eighth = |i: u32| u128::from(i) << 125;
    let mut routes: Vec<Route<u128>> = cover(3, ports, &mut random, eighth).collect();
    let unicast = |i: u32| eighth(1) | u128::from(i) << (128 - COVER_V6);
    routes.extend(
        cover(COVER_V6 - 3, ports, &mut random, unicast).map(|route| Route { length: COVER_V6, ..route }),
    );
    routes
}

/// Returns a route for each number of `bits` bits, with `at` as its prefix: the same number for each port, in random
/// order.
fn cover<A>(
    bits: u8,
    ports: u32,
    random: &mut Stream,
    at: impl Fn(u32) -> A,
) -> impl Iterator<Item = Route<A>> {
    let mut by_number: Vec<u16> = (0..1 << bits).map(|i: u32| (i % ports) as u16).collect();
    random.shuffle(&mut by_number);
    (0..).zip(by_number).map(move |(i, port)| Route { prefix: at(i), length: bits, port })
}

/// A line of a file: the prefix, and the next hop.
struct Line<'a> {
    address: IpAddr,
    length: u8,
    hop: &'a str,
}

impl<'a> Line<'a> {
    fn parse(prefix: &str, hop: &'a str) -> Result<Self, String> {
        let (address, length) =
            prefix.split_once('/').ok_or_else(|| format!("found `{prefix}`, expected address/length"))?;
        let address: IpAddr =
            address.parse().map_err(|_| format!("found `{address}`, expected an IPv4 or IPv6 address"))?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let length = length.parse().ok().filter(|length| *length <= most);
        let length = length.ok_or_else(|| format!("found `{prefix}`, expected a length of 0 to {most}"))?;
        Ok(Self { address, length, hop })
    }
}

fn read(path: &str, ports: u16) -> Result<Listed, String> {
    let text = read_text(Path::new(path)).map_err(|error| error.to_string())?;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut fields = line.split_whitespace();
        let Some(prefix) = fields.next().filter(|p| !p.starts_with('#')) else { continue };
        let line = Line::parse(prefix, fields.next().unwrap_or(""));
        lines.push(line.map_err(|message| format!("{path}: line {}: {message}", number + 1))?);
    }
    if lines.is_empty() {
        return Err(format!("{path}: the file contains no route; expected lines of `prefix next_hop`"));
    }
    // Next hops become ports in order of first appearance, IPv4 first: IPv6 routes do not change the ports of IPv4.
    lines.sort_by_key(|line| line.address.is_ipv6());
    let mut hops: HashMap<&str, usize> = HashMap::new();
    let mut listed = Listed::default();
    for Line { address, length, hop } in lines {
        let seen = hops.len();
        let port = (*hops.entry(hop).or_insert(seen) % usize::from(ports)) as u16;
        match address {
            IpAddr::V4(address) => listed.v4.push(Route { prefix: address.into(), length, port }),
            IpAddr::V6(address) => listed.v6.push(Route { prefix: address.into(), length, port }),
        }
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{Ipv4Addr, Ipv6Addr};

    /// Returns the path of a file of this test and process.
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
        let routes = read(path.to_str().unwrap(), 16).unwrap().v4;
        assert_eq!(routes.len(), 500_000);
        // Ports follow the order of first appearance, and the same hop has the same port again.
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
        let error = read(path.to_str().unwrap(), 16).err().unwrap();
        assert!(error.contains("exceeds 256 MiB"), "{error}");
        assert!(error.contains("linecard-routes-bomb"), "{error}");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_has_routes_of_both_protocols_and_next_hops_of_both_are_the_same_ports() {
        let path = file("both");
        let text = "2001:db8::/32 west\n10.0.0.0/8 east\n# a comment\n\n::/0 north\n192.0.2.0/24 west\n";
        std::fs::write(&path, text).unwrap();
        let Routes { table, v4 } = routes(path.to_str().unwrap(), 16, 1).unwrap();
        assert_eq!(v4.len(), 2);
        // The IPv4 routes number east and west; north follows.
        let v4 = |address: [u8; 4]| table.lookup(Ipv4Addr::from(address).into());
        assert_eq!(
            (v4([10, 9, 8, 7]), v4([192, 0, 2, 1]), v4([8, 8, 8, 8])),
            ((Some(0), 1), (Some(1), 2), (None, 1))
        );
        let v6 = |text: &str| table.lookup_v6(text.parse::<Ipv6Addr>().unwrap().into());
        assert_eq!((v6("2001:db8::1"), v6("2a00::1")), ((Some(1), 3), (Some(2), 1)));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_line_that_is_no_route_is_named_with_what_was_expected() {
        let path = file("wrong");
        let refused = |text: &str| {
            std::fs::write(&path, text).unwrap();
            routes(path.to_str().unwrap(), 4, 1).unwrap_err().replace(path.to_str().unwrap(), "routes")
        };
        let lines = ["10.0.0.0 a", "10.0.0/8 a", "10.0.0.0/33 a", "2001:db8::/129 a", "2001:db8:/32 a"];
        let said = lines.map(|line| refused(&format!("10.0.0.0/8 a\n{line}\n")));
        insta::assert_snapshot!([said.join("\n"), refused("# nothing\n")].join("\n"));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_generated_table_serves_every_port_equally() {
        let table = routes("", 16, 1).unwrap().table;
        let mut random = stream(2, "addresses");
        let mut hits = [[0u32; 16]; 2];
        for _ in 0..160_000 {
            let (v4, _) = table.lookup(random.bits() as u32);
            let v6 = u128::from(random.bits()) << 64;
            assert!(table.lookup_v6(v6).0.is_some());
            let (v6, _) = table.lookup_v6(v6 >> 3 | 1 << 125);
            for (hits, port) in hits.iter_mut().zip([v4, v6]) {
                hits[usize::from(port.expect("all addresses are covered"))] += 1;
            }
        }
        assert!(hits.as_flattened().iter().all(|&h| (9_300..10_700).contains(&h)), "{hits:?}");
    }
}
