//! Every input that is kept, through its target: what was found once is not found again.

use linecard_fuzz::TARGETS;
use std::path::{Path, PathBuf};

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
