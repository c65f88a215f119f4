//! Files that are read whole, up to a bound.
//!
//! A name may lead to a pipe that nobody writes to, or to a device that never ends, and it may stand in a file that somebody
//! else wrote: such a file must not make a run wait or grow without a bound.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};

/// Presets, programs of steps, lists of rules.
pub const MOST_PRESET_BYTES: u64 = 16 << 20;
/// Nets, packet programs and their control data.
pub const MOST_INPUT_BYTES: u64 = 256 << 20;

/// The bytes of a regular file.
///
/// # Errors
/// When it cannot be read, is no regular file, or is larger than `most` bytes.
pub fn read(path: &str, most: u64) -> Result<Vec<u8>, Error> {
    let found = std::fs::metadata(path)?;
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    // The test comes before the file is opened: opening a pipe would wait for a writer.
    if !found.is_file() {
        return Err(Error::new(
            ErrorKind::InvalidInput,
            "it is not a regular file; copy its content into one",
        ));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let words = format!("it is larger than {} MiB, the limit of such a file", most >> 20);
        return Err(Error::new(ErrorKind::FileTooLarge, words));
    }
    Ok(bytes)
}

/// The same as text.
///
/// # Errors
/// As [`read`], and when it is no UTF-8.
pub fn read_text(path: &str, most: u64) -> Result<String, Error> {
    let not_utf8 = |_| Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8");
    String::from_utf8(read(path, most)?).map_err(not_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_folders_and_what_is_too_large_are_refused() {
        let words = |path: &str, most| read(path, most).unwrap_err().to_string();
        assert!(words("/dev/zero", 10).contains("not a regular file"));
        assert!(words("/", 10).contains("directory"));
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert!(words(own, 10).contains("larger than 0 MiB"));
        let whole = std::fs::metadata(own).unwrap().len();
        assert_eq!(read_text(own, whole).unwrap(), std::fs::read_to_string(own).unwrap());
    }
}
