"""Changes between two commits in bench/record/kernels.jsonl.

python bench/compare.py 1bcf2ca 35264ee      instructions and ratios of two recorded commits
python bench/compare.py                      the last two lines
"""

from __future__ import annotations

import argparse
import sys

import kernels


def found(lines: list[dict[str, object]], name: str) -> dict[str, object]:
    """The last line of a commit."""
    for line in reversed(lines):
        if str(line["commit"]).startswith(name):
            return line
    known = ", ".join(str(line["commit"]) for line in lines) or "none"
    sys.exit(f"no line of {kernels.RECORD.name} is of commit {name}; recorded are {known}")


def main() -> int:
    """Compare."""
    parser = argparse.ArgumentParser(description="Say what moved between two recorded commits.")
    parser.add_argument("commits", nargs="*", metavar="COMMIT", help="two; the last two of the record if left out")
    options = parser.parse_args()
    lines = kernels.record()
    if len(options.commits) not in (0, 2):
        parser.error(f"found {len(options.commits)} commits, expected two, or none for the last two lines")
    if not options.commits and len(lines) < 2:
        parser.error("the record has fewer than two lines: python bench/kernels.py --write adds one")
    old, new = (found(lines, name) for name in options.commits) if options.commits else lines[-2:]
    print(f"{'':32} {old['commit']:>12} {new['commit']:>12}")
    for part in ("instructions", "ratios"):
        before, after = old.get(part, {}), new.get(part, {})
        for name in [*before, *(name for name in after if name not in before)]:
            values = [kernels.shown(side[name]) if name in side else "–" for side in (before, after)]
            both = name in before and name in after
            change = f"{100 * (after[name] / before[name] - 1):+.1f} %" if both else ""
            print(f"{name:32} {values[0]:>12} {values[1]:>12} {change:>9}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
