"""The page of a chip's keys."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from tools.documents.specimens import MUST, Key, Specimen, keys_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = "docs/reference/specimens"
STEPS = f"{_FOLDER}/steps.toml"
SPECIMENS = (
    Specimen(f"{_FOLDER}/chip.toml"),
    Specimen(f"{_FOLDER}/chip.toml", ("traffic.kind=sizes", "traffic.sizes=64:1")),
    Specimen(STEPS),
    Specimen("presets/platforms/ixp1200.toml", ("cache.entries=64",)),
    Specimen("presets/platforms/ixp1200.toml", ("program.run=nat", "queues.manager=qc")),
    Specimen("presets/platforms/ixp1200.toml", ("program.run=firewall",)),
    Specimen("presets/platforms/ixp1200_eval.toml"),
    Specimen("presets/platforms/ixp1200_host.toml"),
    Specimen("presets/platforms/ixp1200.toml", ("dram.allocator=per_queue_linear",)),
    Specimen("presets/platforms/ixp2400.toml"),
    Specimen("presets/platforms/ixp2400_core.toml", ("traffic.arrivals=shot_noise",)),
    Specimen("presets/platforms/ixp2400_dynamic.toml"),
    Specimen(f"{_FOLDER}/classes.toml"),
)
# The meaning of each table, in the order of the page. A table without a line is an error, because the page would omit
# it.
TABLES = {
    "clock": "Any number of clocks with names of your choice; the first is the default. Also `NAME_hz`, `_khz`, "
    "`_ghz`.",
    "cluster.NAME": "Identical engines.",
    "cluster.NAME.cache": "A data cache in each engine.",
    "cluster.NAME.step": "`[[cluster.NAME.step]]`: separate steps of a cluster, as in a program.",
    "cluster.NAME.ebpf": "Costs of the instructions of XDP programs: by class, or by rows scheduled in advance.",
    "cluster.NAME.ebpf.helpers": "Cycles of helpers that differ from `helper_cycles`.",
    "cluster.NAME.ebpf.rule.NAME": "The cost of an operation with certain operands: the first matching rule replaces "
    "the cost of the class. "
    "[What rules may say](../../guide/executing.md#what-instructions-cost).",
    "cluster.NAME.riscv": "Costs of the instructions of C programs.",
    "memory.NAME": "A memory.",
    "memory.NAME.atomics": "Kinds of access whose service time differs from `access_ns` or `access_cycles`.",
    "memory.NAME.caches": 'Caches of output queues (`allocator = "per_queue_linear"`).',
    "unit.NAME": "An accelerator: a server without capacity, or a special kind.",
    "link.NAME": "An on-chip connection, over which bytes move one after another.",
    "route": "`[[route]]`: the path from clusters to memories and units.",
    "buffer.NAME": "A buffer that holds packets from their last bit on.",
    "transmit": "A transmit buffer that programs fill cell by cell.",
    "inbox.NAME": "A queue in which packets wait for threads.",
    "ring.NAME": "A queue in which packets wait between stages.",
    "order": "Packets that leave in arrival order.",
    "port.NAME": "Identical ports.",
    "port.NAME.class": "`[[port.NAME.class]]`: a class of packets, with a queue at each port, in the order for "
    "`scheduler`.",
    "port.NAME.group": "`[[port.NAME.group]]`: classes, or groups, among which a rule of `scheduler` chooses, in "
    "the order for that rule.",
    "bind": "The memory or unit for each role that programs name.",
    "program": "The program, and the costs of programs in Rust. Its `extension` is a list of steps, which replaces "
    "the step with `op = 'extend'`.",
    "program.step": "`[[program.step]]`, and `[[step]]` of a separate file.",
    "program.step.accesses": "Accesses of a step `spread`.",
    "nat": "Costs of `nat`.",
    "firewall": "Costs of `firewall`.",
    "traffic": "The traffic that arrives.",
    "mix": "Lists of sizes with names of your choice.",
    "shots": 'Flows that begin and end (`arrivals = "shot_noise"`).',
    "vrp": "Resources that extensions may use (`linecard vrp`).",
}


def chip_page() -> str:
    """Every key of a chip, by table, as Markdown."""
    keys = keys_of(SPECIMENS)
    strangers = {key.table for key in keys} - TABLES.keys()
    assert not strangers, f"give {', '.join(sorted(strangers))} a line in TABLES"
    parts = [
        "# Keys of a chip\n",
        'Every table and key of a file with `kind = "chip"`, as the code declares them. [The '
        "guide](../../guide/chips.md) builds a "
        "chip step by step.\n",
        "`kind`, `title`, `source` and `extends` are at the top of the file, and every table may have a `source`.  "
        'A value is plain or `{ value = 4, source = "…" }`; if sources state an interval, it is '
        '`{ value = 4, low = 2, high = 8, source = "…" }`. Text with a unit is converted (`"8 MiB"`, `"1.2 GHz"`). '
        "A file sets one key of a pair `…_ns` and `…_cycles`. Tables under `[for.PROGRAM]` apply to that program only. "
        "A key without a default is optional; without the key, the chip does not have what the key describes.\n",
    ]
    for table, what in TABLES.items():
        of_table = [key for key in keys if key.table == table]
        parts += [f"## `[{table}]`\n", f"{what}\n", *_rows(of_table), ""]
    return "\n".join(parts)


def _rows(keys: list[Key]) -> Iterator[str]:
    """A table with one row for all uses in which a key is the same."""
    uses = list(dict.fromkeys(key.use for key in keys if key.use))
    heads = ["key", *(["where"] if uses else []), "unit", "allowed", "default", "meaning"]
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    names = list(dict.fromkeys(key.name for key in keys))
    ordered = sorted(keys, key=lambda key: names.index(key.name))
    for name, same in groupby(ordered, key=lambda key: key.name):
        alike: dict[tuple[str, str, str, str], list[str]] = {}
        for key in same:
            alike.setdefault((key.unit, key.allowed, key.default, key.meaning), []).append(key.use)
        for (unit, allowed, default, meaning), found in alike.items():
            cells = [f"`{name}`", *([_all_or(found, uses)] if uses else []), unit, allowed, _code(default), meaning]
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _all_or(found: list[str], uses: list[str]) -> str:
    others = [use for use in uses if use not in found and " " not in use]
    if not any(found) or not others:
        return "all"
    listed = ", ".join(use if " " in use else f"`{use}`" for use in (others if len(others) < 4 < len(found) else found))
    return f"all but {listed}" if len(others) < 4 < len(found) else listed


def _code(default: str) -> str:
    if default.startswith("my"):
        return "the first, or the only one"
    return default if default in ("", MUST) else f"`{default}`"
