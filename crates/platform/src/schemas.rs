//! Schemas of requests.

use linecard_chips::{ProgramOptions, RunQuestion, RunRequest};
use linecard_drams::{MemoryOptions, MemoryQuestion};
use schemars::{Schema, schema_for};

/// The schemas of requests by the name of the group of options that each is.
pub fn request_schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("run", schema_for!(RunRequest)),
        ("question", schema_for!(RunQuestion)),
        ("program", schema_for!(ProgramOptions)),
        ("dram", schema_for!(MemoryOptions)),
        ("dram question", schema_for!(MemoryQuestion)),
    ]
}
