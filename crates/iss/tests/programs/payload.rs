//! cast and vscan.

use super::kit::{Program, carrying, folder};
use aho_corasick::AhoCorasick;
use cast5::Cast5;
use cast5::cipher::{Array, BlockCipherEncrypt, KeyInit};
use cast6::Cast6;
use linecard_sim::{Stream, stream};

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The payload after encryption.
fn encrypted(program: &mut Program, payload: &[u8]) -> Vec<u8> {
    let packet = carrying(payload);
    let word = program.packet(&packet);
    let left = program.left().to_vec();
    assert_eq!(left[..28], packet[..28], "headers stay");
    if !payload.is_empty() {
        assert_ne!(word, 0, "one packet in 2^32");
    }
    left[28..].to_vec()
}

#[test]
fn the_test_of_rfc_2144() {
    // Appendix B.1, the key of 128 bits; one block with an initial vector of zeros is the bare cipher.
    let mut program = Program::new("cast", b"key 0123456712345678234567893456789A\n");
    assert_eq!(hex_of(&encrypted(&mut program, &bytes_of("0123456789abcdef"))), "238b4fe5847e44b2");
}

#[test]
fn the_tests_of_rfc_2612() {
    let vectors = [
        ("2342bb9efa38542c0af75647f29f615d", "c842a08972b43d20836c91d1b7530f6b"),
        ("2342bb9efa38542cbed0ac83940ac298bac77a7717942863", "1b386c0210dcadcbdd0e41aa08a7a7e8"),
        (
            "2342bb9efa38542cbed0ac83940ac2988d7c47ce264908461cc1b5137ae6b604",
            "4f6a2038286897b9c9870136553317fa",
        ),
    ];
    for (key, block) in vectors {
        let mut program = Program::new("cast256", format!("key {key}").as_bytes());
        assert_eq!(hex_of(&encrypted(&mut program, &[0; 16])), block, "a key of {} bits", key.len() * 4);
    }
}

/// Chains blocks by hand around the crate's bare cipher; the remaining bytes are combined with the encryption of the
/// last block.
fn chained<const BLOCK: usize>(iv: &[u8], payload: &[u8], encrypt: impl Fn(&mut [u8; BLOCK])) -> Vec<u8> {
    let mut chain: [u8; BLOCK] = iv.try_into().expect("an initial vector of one block");
    let mut out = Vec::new();
    for block in payload.chunks(BLOCK) {
        if block.len() == BLOCK {
            chain.iter_mut().zip(block).for_each(|(chain, byte)| *chain ^= byte);
            encrypt(&mut chain);
            out.extend(chain);
        } else {
            encrypt(&mut chain);
            out.extend(block.iter().zip(chain).map(|(byte, chain)| byte ^ chain));
        }
    }
    out
}

#[test]
fn chained_payloads_agree_with_independent_crates() {
    let mut draw = stream(2144, "payloads");
    for length in (0..70).chain([535, 1460]) {
        let mut some = |count: usize| -> Vec<u8> { (0..count).map(|_| draw.bits() as u8).collect() };
        let (key, iv, payload) = (some(32), some(16), some(length));
        let (key5, iv5) = (&key[..16], &iv[..8]);
        let mut program =
            Program::new("cast", format!("key {}\niv {}\n", hex_of(key5), hex_of(iv5)).as_bytes());
        let cipher = Cast5::new_from_slice(key5).expect("a key of 16 bytes");
        let expected = chained::<8>(iv5, &payload, |block| {
            let mut array = Array::from(*block);
            cipher.encrypt_block(&mut array);
            *block = array.into();
        });
        assert_eq!(encrypted(&mut program, &payload), expected, "CAST-128, {length} bytes");

        let mut program =
            Program::new("cast256", format!("key {}\niv {}\n", hex_of(&key), hex_of(&iv)).as_bytes());
        let cipher = Cast6::new_from_slice(&key).expect("a key of 32 bytes");
        let expected = chained::<16>(&iv, &payload, |block| {
            let mut array = Array::from(*block);
            cipher.encrypt_block(&mut array);
            *block = array.into();
        });
        assert_eq!(encrypted(&mut program, &payload), expected, "CAST-256, {length} bytes");
    }
}

/// Returns the result of vscan for these patterns: all occurrences, overlapping ones too.
fn matches(scanner: &AhoCorasick, payload: &[u8]) -> u32 {
    let numbers: Vec<u32> =
        scanner.find_overlapping_iter(payload).map(|found| found.pattern().as_u32() + 1).collect();
    let smallest = numbers.iter().min().copied().unwrap_or(0);
    smallest << 16 | numbers.len().min(0xffff) as u32
}

fn quoted(pattern: &[u8]) -> String {
    pattern.iter().map(|byte| format!("\\x{byte:02X}")).collect()
}

#[test]
fn matches_agree_with_an_independent_crate() {
    for round in 0..60 {
        let mut draw = stream(round, "patterns");
        let letters = [2, 4, 256][round as usize % 3];
        let shortest = 4 + draw.below(8);
        let some = |count: u32, draw: &mut Stream| -> Vec<u8> {
            (0..count).map(|_| draw.below(letters) as u8).collect()
        };
        let patterns: Vec<Vec<u8>> = (0..draw.below(60))
            .map(|_| {
                let longer = [1, 3, 40][draw.below(3) as usize];
                some(shortest + draw.below(longer), &mut draw)
            })
            .collect();
        let control: String =
            patterns.iter().map(|pattern| format!("name \"{}\"\n", quoted(pattern))).collect();
        let scanner = AhoCorasick::new(&patterns).expect("an automaton");
        let mut program = Program::new("vscan", control.as_bytes());
        for _ in 0..60 {
            let length = [0, 3, 5, 20, 400][draw.below(5) as usize];
            let mut payload = some(length, &mut draw);
            for _ in 0..draw.below(3) {
                let Some(pattern) = patterns.get(draw.below(60) as usize) else { continue };
                // A pattern may also end the payload.
                payload.extend(pattern);
            }
            assert_eq!(
                program.packet(&carrying(&payload)),
                matches(&scanner, &payload),
                "{control}{payload:02x?}"
            );
        }
    }
}

#[test]
fn every_shipped_signature_is_found() {
    let text = std::fs::read_to_string(folder().join("control/signatures.txt")).expect("the signatures");
    let mut program = Program::new("vscan", text.as_bytes());
    let mut number = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        number += 1;
        let quoted =
            line.split_once(" \"").expect("a name and a pattern").1.strip_suffix('"').expect("a quote");
        let mut pattern = Vec::new();
        let mut rest = quoted;
        while let Some(letter) = rest.chars().next() {
            match rest.strip_prefix("\\x") {
                Some(after) => {
                    pattern.extend(bytes_of(&after[..2]));
                    rest = &after[2..];
                }
                None => {
                    pattern.push(letter as u8);
                    rest = &rest[1..];
                }
            }
        }
        let payload = [b"GET /index.html ", &pattern[..], b" HTTP/1.0"].concat();
        let found = program.packet(&carrying(&payload));
        assert!(found & 0xffff >= 1 && found >> 16 <= number, "{line}: {found:#x}");
    }
    assert!(number > 200, "a few hundred signatures");
    assert_eq!(program.packet(&carrying(b"GET /index.html HTTP/1.0\r\nAccept: text/html\r\n\r\n")), 0);
}
