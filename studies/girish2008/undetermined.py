"""The effect of the values that the thesis leaves open (chapter 4): the machine with each of them changed.

    python studies/girish2008/undetermined.py

Means of seeds 1 to 3, 60,000 packets each.
"""

from __future__ import annotations

from statistics import fmean

import linecard

SEEDS, PACKETS = (1, 2, 3), 60_000
CHANGES: list[tuple[str, ...]] = [
    (),
    ("in.rate_gbps=10",),
    ("in.rate_gbps=25",),
    ("in.rate_gbps=0",),
    ("rbuf.release=cell",),
    ("out.count=1", "out.rate_gbps=8.1"),
    ("out.count=3", "out.rate_gbps=2.7"),
    ("out.count=4", "out.rate_gbps=2.025"),
    ("out.count=8", "out.rate_gbps=1.0125"),
    ("transmit.low_watermark_bytes=0",),
    ("transmit.low_watermark_bytes=4000",),
    ("transmit.high_watermark_bytes=4160", "transmit.low_watermark_bytes=2080"),
    ("transmit.high_watermark_bytes=7000",),
    ("transmit.watermarks_of=queue",),
    ("dram.slots=8",),
    ("traffic.arrivals=shot_noise",),
    ("traffic.arrivals=shot_noise", "shots.fastest_kbps=33000"),
]
THROUGHPUT, LOST = ("total", "throughput_mbps"), ("total", "loss_percent")
STORED, TBUF = ("kept in memory", "bytes_percent"), ("transmit buffer", "bytes_mean")
HEADS = [
    *("DRAM, 5422: Mbit/s, dropped %", "DYNAMIC, 5422: dropped %", "6215: dropped, in DRAM %, bytes in TBUF"),
    *("6215, 8 threads: dropped %", "7390: dropped, in DRAM %"),
]
# Preset, changes of every row, and the measurements with their decimals.
COLUMNS = [
    ("ixp2400_core", ("traffic.rate_gbps=5.422", "me.engines=3"), [(THROUGHPUT, 0), (LOST, 1)]),
    ("ixp2400_dynamic", ("traffic.rate_gbps=5.422", "me.engines=4"), [(LOST, 2)]),
    ("ixp2400_dynamic", ("traffic.rate_gbps=6.215", "me.engines=4"), [(LOST, 2), (STORED, 1), (TBUF, 0)]),
    ("ixp2400_dynamic", ("traffic.rate_gbps=6.215", "me.engines=1"), [(LOST, 2)]),
    ("ixp2400_dynamic", ("traffic.rate_gbps=7.39", "me.engines=4"), [(LOST, 2), (STORED, 0)]),
]


def measured(preset: str, changes: tuple[str, ...], own: tuple[str, ...]) -> list[linecard.RunResult]:
    """The runs of a cell; if all packets go through DRAM, there are no watermarks."""
    if preset == "ixp2400_core":
        changes = tuple(change for change in changes if not change.startswith("transmit."))
    return [
        linecard.run(preset, set=[*own, *changes], seed=seed, packets=PACKETS, warmup_packets=5_000, verdict=False)
        for seed in SEEDS
    ]


def main() -> None:
    """Print the table."""
    print(f"| change | {' | '.join(HEADS)} |\n|---{'|---' * len(HEADS)}|")
    for changes in CHANGES:
        cells = []
        for preset, own, metrics in COLUMNS:
            runs = measured(preset, changes, own)
            cells.append(
                ", ".join(f"{fmean(run.metric(*metric) for run in runs):.{digits}f}" for metric, digits in metrics)
            )
        name = ", ".join(f"`{change}`" for change in changes) or "none"
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
