//! Words of a line of a trace, and the request that a format makes of them.

use crate::Cycle;

/// A request as read from a format.
pub(super) struct Request {
    pub arrival: Option<Cycle>,
    pub address: u64,
    pub write: bool,
    pub bytes: Option<u32>,
}

pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Returns whether an operation is a write.
#[inline]
pub(super) fn operation(word: &[u8]) -> Option<bool> {
    match word {
        b"R" | b"r" => Some(false),
        b"W" | b"w" => Some(true),
        _ => {
            let is = |names: &[&[u8]]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
            if is(&[b"READ", b"RD", b"LD", b"P_MEM_RD", b"P_FETCH"]) {
                Some(false)
            } else if is(&[b"WRITE", b"WR", b"ST", b"P_MEM_WR"]) {
                Some(true)
            } else {
                None
            }
        }
    }
}

pub(super) fn shown(word: &[u8]) -> String {
    let cut = &word[..word.len().min(40)];
    format!("`{}`", String::from_utf8_lossy(cut))
}

#[inline]
pub(super) fn decimal(word: &[u8]) -> Option<u64> {
    if word.is_empty() || word.len() > 19 {
        return None;
    }
    word.iter().try_fold(0u64, |value, &c| c.is_ascii_digit().then(|| value * 10 + u64::from(c - b'0')))
}

/// Reads a number: hexadecimal after `0x`, otherwise decimal.
#[inline]
fn number(word: &[u8]) -> Option<u64> {
    match word {
        [b'0', b'x' | b'X', digits @ ..] if (1..=16).contains(&digits.len()) => {
            digits.iter().try_fold(0u64, |value, &c| {
                let digit = match c {
                    b'0'..=b'9' => c - b'0',
                    b'a'..=b'f' => c - b'a' + 10,
                    b'A'..=b'F' => c - b'A' + 10,
                    _ => return None,
                };
                Some(value << 4 | u64::from(digit))
            })
        }
        _ => decimal(word),
    }
}

pub(super) fn need_operation(word: &[u8], expected: &str) -> Result<bool, String> {
    operation(word).ok_or_else(|| format!("operation {}; expected {expected}", shown(word)))
}

pub(super) fn need_address(word: &[u8]) -> Result<u64, String> {
    number(word)
        .ok_or_else(|| format!("found address {}; expected a number such as 0x1a40 or 6720", shown(word)))
}

pub(super) fn need_arrival(word: &[u8]) -> Result<Cycle, String> {
    decimal(word).ok_or_else(|| format!("found arrival {}; expected a whole number of clocks", shown(word)))
}
