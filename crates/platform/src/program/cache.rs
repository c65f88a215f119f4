//! Traces kept in a folder, by the hash of everything that they depend on.
//!
//! A trace is made again by default, which is fast; a folder pays where the same program and capture are looked at often.
//! A file that cannot be read, or is of another version, is made again.

use super::trace::{ProgramReport, ProgramRequest, TracedProgram, trace_program};
use crate::error::Error;
use crate::preset::{load, problem};
use linecard_malleable::Work;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

/// Changes when traces or work change their meaning.
const VERSION: u32 = 1;
const CHUNK_BYTES: usize = 1 << 20;

#[derive(Serialize, Deserialize)]
struct Kept {
    report: ProgramReport,
    work: Work,
}

fn failed(place: &str, action: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Config { problems: vec![problem(place.to_owned(), "", format!("cannot {action}: {error}"))] }
}

/// A trace from the folder, or made and put there; see [`trace_program`].
///
/// # Errors
/// As [`trace_program`], and when the folder cannot be written to.
pub fn trace_program_cached(
    request: &ProgramRequest,
    folder: &str,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<TracedProgram, Error> {
    let file = Path::new(folder).join(format!("{}.trace", key(request)?));
    if let Ok(bytes) = std::fs::read(&file)
        && let Ok(kept) = postcard::from_bytes::<Kept>(&bytes)
    {
        // The same bytes may stand under another name.
        let report = ProgramReport { elf: request.elf.clone(), ..kept.report };
        return Ok(TracedProgram { report, work: kept.work });
    }
    let TracedProgram { report, work } = trace_program(request, progress)?;
    let kept = Kept { report, work };
    let bytes = postcard::to_stdvec(&kept).map_err(|error| Error::Run(error.to_string()))?;
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, "make the folder", &error))?;
    let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&temporary, bytes)
        .and_then(|()| std::fs::rename(&temporary, &file))
        .map_err(|error| failed(folder, "write a trace", &error))?;
    Ok(TracedProgram { report: kept.report, work: kept.work })
}

/// Hash of program, control data, packets and everything that is chosen.
fn key(request: &ProgramRequest) -> Result<String, Error> {
    let packets = &request.packets;
    let mut hash = Sha256::new();
    add_file(&mut hash, &request.elf)?;
    for file in [&request.control, &packets.routes] {
        match file {
            Some(file) => add_file(&mut hash, file)?,
            None => hash.update([0]),
        }
    }
    if Path::new(&packets.traffic).is_file() {
        add_file(&mut hash, &packets.traffic)?;
    } else if let Ok((_, text)) = load(&format!("traffic/{}", packets.traffic)) {
        hash.update(text.as_bytes());
    }
    let pipeline = super::trace::pipeline()?;
    let chosen = format!(
        "{VERSION} {} {} {} {} {} {} {pipeline:?}",
        packets.traffic, packets.packets, packets.payload, packets.seed, packets.strict, request.budget,
    );
    hash.update(chosen);
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn add_file(hash: &mut Sha256, file: &str) -> Result<(), Error> {
    let mut reader = std::fs::File::open(file).map_err(|error| failed(file, "read the file", &error))?;
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match reader.read(&mut chunk).map_err(|error| failed(file, "read the file", &error))? {
            0 => return Ok(()),
            count => hash.update(&chunk[..count]),
        }
    }
}
