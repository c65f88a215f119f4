//! Files that fill maps: CSV and TOML, with keys and values as text or numbers.

use super::request::{config, refused_xdp};
use linecard_config::{Section, Shown};
use linecard_ebpf::{Machine, MapDefinition, MapKind, Route};
use linecard_files::{Error, bounded, plain};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Columns of a CSV file of map contents.
const CSV_HEADER: &str = "key,value";
/// Columns of a CSV file of routes.
const ROUTES_HEADER: &str = "prefix,interface,source,destination";

/// A row of a file: its location, its key and its value.
struct Row {
    place: String,
    key: String,
    value: Contents,
}

/// The contents for a key.
enum Contents {
    Value(String),
    /// Entries of an inner map.
    Inner(Vec<(String, String)>),
}

/// Fills a map from a file.
///
/// # Errors
/// If the file cannot be read, or a key or a value does not fit the map; file and line or entry are named.
pub(super) fn fill(machine: &mut Machine, name: &str, file: &str) -> Result<(), Error> {
    let map = machine.map(name).map_err(refused_xdp)?;
    let text = bounded::read_text(file, bounded::MOST_INPUT_BYTES)
        .map_err(|error| config(file, format!("cannot read the file for map `{name}`: {error}")))?;
    let rows = if file.ends_with(".toml") { toml_rows(file, text)? } else { csv_rows(file, &text)? };
    for row in rows {
        put(machine, map, &row).map_err(|message| config(&row.place, message))?;
    }
    Ok(())
}

fn csv_rows(file: &str, text: &str) -> Result<Vec<Row>, Error> {
    let mut lines =
        (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    match lines.next() {
        Some((_, header)) if header.trim() == CSV_HEADER => {}
        found => {
            let found = found.map_or("nothing", |(_, line)| line);
            return Err(config(
                file,
                format!("found `{found}`, expected the header `{CSV_HEADER}`, or a .toml file"),
            ));
        }
    }
    let row = |(number, line): (usize, &str)| {
        let place = format!("{file}:{number}");
        let (key, value) = line
            .split_once(',')
            .ok_or_else(|| config(&place, format!("found `{line}`, expected a key, a comma and a value")))?;
        Ok(Row { place, key: key.trim().to_owned(), value: Contents::Value(value.trim().to_owned()) })
    };
    lines.map(row).collect()
}

fn toml_rows(file: &str, text: String) -> Result<Vec<Row>, Error> {
    let document = plain(file, text);
    let root = document.root();
    if !root.has("entry") {
        root.missing("entry", "entries: [[entry]] with key and value");
    }
    let rows: Vec<Row> = root.list("entry").iter().filter_map(row).collect();
    Ok(document.finish().map(|_| rows)?)
}

fn row(entry: &Section<'_>) -> Option<Row> {
    let key = scalar(entry, "key");
    let value = if entry.has("inner") {
        entry.without_effect(&["value"], "the value of this entry is the inner map that `inner` defines");
        let pair = |pair: &Section<'_>| scalar(pair, "key").zip(scalar(pair, "value"));
        Some(Contents::Inner(entry.list("inner").iter().filter_map(pair).collect()))
    } else {
        scalar(entry, "value").map(Contents::Value)
    };
    Some(Row { place: entry.place(), key: key?, value: value? })
}

/// Reads a key or a value as text.
fn scalar(entry: &Section<'_>, key: &str) -> Option<String> {
    const ALLOWED: &str = "a number or a text";
    if !entry.has(key) {
        entry.missing(key, ALLOWED);
    }
    entry.any_if(key, ALLOWED, "of a map", |shown| match shown {
        Shown::Whole(number) => Some(number.to_string()),
        Shown::Text(text) => Some(text.clone()),
        _ => None,
    })
}

fn put(machine: &mut Machine, map: usize, row: &Row) -> Result<(), String> {
    let definition = machine.maps().nth(map).cloned().ok_or("no such map")?;
    match &row.value {
        Contents::Inner(entries) => {
            let key = bytes(&row.key, definition.key_bytes).map_err(|error| format!("key: {error}"))?;
            let inner = machine.insert_inner(map, &key).map_err(|error| error.to_string())?;
            let of = machine.maps().nth(inner).cloned().ok_or("no such map")?;
            entries.iter().try_for_each(|(key, value)| insert(machine, inner, &of, key, value))
        }
        Contents::Value(value) => insert(machine, map, &definition, &row.key, value),
    }
}

fn insert(
    machine: &mut Machine,
    map: usize,
    definition: &MapDefinition,
    key: &str,
    value: &str,
) -> Result<(), String> {
    let array = matches!(definition.kind, MapKind::Array | MapKind::PercpuArray);
    if definition.kind == MapKind::ProgArray {
        let index = key.parse().map_err(|_| format!("key: found `{key}`, expected an index"))?;
        return machine.insert_program(map, index, value).map_err(|error| error.to_string());
    }
    let value = bytes(value, definition.value_bytes).map_err(|error| format!("value: {error}"))?;
    if key == "*" && array {
        for index in 0..definition.most_entries {
            machine.insert(map, &index.to_le_bytes(), &value).map_err(|error| error.to_string())?;
        }
        return Ok(());
    }
    let key = if definition.kind == MapKind::LpmTrie && key.contains('/') {
        prefix(key, definition.key_bytes)
    } else {
        bytes(key, definition.key_bytes)
    };
    let key = key.map_err(|error| format!("key: {error}"))?;
    machine.insert(map, &key, &value).map_err(|error| error.to_string())
}

/// Returns a prefix in the form of tries: length, then address.
fn prefix(text: &str, size: u32) -> Result<Vec<u8>, String> {
    let (address, length) = split_prefix(text)?;
    let mut made = u32::from(length).to_le_bytes().to_vec();
    match address {
        IpAddr::V4(address) => made.extend(address.octets()),
        IpAddr::V6(address) => made.extend(address.octets()),
    }
    if made.len() == size as usize {
        return Ok(made);
    }
    Err(format!("`{text}` has {} bytes including the prefix length, expected {size}", made.len()))
}

fn split_prefix(text: &str) -> Result<(IpAddr, u8), String> {
    let wrong = || format!("found `{text}`, expected a prefix such as 192.0.2.0/24");
    let (address, length) = text.split_once('/').ok_or_else(wrong)?;
    let address: IpAddr = address.parse().map_err(|_| wrong())?;
    let length: u8 = length.parse().map_err(|_| wrong())?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    if length > most { Err(wrong()) } else { Ok((address, length)) }
}

/// Returns the bytes of a key or value: one number of its whole size, or items with their own sizes.
pub(super) fn bytes(text: &str, size: u32) -> Result<Vec<u8>, String> {
    let items: Vec<&str> = text.split_whitespace().collect();
    if let [only] = items.as_slice()
        && let Some(number) = number(only)
    {
        let kept = (size as usize).min(16);
        let whole = number.to_le_bytes();
        // The bytes that are cut off must contain nothing but the sign.
        let sign = if number < 0 { 0xff } else { 0 };
        let signed = number >= 0 || kept > 0 && whole[kept - 1] & 0x80 != 0;
        if !signed || whole[kept..].iter().any(|&byte| byte != sign) {
            return Err(format!("{number} does not fit into {size} bytes"));
        }
        let mut made = vec![sign; size as usize];
        made[..kept].copy_from_slice(&whole[..kept]);
        return Ok(made);
    }
    let mut made = Vec::new();
    for item in &items {
        item_bytes(item, &mut made)?;
    }
    if made.len() != size as usize {
        return Err(format!("`{text}` has {} bytes, expected {size}", made.len()));
    }
    Ok(made)
}

fn number(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn item_bytes(item: &str, made: &mut Vec<u8>) -> Result<(), String> {
    if let Ok(address) = item.parse::<Ipv4Addr>() {
        made.extend(address.octets());
        return Ok(());
    }
    if let Some(mac) = mac(item) {
        made.extend(mac);
        return Ok(());
    }
    let wrong = || {
        format!(
            "found `{item}`, expected an address (192.0.2.1, 2001:db8::1, 02:00:00:00:00:01), hex:0a1b, zero:4, or a \
             number such as u16:5 (u8 to u64: little-endian; be16 to be64: network order)"
        )
    };
    if let Some((kind, rest)) = item.split_once(':') {
        let whole = |bytes: usize| {
            let value = number(rest).ok_or_else(wrong)?;
            let fits = (0..1i128 << (8 * bytes)).contains(&value);
            if fits {
                Ok(value.to_le_bytes()[..bytes].to_vec())
            } else {
                Err(format!("`{item}` is too large"))
            }
        };
        let size = match kind {
            "u8" => 1,
            "u16" | "be16" => 2,
            "u32" | "be32" => 4,
            "u64" | "be64" => 8,
            "zero" => {
                let count: usize = rest.parse().ok().filter(|&count| count <= 1 << 20).ok_or_else(wrong)?;
                made.resize(made.len() + count, 0);
                return Ok(());
            }
            "hex" => {
                made.extend(hex(rest).ok_or_else(wrong)?);
                return Ok(());
            }
            _ => 0,
        };
        if size > 0 {
            let mut bytes = whole(size)?;
            if kind.starts_with("be") {
                bytes.reverse();
            }
            made.extend(bytes);
            return Ok(());
        }
    }
    let address: Ipv6Addr = item.parse().map_err(|_| wrong())?;
    made.extend(address.octets());
    Ok(())
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pair = |&[high, low]: &[u8; 2]| Some((digit(high)? << 4 | digit(low)?) as u8);
    if rest.is_empty() { pairs.iter().map(pair).collect() } else { None }
}

fn mac(text: &str) -> Option<[u8; 6]> {
    let groups: Vec<&str> = text.split(':').collect();
    let groups: [&str; 6] = groups.try_into().ok()?;
    let mut made = [0; 6];
    for (byte, group) in made.iter_mut().zip(groups) {
        *byte = hex(group).filter(|_| group.len() == 2)?[0];
    }
    Some(made)
}

/// Reads routes for `bpf_fib_lookup` from a CSV file.
///
/// # Errors
/// If the file cannot be read, or a line is not a route; file and line are named.
pub(super) fn routes(machine: &mut Machine, file: &str) -> Result<(), Error> {
    let text = bounded::read_text(file, bounded::MOST_INPUT_BYTES)
        .map_err(|error| config(file, format!("cannot read the routes: {error}")))?;
    let mut lines =
        (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    if lines.next().is_none_or(|(_, header)| header.trim() != ROUTES_HEADER) {
        return Err(config(file, format!("expected the header `{ROUTES_HEADER}`")));
    }
    for (number, line) in lines {
        let route = route(line).map_err(|message| config(&format!("{file}:{number}"), message))?;
        machine.add_route(route);
    }
    Ok(())
}

fn route(line: &str) -> Result<Route, String> {
    let parts: Vec<&str> = line.split(',').map(str::trim).collect();
    let [prefix, interface, source, destination] = parts.as_slice() else {
        return Err(format!("found `{line}`, expected four columns"));
    };
    let (prefix, length) = split_prefix(prefix)?;
    let interface =
        interface.parse().map_err(|_| format!("found `{interface}`, expected an interface number"))?;
    let mac = |text: &str| {
        mac(text).ok_or_else(|| format!("found `{text}`, expected a MAC address such as 02:00:00:00:00:01"))
    };
    Ok(Route { prefix, length, interface, source_mac: mac(source)?, destination_mac: mac(destination)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_wrong_with_a_toml_file_stands_at_its_line() {
        let text = "[[entry]]\nkey = 1\nvalue = \"7\"\n[[entry]]\nkey = 2.5\nvalu = 3\n[[entry]]\nkey = 3\nvalue = 4\n\
                    inner = [{ key = 1, value = 2 }]\n[[entry]]\nkey = 4\ninner = [{ key = 1 }]\n";
        insta::assert_snapshot!(toml_rows("m.toml", text.to_owned()).err().unwrap());
        let none = toml_rows("m.toml", "entries = []".to_owned()).err().map(|error| error.to_string());
        assert!(
            none.is_some_and(|said| said.contains("missing: expected entries: [[entry]] with key and value"))
        );
        let rows = toml_rows("m.toml", "[[entry]]\nkey = \"a\"\ninner = [{ key = 1, value = 2 }]".to_owned());
        let row = rows.ok().and_then(|mut rows| rows.pop()).expect("a row");
        assert_eq!((row.place.as_str(), row.key.as_str()), ("m.toml:1", "a"));
        assert!(
            matches!(row.value, Contents::Inner(entries) if entries == [("1".to_owned(), "2".to_owned())])
        );
    }

    #[test]
    fn items_make_the_bytes_that_they_say() {
        let made = |text: &str, size: u32| bytes(text, size).unwrap();
        assert_eq!(made("7", 4), [7, 0, 0, 0]);
        assert_eq!(made("0x1f", 1), [0x1f]);
        assert_eq!(made("-1", 8), [0xff; 8]);
        assert_eq!(made("-2", 20), [[0xfe].as_slice(), &[0xff; 19]].concat());
        assert_eq!(made("192.0.2.1 be16:80 u8:6 zero:1", 8), [192, 0, 2, 1, 0, 80, 6, 0]);
        assert_eq!(made("02:00:00:00:00:0a u16:0x102", 8), [2, 0, 0, 0, 0, 10, 2, 1]);
        assert_eq!(made("2001:db8::1", 16)[..4], [0x20, 1, 0x0d, 0xb8]);
        assert_eq!(made("::", 16), [0; 16]);
        assert_eq!(made("hex:0a1B be32:1 be64:2 u64:3", 22)[..7], [0x0a, 0x1b, 0, 0, 0, 1, 0]);
        assert_eq!(prefix("10.0.0.0/8", 8).unwrap(), [8, 0, 0, 0, 10, 0, 0, 0]);
        assert_eq!(prefix("::/0", 20).unwrap(), [0; 20]);
    }

    #[test]
    fn what_makes_no_bytes_is_refused() {
        for (text, size) in [
            ("", 4),
            ("256", 1),
            ("-129", 1),
            ("0x", 4),
            ("seven", 4),
            ("u8:256", 1),
            ("u16:-1", 2),
            ("hex:abc", 2),
            ("hex:zz", 1),
            ("zero:99999999999", 4),
            ("u8:1 u8:2", 3),
            ("1 2", 2),
            ("170141183460469231731687303715884105728", 16),
            ("02:00:00:00:00", 5),
        ] {
            assert!(bytes(text, size).is_err(), "{text}");
        }
        for text in ["10.0.0.0", "10.0.0.0/33", "::/129", "x/8", "10.0.0.0/8/8"] {
            assert!(prefix(text, 8).is_err(), "{text}");
        }
        assert!(prefix("10.0.0.0/8", 20).is_err());
        for line in
            ["", "10.0.0.0/8,1,2", "10.0.0.0/8,x,02:00:00:00:00:01,02:00:00:00:00:02", "10.0.0.0/8,1,a,b"]
        {
            assert!(route(line).is_err(), "{line}");
        }
    }
}
