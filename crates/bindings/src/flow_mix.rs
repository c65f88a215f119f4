//! `linecard.flow_mix`: traffic with the requested flow statistics, as digests and arrival times.

use linecard_flowcache::{TrafficView, TrafficViewBuilder};
use linecard_traffic::TrafficError;
use linecard_traffic::generators::FlowMix;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// The generated traffic in the form that Python receives.
pub struct Made {
    times_ns: Vec<u8>,
    digests: Vec<u8>,
    view: TrafficView,
}

/// Generates the packets; every flow has a different digest.
pub fn make(mix: &FlowMix) -> Result<Made, TrafficError> {
    let packets = mix.generate()?;
    let mut view = TrafficViewBuilder::new(mix.time_out_ns);
    let mut times_ns = Vec::with_capacity(packets.len() * size_of::<u64>());
    let mut digests = Vec::with_capacity(packets.len() * size_of::<u32>());
    for packet in packets {
        view.add(packet.time_ns, packet.flow);
        times_ns.extend_from_slice(&packet.time_ns.to_ne_bytes());
        digests.extend_from_slice(&digest(packet.flow).to_ne_bytes());
    }
    Ok(Made { times_ns, digests, view: view.finish() })
}

/// Maps numbers one to one to numbers spread over 32 bits: the last steps of MurmurHash3 (A. Appleby, public domain).
fn digest(flow: u32) -> u32 {
    let mixed = (flow ^ flow >> 16).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
}

impl Made {
    /// Returns a dictionary with two byte strings in the machine's byte order, and the view.
    pub fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("times_ns", PyBytes::new(py, &self.times_ns))?;
        dict.set_item("digests", PyBytes::new(py, &self.digests))?;
        dict.set_item("view", crate::plain::to_python(py, &self.view)?)?;
        Ok(dict.unbind())
    }
}
