"""Words and locks that are limits are named: the map and key or the variable, the lines, and their percentage."""

from __future__ import annotations

import pytest

import linecard

pytest.importorskip("ziglang")

# The program adds to a value of a map; line 19 makes all additions.
ADDS = """#include <lx_packet.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} backends SEC(".maps");

SEC("xdp")
int spread(struct xdp_md *context)
{
	__u32 key = 3;
	__u64 *sum = bpf_map_lookup_elem(&backends, &key);

	if (sum)
#pragma unroll
		for (int each = 0; each < 8; each++)
			__sync_fetch_and_add(sum, 1);
	return XDP_TX;
}
"""

# The program reads a word of the state three times, and one word of a block.
READS = """#include <linecard.h>
#include <stdlib.h>

static LC_STATE volatile uint32_t first[16], hot[16];
static volatile uint32_t *table;

void app_init(const uint8_t *control, uint32_t bytes)
{
	(void)control, (void)bytes;
	table = calloc(16, sizeof *table);
}

uint32_t app_packet(uint8_t *packet, uint32_t bytes)
{
	(void)packet;
	lc_lock(table);
	hot[2];
	hot[2];
	hot[2];
	table[5] = first[0];
	lc_unlock(table);
	return bytes;
}
"""


def test_the_bank_that_limits_is_named_with_what_stands_there_and_where(tmp_path):
    source = tmp_path / "adds.c"
    source.write_text(ADDS)
    found = linecard.run("nfp4000", program=source, packets=5000, warmup_packets=1000)
    # One bank performs eight additions, which take 3.2198 cycles of 1.25 ns each.
    assert found.summary.throughput_mpps == pytest.approx(800 / (8 * 3.2198), rel=0.01)
    assert found.bottleneck.component == "emem"
    assert found.bottleneck.why.endswith(
        "Most accessed in emem bank 0: `backends[3]`, line adds.c:19, 100 % of the program's accesses."
    )
    (hot,) = found.programs[0].hot
    assert (hot.memory, hot.bank, hot.name, hot.lines, hot.share) == ("emem", 0, "`backends[3]`", ("adds.c:19",), 1.0)


def test_variables_and_blocks_of_c_are_named(tmp_path):
    source = tmp_path / "reads.c"
    source.write_text(READS)
    bound = {"bind.state": "emem", "bind.heap": "imem"}
    found = linecard.run("nfp4000", program=source, packets=1000, warmup_packets=200, set=bound)
    hot = {each.memory: each for each in found.programs[0].hot}
    assert hot["emem"].name == "`hot`, byte 8"
    assert hot["emem"].share == pytest.approx(3 / 4)
    assert hot["emem"].lines == ("reads.c:17", "reads.c:18", "reads.c:19")
    assert hot["imem"].name == "the 64-byte block that reads.c:10 allocated, byte 20"
    assert hot["locks"].name == "the 64-byte block that reads.c:10 allocated"
    assert hot["locks"].lines == ("linecard.h:39 in app_packet",)
    assert found.bottleneck.why.endswith(
        "Most frequently acquired lock: the 64-byte block that reads.c:10 allocated, line linecard.h:39 in app_packet, "
        "100 % of all acquisitions."
    )


def test_bars_of_a_source_are_of_all_its_time(tmp_path):
    source = tmp_path / "adds.c"
    source.write_text(ADDS)
    found = linecard.run("nfp4000", program=source, packets=1000, warmup_packets=200, verdict=False)
    page = found.save(tmp_path / "run.html").read_text()
    lines = found.programs[0].lines
    times = [each.cycles_per_packet + each.stall_cycles_per_packet for each in lines]
    listed = page[page.index("adds.c, per packet") :]
    shares = {f"width:{time / max(times):.1%}" for time in times}
    assert all(share in listed for share in shares)
    assert "`backends[3]`" in page
