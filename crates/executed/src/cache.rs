//! Traces kept in a folder, by the hash of everything that they depend on.
//!
//! By default a trace is rebuilt, which is fast; a folder saves time if the same program and capture are used often.
//! Nothing in the folder is trusted: a file begins with its version and a checksum over its name and its content. A
//! file that is damaged, or of another version, is rebuilt, with a note. The folder is bounded: the least recently
//! used files are removed.

use super::trace::{ProgramReport, ProgramRequest, TracedProgram, trace_program};
use linecard_files::preset::load;
use linecard_files::{Error, problem};
use linecard_malleable::Work;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Increases if traces, work or the file change their meaning.
const VERSION: u32 = 5;
const CHUNK_BYTES: usize = 1 << 20;
/// The first bytes of every file; version (4 bytes), length (8) and checksum (32) follow.
const MAGIC: &[u8; 8] = b"LC-TRACE";
const HEADER_BYTES: usize = 8 + 4 + 8 + 32;
/// The ending of names; the part before it is the key in hexadecimal.
const ENDING: &str = "trace";
const KEY_DIGITS: usize = 64;
/// A temporary file that is older belongs to a killed process.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);
/// The default limit for the files of a folder together.
pub const TRACE_CACHE_BYTES: u64 = 4 << 30;

#[derive(Serialize, Deserialize)]
struct Kept {
    report: ProgramReport,
    work: Work,
}

/// One trace in a trace folder; `program`, `traffic` and `packets` are `None` if the file cannot be used.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CachedTrace {
    /// Name of the trace file.
    pub file: String,
    /// Size.
    pub bytes: u64,
    /// Seconds since the last use of the file.
    pub unused_seconds: u64,
    /// Name of the program; `None` if the file cannot be used.
    pub program: Option<String>,
    /// Traffic.
    pub traffic: Option<String>,
    /// Number of traced packets.
    pub packets: Option<u64>,
    /// The reason why the file cannot be used; `None` if the file can be used.
    pub problem: Option<String>,
}

fn failed(place: &str, action: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Config { problems: vec![problem(place.to_owned(), "", format!("cannot {action}: {error}"))] }
}

/// Returns a trace from the folder, or builds it and stores it there, with notes on problems of the folder; see
/// [`trace_program`]. Afterwards, the files of the folder have at most `most_bytes` together.
///
/// # Errors
/// As [`trace_program`], and if the folder does not exist and cannot be created.
pub fn trace_program_cached(
    request: &ProgramRequest,
    folder: &str,
    most_bytes: u64,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<(TracedProgram, Vec<String>), Error> {
    let mut notes = Vec::new();
    let key = key(request)?;
    let file = Path::new(folder).join(format!("{key}.{ENDING}"));
    match read(&file, &key) {
        Ok(Some(kept)) => {
            // If the time cannot be set, the file looks old and is evicted earlier, which is no error.
            let _ = File::options()
                .append(true)
                .open(&file)
                .and_then(|opened| opened.set_modified(SystemTime::now()));
            // The same program may have been traced under another name.
            let report = ProgramReport { elf: request.elf.clone(), ..kept.report };
            return Ok((TracedProgram { report, work: kept.work }, notes));
        }
        Ok(None) => {}
        Err(defect) => notes.push(format!("{}: {defect}; the trace is rebuilt", file.display())),
    }
    // A folder that cannot be created is an error before the long run, not after it.
    if !Path::new(folder).is_dir() {
        std::fs::create_dir(folder).map_err(|error| failed(folder, "create the folder", &error))?;
    }
    let TracedProgram { report, work } = trace_program(request, progress)?;
    let kept = Kept { report, work };
    // The requested trace is complete: a full disk must not lose it.
    let stored = postcard::to_stdvec(&kept).map_err(|error| error.to_string()).and_then(|payload| {
        let bytes = (HEADER_BYTES + payload.len()) as u64;
        if bytes > most_bytes {
            return Err(format!(
                "the trace has {bytes} bytes, but the folder may contain at most {most_bytes} bytes of traces"
            ));
        }
        write(&file, &key, &payload).map_err(|error| error.to_string())
    });
    match stored {
        Ok(()) => evict(Path::new(folder), most_bytes, &file),
        Err(defect) => notes.push(format!("{folder}: the trace was not stored: {defect}")),
    }
    Ok((TracedProgram { report: kept.report, work: kept.work }, notes))
}

/// Returns the traces of a folder, the most recently used first.
///
/// # Errors
/// If the folder cannot be read.
pub fn cached_traces(folder: &str) -> Result<Vec<CachedTrace>, Error> {
    let mut files = traces(Path::new(folder)).map_err(|error| failed(folder, "read the folder", &error))?;
    files.sort_by(|a, b| (b.used, &a.path).cmp(&(a.used, &b.path)));
    let now = SystemTime::now();
    Ok(files
        .into_iter()
        .map(|each| {
            let (report, problem) = match read(&each.path, &each.key) {
                Ok(Some(kept)) => (Some(kept.report), None),
                Ok(None) => (None, Some("the file no longer exists".to_owned())),
                Err(defect) => (None, Some(defect)),
            };
            CachedTrace {
                file: format!("{}.{ENDING}", each.key),
                bytes: each.bytes,
                unused_seconds: now.duration_since(each.used).map_or(0, |age| age.as_secs()),
                program: report.as_ref().map(|report| report.elf.clone()),
                traffic: report.as_ref().map(|report| report.traffic.title.clone()),
                packets: report.as_ref().map(|report| report.traffic.packets),
                problem,
            }
        })
        .collect())
}

/// Removes the traces of a folder, and nothing else. Returns the numbers of removed files and bytes.
///
/// # Errors
/// If the folder cannot be read, or a file cannot be removed.
pub fn clear_cached_traces(folder: &str) -> Result<(u64, u64), Error> {
    let files = traces(Path::new(folder)).map_err(|error| failed(folder, "read the folder", &error))?;
    let mut gone = (0, 0);
    for each in files {
        std::fs::remove_file(&each.path)
            .map_err(|error| failed(&each.path.to_string_lossy(), "remove the file", &error))?;
        gone = (gone.0 + 1, gone.1 + each.bytes);
    }
    remove_left_behind(Path::new(folder), Duration::ZERO);
    Ok(gone)
}

/// Returns the checksum over everything that must not change: the version, the name of the file, and its content.
fn checksum(key: &str, payload: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(VERSION.to_le_bytes());
    hash.update(key);
    hash.update(payload);
    hash.finalize().into()
}

/// Returns the content of the file; `None` if it does not exist, and an error with its defect.
fn read(file: &Path, key: &str) -> Result<Option<Kept>, String> {
    let metadata = match std::fs::metadata(file) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    // Opening a pipe would wait for a writer.
    if !metadata.is_file() {
        return Err("not a regular file".to_owned());
    }
    let mut opened = File::open(file).map_err(|error| error.to_string())?;
    let mut header = [0; HEADER_BYTES];
    opened.read_exact(&mut header).map_err(|_| "damaged: shorter than its header".to_owned())?;
    let (magic, rest) = header.split_at(MAGIC.len());
    let (version, rest) = rest.split_at(4);
    let (length, sum) = rest.split_at(8);
    if magic != MAGIC {
        return Err("not a trace of this version of Linecard".to_owned());
    }
    let version = u32::from_le_bytes(version.try_into().unwrap_or_default());
    if version != VERSION {
        return Err(format!("version {version}, expected {VERSION}"));
    }
    let length = u64::from_le_bytes(length.try_into().unwrap_or_default());
    // The lengths are compared before memory is reserved, so that a damaged length reserves none.
    if metadata.len().checked_sub(HEADER_BYTES as u64) != Some(length) {
        return Err(format!(
            "damaged: its length of {} bytes differs from the length in its header",
            metadata.len()
        ));
    }
    let mut payload = Vec::new();
    opened.take(length).read_to_end(&mut payload).map_err(|error| error.to_string())?;
    if payload.len() as u64 != length || checksum(key, &payload) != sum {
        return Err("damaged: its checksum is wrong".to_owned());
    }
    let kept: Kept = postcard::from_bytes(&payload).map_err(|error| format!("damaged: {error}"))?;
    if kept.work.is_sound() { Ok(Some(kept)) } else { Err("damaged: it refers to missing data".to_owned()) }
}

/// Writes the file whole, or keeps the previous one.
fn write(file: &Path, key: &str, payload: &[u8]) -> std::io::Result<()> {
    // A random name that did not exist is neither a file of another process nor a planted link.
    let draw = RandomState::new().hash_one((std::process::id(), SystemTime::now()));
    let temporary = file.with_file_name(format!(".{key}.{draw:016x}.tmp"));
    let mut opened = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let written = opened
        .write_all(MAGIC)
        .and_then(|()| opened.write_all(&VERSION.to_le_bytes()))
        .and_then(|()| opened.write_all(&(payload.len() as u64).to_le_bytes()))
        .and_then(|()| opened.write_all(&checksum(key, payload)))
        .and_then(|()| opened.write_all(payload))
        .and_then(|()| opened.sync_all())
        .and_then(|()| std::fs::rename(&temporary, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

struct Found {
    path: PathBuf,
    key: String,
    bytes: u64,
    used: SystemTime,
}

/// Returns the files of the folder that have the name of a trace; other files are never counted or removed.
fn traces(folder: &Path) -> std::io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let key =
            name.to_str().and_then(|name| name.strip_suffix(&format!(".{ENDING}"))).filter(|key| is_key(key));
        let Some(key) = key else { continue };
        // Another process may have removed it meanwhile.
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_file() {
            let used = used(&metadata);
            found.push(Found { path: entry.path(), key: key.to_owned(), bytes: metadata.len(), used });
        }
    }
    Ok(found)
}

fn is_key(text: &str) -> bool {
    text.len() == KEY_DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn used(metadata: &Metadata) -> SystemTime {
    metadata.modified().unwrap_or(UNIX_EPOCH)
}

/// Removes the least recently used files until the rest fits, but never the file just written.
fn evict(folder: &Path, most_bytes: u64, written: &Path) {
    remove_left_behind(folder, LEFT_BEHIND);
    let Ok(mut files) = traces(folder) else { return };
    files.sort_by_key(|each| (each.path != written, std::cmp::Reverse(each.used)));
    let mut total = 0u64;
    for each in files {
        total = total.saturating_add(each.bytes);
        if total > most_bytes && each.path != written {
            let _ = std::fs::remove_file(&each.path);
            total -= each.bytes;
        }
    }
}

/// Removes temporary files of killed processes.
fn remove_left_behind(folder: &Path, age: Duration) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let temporary = name.to_str().and_then(|name| name.strip_prefix('.')?.strip_suffix(".tmp"));
        let ours = temporary.and_then(|name| name.split_once('.')).is_some_and(|(key, _)| is_key(key));
        let old = || {
            let used = entry.metadata().ok().map(|metadata| used(&metadata));
            used.and_then(|used| SystemTime::now().duration_since(used).ok())
                .is_some_and(|since| since >= age)
        };
        if ours && old() {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Returns the hash of program, control data, packets and all options.
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
        "{VERSION} {} {} {} {} {} {} {:?} {} {pipeline:?}",
        packets.traffic,
        packets.packets,
        packets.payload,
        packets.seed,
        packets.strict,
        request.budget,
        request.entry,
        request.checked,
    );
    hash.update(chosen);
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Adds the hash of the file, with a mark that it exists, so that no two lists of files have the same bytes.
fn add_file(hash: &mut Sha256, file: &str) -> Result<(), Error> {
    let mut reader = File::open(file).map_err(|error| failed(file, "read the file", &error))?;
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut own = Sha256::new();
    loop {
        match reader.read(&mut chunk).map_err(|error| failed(file, "read the file", &error))? {
            0 => break,
            count => own.update(&chunk[..count]),
        }
    }
    hash.update([1]);
    hash.update(own.finalize());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PacketRequest;

    /// Returns an empty folder of this test and process.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("linecard-cache-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    fn request(packets: u64) -> ProgramRequest {
        ProgramRequest {
            elf: concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/prebuilt/checksum.elf").to_owned(),
            entry: None,
            control: None,
            packets: PacketRequest {
                traffic: "edge".to_owned(),
                packets,
                payload: "random".to_owned(),
                seed: 1,
                routes: None,
                strict: false,
            },
            budget: 1_000_000,
            checked: true,
        }
    }

    fn cached(request: &ProgramRequest, folder: &Path, most: u64) -> (String, Vec<String>) {
        let mut progress = |_, _| ControlFlow::Continue(());
        let (traced, notes) =
            trace_program_cached(request, folder.to_str().unwrap(), most, &mut progress).unwrap();
        (format!("{:?} {:?}", traced.report, traced.work), notes)
    }

    fn only_file(folder: &Path) -> PathBuf {
        let mut files = traces(folder).unwrap();
        assert_eq!(files.len(), 1);
        files.pop().unwrap().path
    }

    #[test]
    fn a_damaged_file_is_made_again_and_never_believed() {
        let (folder, request) = (folder("damage"), request(20));
        let (fresh, notes) = cached(&request, &folder, TRACE_CACHE_BYTES);
        assert!(notes.is_empty(), "{notes:?}");
        assert_eq!(cached(&request, &folder, TRACE_CACHE_BYTES), (fresh.clone(), vec![]));
        let file = only_file(&folder);
        let whole = std::fs::read(&file).unwrap();
        let step = whole.len() / 20 + 1;
        let flipped =
            (0..HEADER_BYTES).step_by(3).chain((HEADER_BYTES..whole.len()).step_by(step)).map(|at| {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << (at % 8);
                bytes
            });
        let cut =
            [0, 1, 8, 20, HEADER_BYTES, whole.len() / 2, whole.len() - 1].map(|to| whole[..to].to_vec());
        let longer = [[&whole[..], b"x"].concat(), vec![0xff; 5000], vec![0; 5000], b"no trace".to_vec()];
        for damaged in flipped.chain(cut).chain(longer) {
            std::fs::write(&file, &damaged).unwrap();
            let (again, notes) = cached(&request, &folder, TRACE_CACHE_BYTES);
            assert!(again == fresh, "a damaged file changed the result");
            assert!(notes.len() == 1 && notes[0].contains("rebuilt"), "{notes:?}");
            assert!(std::fs::read(&file).unwrap() == whole, "it was not made again");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_trace_under_the_name_of_another_is_made_again() {
        let folder = folder("renamed");
        let (short, _) = cached(&request(5), &folder, TRACE_CACHE_BYTES);
        let file = only_file(&folder);
        let other = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let (long, _) = cached(&request(6), &folder, TRACE_CACHE_BYTES);
        std::fs::write(only_file(&folder), other).unwrap();
        let (again, notes) = cached(&request(6), &folder, TRACE_CACHE_BYTES);
        assert!(again == long && again != short);
        assert!(notes[0].contains("checksum"), "{notes:?}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_folder_is_bounded_and_what_was_used_least_recently_goes() {
        let folder = folder("bound");
        let size = |packets| {
            cached(&request(packets), &folder, TRACE_CACHE_BYTES);
            let key = key(&request(packets)).unwrap();
            let path = folder.join(format!("{key}.{ENDING}"));
            // So old that the order does not depend on the resolution of clocks.
            let age = Duration::from_secs(10_000 - packets * 100);
            File::options().append(true).open(&path).unwrap().set_modified(SystemTime::now() - age).unwrap();
            std::fs::metadata(path).unwrap().len()
        };
        let sizes: Vec<u64> = [30, 31, 32].map(size).to_vec();
        std::fs::write(folder.join("mine.txt"), "not a trace").unwrap();
        let left_behind = folder.join(format!(".{}.0123.tmp", "a".repeat(KEY_DIGITS)));
        std::fs::write(&left_behind, "half").unwrap();
        let day = SystemTime::now() - Duration::from_secs(86_400);
        File::options().append(true).open(&left_behind).unwrap().set_modified(day).unwrap();
        // The oldest is used, so that the second is the least recent.
        cached(&request(30), &folder, TRACE_CACHE_BYTES);
        let most = sizes.iter().sum::<u64>() + 1000;
        let (_, notes) = cached(&request(33), &folder, most);
        assert!(notes.is_empty(), "{notes:?}");
        let listed = cached_traces(folder.to_str().unwrap()).unwrap();
        let mut packets: Vec<u64> = listed.iter().filter_map(|each| each.packets).collect();
        packets.sort_unstable();
        assert_eq!(packets, [30, 32, 33]);
        assert!(listed.iter().map(|each| each.bytes).sum::<u64>() <= most);
        assert!(!left_behind.exists());
        // A trace that does not fit is returned but not kept.
        let (_, notes) = cached(&request(34), &folder, 100);
        assert!(notes[0].contains("not stored"), "{notes:?}");
        assert_eq!(clear_cached_traces(folder.to_str().unwrap()).unwrap().0, 3);
        assert!(folder.join("mine.txt").exists());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_full_or_odd_place_loses_no_trace() {
        let folder = folder("odd");
        let request = request(5);
        std::fs::create_dir(&folder).unwrap();
        // A folder where the file should be: it can neither be read nor replaced.
        std::fs::create_dir(folder.join(format!("{}.{ENDING}", key(&request).unwrap()))).unwrap();
        let (result, notes) = cached(&request, &folder, TRACE_CACHE_BYTES);
        assert!(result.contains("checksum"));
        assert!(notes.len() == 2 && notes[1].contains("not stored"), "{notes:?}");
        let leftovers = std::fs::read_dir(&folder).unwrap().count();
        assert_eq!(leftovers, 1, "a temporary file stayed");
        // A missing parent folder is not created.
        let deep = folder.join("a/b/c");
        let mut progress = |_, _| ControlFlow::Continue(());
        let missing = trace_program_cached(&request, deep.to_str().unwrap(), 1 << 30, &mut progress);
        assert!(missing.unwrap_err().to_string().contains("cannot create the folder"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
