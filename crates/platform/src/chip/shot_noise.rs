//! The shot noise of a chip, for those who look at traffic alone.

use super::design::Design;
use super::kind::is_chip;
use crate::error::Error;
use crate::preset::problem;
use linecard_traffic::generators::ShotNoiseConfig;

/// Shot noise as a chip's file describes it, whatever arrivals it has.
///
/// # Errors
/// All problems of the file at once, and that it has no shot noise.
pub(crate) fn shot_noise_of(preset: &str, overrides: &[String], seed: u64) -> Result<ShotNoiseConfig, Error> {
    if !is_chip(preset) {
        let message = format!("found `{preset}`, expected a chip with [shots], such as ixp2400_core");
        return Err(Error::Config { problems: vec![problem("shot noise".into(), "", message)] });
    }
    let changes: Vec<String> =
        overrides.iter().cloned().chain(["traffic.arrivals=shot_noise".to_owned()]).collect();
    let design = Design::load(preset, &changes, None, seed)?;
    let Some(shots) = design.traffic.shots else { unreachable!("it was requested, and read") };
    Ok(ShotNoiseConfig { seed, ..shots })
}
