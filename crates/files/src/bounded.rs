//! Files that are read whole, up to a bound.
//!
//! A name may lead to a pipe without a writer, or to a device that never ends, and another user may have written the
//! file with the name. Such a file must not make a run wait or grow without a bound.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};

/// The limit for presets, programs of steps and lists of rules.
pub const MOST_PRESET_BYTES: u64 = 16 << 20;
/// The limit for nets, packet programs and their control data.
pub const MOST_INPUT_BYTES: u64 = 256 << 20;

/// Returns the bytes of a regular file.
///
/// # Errors
/// If it cannot be read, is not a regular file, or is larger than `most` bytes.
pub fn read(path: &str, most: u64) -> Result<Vec<u8>, Error> {
    let found = std::fs::metadata(path)?;
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    // The test comes before the file is opened: opening a pipe would wait for a writer.
    if !found.is_file() {
        return Err(Error::new(
            ErrorKind::InvalidInput,
            "this path is not a regular file; copy the content to a regular file",
        ));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let words =
            format!("the file is larger than {} MiB, the limit for input files of this type", most >> 20);
        return Err(Error::new(ErrorKind::FileTooLarge, words));
    }
    Ok(bytes)
}

/// Returns the same as text.
///
/// # Errors
/// As [`read`], and if it is not UTF-8.
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
