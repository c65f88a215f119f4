"""Words that concurrent packets on the chip write without a common lock are named."""

from __future__ import annotations

import pytest

import linecard

pytest.importorskip("ziglang")

PROGRAM = """#include <linecard.h>

static LC_STATE volatile uint32_t sum, guard;

uint32_t app_packet(uint8_t *packet, uint32_t bytes)
{
	(void)packet;
	WRITES;
	return bytes;
}
"""
ALONE = {"island.count": 1, "island.engines": 1, "island.threads": 1}


@pytest.mark.parametrize(
    ("writes", "set", "told"),
    [
        ("sum += 1", {}, True),
        ("lc_lock((void *)&guard); sum += 1; lc_unlock((void *)&guard)", {}, False),
        ("__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED)", {}, False),
        ("sum += 1", ALONE, False),
    ],
    ids=["nothing", "a lock", "atomic", "one thread"],
)
def test_a_word_that_nothing_protects_is_named_with_its_line(tmp_path, writes, set, told):
    source = tmp_path / "race.c"
    source.write_text(PROGRAM.replace("WRITES", writes))
    found = linecard.run("nfp4000", program=source, packets=500, warmup_packets=100, verdict=False, set=set)
    warnings = [each for each in found.warnings if "for two packets at the same time" in each]
    assert len(warnings) == told
    assert all("race.c: the program writes `sum`" in each and "race.c:8" in each for each in warnings)
