"""How many trials the search for no-drop rates needs: every shipped chip, by frame size.

    python bench/ndr.py [--packets 2000] [--sizes 64,imix,1518] [chip ...]

A row for each chip and size, then the most and the mean. A chip that refuses a size, or has no line rate to begin at,
is named with the reason.
"""

from __future__ import annotations

import argparse

import linecard
from linecard.errors import LinecardError


def main() -> None:
    """Search, and print what was needed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("chips", nargs="*")
    options.add_argument("--packets", type=int, default=2000)
    options.add_argument("--sizes", default="64,imix,1518")
    asked = options.parse_args()
    chips = asked.chips or [each.name for each in linecard.presets() if each.kind == "platforms"]
    trials = []
    for chip in chips:
        for size in asked.sizes.split(","):
            try:
                row = linecard.ndr(chip, [size], packets=asked.packets).rows[0]
            except LinecardError as error:
                print(f"{chip:<28} {size:>6}  {str(error).splitlines()[0][:90]}")
                continue
            trials.append(row.trials)
            rates = f"NDR {row.ndr_mpps:9.3f}  PDR {row.pdr_mpps:9.3f}  line {row.line_mpps:9.3f} Mpps"
            lost = " ".join(f"{each.load_mpps / row.line_mpps:.3f}:{each.lost:.4f}" for each in row.tried)
            print(f"{chip:<28} {size:>6}  {row.trials:>2} trials  {rates}  {lost}", flush=True)
    if trials:
        over = sum(each > 8 for each in trials)
        mean = sum(trials) / len(trials)
        print(f"{len(trials)} searches: {max(trials)} trials at most, {mean:.1f} on average; {over} above 8")


if __name__ == "__main__":
    main()
