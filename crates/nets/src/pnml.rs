//! Converts PNML text to a net and back, with the feature `pnml`; without the feature, both are refused.

use linecard_files::Error;
use linecard_petri::Net;
use std::ops::ControlFlow;

#[cfg(feature = "pnml")]
mod kept {
    use super::{ControlFlow, Error, Net};
    use crate::wrong::petri;

    pub fn read(path: &str, text: &str, watch: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Net, Error> {
        linecard_petri::read_pnml_until(text, watch).map_err(|error| petri(path, error))
    }

    pub fn rewrite(path: &str, text: &str) -> Result<String, Error> {
        linecard_petri::rewrite_pnml(text).map_err(|error| petri(path, error))
    }

    pub fn write(_: &str, net: &Net) -> Result<String, Error> {
        Ok(linecard_petri::write_pnml(net))
    }
}

#[cfg(not(feature = "pnml"))]
mod kept {
    use super::{ControlFlow, Error, Net};
    use crate::wrong::one_problem;

    fn left_out<T>(path: &str) -> Result<T, Error> {
        let message =
            "found PNML, expected TOML: this build does not include PNML; build with the feature pnml";
        Err(one_problem(path, message.to_owned()))
    }

    pub fn read(path: &str, _: &str, _: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Net, Error> {
        left_out(path)
    }

    pub fn rewrite(path: &str, _: &str) -> Result<String, Error> {
        left_out(path)
    }

    pub fn write(path: &str, _: &Net) -> Result<String, Error> {
        left_out(path)
    }
}

pub(super) use kept::{read, rewrite, write};
