"""Rates and profiles of executed programs on a chip that can be computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

import linecard

pytest.importorskip("ziglang")

# Sixteen engines of one thread; eight banks of eight bytes, each of which serves an access in 100 ns. A packet always
# waits, so that the busiest bank determines the rate: eight banks serve 80 accesses in a microsecond.
CHIP = """kind = "chip"
title = "banks"
source = "made for a test"
[clock]
core_mhz = 1000
[cluster.core]
engines = 16
threads = 1
[cluster.core.ebpf]
waits_for_writes = true
[memory.m]
kind = "banked"
latency_cycles = 10
access_cycles = 100
banks = 8
interleave_bytes = 8
capacity_bytes = "64 MiB"
[buffer.rx]
bytes = "1 MiB"
[inbox.work]
[port.eth]
count = 2
rate_gbps = 0
[bind]
table = "m"
[[program.step]]
op = "send"
[traffic]
kind = "fixed"
packet_bytes = 64
arrivals = "saturated"
"""
HEAD = "#include <lx_packet.h>\n"
MAP = 'struct {{ __uint(type, BPF_MAP_TYPE_{}); __uint(max_entries, {}); {} }} {} SEC(".maps");\n'
PAIR = "__type(key, __u32); __type(value, __u64);"
COUNTS = HEAD + MAP.format("PERCPU_ARRAY", 1, PAIR, "sums")
BODY = """SEC("xdp") int program(struct xdp_md *context) {
	__u32 key = KEY;
	__u64 *value = bpf_map_lookup_elem(&sums, &key);
	if (!value) return XDP_PASS;
	CHANGE
	return XDP_TX;
}
"""


@pytest.fixture
def runs(tmp_path):
    """Run a program on the chip."""
    file = tmp_path / "banks.toml"

    def run(source: str, *, chip: str = CHIP, **asked: Any) -> linecard.RunResult:
        file.write_text(chip)
        program = tmp_path / "own.c"
        program.write_text(source)
        return linecard.run(file, program=program, packets=2000, warmup_packets=200, verdict=False, **asked)

    return run


def of(change: str, key: int = 0) -> str:
    return BODY.replace("KEY", str(key)).replace("CHANGE", change)


@pytest.mark.parametrize(("cpus", "rate"), [(1, 5.0), (8, 40.0)])
def test_values_of_processors_are_words_of_their_own(runs, cpus, rate):
    # A read and a write of the value of the packet's processor: one bank, or eight.
    found = runs(COUNTS + of("*value += 1;"), cpus=cpus)
    assert found.summary.throughput_mpps == pytest.approx(rate, rel=0.01)
    (hot,) = found.programs[0].hot
    assert hot.name == "`sums[0]`"


def test_a_record_of_a_ring_buffer_is_spread_and_private(runs):
    # Five words of a record of 64 bytes: its header is written twice, and is in one bank in all records.
    source = HEAD + MAP.format("RINGBUF", 65536, "", "events")
    body = """SEC("xdp") int program(struct xdp_md *context) {
	__u64 *record = bpf_ringbuf_reserve(&events, 56, 0);
	if (!record) return XDP_PASS;
	record[0] = 1; record[3] = 2; record[6] = 3;
	bpf_ringbuf_submit(record, 0);
	return XDP_TX;
}
"""
    found = runs(source + body)
    assert found.summary.throughput_mpps == pytest.approx(5.0, rel=0.01)
    assert not [each for each in found.warnings if "at the same time" in each]


@pytest.mark.parametrize("key", [2, 3])
def test_entries_of_a_hash_are_behind_its_buckets(tmp_path, runs, key):
    # A bucket and an entry, in different banks for both keys: 32 bytes of buckets, and entries of 24 bytes.
    values = tmp_path / "values.csv"
    values.write_text("key,value\n3,1\n4,1\n2,1\n")
    source = HEAD + MAP.format("HASH", 4, PAIR, "sums") + of("", key)
    found = runs(source, maps={"sums": values}, set={"m.banks": 16})
    assert found.summary.throughput_mpps == pytest.approx(10.0, rel=0.01)


def test_a_map_needs_its_whole_size(runs):
    # 65,536 buckets of 8 bytes, and as many entries of 24; then 65,536 values of 8.
    source = HEAD + MAP.format("HASH", 65536, PAIR, "sums") + of("")
    with pytest.raises(linecard.ConfigError, match="2621440"):
        runs(source, set={"m.capacity_bytes": "2 MiB"})
    runs(source, set={"m.capacity_bytes": 2_621_440})


def test_each_thread_has_a_stack(runs):
    source = HEAD + MAP.format("HASH", 4, PAIR, "sums") + of("")
    found = runs(source, set={"bind.stack": "m"})
    assert not [each for each in found.warnings if "at the same time" in each]


def test_a_packet_that_is_redirected_to_where_it_came_from_leaves_by_its_port(runs):
    redirect = 'SEC("xdp") int program(struct xdp_md *c) { return bpf_redirect(c->ingress_ifindex, 0); }\n'
    back = 'SEC("xdp") int program(struct xdp_md *c) { return XDP_TX; }\n'
    of_ports = [
        [(part.of, part.port, part.packets_delivered) for part in runs(HEAD + source).breakdown]
        for source in (redirect, back)
    ]
    assert of_ports[0] == of_ports[1]


def test_the_cycles_of_a_program_that_a_tail_call_enters_are_its_own(tmp_path, runs):
    source = (
        HEAD
        + "struct { __uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 1); __type(key, __u32);"
        + ' __type(value, __u32); } programs SEC(".maps");\n'
        + 'SEC("xdp/second") int second(struct xdp_md *c) { return XDP_TX; }\n'
        + 'SEC("xdp/first") int first(struct xdp_md *c)'
        + " { bpf_tail_call(c, &programs, 0); return XDP_PASS; }\n"
    )
    entries = tmp_path / "programs.toml"
    entries.write_text('[[entry]]\nkey = 0\nvalue = "second"\n')
    found = runs(source, section="first", maps={"programs": entries})
    stacks = {stack.functions: stack.cycles for stack in found.programs[0].stacks}
    assert set(stacks) == {("first",), ("second",)}


def test_the_profile_has_the_cycles_of_hits_in_a_data_cache(runs):
    # Sixteen reads of one line that is always in the cache: each but the first waits 9 of 10 cycles for its value.
    source = COUNTS.replace("PERCPU_ARRAY", "ARRAY") + of(
        "__u64 sum = 0;\n#pragma unroll\nfor (int i = 0; i < 8; i++) sum += *(volatile __u64 *)value;"
        "\nif (sum) return XDP_PASS;"
    )
    cache = {"of": "m", "cache_bytes": 4096, "line_bytes": 64, "ways": 4, "latency_cycles": 10}
    found = runs(source, set={f"core.cache.{key}": value for key, value in cache.items()})
    profile = found.programs[0]
    # A packet always waits, and the engines do nothing else.
    cycles = 16 * 1000 / found.summary.throughput_mpps
    assert profile.cycles_per_packet + profile.stall_cycles_per_packet == pytest.approx(cycles, abs=0.5)
    assert profile.stall_cycles_per_packet > 8


def test_kinds_of_clusters_that_execute_one_program_share_its_state(runs):
    # The program passes its first thousand packets, whichever cluster takes them.
    other = '[cluster.other]\nengines = 8\nthreads = 1\ntakes = "work"\n'
    two = CHIP.replace("[cluster.core]\nengines = 16", f"{other}[cluster.core]\nengines = 8")
    source = (
        HEAD + MAP.format("ARRAY", 1, PAIR, "sums") + of("if (__sync_fetch_and_add(value, 1) >= 1000) return XDP_DROP;")
    )
    found = runs(source, chip=two)
    counts = [{each.result: each.packets for each in program.results} for program in found.programs]
    assert len(counts) == 2
    # The warm-up passes 200 of them.
    assert 780 <= sum(each.get("tx", 0) for each in counts) <= 820
