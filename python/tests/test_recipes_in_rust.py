"""The recipes of CONTRIBUTING.md that end in Rust, followed in a copy of the sources: does what they describe compile
and run, and in how few files?

All are followed at once, so that there is one build; files are counted for each.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT
from test_recipes import files_said, recipe

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("cargo") is None, reason="the recipes in Rust need cargo"),
]

KIND = """\
//! A server for reads and one for everything else: neither waits for the other.

use super::reading::Reading;
use super::server;
use linecard_chip::config::{PlaceKind, ServerConfig};
use linecard_chip::place::{Facts, Kind, Served, Server, Serves};
use linecard_program::script::Access;
use linecard_sim::{Ticks, Timebase};
use std::sync::Arc;

pub(super) const KEYS: &[&str] = &[];
pub(super) const HAS_TIMES: bool = true;

pub(super) fn read(asked: &Reading<'_>) -> PlaceKind {
    PlaceKind::Of(Arc::new(Halves { half: server::one(asked) }))
}

#[derive(Clone, Debug)]
struct Halves {
    half: ServerConfig,
}

impl Kind for Halves {
    fn wrong(&self) -> Option<String> {
        None
    }

    fn place(&self, timebase: &Timebase) -> Box<dyn Serves> {
        Box::new(Pair([(); 2].map(|()| Server::new(&self.half, timebase))))
    }

    fn facts(&self) -> Facts {
        self.half.facts(1.0, "1 / service")
    }

    fn faster(&self) -> Arc<dyn Kind> {
        Arc::new(Self { half: self.half.faster() })
    }
}

struct Pair([Server; 2]);

impl Serves for Pair {
    fn serve(&mut self, at: Ticks, kind: Access, _: u64, bytes: u32) -> Ticks {
        self.0[usize::from(kind == Access::Read)].serve(at, kind, bytes)
    }

    fn entered_ahead(&mut self, lead: Ticks) {
        self.0.iter_mut().for_each(|half| half.entered_ahead(lead));
    }

    fn restart(&mut self, now: Ticks) {
        self.0.iter_mut().for_each(|half| half.restart(now));
    }

    fn served(&self, now: Ticks) -> Served {
        Served {
            busy: self.0.iter().map(|half| half.busy(now)).collect(),
            accesses: self.0.iter().map(|half| half.accesses).sum(),
            bytes: self.0.iter().map(|half| half.moved_bytes).sum(),
            residence: self.0.iter().map(|half| half.residence).sum(),
        }
    }
}
"""

DISPATCH = """\
//! Flows of an even hash go to the first cluster, the others to the last.

use super::lists::Lists;
use crate::group::Group;

pub(super) const LISTS: Lists = Lists::PerCluster;

#[inline]
pub(super) fn choose(flow_hash: u32, groups: &[Group]) -> usize {
    if flow_hash.is_multiple_of(2) { 0 } else { groups.len() - 1 }
}
"""

SCHEDULER = """\
//! The last that has a packet.

use super::head::Head;

pub(super) const COUNTS_BYTES: bool = false;

#[derive(Debug)]
pub(super) struct Highest;

impl Highest {
    pub fn new(_: &[u32]) -> Self {
        Self
    }

    pub fn next(&mut self, heads: &[Head]) -> usize {
        heads.iter().rposition(|head| matches!(head, Head::Ready(_))).unwrap_or(0)
    }

    pub fn sent(&mut self, _: usize, _: u32, _: bool) {}
}
"""

POLICY = """\
//! What came first leaves, and a hit makes it the last but one.

use super::{Build, Cost, Info};
use crate::cache::{Access, Replay};
use crate::order::{Order, Rule};

pub(super) const INFO: Info = Info {
    name: "MINE",
    aliases: &[],
    parameter: None,
    summary: "hits move nothing",
    source: "a recipe",
    cost: Cost::Bits(|_, _| 0),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.ordered(Mine)
}

#[derive(Clone)]
struct Mine;

impl Rule for Mine {
    #[inline]
    fn hit<O: Order>(&mut self, _order: &mut O, _set: u32, _place: O::Place) {}

    #[inline]
    fn insert<O: Order>(&mut self, order: &mut O, access: Access) {
        order.insert_front(access);
    }
}
"""

ALLOCATOR = """\
//! Buffers of 32 cells, the lowest free one first.

use crate::Placement;
use std::collections::BTreeSet;

const CELLS: u32 = 32;

/// Free buffers, in order.
#[derive(Clone, Debug)]
pub struct Lowest {
    free: BTreeSet<u32>,
    buffers: u32,
}

impl Lowest {
    pub(crate) fn new(cells: u32) -> Self {
        Self { free: (0..cells / CELLS).collect(), buffers: cells / CELLS }
    }

    pub(crate) fn allocate(&mut self, cells: u32, _: u16) -> Placement {
        if cells > CELLS {
            return Placement::TooLarge;
        }
        self.free.pop_first().map_or(Placement::Wait, |buffer| Placement::At(buffer * CELLS))
    }

    pub(crate) fn release(&mut self, first: u32, _: u32) {
        self.free.insert(first / CELLS);
    }

    pub(crate) fn next_cell(&self, cell: u32) -> u32 {
        cell + 1
    }

    pub(crate) fn cells_in_use(&self) -> u32 {
        (self.buffers - self.free.len() as u32) * CELLS
    }
}
"""

PROGRAM = """\
//! `bounce`: every packet goes back by the port that it came from, after so many cycles.

use crate::chip::reading::{MILLION, Reading};
use crate::chip::runs::{ReadProgram, Runs};
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
"""

BOUNCING = """\
kind = "chip"
title = "The shipped example, whose program is that of the recipe"
extends = ["platforms/example_smartnic"]
source = "a recipe"

[program]
run = "bounce"
bounce_cycles = 500
"""

CHIP = """\
kind = "chip"
title = "The shipped example, with a part of each recipe"
extends = ["platforms/example_smartnic"]
source = "a recipe"

[memory.shared]
kind = "halves"

[memory.packets]
allocator = "lowest"

[inbox.work]
rule = "by_parity"

[port.eth]
classes = 2
scheduler = "highest"
"""


class Sources:
    """A copy of the sources, and which of its files a recipe changes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("Cargo.toml", "Cargo.lock", "crates", "presets", "fuzz", "examples"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, folder / name)
        self.touched: set[str] = set()

    def write(self, path: str, text: str) -> None:
        assert not (self.folder / path).exists()
        (self.folder / path).write_text(text)
        self.touched.add(path)

    def insert(self, path: str, *changes: tuple[str, str]) -> None:
        """Puts text behind what stands in a file once."""
        file = self.folder / path
        text = file.read_text()
        for behind, line in changes:
            assert text.count(behind) == 1, f"{path}: {behind!r} stands there {text.count(behind)} times"
            text = text.replace(behind, behind + line)
        file.write_text(text)
        self.touched.add(path)

    def counted(self) -> int:
        """How many files were touched since the last time."""
        count = len(self.touched)
        self.touched.clear()
        return count


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Follow the recipes, build, and hand over what runs a chip with so many packets and changes."""
    sources = Sources(tmp_path_factory.mktemp("sources"))

    places = "crates/platform/src/chip/place/"
    sources.write(places + "halves.rs", KIND)
    sources.insert(places + "mod.rs", ('    banked { memory: "banked" },\n', '    halves { memory: "halves" },\n'))
    assert sources.counted() == files_said("A kind of place.") == 2

    dispatch = "crates/chip/src/dispatch/"
    sources.write(dispatch + "by_parity.rs", DISPATCH)
    sources.insert(dispatch + "mod.rs", ("    hash::Hash,\n", "    /// By parity.\n    by_parity::ByParity,\n"))
    assert sources.counted() == files_said("A dispatch rule.") == 2

    scheduler = "crates/chip/src/scheduler/"
    sources.write(scheduler + "highest.rs", SCHEDULER)
    sources.insert(scheduler + "mod.rs", ("    strict::Strict,\n", "    /// The highest.\n    highest::Highest,\n"))
    assert sources.counted() == files_said("A scheduler of output queues.") == 2

    policies = "crates/flowcache/src/policy/"
    sources.write(policies + "mine.rs", POLICY)
    sources.insert(policies + "mod.rs", ("    Fifo in fifo;\n", "    Mine in mine;\n"))
    assert sources.counted() == files_said("A policy of flow caches.") == 2

    buffers = "crates/buffers/src/"
    sources.write(buffers + "lowest.rs", ALLOCATOR)
    sources.insert(
        buffers + "lib.rs",
        ("mod linear;\n", "mod lowest;\n"),
        ("pub use linear::Linear;\n", "pub use lowest::Lowest;\n"),
        (
            "    /// A frontier in each queue's own region ([`PerQueue`]).\n    PerQueue,\n",
            "    /// The lowest.\n    Lowest,\n",
        ),
        ("    pub const ALL: [AllocatorKind; ", ""),
        ('            Self::PerQueue => "per_queue_linear",\n', '            Self::Lowest => "lowest",\n'),
        ("    /// See [`PerQueue`].\n    PerQueue(PerQueue),\n", "    /// See [`Lowest`].\n    Lowest(Lowest),\n"),
        ("            Allocator::PerQueue($a) => $call,\n", "            Allocator::Lowest($a) => $call,\n"),
        (
            "            AllocatorKind::PerQueue => Self::PerQueue(PerQueue::new(cells, queues)),\n",
            "            AllocatorKind::Lowest => Self::Lowest(Lowest::new(cells)),\n",
        ),
    )
    lib = sources.folder / buffers / "lib.rs"
    text = lib.read_text().replace("[AllocatorKind; 5]", "[AllocatorKind; 6]")
    lib.write_text(text.replace("Self::Piecewise, Self::PerQueue]", "Self::Piecewise, Self::PerQueue, Self::Lowest]"))
    assert sources.counted() == files_said("A buffer allocator.") == 2

    natives = "crates/platform/src/chip/native/"
    sources.write(natives + "bounce.rs", PROGRAM)
    sources.insert(natives + "mod.rs", ("    l3fwd16,\n", "    bounce,\n"))
    sources.write("bouncing.toml", BOUNCING)
    assert sources.counted() == files_said("A program in Rust.") == 3

    field = re.search(r"```rust\n(.*?)```", recipe("An option of `run`."), re.DOTALL)[1]
    sources.insert("crates/platform/src/request.rs", ("pub struct RunRequest {\n", field))
    assert sources.counted() == files_said("An option of `run`.") == 1

    # What does not change is built already, mostly.
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    build = ["cargo", "build", "--locked", "--package", "linecard-platform", "--example", "run_preset"]
    ended = subprocess.run(
        [*build, "--target-dir", target], cwd=sources.folder, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    program = sources.folder / "run_preset"
    shutil.copy(Path(target) / "debug" / "examples" / "run_preset", program)

    def run(*arguments: str) -> str:
        (sources.folder / "chip.toml").write_text(CHIP)
        ended = subprocess.run([program, *arguments], cwd=sources.folder, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


def test_a_chip_of_what_the_recipes_made(run):
    assert "packets_dropped: 0," in run("chip.toml", "2000")


def test_each_part_does_what_it_says(run):
    """Without it the same chip is another one."""
    mine = run("chip.toml", "2000", "-")
    for change in ("memory.shared.kind=server", "inbox.work.rule=hash", "memory.packets.allocator=fixed"):
        assert run("chip.toml", "2000", "-", change).partition(";")[2] != mine.partition(";")[2], change


def test_a_policy_of_flow_caches(run):
    cached = ["cache.entries=64", "cache.ways=4", "cache.policy=MINE"]
    assert "packets_out" in run("ixp1200", "2000", "l3fwd16", *cached)


def test_a_program_in_rust(run):
    assert "packets_dropped: 0," in run("bouncing.toml", "2000")
