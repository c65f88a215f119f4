//! Every input that is kept, and some drawn ones, through every target: the part of the campaign that each change goes through.

use linecard_fuzz::{Cases, TARGETS, tally};
use std::path::{Path, PathBuf};

/// Drawn cases; `make campaign` runs as many as are asked for.
const CASES: usize = 400;
const SEED: u64 = 15;

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(listed) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn every_kept_input_goes_through_its_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for target in TARGETS {
        let kept = files(&corpus.join(target.name));
        assert!(!kept.is_empty(), "{} has no corpus: make fuzz MERGE=1 writes one", target.name);
        for file in kept {
            let bytes = std::fs::read(&file).expect("a kept input");
            let ended = std::panic::catch_unwind(|| (target.run)(&bytes));
            assert!(ended.is_ok(), "{}", file.display());
        }
    }
    for folder in files(&corpus) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        assert!(TARGETS.iter().any(|target| target.name == name), "{name} is no target any more");
    }
}

#[test]
fn drawn_requests_break_no_law() {
    let broken: Vec<String> = Cases::new(SEED)
        .take(CASES)
        .filter_map(|case| {
            let words = case.run().err()?;
            Some(format!("{}: {words}\n{}", case.target.name, String::from_utf8_lossy(&case.bytes)))
        })
        .collect();
    assert!(broken.is_empty(), "{} broken laws:\n{}", broken.len(), broken.join("\n"));
    // Most that is drawn should get as far as a result; a campaign of refusals would say nothing.
    let (results, refused) = tally();
    assert!(results * 4 > refused, "{results} results, {refused} refused");
}
