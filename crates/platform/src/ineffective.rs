//! Changes that change nothing: a `--set` of a parameter that the chosen mode does not look at.

use crate::build::Configuration;
use crate::request::RunRequest;

/// A warning for each `--set` that has no effect in this run.
pub(crate) fn warnings(configuration: &Configuration, request: &RunRequest) -> Vec<String> {
    let is = |key: &str, value: &str| configuration.text(key) == value;
    let (ready, direct) = (is("receive.mode", "ready"), is("buffer.path", "direct"));
    let because = |key: &str| -> Option<&'static str> {
        let app = configuration.app.as_str();
        match key {
            "receive.bus_gbps"
            | "receive.speedup"
            | "receive.buffer_cells"
            | "traffic.rate_gbps"
            | "traffic.arrivals"
                if ready =>
            {
                Some("receive.mode is ready: a packet always waits")
            }
            _ if key.starts_with("wide.") && direct => Some("buffer.path is direct"),
            "controller.batch_k" | "controller.batch_break" if is("controller.queues", "odd_even") => {
                Some("controller.queues is odd_even, which alternates")
            }
            "controller.prefetch" if is("controller.precharge", "eager") => {
                Some("controller.precharge is eager")
            }
            _ if key.starts_with("cache.")
                && key != "cache.entries"
                && configuration.integer("cache.entries") == 0 =>
            {
                Some("cache.entries is 0: there is no result cache")
            }
            _ if key.starts_with("queues.") && key != "queues.manager" && is("queues.manager", "none") => {
                Some("queues.manager is none: programs write and read descriptors in SRAM")
            }
            "queues.entries" | "queues.engines"
                if ["nc", "dc"].iter().any(|name| is("queues.manager", name)) =>
            {
                Some("this queues.manager has no entries and no engines")
            }
            "queues.entries" if is("queues.manager", "qarray") => {
                Some("a Q_array has 16 entries for descriptors")
            }
            _ if key.starts_with("traffic.") && request.trace.is_some() => Some("a capture is given"),
            "traffic.packet_bytes" if !is("traffic.kind", "fixed") => Some("traffic.kind is not fixed"),
            "traffic.sizes" if !is("traffic.kind", "sizes") => Some("traffic.kind is not sizes"),
            _ if key.starts_with("vanilla.") && app != "vanilla_ip" => {
                Some("the application is not vanilla_ip")
            }
            _ if ["core.", "link.", "host.", "vrp."].iter().any(|part| key.starts_with(part)) => {
                Some("it is a parameter of `linecard hierarchy` and `linecard vrp`")
            }
            _ if key.starts_with("probe.") && app != "probe" => Some("the application is not probe"),
            _ if key.starts_with("paths.") && !["vanilla_ip", "probe"].contains(&app) => {
                Some("the application makes no transfers of single instructions")
            }
            _ if key.starts_with("nat.") && app != "nat" => Some("the application is not nat"),
            _ if key.starts_with("firewall.") && app != "firewall" => Some("the application is not firewall"),
            "app.routes" if app != "l3fwd16" && !request.map_addresses => {
                Some("the application looks up no routes")
            }
            _ => None,
        }
    };
    let keys = request.overrides.iter().filter_map(|o| o.split_once('=')).map(|(key, _)| key.trim());
    keys.filter_map(|key| because(key).map(|why| format!("--set {key} has no effect here: {why}"))).collect()
}
