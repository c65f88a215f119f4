//! How a chip's engines and what stands above them meet, as its file says: what `linecard hierarchy` and `linecard vrp` begin with.

use super::board::Board;
use super::design::Design;
use crate::error::Error;
use crate::preset::problem;
use linecard_chip::config::{PlaceKind, ServerConfig};
use linecard_program::script::Access;

/// What the hierarchy above a chip's engines looks at.
pub(crate) struct Above {
    /// Core, link and host.
    pub board: Board,
    /// Clock of the engines that take packets, MHz.
    pub engine_mhz: f64,
    /// Way of a transfer from DRAM to registers, there and back; picoseconds.
    pub transit_ps: u64,
    transfers: ServerConfig,
}

impl Above {
    /// Picoseconds for which a transfer of so many bytes occupies the DRAM.
    pub fn transfer_ps(&self, bytes: u32) -> f64 {
        let server = &self.transfers;
        let words = f64::from(bytes) / f64::from(server.word_bytes.max(1));
        server.access_ps[Access::Read as usize] as f64
            + words * server.word_ps as f64
            + f64::from(bytes) * server.byte_fs as f64 / 1e3
    }
}

/// Reads what stands above the engines of a chip, and how they reach its DRAM by single instructions.
///
/// # Errors
/// All problems of the file at once, and that nothing stands above the engines.
pub(crate) fn above(preset: &str, overrides: &[String]) -> Result<Above, Error> {
    let none = || {
        let message = format!("`{preset}` is a chip without a core and a host above it");
        Error::Config { problems: vec![problem("preset".into(), "", message)] }
    };
    if Design::load(preset, overrides, None, 1)?.board.is_none() {
        return Err(none());
    }
    // The path from DRAM to registers is bound for the program that measures it.
    let probe = "program.step[transfer].at=dram_to_engine".to_owned();
    let changes: Vec<String> = overrides.iter().cloned().chain([probe]).collect();
    let design = Design::load(preset, &changes, Some("probe"), 1)?;
    let config = &design.config;
    let role = config.roles.iter().position(|role| role == "dram_to_engine");
    let target = role.and_then(|role| config.targets.first()?[role].as_ref());
    let server = target.and_then(|target| match &config.places[target.place].kind {
        PlaceKind::Server(server) => Some(server.clone()),
        _ => None,
    });
    let (Some(board), Some(target), Some(transfers)) = (design.board.clone(), target, server) else {
        return Err(none());
    };
    Ok(Above {
        board,
        engine_mhz: config.clusters[0].clock_hz as f64 / 1e6,
        transit_ps: target.issue_ps + target.back_ps,
        transfers,
    })
}
