"""Does the time to check a chip grow with the length of its file, and not with its square?"""

from __future__ import annotations

from contextlib import suppress

import pytest

import linecard
from linecard import _core

CHIP = """kind = "chip"
title = "many"
source = "a test"
[clock]
core_mhz = 1000
[cluster.first]
engines = 1
threads = 1
takes = "work"
[memory.s]
latency_cycles = 10
[buffer.rx]
bytes = "1 MiB"
[inbox.work]
rule = "hash"
[port.e]
rate_gbps = 1
inbox = "work"
[[program.step]]
op = "read"
at = "s"
[traffic]
rate_gbps = 0.8
"""
TABLES = {
    "memories": "[memory.m{0}]\nlatency_cycles = 5\n",
    "units": "[unit.u{0}]\nlatency_ns = 5\n",
    "links": "[link.l{0}]\nrate_gbps = 5\n",
    "clusters": '[cluster.c{0}]\nengines = 1\nthreads = 1\ntakes = "work"\n[[cluster.c{0}.step]]\ncycles = 1\n',
    "rings that nobody takes from": '[ring.r{0}]\nmemory = "s"\nentries = 2\n',
    "tables that there are not": "[nothing{0}]\na = 1\n",
    "steps": '[[cluster.last.step]]\nop = "read"\nat = "s"\n',
}
LAST = '[cluster.last]\nengines = 1\nthreads = 1\ntakes = "work"\n'
FEW = 2500


def seconds(file, table, count):
    text = CHIP + (LAST if "last" in table else "") + "".join(table.format(number) for number in range(count))
    file.write_text(text)
    taken = []
    for _ in range(2):
        # The test counts processor time, that of the core's own thread included: other processes do not affect it.
        before = _core.worked_seconds()
        with suppress(linecard.ConfigError):
            _core.check_chip({"chip": str(file)})
        taken.append(_core.worked_seconds() - before)
    return min(taken)


@pytest.mark.parametrize("kind", TABLES)
def test_four_times_the_tables_are_no_eight_times_the_work(tmp_path, kind):
    few = seconds(tmp_path / "few.toml", TABLES[kind], FEW)
    many = seconds(tmp_path / "many.toml", TABLES[kind], 4 * FEW)
    assert many < 8 * few + 0.05, f"{few:.3f} s, {many:.3f} s"
