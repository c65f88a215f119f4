"""Results of DRAM simulators, DRAMsim3 and Ramulator, beside the same trace through a part and a policy of ours.

`dramsim3/runs.csv` and `ramulator/runs.csv`, a run a row: `trace` (a file, or the name of one in `traces`), `device`,
`policy`, and if wanted `set` (changes of part and policy, `KEY=VALUE; KEY=VALUE`), `stats` (the file that the simulator
wrote) and `tolerance_percent`. Every other column is a statistic of that run; so is every line of `stats`.

DRAMsim3 is followed clock by clock, and its numbers have to come out to the last digit that it prints. Ramulator has
schedulers of its own: what was asked for has to be the same, and when it was done, within a tolerance.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from verdict import DIFFERS, SKIPPED, Compared, Verdict

import linecard
from linecard import MemoryResult
from linecard.errors import LinecardError

RUNS = "runs.csv"
HOLDS = f"{RUNS}, traces, statistics"
KEYS = ("trace", "device", "policy", "set", "stats", "tolerance_percent")
Read = Callable[[MemoryResult], float]

# What was asked for: the same whatever the scheduler.
ASKED: dict[str, Read] = {
    "requests": lambda found: found.requests,
    "reads": lambda found: found.reads,
    "writes": lambda found: found.writes,
    "num_reads_done": lambda found: found.reads,
    "num_writes_done": lambda found: found.writes,
    "total_num_read_requests": lambda found: found.reads,
    "total_num_write_requests": lambda found: found.writes,
}
# When it was done.
DONE: dict[str, Read] = {
    "end_cycle": lambda found: found.end_clock,
    "avg_read_latency": lambda found: found.read.mean_clocks,
    "avg_read_latency_0": lambda found: found.read.mean_clocks,
    "average_read_latency": lambda found: found.read.mean_clocks,
    "read_latency_avg_0": lambda found: found.read.mean_clocks,
}
# What else the scheduler of DRAMsim3 decides. Refreshes, and precharges before them, go on after the last request.
SCHEDULED: dict[str, Read] = {
    "last_accept": lambda found: found.last_accept_clock,
    "writes_left_in_buffer": lambda found: found.writes_left,
    "reads_forwarded": lambda found: found.reads_forwarded,
    "max_read_latency": lambda found: found.read.max_clocks,
    "ACT": lambda found: found.commands.act,
    "RD": lambda found: found.commands.rd,
    "RDA": lambda found: found.commands.rda,
    "WR": lambda found: found.commands.wr,
    "WRA": lambda found: found.commands.wra,
    "num_act_cmds": lambda found: found.commands.act,
    "num_read_cmds": lambda found: found.commands.rd + found.commands.rda,
    "num_write_cmds": lambda found: found.commands.wr + found.commands.wra,
}
# What is compared, and within which tolerance where a row says none.
SIMULATORS: dict[str, tuple[dict[str, Read], float]] = {
    "dramsim3": (DONE | SCHEDULED, 0.0),
    "ramulator": (DONE, 5.0),
}
NAMED = 5
# Of a statistics file as the simulators print it: `name: value`, `name = value # text`, `ramulator.name value # text`.
PRINTED = re.compile(
    r"^\s*(?:ramulator\.)?(\w+)(?:\s*[:=]\s*|\s+)(-?[0-9][0-9.]*(?:e[+-]?\d+)?)\s*(?:#.*)?$", re.M | re.I
)


def verdicts(folder: Path) -> Iterator[Verdict]:
    """Every run of the folder."""
    table = folder / RUNS
    if not table.is_file():
        yield Verdict(RUNS, SKIPPED, f"there is no {table}")
        return
    with table.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            yield _verdict(folder, {key: value or "" for key, value in row.items() if key is not None})


def _verdict(folder: Path, row: dict[str, str]) -> Verdict:
    name = " ".join(row.get(key, "") for key in ("trace", "device", "policy"))
    missing = [key for key in KEYS[:3] if not row.get(key)]
    if missing:
        return Verdict(name, DIFFERS, f"the row has no {', '.join(missing)}")
    reads, tolerance_percent = SIMULATORS[folder.name]
    try:
        statistics = {key: value for key, value in row.items() if key not in KEYS and value}
        if row.get("stats"):
            statistics |= _printed(folder / row["stats"])
        share = float(row.get("tolerance_percent") or tolerance_percent) / 100
        found = linecard.dram(
            row["device"],
            row["policy"],
            trace=_trace(folder, row["trace"]),
            set=dict(_setting(each) for each in row.get("set", "").split(";") if each.strip()),
        )
    except (LinecardError, OSError, ValueError) as error:
        return Verdict(name, DIFFERS, " ".join(str(error).split()))
    compared = Compared()
    for key, expected in statistics.items():
        # Writes that are never sent have no end.
        if key in ASKED:
            compared.number(key, ASKED[key](found), expected)
        elif key in reads and (key != "end_cycle" or found.writes_left == 0):
            compared.number(key, reads[key](found), expected, share)
        else:
            compared.left_out.append(key)
    if len(compared.left_out) > NAMED + 1:
        compared.left_out[NAMED:] = [f"{len(compared.left_out) - NAMED} more"]
    return compared.verdict(name)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"set: found {text.strip()!r}, expected KEY=VALUE")
    return key.strip(), value.strip()


def _trace(folder: Path, name: str) -> Path:
    places = (folder / name, *(folder / "traces" / f"{name}{ending}" for ending in ("", ".csv", ".csv.gz", ".trace")))
    return next((place for place in places if place.is_file()), places[0])


def _printed(file: Path) -> dict[str, str]:
    """Statistics by name, with their digits as they are printed; of several channels the first one's."""
    text = file.read_text(encoding="utf-8", errors="replace")
    if file.suffix == ".json":
        data = json.loads(text, parse_float=str, parse_int=str)
        channel = data.get("0", data)
        return {key: value for key, value in channel.items() if isinstance(value, str)}
    found: dict[str, str] = {}
    for name, value in PRINTED.findall(text):
        found.setdefault(name, value)
    return found
