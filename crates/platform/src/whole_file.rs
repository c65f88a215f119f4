//! Files that are written whole or not at all.

use crate::error::Error;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file that gets its name when it is whole; until then, and after a failure, there is nothing under that name that
/// was not there before. A link stays one: what it leads to is replaced. What is no ordinary file (a device, a pipe) is
/// written to and never replaced, and `-` is stdout.
pub(crate) struct WholeFile {
    path: PathBuf,
    /// The file under its other name, and the name that it gets; nothing where it is written to as it is.
    whole: Option<(PathBuf, PathBuf)>,
    file: Option<Box<dyn Write + Send>>,
    error: Option<std::io::Error>,
}

impl WholeFile {
    /// Begins a file; what would keep it from being written is known now rather than after a long run.
    ///
    /// # Errors
    /// When it is a folder, its folder is missing, or the system refuses it.
    pub fn create(path: &str) -> Result<Self, Error> {
        let shown = PathBuf::from(path);
        let fail = |why: String| cannot_write(&shown, &why);
        let direct = |file| Ok(Self { path: shown.clone(), whole: None, file: Some(file), error: None });
        if path == "-" {
            return direct(Box::new(BufWriter::new(std::io::stdout())));
        }
        if path.is_empty() || path.ends_with('/') {
            return Err(fail("it is no name of a file".to_owned()));
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
            return Err(fail(format!("there is no folder {}; make it first", folder.display())));
        }
        // A random name that did not exist: nobody else's file, and no link that somebody laid there.
        let draw = RandomState::new().hash_one((std::process::id(), SystemTime::now()));
        let temporary = folder.join(format!(".linecard-{draw:016x}.tmp"));
        let opened = OpenOptions::new().write(true).create_new(true).open(&temporary);
        let file: File = opened.map_err(|error| fail(error.to_string()))?;
        let file: Option<Box<dyn Write + Send>> = Some(Box::new(BufWriter::new(file)));
        Ok(Self { path: shown, whole: Some((temporary, place)), file, error: None })
    }

    /// Write; what fails is said at the end.
    pub fn write(&mut self, text: std::fmt::Arguments<'_>) {
        if let (Some(file), None) = (&mut self.file, &self.error) {
            self.error = file.write_fmt(text).err();
        }
    }

    /// Give it its name.
    ///
    /// # Errors
    /// When anything of it could not be written.
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
        // After a rename there is nothing left under this name.
        if let Some((temporary, _)) = &self.whole {
            let _ = std::fs::remove_file(temporary);
        }
    }
}

/// Where a link leads, also where there is nothing yet.
fn behind_links(path: &Path) -> PathBuf {
    /// As many links behind one another as Linux follows.
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
    Error::Config { problems: vec![crate::preset::problem("output".into(), "", message)] }
}
