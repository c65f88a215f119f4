//! Firewall templates, from a file or the shipped list.

use linecard_apps::{Template, Verdict};
use linecard_files::bounded;
use std::net::Ipv4Addr;
use std::ops::RangeInclusive;

const SHIPPED: &str = include_str!("firewall.rules");

/// Returns the templates of `path`, or the shipped ones if it is empty.
pub(crate) fn templates(path: &str) -> Result<Vec<Template>, String> {
    if path.is_empty() {
        return parse("firewall.rules", SHIPPED);
    }
    let text = bounded::read_text(path, bounded::MOST_PRESET_BYTES)
        .map_err(|e| format!("{path}: cannot read the file of templates: {e}"))?;
    parse(path, &text)
}

fn parse(path: &str, text: &str) -> Result<Vec<Template>, String> {
    let mut templates = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let template = template(line).map_err(|m| format!("{path}: line {}: {m}", number + 1))?;
        templates.push(template);
    }
    Ok(templates)
}

fn template(line: &str) -> Result<Template, String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [verdict, source, destination, source_ports, destination_ports, protocol] = fields[..] else {
        return Err(format!(
            "found {} fields, expected 6: verdict source destination source_ports destination_ports protocol",
            fields.len()
        ));
    };
    Ok(Template {
        verdict: match verdict {
            "drop" => Verdict::Drop,
            "forward" => Verdict::Forward,
            other => return Err(format!("found verdict `{other}`, expected drop or forward")),
        },
        source: network(source)?,
        destination: network(destination)?,
        source_ports: ports(source_ports)?,
        destination_ports: ports(destination_ports)?,
        protocol: match protocol {
            "any" => None,
            "tcp" => Some(6),
            "udp" => Some(17),
            "icmp" => Some(1),
            number => Some(number.parse().map_err(|_| {
                format!("found protocol `{number}`, expected any, tcp, udp, icmp or 0 to 255")
            })?),
        },
    })
}

fn network(text: &str) -> Result<(u32, u8), String> {
    if text == "any" {
        return Ok((0, 0));
    }
    let parsed = text.split_once('/').and_then(|(a, l)| {
        let address: Ipv4Addr = a.parse().ok()?;
        let length: u8 = l.parse().ok().filter(|l| *l <= 32)?;
        Some((u32::from(address), length))
    });
    parsed.ok_or_else(|| format!("found network `{text}`, expected any or address/length"))
}

fn ports(text: &str) -> Result<RangeInclusive<u16>, String> {
    if text == "any" {
        return Ok(0..=u16::MAX);
    }
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    match (low.parse(), high.parse()) {
        (Ok(low), Ok(high)) if low <= high => Ok(low..=high),
        _ => Err(format!("found ports `{text}`, expected any, a port, or low-high")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_list_reads() {
        assert_eq!(templates("").unwrap().len(), 12);
    }

    #[test]
    fn a_bad_line_is_named() {
        let bad = "drop any any any any tcp\ndrop 10.0.0.0/33 any any any any\n";
        let error = parse("x.rules", bad).unwrap_err();
        assert!(error.contains("x.rules: line 2") && error.contains("10.0.0.0/33"), "{error}");
    }
}
