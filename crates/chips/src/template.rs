//! A file to start from: the text of a shipped chip, or a few lines that change one.

use super::kind::{is_chip, preset_name};
use linecard_files::preset::load;
use linecard_files::{Error, problem};

/// The text of a file that is like `preset`. A chip comes as a whole, with its comments; of any other platform, a file that
/// extends it.
///
/// # Errors
/// There is no such preset, or it is a part that cannot run.
pub fn chip_template(preset: &str) -> Result<String, Error> {
    let name = preset_name(preset);
    let (file, text) = load(&name)
        .map_err(|message| Error::Config { problems: vec![problem("--like".into(), "", message)] })?;
    if is_chip(preset) {
        return Ok(text.to_string());
    }
    if !file.starts_with("platforms/") {
        let message = format!(
            "`{preset}` is a part, not a platform; `linecard presets` lists the presets that can be run"
        );
        return Err(Error::Config { problems: vec![problem("--like".into(), "", message)] });
    }
    Ok(format!(
        "title = \"My own: like {preset}\"\nextends = [\"{}\"]\n\n# Change what differs, such as:\n# [engine]\n# threads = {{ value = 8, unit = \
         \"threads\", source = \"my design\" }}\n",
        name.trim_end_matches(".toml")
    ))
}
