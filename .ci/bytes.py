"""List the results that differ from those recorded in `bytes.txt`: one line `sha256  name` for each.

Every shipped platform runs every application that it takes with three seeds, the matrix runs a core's hot paths
(`--matrix` makes these runs alone), and every shipped study runs quickly (`--runs` omits studies). The hash covers the
JSON of a result without the keys that every new version changes.
A change that should not affect results leaves every line unchanged; one that should records new lines with `--update`.

The results hold logarithms from the system's mathematics library, so that another system may produce other bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import linecard

RECORD = Path(__file__).resolve().parent / "bytes.txt"
APPLICATIONS = ("l3fwd16", "nat", "firewall", "vanilla_ip", "probe", "ipv4_forward")
SEEDS = (1, 2, 3)
PACKETS, WARMUP_PACKETS = 3000, 500
# Runs whose whole report a rewritten core must repeat: the packet buffer of Hasan 2003 in all its forms, many engines,
# an executed program, and other parts of DRAM behind a generic controller.
BUFFERS = (
    "our_base",
    "f_alloc",
    "l_alloc",
    "p_alloc",
    "p_alloc_batch",
    "prev_block",
    "prev_pf",
    "all_pf",
    "adapt",
    "adapt_pf",
)
# A result names its file, so the path is relative: `main` changes to the root.
CHIP = "bench/chips/sixty_engines.toml"
PARTS = ("ddr3_1600", "hbm2", "gddr6")
STUDIES = (
    "bluefield3",
    "girish2008",
    "hasan2003",
    "hxdp",
    "kumar2006",
    "mudigonda2007",
    "nfp4000",
    "rosebud",
    "spalink2000",
)
# Fields that name the version, the configuration and the location of files, not results.
LEFT_OUT = ("config_hash", "run_id", "run_ids", "version")

Digests = dict[str, str]


def digest(plain: Any) -> str:
    """SHA-256 of plain data as canonical JSON."""
    text = json.dumps(without_names(plain), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def without_names(plain: Any) -> Any:
    """The same data without the keys that are not hashed."""
    if isinstance(plain, dict):
        return {key: without_names(value) for key, value in plain.items() if key not in LEFT_OUT}
    if isinstance(plain, (list, tuple)):
        return [without_names(value) for value in plain]
    return plain


def run(case: tuple[str, str, int]) -> Digests:
    """The line of one run; `None` if the platform does not support the application."""
    preset, app, seed = case
    try:
        result = linecard.run(preset, program=app, seed=seed, packets=PACKETS, warmup_packets=WARMUP_PACKETS)
        plain = result.to_dict()
    except linecard.ConfigError:
        return {}
    except linecard.RunError as error:
        plain = {"error": str(error)}
    return {f"run {preset} {app} seed {seed}": digest(plain)}


def matrix_of() -> list[tuple[str, dict[str, Any]]]:
    """The runs of the matrix: a preset and its request."""
    platforms = [(preset.name, {}) for preset in linecard.presets() if preset.kind == "platforms"]
    applications = product(BUFFERS, ("l3fwd16", "nat", "firewall"), (2, 4))
    buffers = [
        (f"hasan2003_{name}", {"program": app, "set": {"dram.banks": banks}}) for name, app, banks in applications
    ]
    parts = [("example_smartnic", {"set": {"packets.part": part}}) for part in PARTS]
    return [*platforms, *buffers, *parts, (CHIP, {}), ("nfp4000", {"program": "reads"})]


def run_of_matrix(case: tuple[str, dict[str, Any]]) -> Digests:
    """The line of one run of the matrix."""
    preset, asked = case
    plain = linecard.run(preset, packets=PACKETS, warmup_packets=WARMUP_PACKETS, **asked).to_dict()
    words = [Path(preset).stem, *(str(value) for value in asked.values())]
    return {f"matrix {' '.join(words)}": digest(plain)}


def matrix() -> Digests:
    """Every run of the matrix, on all cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return {name: line for found in pool.map(run_of_matrix, matrix_of()) for name, line in found.items()}


def runs() -> Digests:
    """Every platform with every application and seed, on all cores."""
    platforms = [preset.name for preset in linecard.presets() if preset.kind == "platforms"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = pool.map(run, product(platforms, APPLICATIONS, SEEDS))
        return {name: line for found in lines for name, line in found.items()}


def studies() -> Digests:
    """Every table and figure of every study, quickly."""
    lines = {}
    for study in STUDIES:
        for table in linecard.reproduce(study, quick=True).to_dict()["tables"]:
            lines[f"study {study} {table['id']}"] = digest(table)
    return lines


def read() -> Digests:
    """The recorded lines."""
    if not RECORD.exists():
        return {}
    return {name: line for line, name in (row.split("  ", 1) for row in RECORD.read_text().splitlines())}


def main() -> int:
    """Compare, or record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="record what came out")
    parser.add_argument("--runs", action="store_true", help="without the studies, which take minutes")
    parser.add_argument("--matrix", action="store_true", help="the matrix alone")
    asked = parser.parse_args()
    os.chdir(RECORD.parent.parent)
    found = matrix() | ({} if asked.matrix else runs()) | ({} if asked.matrix or asked.runs else studies())
    recorded = read()
    kinds = ("matrix ",) if asked.matrix else ("matrix ", "run ") if asked.runs else ("matrix ", "run ", "study ")
    looked_at = {name: line for name, line in recorded.items() if name.startswith(kinds)}
    changed = sorted(name for name in looked_at | found if looked_at.get(name) != found.get(name))
    for name in changed:
        print("new" if name not in looked_at else "missing" if name not in found else "differs", name)
    print(f"{len(found.keys() - set(changed))} of {len(found)} results as recorded")
    if asked.update:
        kept = {name: line for name, line in recorded.items() if name not in looked_at}
        lines = sorted((kept | found).items())
        RECORD.write_text("".join(f"{line}  {name}\n" for name, line in lines))
        return 0
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
