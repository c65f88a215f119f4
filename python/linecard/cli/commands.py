"""The table of commands: the name, the help heading and the module of each command.

Linecard imports a command only when the command runs or prints its own help, so `linecard --help` starts at once.
`linecard --help` reads the one-line summary of each command from the docstring of the command.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """A command, or a group of commands.

    Attributes:
        name: Name of the command.
        panel: Heading of the command in the help.
        at: Module (below `linecard.cli`) and function of the command; for a group, a mapping of each command's name to
            its module and function.
        said: Help text of a group.
    """

    name: str
    panel: str
    at: str | dict[str, str]
    said: str = ""

    @property
    def line(self) -> str:
        """The first sentence of the command's docstring; for a group, the help text of the group."""
        if isinstance(self.at, dict):
            return self.said
        module, _, function = self.at.partition(":")
        text = Path(__file__).parent.joinpath(f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        found = re.search(rf'^def {function}\(.*?"""(.*?)(?:\n\n|""")', text, re.DOTALL | re.MULTILINE)
        return " ".join(found[1].split()) if found else ""


Group = tuple[str, dict[str, str]]
_LISTED: dict[str, dict[str, str | Group]] = {
    "Designs": {
        "demo": "chip.demo:demo",
        "run": "chip.run:run",
        "new": "chip.files:new",
        "check": "chip.files:check",
        "schema": "chip.schema:schema",
        "draw": "chip.files:draw",
        "presets": "chip.presets:presets",
        "describe": "chip.presets:describe",
        "explain": "chip.explain:explain",
    },
    "Explore designs": {
        "sweep": "explore.sweep:sweep",
        "why": "explore.why:why",
        "ndr": "explore.ndr:ndr",
        "compare": "explore.compare:compare",
        "optimize": "explore.optimize:optimize",
        "results": (
            "Manage the folder with the results of finished runs.",
            {"list": "explore.results:list_runs", "prune": "explore.results:prune", "export": "explore.results:export"},
        ),
    },
    "Traffic, caches, memory and queues": {
        "flows": "traffic.flows:flows",
        "flowcache": "flowcache.flowcache:flowcache",
        "shot-noise": "traffic.shot_noise:shot_noise",
        "dram": (
            "Simulate DRAM parts without a chip, with request traces or access patterns.",
            {"run": "dram.run:run"},
        ),
        "queueing": (
            "Packet queues: compare queue managers, and design a queuing cache.",
            {"run": "queueing.run:run", "design": "queueing.design:design", "settings": "queueing.settings:settings"},
        ),
    },
    "Programs and cores": {
        "program": (
            "Packet programs: trace a C program for RISC-V, or run an XDP program (eBPF), on the packets of a capture.",
            {
                "list": "executed.list:list_programs",
                "build": "executed.build:build",
                "trace": "executed.trace:trace",
                "run": "executed.run:run",
                "rows": "executed.rows:rows",
            },
        ),
        "cache": (
            "Show or remove the traces in the folder of `--cache FOLDER`.",
            {"show": "executed.kept_traces:show", "clear": "executed.kept_traces:clear"},
        ),
        "core": "core.core:core",
        "vrp": (
            "The virtual router processor: find the processing budget of extensions at a packet rate, and check "
            "whether an extension fits the budget.",
            {"budget": "vrp.budget:budget", "check": "vrp.check:check"},
        ),
        "hierarchy": "vrp.hierarchy:hierarchy",
    },
    "Petri nets and studies": {
        "petri": (
            "Petri nets: explore markings, compute the steady state, simulate, draw.",
            {
                "explore": "petri.markings:explore",
                "solve": "petri.markings:solve",
                "simulate": "petri.simulate:simulate",
                "draw": "petri.draw:draw",
                "convert": "petri.convert:convert",
                "trace": "petri.trace:trace",
                "step": "petri.step:step",
            },
        ),
        "compare-models": "petri.compare_models:compare_models",
        "reproduce": "study.reproduce:reproduce",
    },
}
COMMANDS = tuple(
    Entry(name, panel, at) if isinstance(at, str) else Entry(name, panel, at[1], at[0])
    for panel, several in _LISTED.items()
    for name, at in several.items()
)
