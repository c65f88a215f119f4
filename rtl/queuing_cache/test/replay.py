"""Replay vectors on the simulated queuing cache and record each run: operations done, mismatches found.

    python test/replay.py OUT.csv SIMULATION NAME VECTORS SEED HELD_RESPONSES HELD_MEMORY LATENCY [NAME …]

A simulation stops at its first mismatch, so that what it did before is not known and counts as nothing. The file is
written whatever came out; the exit status says whether every run was without a mismatch.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

ARGUMENTS = 6


def replay(simulation: str, name: str, vectors: str, *options: str) -> dict[str, object]:
    """One run, as a row of the file."""
    done = subprocess.run([simulation, vectors, *options], capture_output=True, text=True, check=False)
    print(name, *options, (done.stdout + done.stderr).strip(), flush=True)
    found = re.match(r"(\d+) operations, (\d+) clocks", done.stdout)
    kept = done.returncode == 0 and found is not None
    return {
        "run": " ".join((name, *options)),
        "operations": int(found[1]) if kept and found else 0,
        "clocks": int(found[2]) if kept and found else 0,
        "mismatches": 0 if kept else 1,
    }


def main(out: str, simulation: str, *words: str) -> int:
    """Replay everything; 1 when something differed."""
    runs = [words[at : at + ARGUMENTS] for at in range(0, len(words), ARGUMENTS)]
    rows = [replay(simulation, *run) for run in runs]
    with Path(out).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return int(any(row["mismatches"] for row in rows))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
