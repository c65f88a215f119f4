//! checksum and md5.

use super::kit::{ICMP, Program, TCP, UDP, carrying, ipv4, ipv6, ones_complement_sum, tcp_body, udp_body};
use linecard_sim::stream;
use md5::{Digest, Md5};

#[test]
fn the_example_of_rfc_1071() {
    // Section 3: the sum is ddf2. An ICMP message has no pseudo header, so its residue is the complement.
    let packet = ipv4(1, 2, ICMP, &[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]);
    assert_eq!(Program::new("checksum", b"").packet(&packet), u32::from(!0xddf2u16));
}

/// Returns the residue according to an independent implementation.
fn residue(parts: &[&[u8]]) -> u32 {
    let mut sum = internet_checksum::Checksum::new();
    for part in parts {
        sum.add_bytes(part);
    }
    u32::from(u16::from_be_bytes(sum.checksum()))
}

#[test]
fn checksums_agree_with_an_independent_crate() {
    let mut program = Program::new("checksum", b"");
    let mut draw = stream(1071, "packets");
    for round in 0..2000 {
        let payload: Vec<u8> =
            (0..[draw.below(8), draw.below(1460)][round % 2]).map(|_| draw.bits() as u8).collect();
        let protocol = if draw.below(2) == 0 { TCP } else { UDP };
        let mut body = match protocol {
            TCP => tcp_body((1, 2), draw.bits() as u32, 0x10, &payload),
            _ => udp_body((1, 2), &payload),
        };
        let checksum_at = if protocol == TCP { 16 } else { 6 };
        let (src, dst) = (u128::from(draw.bits()) << 64 | 1, u128::from(draw.bits()));
        let version6 = draw.below(3) == 0;
        let pseudo: Vec<u8> = if version6 {
            let length = (body.len() as u32).to_be_bytes();
            [&src.to_be_bytes()[..], &dst.to_be_bytes(), &length, &[0, 0, 0, protocol]].concat()
        } else {
            let length = (body.len() as u16).to_be_bytes();
            [&(src as u32).to_be_bytes()[..], &(dst as u32).to_be_bytes(), &[0, protocol], &length].concat()
        };
        let sound = residue(&[&pseudo, &body]) as u16;
        let stated = if draw.below(2) == 0 { sound } else { draw.bits() as u16 | 1 };
        body[checksum_at..checksum_at + 2].copy_from_slice(&stated.to_be_bytes());
        let mut packet = if version6 {
            ipv6(src, dst, protocol, &body)
        } else {
            ipv4(src as u32, dst as u32, protocol, &body)
        };
        let mut header = 0;
        if !version6 && draw.below(3) == 0 {
            packet[8] ^= draw.bits() as u8;
            header = residue(&[&packet[..20]]);
        }
        let unused = protocol == UDP && !version6 && stated == 0;
        let transport = if unused { 0 } else { residue(&[&pseudo, &body]) };
        assert_eq!(program.packet(&packet), header << 16 | transport, "round {round}: {packet:02x?}");
        assert!(stated != sound || transport == 0, "a sound packet leaves nothing");
    }
}

#[test]
fn fragments_and_unused_checksums_leave_nothing() {
    let mut program = Program::new("checksum", b"");
    let mut fragment = ipv4(1, 2, UDP, &[7; 32]);
    fragment[6] = 0x20;
    super::kit::set_header_checksum(&mut fragment);
    assert_eq!(program.packet(&fragment), 0);
    assert_eq!(program.packet(&carrying(b"without a checksum")), 0);
    let mut cut = carrying(b"cut");
    cut.truncate(25);
    assert_eq!(program.packet(&cut), u32::MAX);
    assert_eq!(ones_complement_sum(&ipv4(1, 2, 3, b"")[..20]), 0xffff, "the kit writes sound headers");
}

fn digest_of(program: &mut Program, payload: &[u8]) -> String {
    let first = program.packet(&carrying(payload));
    let digest = program.object("md5_digest", 16);
    assert_eq!(first.to_le_bytes(), digest[..4]);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_test_suite_of_rfc_1321() {
    let suite: [(&str, &str); 7] = [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f",
        ),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a",
        ),
    ];
    let mut program = Program::new("md5", b"");
    for (message, digest) in suite {
        assert_eq!(digest_of(&mut program, message.as_bytes()), digest, "{message:?}");
    }
}

#[test]
fn digests_of_every_length_agree_with_an_independent_crate() {
    let mut program = Program::new("md5", b"");
    let mut draw = stream(1321, "payloads");
    for length in (0..=200).chain([1000, 1471, 1472, 9000]) {
        let payload: Vec<u8> = (0..length).map(|_| draw.bits() as u8).collect();
        let expected: String = Md5::digest(&payload).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest_of(&mut program, &payload), expected, "{length} bytes");
    }
}
