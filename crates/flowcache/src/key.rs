//! Computes keys from packets: the bytes of the fields that identify a flow.

use crate::{FlowCacheError, names};
use linecard_traffic::ip::{SCTP, TCP, UDP};
use linecard_traffic::{Decoded, FiveTuple, Network, Packet};
use linecard_words::Mismatch;
use std::fmt;

/// Most bytes of a key: each field once, with addresses of 16 bytes.
const MOST_BYTES: usize = 2 * 16 + 2 * 2 + 1;

/// A field of the flow identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Source address, optionally cut to a prefix of this number of bits.
    Source(Option<u8>),
    /// Destination address, optionally cut to a prefix of this number of bits.
    Destination(Option<u8>),
    /// Source port.
    SourcePort,
    /// Destination port.
    DestinationPort,
    /// IP protocol.
    Protocol,
}

/// The names of the fields; a prefix length may follow an address: `dst/24`.
const FIELDS: [(&str, Field); 5] = [
    ("src", Field::Source(None)),
    ("dst", Field::Destination(None)),
    ("src_port", Field::SourcePort),
    ("dst_port", Field::DestinationPort),
    ("protocol", Field::Protocol),
];

/// Longest prefix, of an IPv6 address.
const MOST_PREFIX_BITS: u8 = 128;

impl Field {
    fn parse(text: &str) -> Result<Self, FlowCacheError> {
        let (name, prefix) = match text.split_once('/') {
            Some((name, prefix)) => (name, Some(prefix)),
            None => (text, None),
        };
        let (_, field) = FIELDS[names::position("key field", name, &FIELDS.map(|(name, _)| name))?];
        let Some(prefix) = prefix else { return Ok(field) };
        let bits = prefix.parse().ok().filter(|bits| (1..=MOST_PREFIX_BITS).contains(bits));
        match (field, bits) {
            (Self::Source(_), Some(_)) => Ok(Self::Source(bits)),
            (Self::Destination(_), Some(_)) => Ok(Self::Destination(bits)),
            _ => Err(Mismatch::new(
                "key field",
                text,
                format!("a prefix of 1 to {MOST_PREFIX_BITS} bits for src or dst only"),
            )
            .into()),
        }
    }

    fn is_known(self, packet: &Packet) -> bool {
        match (packet.decoded, self) {
            (Decoded::Complete, _) => true,
            (Decoded::PortsNotCaptured, Self::Source(_) | Self::Destination(_)) => true,
            // If the capture ends in a chain of IPv6 extension headers, the protocol is that of an extension.
            (Decoded::PortsNotCaptured, Self::Protocol) => {
                matches!(packet.flow.protocol, TCP | UDP | SCTP)
            }
            _ => false,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Source(_) => "src",
            Self::Destination(_) => "dst",
            Self::SourcePort => "src_port",
            Self::DestinationPort => "dst_port",
            Self::Protocol => "protocol",
        }
    }
}

/// The fields of the key, in the order in which their bytes are hashed.
///
/// Addresses have 4 bytes for IPv4 and 16 for IPv6, all in network order: the 5-tuple of IPv4 has the 104 bits
/// of the thesis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    fields: Vec<Field>,
}

impl Key {
    /// Returns source and destination address, source and destination port, protocol (thesis, section 5.4).
    #[must_use]
    pub fn five_tuple() -> Self {
        Self { fields: FIELDS.map(|(_, field)| field).to_vec() }
    }

    /// Returns a key by name or list of fields: `5-tuple`, `2-tuple` (the addresses), `src,dst/24,protocol`.
    ///
    /// # Errors
    ///
    /// If a field is unknown, occurs twice, or has an invalid prefix.
    pub fn parse(text: &str) -> Result<Self, FlowCacheError> {
        match text.to_ascii_lowercase().as_str() {
            "5-tuple" | "5tuple" => return Ok(Self::five_tuple()),
            "2-tuple" | "2tuple" => return Self::parse("src,dst"),
            _ => (),
        }
        let fields =
            text.split(',').map(|field| Field::parse(field.trim())).collect::<Result<Vec<_>, _>>()?;
        for (place, field) in fields.iter().enumerate() {
            if fields[..place].iter().any(|other| other.name() == field.name()) {
                return Err(Mismatch::new(
                    "key",
                    text,
                    format!("each field once; found {} twice", field.name()),
                )
                .into());
            }
        }
        Ok(Self { fields })
    }

    /// Returns the key of an IPv4 packet with these fields: the bytes that [`Key::of`] returns for it.
    #[must_use]
    pub fn of_ipv4(&self, source: u32, destination: u32, ports: (u16, u16), protocol: u8) -> KeyBytes {
        let (src_port, dst_port) = ports;
        let flow = FiveTuple { src: source.into(), dst: destination.into(), src_port, dst_port, protocol };
        self.of_flow(&flow, 4)
    }

    /// Returns the key of a packet, or `None` if it belongs to no flow: the capture lacks a field of the key, or the
    /// packet is not an IP packet.
    #[must_use]
    pub fn of(&self, packet: &Packet) -> Option<KeyBytes> {
        let address_bytes = match packet.network {
            _ if !self.fields.iter().all(|field| field.is_known(packet)) => return None,
            Network::Ipv4 => 4,
            Network::Ipv6 => 16,
            Network::Other => return None,
        };
        Some(self.of_flow(&packet.flow, address_bytes))
    }

    fn of_flow(&self, flow: &FiveTuple, address_bytes: usize) -> KeyBytes {
        let mut bytes = KeyBytes::default();
        for &field in &self.fields {
            bytes.push_field(field, flow, address_bytes);
        }
        bytes
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, field) in self.fields.iter().enumerate() {
            f.write_str(if place == 0 { "" } else { "," })?;
            f.write_str(field.name())?;
            if let Field::Source(Some(bits)) | Field::Destination(Some(bits)) = field {
                write!(f, "/{bits}")?;
            }
        }
        Ok(())
    }
}

/// The bytes of one packet's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyBytes {
    bytes: [u8; MOST_BYTES],
    len: u8,
}

impl Default for KeyBytes {
    fn default() -> Self {
        Self { bytes: [0; MOST_BYTES], len: 0 }
    }
}

impl KeyBytes {
    /// Most bytes of a key.
    pub const MOST: usize = MOST_BYTES;

    /// Returns the bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    fn push_field(&mut self, field: Field, flow: &FiveTuple, address_bytes: usize) {
        match field {
            Field::Source(prefix) => self.push_address(flow.src, prefix, address_bytes),
            Field::Destination(prefix) => self.push_address(flow.dst, prefix, address_bytes),
            Field::SourcePort => self.push(&flow.src_port.to_be_bytes()),
            Field::DestinationPort => self.push(&flow.dst_port.to_be_bytes()),
            Field::Protocol => self.push(&[flow.protocol]),
        }
    }

    fn push_address(&mut self, address: u128, prefix: Option<u8>, address_bytes: usize) {
        let bits = address_bytes as u32 * 8;
        let host_bits = prefix.map_or(0, |prefix| bits.saturating_sub(prefix.into()));
        let network = address.checked_shr(host_bits).unwrap_or(0) << host_bits;
        self.push(&network.to_be_bytes()[16 - address_bytes..]);
    }

    fn push(&mut self, bytes: &[u8]) {
        let len = usize::from(self.len);
        self.bytes[len..len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len() as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(network: Network) -> Packet {
        let flow =
            FiveTuple { src: 0x0a00_0001, dst: 0xc0a8_0102, src_port: 0x1234, dst_port: 80, protocol: 6 };
        Packet { network, decoded: Decoded::Complete, flow, ..Packet::default() }
    }

    fn bytes(key: &str) -> Vec<u8> {
        Key::parse(key).unwrap().of(&packet(Network::Ipv4)).unwrap().as_slice().to_vec()
    }

    #[test]
    fn fields_stand_in_the_order_asked_for_in_network_order() {
        assert_eq!(bytes("5-tuple"), [10, 0, 0, 1, 192, 168, 1, 2, 0x12, 0x34, 0, 80, 6]);
        assert_eq!(bytes("2-tuple"), [10, 0, 0, 1, 192, 168, 1, 2]);
        assert_eq!(bytes("Protocol, dst/24"), [6, 192, 168, 1, 0]);
        assert_eq!(bytes("dst/20"), [192, 168, 0, 0]);
        assert_eq!(bytes("dst/128"), [192, 168, 1, 2]);
    }

    #[test]
    fn the_fields_of_an_ipv4_packet_give_the_key_of_the_packet() {
        for key in ["5-tuple", "dst/20,protocol"].map(|key| Key::parse(key).unwrap()) {
            let packet = packet(Network::Ipv4);
            assert_eq!(key.of(&packet), Some(key.of_ipv4(0x0a00_0001, 0xc0a8_0102, (0x1234, 80), 6)));
        }
    }

    #[test]
    fn ipv6_addresses_take_16_bytes_and_other_packets_have_no_key() {
        let key = Key::five_tuple();
        assert_eq!(key.of(&packet(Network::Ipv6)).unwrap().as_slice().len(), 37);
        assert_eq!(key.of(&packet(Network::Other)), None);
        assert_eq!(key.of(&Packet::default()), None);
        let v6_prefix = Key::parse("dst/1").unwrap().of(&packet(Network::Ipv6)).unwrap();
        assert_eq!(v6_prefix.as_slice(), [0; 16]);
    }

    #[test]
    fn a_packet_without_captured_ports_has_only_keys_that_need_no_port() {
        let known = |decoded, protocol, key: &str| {
            let mut packet = packet(Network::Ipv6);
            (packet.decoded, packet.flow.protocol) = (decoded, protocol);
            Key::parse(key).unwrap().of(&packet).is_some()
        };
        let keys = ["5-tuple", "src_port", "dst,dst_port", "src,protocol", "2-tuple", "dst/24"];
        let udp = keys.map(|key| known(Decoded::PortsNotCaptured, UDP, key));
        assert_eq!(udp, [false, false, false, true, true, true]);
        // The capture ends in a routing header, so that the protocol behind it is not known.
        let routing = keys.map(|key| known(Decoded::PortsNotCaptured, 43, key));
        assert_eq!(routing, [false, false, false, false, true, true]);
        assert_eq!(keys.map(|key| known(Decoded::AddressesNotCaptured, UDP, key)), [false; 6]);
    }

    #[test]
    fn unusable_keys_are_refused_and_names_print_as_they_parse() {
        for key in ["", "src,src", "src_port/8", "dst/0", "dst/129", "dst/x", "dport"] {
            assert!(Key::parse(key).is_err(), "{key}");
        }
        assert!(Key::parse("dst_prot").unwrap_err().to_string().contains("did you mean dst_port"));
        for key in ["src,dst,src_port,dst_port,protocol", "dst/24,src/8"] {
            assert_eq!(Key::parse(key).unwrap().to_string(), key);
        }
    }
}
