"""Every command: its name, the line that `linecard --help` gives it, and where it is.

A command is imported when it is run or when its own help is asked for, so that `linecard --help` begins at once; a
test holds that each line is that of the command itself.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A command, or a group of commands.

    Attributes:
        name: As it is typed.
        panel: Heading that it stands under.
        at: Module below `linecard.cli` and, in it, the function of a command or the `app` of a group.
        line: What it does.
    """

    name: str
    panel: str
    at: str
    line: str


_DESIGNS, _EXPLORE = "Designs", "Explore designs"
_PARTS = "Traffic, caches, memory and queues"
_PROGRAMS, _MODELS = "Programs and cores", "Petri nets and studies"

COMMANDS = (
    Entry(
        "demo",
        _DESIGNS,
        "chip.demo:demo",
        "Run a first simulation, explain what it prints, and change one value of the chip.",
    ),
    Entry("run", _DESIGNS, "chip.run:run", "Simulate one design under one traffic."),
    Entry("new", _DESIGNS, "chip.files:new", "Write a chip's file to start from."),
    Entry(
        "check",
        _DESIGNS,
        "chip.files:check",
        "Say what is wrong with a chip's file, or what its places do without load and at most.",
    ),
    Entry(
        "schema",
        _DESIGNS,
        "chip.schema:schema",
        "Print the JSON Schema of a file, by which an editor completes and checks it.",
    ),
    Entry("draw", _DESIGNS, "chip.files:draw", "Draw a chip as a block diagram."),
    Entry(
        "presets",
        _DESIGNS,
        "chip.presets:presets",
        "List the shipped presets: how many of each kind, those of one kind, or those with a word.",
    ),
    Entry(
        "describe",
        _DESIGNS,
        "chip.presets:describe",
        "Show every parameter of a preset with unit and source, and what follows from them.",
    ),
    Entry("explain", _DESIGNS, "chip.explain:explain", "Explain a term that screens, files and documents use."),
    Entry("sweep", _EXPLORE, "explore.sweep:sweep", "Run every point of a space of designs, and print one table."),
    Entry(
        "why", _EXPLORE, "explore.why:why", "Say what limits a chip and what would help; every statement is measured."
    ),
    Entry(
        "ndr",
        _EXPLORE,
        "explore.ndr:ndr",
        "Search for the no-drop and the partial-drop rate of a chip, by frame size.",
    ),
    Entry(
        "compare",
        _EXPLORE,
        "explore.compare:compare",
        "Put two designs, programs, runs or sweeps side by side: what differs, what moved, and whether beyond noise.",
    ),
    Entry(
        "optimize",
        _EXPLORE,
        "explore.optimize:optimize",
        "Find the best designs of a space, for one objective or several that pull apart.",
    ),
    Entry("results", _EXPLORE, "explore.results:app", "Look after the folder that keeps finished runs."),
    Entry("flows", _PARTS, "traffic.flows:flows", "Count the packets and flows of a capture, or of a described link."),
    Entry(
        "flowcache",
        _PARTS,
        "flowcache.flowcache:flowcache",
        "Compare flow caches: hit rate and miss classes of every size, number of ways and policy.",
    ),
    Entry(
        "shot-noise",
        _PARTS,
        "traffic.shot_noise:shot_noise",
        "Generate shot noise, flows that begin, send and end, and measure its load in windows.",
    ),
    Entry("dram", _PARTS, "dram.group:app", "DRAM parts alone, under traces and patterns."),
    Entry(
        "queueing",
        _PARTS,
        "queueing.group:app",
        "Queues of packets: compare the managers that move packets in and out, and design a queuing cache.",
    ),
    Entry(
        "program",
        _PROGRAMS,
        "executed.group:app",
        "Packet programs: C on RISC-V, traced on a capture; XDP (eBPF), run on a capture.",
    ),
    Entry("cache", _PROGRAMS, "executed.kept_traces:app", "Traces kept by `--cache FOLDER`: show them, clear them."),
    Entry(
        "core",
        _PROGRAMS,
        "core.core:core",
        "Find the best split of a core's area between threads and data cache for a program.",
    ),
    Entry(
        "vrp",
        _PROGRAMS,
        "vrp.group:app",
        "The virtual router processor: what is left for extensions at line rate, and whether one fits.",
    ),
    Entry(
        "hierarchy",
        _PROGRAMS,
        "vrp.hierarchy:hierarchy",
        "Send packets to the core and across the link to the host: how many are reached, and what can be spent on "
        "each.",
    ),
    Entry(
        "petri",
        _MODELS,
        "petri.group:app",
        "Petri nets: explore their markings, solve for the steady state, simulate.",
    ),
    Entry(
        "compare-models",
        _MODELS,
        "petri.compare_models:compare_models",
        "Run both models of the IXP2400 over a grid and print the difference of every metric.",
    ),
    Entry(
        "reproduce",
        _MODELS,
        "study.reproduce:reproduce",
        "Reproduce a published study: every number beside the published one.",
    ),
)
