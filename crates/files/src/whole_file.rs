//! Writes files completely or not at all.

use crate::error::{Error, problem};
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file that gets its name when it is complete; until then, and after a failure, the previous content stays under
/// that name. A link stays a link: its target is replaced. A special file, such as a device or a pipe, is written and
/// never replaced, and `-` is stdout.
pub struct WholeFile {
    path: PathBuf,
    /// The temporary file and its final name; `None` if the file is written directly.
    whole: Option<(PathBuf, PathBuf)>,
    file: Option<Box<dyn Write + Send>>,
    error: Option<std::io::Error>,
}

impl WholeFile {
    /// Begins a file. Errors that would prevent the write are reported now and not after a long run.
    ///
    /// # Errors
    /// If it is a folder, its folder is missing, or the system refuses it.
    pub fn create(path: &str) -> Result<Self, Error> {
        let shown = PathBuf::from(path);
        let fail = |why: String| cannot_write(&shown, &why);
        let direct = |file| Ok(Self { path: shown.clone(), whole: None, file: Some(file), error: None });
        if path == "-" {
            return direct(Box::new(BufWriter::new(std::io::stdout())));
        }
        if path.is_empty() || path.ends_with('/') {
            return Err(fail("the path is empty or ends in `/`; expected the path of a file".to_owned()));
        }
        match std::fs::metadata(&shown) {
            Ok(found) if found.is_dir() => return Err(fail("it is a folder".to_owned())),
            Ok(found) if !found.is_file() => {
                let opened = OpenOptions::new().write(true).open(&shown);
                return direct(Box::new(BufWriter::new(opened.map_err(|error| fail(error.to_string()))?)));
            }
            _ => {}
        }
        let place = behind_links(&shown);
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(fail(format!("the folder {} does not exist; create it first", folder.display())));
        }
        let temporary = folder.join(temporary_name());
        let opened = OpenOptions::new().write(true).create_new(true).open(&temporary);
        let file: File = opened.map_err(|error| fail(error.to_string()))?;
        let file: Option<Box<dyn Write + Send>> = Some(Box::new(BufWriter::new(file)));
        Ok(Self { path: shown, whole: Some((temporary, place)), file, error: None })
    }

    /// Writes text; errors are reported at the end.
    pub fn write(&mut self, text: std::fmt::Arguments<'_>) {
        if let (Some(file), None) = (&mut self.file, &self.error) {
            self.error = file.write_fmt(text).err();
        }
    }

    /// Returns a temporary file for data that are written before the whole is known.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn spool(&self) -> Result<Spool, Error> {
        let place = self.whole.as_ref().and_then(|(temporary, _)| temporary.parent());
        let folder = place.map_or_else(std::env::temp_dir, Path::to_path_buf);
        let path = folder.join(temporary_name());
        match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => Ok(Spool { file: BufWriter::new(file), path }),
            Err(error) => Err(cannot_write(&self.path, &error.to_string())),
        }
    }

    /// Names the file, if all of it was copied into it.
    ///
    /// # Errors
    /// If any part of it could not be written.
    pub fn finish_after(mut self, copied: std::io::Result<()>) -> Result<(), Error> {
        if let Err(error) = copied {
            self.error.get_or_insert(error);
        }
        self.finish()
    }

    /// Names the file.
    ///
    /// # Errors
    /// If any part of it could not be written.
    pub fn finish(mut self) -> Result<(), Error> {
        let flushed = match (self.file.take(), self.error.take()) {
            (_, Some(error)) => Err(error),
            (Some(mut file), None) => file.flush(),
            (None, None) => Ok(()),
        };
        let named = flushed.and_then(|()| match &self.whole {
            Some((temporary, place)) => std::fs::rename(temporary, place),
            None => Ok(()),
        });
        named.map_err(|error| cannot_write(&self.path, &error.to_string()))
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let Some(file) = &mut self.file else { return Ok(bytes.len()) };
        file.write(bytes).inspect_err(|error| {
            self.error.get_or_insert_with(|| std::io::Error::new(error.kind(), error.to_string()));
        })
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |file| file.flush())
    }
}

impl std::fmt::Debug for WholeFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WholeFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        // After a rename, no file has the temporary name.
        if let Some((temporary, _)) = &self.whole {
            let _ = std::fs::remove_file(temporary);
        }
    }
}

/// A file for data that are written and read again before the run is over; dropping the value deletes it.
#[derive(Debug)]
pub struct Spool {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Spool {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.file.seek(to)
    }
}

impl Read for Spool {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        self.file.get_mut().read(into)
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Returns a random name that did not exist, which is neither a file of another process nor a planted link.
fn temporary_name() -> String {
    let draw = RandomState::new().hash_one((std::process::id(), SystemTime::now()));
    format!(".linecard-{draw:016x}.tmp")
}

/// Returns the target of a link, even if the target does not exist yet.
fn behind_links(path: &Path) -> PathBuf {
    /// The longest chain of links, as in Linux.
    const MOST_LINKS: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = std::fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(target);
    }
    place
}

fn cannot_write(path: &Path, why: &str) -> Error {
    let message = format!("cannot write {}: {why}", path.display());
    Error::Config { problems: vec![problem("output".into(), "", message)] }
}
