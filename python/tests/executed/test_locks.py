"""Locks of executed programs separate packets on a chip: rates compared with the time of the critical section."""

from __future__ import annotations

from pathlib import Path

import pytest

import linecard

pytest.importorskip("ziglang")

# A critical section reads the same words one after another; the compiler can omit no read.
IN_EBPF = """
#include <lx_packet.h>

struct shared {
	struct bpf_spin_lock lock;
	__u32 written;
	__u32 words[14];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BUCKETS);
	__type(key, __u32);
	__type(value, struct shared);
} all SEC(".maps");

SEC("xdp")
int locked(struct xdp_md *context)
{
	struct iphdr *ip = lx_ipv4(context);
	volatile struct shared *shared;
	__u32 key;

	if (!ip)
		return XDP_ABORTED;
	key = lx_hash(ip->saddr, 0) % BUCKETS;
	shared = bpf_map_lookup_elem(&all, &key);
	if (!shared)
		return XDP_ABORTED;
	bpf_spin_lock((struct bpf_spin_lock *)&shared->lock);
#pragma unroll
	for (int each = 0; each < N; each++)
		shared->words[each];
	shared->written = 1;
	bpf_spin_unlock((struct bpf_spin_lock *)&shared->lock);
	return XDP_TX;
}
"""

IN_C = """
#include <linecard.h>
#include <stdlib.h>

struct shared {
	uint32_t lock, written, words[14];
};

static struct shared *all;

void app_init(const uint8_t *control, uint32_t bytes)
{
	(void)control;
	(void)bytes;
	all = calloc(BUCKETS, sizeof *all);
}

uint32_t app_packet(uint8_t *packet, uint32_t bytes)
{
	uint32_t source = *(uint32_t *)(packet + 12);
	volatile struct shared *shared = &all[source * 2654435761u % BUCKETS];

	lc_lock(shared);
#pragma unroll
	for (int each = 0; each < N; each++)
		shared->words[each];
	shared->written = 1;
	lc_unlock(shared);
	return bytes;
}
"""


def run(
    folder: Path, chip: str, text: str, *, reads: int, buckets: int = 1, packets: int = 3000, **options
) -> linecard.RunResult:
    file = folder / ("ebpf.c" if "SEC(" in text else "riscv.c")
    file.write_text(f"#define N {reads}\n#define BUCKETS {buckets}\n{text}")
    return linecard.run(chip, program=file, packets=packets, warmup_packets=1000, **options)


@pytest.mark.parametrize("chip", ["nfp4000", "pspin"])
def test_a_spin_lock_excludes_as_a_lock_of_c_does(tmp_path, chip):
    rates = []
    for text in (IN_EBPF, IN_C):
        found = run(tmp_path, chip, text, reads=12)
        assert found.bottleneck.component == "locks"
        rates.append(found.summary.throughput_mpps)
    assert rates[0] == pytest.approx(rates[1], rel=0.03)


@pytest.mark.parametrize("text", [IN_EBPF, IN_C], ids=["eBPF", "C"])
def test_under_one_lock_the_rate_is_one_packet_a_critical_section(tmp_path, text):
    """Each of the section's reads takes longer by the memory's time, independent of the rest of the section."""
    cycle_us, reads, longer = 1 / 800, 4, 100
    section_us = [
        1
        / run(
            tmp_path, "nfp4000", text, reads=reads, set={"memory.emem.latency_cycles": latency}
        ).summary.throughput_mpps
        for latency in (200, 200 + longer)
    ]
    assert section_us[1] - section_us[0] == pytest.approx(reads * longer * cycle_us, rel=0.005)


@pytest.mark.parametrize("text", [IN_EBPF, IN_C], ids=["eBPF", "C"])
def test_locks_of_many_buckets_keep_hardly_anybody_waiting(tmp_path, text):
    """Locks of flows that rarely conflict: twice as many make no difference."""
    traffic = {"traffic.flows": 20000}
    few, many = (
        run(tmp_path, "nfp4000", text, reads=2, buckets=buckets, packets=15_000, set=traffic)
        for buckets in (30_000, 65_000)
    )
    assert few.bottleneck.component != "locks"
    assert few.summary.throughput_mpps == pytest.approx(many.summary.throughput_mpps, rel=0.02)
    one = run(tmp_path, "nfp4000", text, reads=2, set=traffic)
    assert one.summary.throughput_mpps < few.summary.throughput_mpps / 4
