"""`linecard dram run`: simulate a DRAM part without a chip."""

from __future__ import annotations

from typing import Any

import linecard
from linecard.cli import stderr
from linecard.cli.asked import takes
from linecard.cli.output import Outputs


@takes("dram")
def run(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Simulate a DRAM part with a request trace or an access pattern.

    The command prints the bandwidth, the latencies and their components, the bus utilisation, and statistics of banks
    and commands. If the part's preset contains currents, the command also prints the energy. Trace formats: `csv` with
    the columns `arrival`, `op`, `address` and optionally `bytes`; `dramsim3` (`address OP clock`); `ramulator`
    (`LD address`). Arrival times in traces, and the columns `accept` and `complete` of the request file, are in memory
    clock cycles. In the column `complete`, -1 marks a write that was never sent to the DRAM.

    **Examples**

        linecard dram run ddr4_2400 --pattern random

        linecard dram run hbm2 --policy split_open --pattern packet_cells --count 20000 --json

        linecard dram run sdr100 -p fcfs_open --trace my_requests.csv --requests requests.csv

        linecard dram run ddr3_1600 --pattern random --set policy.page=closed --set "timing.tRCD=15 ns"
    """
    outputs.of(linecard.dram, asked, "Simulating", "requests")
    stderr.note_written([asked[name] for name in ("requests", "commands") if asked[name] is not None])
