//! Petri nets as PNML and as TOML, and the expressions of coloured ones.

use super::choice;
use crate::result;
use crate::scratch::{self, Patience};
use linecard_petri::{read_pnml, rewrite_pnml, write_pnml};
use linecard_platform::{NetSource, TraceRequest, explore_net, net_to_pnml, solve_net, trace_net, view_net};

const MOST_MARKINGS: u64 = 300;
const MOST_FIRINGS: usize = 200;

fn through(source: &NetSource) {
    let patience = Patience::new();
    let explored = explore_net(source, MOST_MARKINGS, true, 1, &mut |_| patience.flow());
    match explored {
        Err(error) => result::error(&error),
        Ok(report) => assert!(
            report.explored.reachable_markings <= MOST_MARKINGS + 1,
            "more markings than were allowed"
        ),
    }
    let patience = Patience::new();
    match solve_net(source, MOST_MARKINGS, &mut |_| patience.flow()) {
        Err(error) => result::error(&error),
        Ok(report) => result::finite(&report, &[]),
    }
    let patience = Patience::new();
    let request = TraceRequest { seed: 1, first: 0, most: MOST_FIRINGS, time: 100.0 };
    match trace_net(source, &request, &|_, _| patience.is_over()) {
        Err(error) => result::error(&error),
        Ok(firings) => assert!(firings.windows(2).all(|pair| pair[0].time <= pair[1].time), "time goes back"),
    }
    let patience = Patience::new();
    if let Err(error) = view_net(source, &|_, _| patience.is_over()) {
        result::error(&error);
    }
    if let Err(error) = net_to_pnml(source, true, &|_, _| patience.is_over()) {
        result::error(&error);
    }
}

/// A PNML document; what is written of it reads as the same net.
pub fn pnml(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(net) = read_pnml(&text) {
        let again = read_pnml(&write_pnml(&net)).expect("what is written can be read");
        assert_eq!(net.places.len(), again.places.len());
        assert_eq!(net.transitions.len(), again.transitions.len());
    }
    let _ = rewrite_pnml(&text);
    through(&NetSource { path: scratch::file("net.pnml", data), text: None, set: Vec::new() });
}

/// A net in TOML.
pub fn net(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    through(&NetSource { path: "net.toml".to_owned(), text: Some(text), set: Vec::new() });
}

/// One expression, in the place that is chosen: a guard, an arc, a time, a parameter.
pub fn expression(data: &[u8]) {
    let (chosen, bytes) = choice(data);
    let expression = String::from_utf8_lossy(bytes).into_owned();
    let quoted = serde_json::Value::from(expression.as_str()).to_string();
    let places = ["n > 0", "n + 1", "1.0 + size", "2", "all"];
    let [guard, out, rate, parameter, tokens] = std::array::from_fn(|place| {
        if place == chosen % places.len() { quoted.clone() } else { format!("{:?}", places[place]) }
    });
    let text = format!(
        "name = \"x\"\n[parameters]\nsize = {parameter}\n[colours]\nn = \"0..7\"\n\
         [[place]]\nname = \"a\"\ncolour = \"n\"\ntokens = {tokens}\n[[place]]\nname = \"b\"\ncolour = \"n\"\n\
         [[transition]]\nname = \"t\"\nkind = \"exp\"\nrate = {rate}\nguard = {guard}\n\
         [[arc]]\nfrom = \"a\"\nto = \"t\"\ntokens = \"n\"\n[[arc]]\nfrom = \"t\"\nto = \"b\"\ntokens = {out}\n"
    );
    through(&NetSource { path: "net.toml".to_owned(), text: Some(text), set: Vec::new() });
}
