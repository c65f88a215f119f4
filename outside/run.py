"""Hold the simulators to what others publish, from a folder of the reader's: nothing of it ships.

    python outside/run.py DIR [--all]

Runs what is there and says what is not: `DIR/riscv-tests` (ELF files), `DIR/mcc` (nets of the Model Checking Contest
with their answers), `DIR/dramsim3` and `DIR/ramulator` (traces with their results). docs/guide/validation.md has the
layout. Exit status: 0 all that was run agrees; 1 something differs or could not be run; 2 there is no such folder; 77
nothing was run.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import dram
import mcc
import riscv
from verdict import AGREES, DIFFERS, SKIPPED, Verdict

DIFFER, WRONG_USAGE, NOTHING_RUN = 1, 2, 77
SUITES: dict[str, tuple[str, Callable[[Path], Iterable[Verdict]]]] = {
    riscv.FOLDER: (riscv.HOLDS, riscv.verdicts),
    mcc.FOLDER: (mcc.HOLDS, mcc.verdicts),
    "dramsim3": (dram.HOLDS, dram.verdicts),
    "ramulator": (dram.HOLDS, dram.verdicts),
}


def main() -> int:
    """Run every suite of the folder and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="the reader's folder")
    parser.add_argument("--all", action="store_true", help="list what agrees, too")
    options = parser.parse_args()
    if not options.folder.is_dir():
        expected = f"expected a folder with {', '.join(SUITES)}: make outside DIR=..."
        print(f"found no folder {str(options.folder)!r}, {expected}", file=sys.stderr)
        return WRONG_USAGE
    total: Counter[str] = Counter()
    absent = []
    for name, (holds, verdicts) in SUITES.items():
        counts = _suite(options.folder / name, holds, verdicts, listed=options.all)
        if not counts[AGREES] + counts[DIFFERS]:
            absent.append(name)
        total += counts
    if absent:
        print(f"NOT RUN AT ALL: {', '.join(absent)}")
    print(_words(total))
    if total[DIFFERS]:
        return DIFFER
    return 0 if total[AGREES] else NOTHING_RUN


def _suite(folder: Path, holds: str, verdicts: Callable[[Path], Iterable[Verdict]], *, listed: bool) -> Counter[str]:
    """One suite, a line for everything that does not agree."""
    counts: Counter[str] = Counter()
    if not folder.is_dir():
        print(f"{folder.name}: SKIPPED, there is no folder {folder} ({holds})")
        return counts
    for verdict in verdicts(folder):
        counts[verdict.state] += 1
        if verdict.state != AGREES or listed:
            said = verdict.state if verdict.state == AGREES else verdict.state.upper()
            print(f"{folder.name}: {said} {verdict.name}: {verdict.text}", flush=True)
    if not counts:
        print(f"{folder.name}: SKIPPED, nothing is in {folder} ({holds})")
    else:
        print(f"{folder.name}: {_words(counts)}", flush=True)
    return counts


def _words(counts: Counter[str]) -> str:
    return f"{counts[AGREES]} agree, {counts[DIFFERS]} differ, {counts[SKIPPED]} skipped"


if __name__ == "__main__":
    sys.exit(main())
