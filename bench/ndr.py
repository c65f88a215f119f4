"""How many trials the search for no-drop rates needs: every shipped chip and overloaded designs, by frame size.

    python bench/ndr.py [--packets 20000] [--sizes 64,imix,1518] [chip ...]

A row for each chip and size, then the most and the mean of the searches that lose something at the line rate; the
others need one trial. A chip that refuses a size, or has no line rate to start from, is listed with the reason. The
designs are the example SmartNIC with too few resources of one kind.
"""

from __future__ import annotations

import argparse

import linecard
from linecard.errors import LinecardError

DESIGN = "example_smartnic"
LACKS = (
    {"island.count": 1},
    {"island.count": 2, "island.threads": 1},
    {"island.count": 2, "program.run": "secure_gateway"},
    {"packets.channels": 1},
    {"packets.channels": 2, "packets.part": "ddr3_1600"},
    {"traffic.arrivals": "poisson"},
    {"island.count": 1, "traffic.arrivals": "poisson"},
)
GOAL = 8


def main() -> None:
    """Search, and print the number of trials."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("chips", nargs="*")
    options.add_argument("--packets", type=int, default=20_000)
    options.add_argument("--sizes", default="64,imix,1518")
    asked = options.parse_args()
    chips = asked.chips or [each.name for each in linecard.presets() if each.kind == "platforms"]
    designs: list[tuple[str, dict[str, object]]] = [(chip, {}) for chip in chips]
    if not asked.chips:
        designs += [(DESIGN, dict(changes)) for changes in LACKS]
    trials = []
    for chip, changes in designs:
        name = " ".join([chip, *(f"{key.rpartition('.')[2]}={value}" for key, value in changes.items())])
        for size in asked.sizes.split(","):
            try:
                row = linecard.ndr(chip, [size], packets=asked.packets, set=changes).rows[0]
            except LinecardError as error:
                print(f"{name:<48} {size:>6}  {str(error).splitlines()[0][:90]}")
                continue
            trials.append(row.trials)
            rates = f"NDR {row.ndr_mpps:9.3f}  PDR {row.pdr_mpps:9.3f}  line {row.line_mpps:9.3f} Mpps"
            lost = " ".join(f"{each.load_mpps / row.line_mpps:.3f}:{each.lost:.4f}" for each in row.tried)
            print(f"{name:<48} {size:>6}  {row.trials:>2} trials  {rates}  {lost}", flush=True)
    several = [each for each in trials if each > 2]  # the line rate, and the trial that confirms it
    print(f"{len(trials)} searches, {len(trials) - len(several)} of them without loss at the line rate")
    if several:
        within = sum(each <= GOAL for each in several)
        mean, middle = sum(several) / len(several), sorted(several)[len(several) // 2]
        print(f"the others: {mean:.1f} trials on average, {middle} in the middle, {max(several)} at most;", end=" ")
        print(f"{within} of {len(several)} within {GOAL}")


if __name__ == "__main__":
    main()
