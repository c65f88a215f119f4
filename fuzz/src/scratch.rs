//! A folder for the files that readers want by name.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Of this process alone, within `FUZZ_SCRATCH` or the system's place for such.
pub fn folder() -> &'static Path {
    FOLDER.get_or_init(|| {
        let within = std::env::var_os("FUZZ_SCRATCH").map_or_else(std::env::temp_dir, PathBuf::from);
        let folder = within.join(format!("linecard-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for inputs");
        folder
    })
}

/// The path of a file of this thread that holds `bytes`; its name ends in `name`.
pub fn file(name: &str, bytes: &[u8]) -> String {
    let thread = format!("{:?}", std::thread::current().id());
    let path = folder().join(format!("{}-{name}", thread.replace(['(', ')'], "")));
    std::fs::write(&path, bytes).expect("room for an input");
    path.to_string_lossy().into_owned()
}

/// Says when a run has had its time. What goes on much longer than this could not be stopped with Ctrl-C either.
pub struct Patience(Instant);

impl Patience {
    /// From now on.
    pub fn new() -> Self {
        Self(Instant::now() + Duration::from_secs(1))
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        Instant::now() > self.0
    }

    /// The same for those who ask for a flow.
    pub fn flow(&self) -> std::ops::ControlFlow<()> {
        if self.is_over() { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
    }
}
