//! `bounce`: every packet goes back by the port that it came from, after so many cycles.

use crate::reading::{MILLION, Reading};
use crate::read_program::{ReadProgram, Runs};
use linecard_config::Section;
use linecard_program::PacketHead;
use linecard_program::script::{Action, PacketInfo, PacketProgram, Steps};

pub(super) const SECTION: &str = "";
pub(super) const NEEDS: (&str, &str) = ("program", "bounce_cycles");
pub(super) const COSTS: &[&str] = &["bounce_cycles"];

pub(super) fn read(_: &Section<'_>, section: &Section<'_>, _: &mut Reading<'_>) -> ReadProgram {
    let cycles = section.integer("bounce_cycles", 0..=MILLION, "of a packet") as u32;
    ReadProgram {
        name: "bounce".to_owned(),
        runs: Runs::of(Bounce { cycles }),
        routes: None,
        roles: Vec::new(),
        puts: Vec::new(),
        moves_cells: false,
        allocates: false,
    }
}

#[derive(Clone, Debug)]
struct Bounce {
    cycles: u32,
}

impl PacketProgram for Bounce {
    fn packet(&mut self, _: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        steps.push(self.cycles, Action::Send { port: info.input_port, class: 0 });
    }
}
