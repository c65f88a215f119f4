"""The effect of each value of a link's stand-in: the percentages of Figures 3 and 8(a) with that value changed.

    python studies/mudigonda2007/traffic_values.py edge
    python studies/mudigonda2007/traffic_values.py core

Each value is halved and doubled, or changed as far as the generator accepts it with the others. A row covers 180
deployments, fifteen programs, three latencies and four bandwidths.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import linecard
from linecard.malleable.run import core, deployments

if TYPE_CHECKING:
    from collections.abc import Callable

TRAFFIC = Path(__file__).resolve().parents[2] / "presets" / "traffic"
PROGRAMS = [
    *("checksum", "md5", "cast", "vscan"),
    *("classify", "patricia", "bitmap", "bsol", "ixp"),
    *("srtcm", "trtcm", "tswtcm", "drr", "stream", "portscan"),
]
"""The fifteen of Table 1: payload, headers and routes, state of flows."""

MEMORIES = [(latency, bandwidth) for latency in (50, 200, 500) for bandwidth in (0.04, 0.16, 0.64, 2.56)]
PACKETS = 6_000
EVENTS = 30_000

SHORT_PACKETS = [55, 15, 10, 5, 5, 3, 7]
"""Percent of each size of `[sizes]` that has a mean of 216 bytes."""

VALUES: dict[str, list[tuple[str, Any]]] = {
    "edge": [
        ("concurrent_flows", 240),
        ("concurrent_flows", 800),
        ("hosts", 750),
        ("hosts", 3_000),
        ("packets_in_large_flows", 30),
        ("packets_in_large_flows", 60),
        ("single_flows", 30),
        ("tcp", 70),
        ("time_out", 0.5),
        ("percent", SHORT_PACKETS),
    ],
    "core": [
        ("concurrent_flows", 2_400),
        ("concurrent_flows", 6_000),
        ("hosts", 15_000),
        ("hosts", 60_000),
        ("packets_in_large_flows", 50),
        ("packets_in_single_flows", 8),
        ("large_flows", 0.04),
        ("largest_flow_packets", 4_000),
        ("largest_flow_packets", 16_000),
        ("single_flows", 55),
        ("tcp", 70),
        ("time_out", 0.4),
        ("rate", 25_000),
        ("skip", 12),
        ("skip", 50),
        ("percent", SHORT_PACKETS),
    ],
}


def changed(text: str, key: str, value: Any) -> str:
    """The traffic file with another value of a key."""
    lines = text.splitlines()
    (at,) = (number for number, line in enumerate(lines) if line.startswith(f"{key} = "))
    rest = lines[at][lines[at].index(", unit = ") :]
    lines[at] = f"{key} = {{ value = {value}{rest}"
    return "\n".join(lines)


def row(traffic: str) -> str:
    """Best threads of `classify` at 50 and 300 cycles, and the percentages of Figures 3(a), 3(b) and 8(a)."""
    rows = [
        found
        for program in PROGRAMS
        for found in deployments(
            linecard.program_trace(program, traffic, packets=PACKETS),
            MEMORIES,
            events=EVENTS,
        )
    ]

    def shares(*kept: Callable[[dict[str, Any]], bool]) -> str:
        return ", ".join(f"{100 * sum(map(one, rows)) / len(rows):.0f}" for one in kept)

    classify = linecard.program_trace("classify", traffic)
    columns = [
        ", ".join(str(core(classify, latency=latency, events=120_000).best.threads) for latency in (50, 300)),
        shares(
            lambda of: of["ideal"] >= 2.0 * of["ixp2800"],
            lambda of: of["ideal"] >= 4.0 * of["ixp2800"],
            lambda of: of["ideal"] < of["ixp2800"],
        ),
        shares(
            lambda of: of["ideal"] >= 1.6 * of["optimal_fixed"],
            lambda of: of["ideal"] >= 1.7 * of["optimal_fixed"],
            lambda of: of["ideal"] < of["optimal_fixed"],
        ),
        shares(
            lambda of: of["malleable"] > of["ixp2800"],
            lambda of: of["malleable"] >= 0.94 * of["ideal"],
            lambda of: of["malleable"] >= 0.92 * of["ideal"],
        ),
    ]
    return " | ".join(columns)


def main() -> None:
    """Print the table of a link."""
    parser = argparse.ArgumentParser(description="What each value of a stand-in for a link decides.")
    parser.add_argument("link", choices=VALUES)
    link = parser.parse_args().link
    text = (TRAFFIC / f"{link}.toml").read_text()
    print("| value | classify | Figure 3(a) | Figure 3(b) | Figure 8(a) |\n|---|---|---|---|---|")
    print(f"| as it is | {row(link)} |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for key, value in VALUES[link]:
            file = Path(folder) / f"{link}.toml"
            file.write_text(changed(text, key, value))
            print(f"| `{key}` {value} | {row(str(file))} |", flush=True)


if __name__ == "__main__":
    main()
