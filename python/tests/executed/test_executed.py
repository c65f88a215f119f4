"""XDP and C programs executed on chips: every shipped one on every chip, their costs there, bands, refusals."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT, ipv4_frame, pcap_bytes

import linecard
from linecard.executed.shipped import programs
from linecard.executed.source import lines_with_text

SHARED = ROOT.parent / "shared"
PLATFORMS = ROOT / "presets" / "platforms"
XDP = [each.name for each in linecard.xdp_programs()]
C = [each.name for each in programs()]
# The designs of Hasan 2003 differ in their packet buffers: the first and the last represent all of them.
CHIPS = [
    each.name
    for each in linecard.presets()
    if each.kind == "platforms"
    and (not each.name.startswith("hasan2003") or each.name in ("hasan2003_ref_base", "hasan2003_all_pf"))
]
# Memory regions that a program needs and a chip does not have.
NO_ROOM = {
    "example_smartnic": {"adds", "ixp", "router"},
    "pspin": {"balancer", "bsol", "ixp", "name_cache", "router"},
    "rosebud16": {
        *("balancer", "bitmap", "bsol", "ixp", "name_cache", "patricia", "router", "stateful_firewall", "vscan"),
        "token_bucket",
    },
    "rosebud8": {
        *("balancer", "bitmap", "bsol", "ixp", "name_cache", "patricia", "router", "stateful_firewall", "vscan"),
        *("reads", "token_bucket"),
    },
}
NFP = "nfp4000"
ONE_ENGINE = {"island.count": 1, "island.engines": 1}


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    file = tmp_path / "some.pcap"
    file.write_bytes(pcap_bytes([ipv4_frame(number) for number in range(60)]))
    return file


def rate(defines=(), program="reads", packets=20_000, warmup=10_000, **more):
    """Packets per second, in millions."""
    found = linecard.run(
        NFP, program=program, defines=defines, packets=packets, warmup_packets=warmup, verdict=False, **more
    )
    return found.summary.throughput_mpps


# ---- every program on every chip ----


# Chips that extend another chip and have its structure.
EXTENDS = {chip for chip in CHIPS if "extends" in tomllib.loads((PLATFORMS / f"{chip}.toml").read_text())}


@pytest.mark.parametrize("chip", [pytest.param(c, marks=pytest.mark.long if c in EXTENDS else ()) for c in CHIPS])
def test_every_shipped_program_runs_on_every_chip(chip, wording):
    # Slots that all begin together end together, in groups with as many packets as slots.
    counts = (
        {"packets": 400, "warmup_packets": 300} if chip.startswith("rosebud") else {"packets": 60, "warmup_packets": 20}
    )
    for program in [*XDP, *C]:
        if program in NO_ROOM.get(chip, ()):
            with pytest.raises(linecard.ConfigError) as refused:
                linecard.run(chip, program=program, **counts, verdict=False)
            # The tests that take long leave no snapshots, which all other runs would call unused.
            if chip not in EXTENDS:
                wording(refused.value)
            continue
        found = linecard.run(chip, program=program, **counts, verdict=False)
        first = found.summary
        assert first.packets_out + first.packets_dropped >= counts["packets"], program
        executed = found.programs[0]
        assert sum(each.packets for each in executed.results) == executed.packets > 0, program
        lines = sum(each.instructions_per_packet for each in executed.lines)
        assert 0 < lines <= executed.instructions_per_packet * 1.000001, program


@pytest.mark.parametrize("program", XDP)
def test_a_chip_comes_to_what_the_program_alone_comes_to(program, capture):
    alone = linecard.xdp_run(program, capture)
    found = linecard.run("example_smartnic", program=program, trace=capture, verdict=False, set=ONE_PORT).programs[0]
    assert found.packets == 60
    assert found.instructions_per_packet == pytest.approx(alone.instructions_per_packet)
    assert {each.result: each.packets for each in found.results} == {each.name: each.count for each in alone.verdicts}


# The memory holds all maps, and all packets come from one interface.
ONE_PORT = {
    "memory.shared.capacity_bytes": 1 << 28,
    "memory.local.capacity_bytes": 1 << 20,
    "port.eth.count": 1,
    "port.eth.rate_gbps": 400,
}


@pytest.mark.parametrize("program", ["srtcm", "classify", "cast"])
def test_a_c_program_costs_the_instructions_that_its_own_run_counts(program, capture):
    alone = linecard.program_trace(program, capture, packets=60)
    found = linecard.run("example_smartnic", program=program, trace=capture, verdict=False).programs[0]
    assert found.instructions_per_packet == pytest.approx(alone.instructions_per_packet)


def test_the_same_request_gives_the_same_bytes(cli, capture):
    first = cli("run", NFP, "--program", "count_min", "--trace", capture, "--json")
    again = cli("run", NFP, "--program", "count_min", "--trace", capture, "--json")
    assert first.out == again.out


@pytest.mark.skipif(not (SHARED / "data" / "xdp").is_dir(), reason="the shared objects are not there")
@pytest.mark.parametrize("name", ["l4lb.o", "tutorial_packet01-parsing_xdp_prog_kern.o"])
def test_objects_of_other_projects_run_on_a_chip(name):
    file = SHARED / "data" / "xdp" / name
    found = linecard.run("ixp2800", program=file, packets=60, warmup_packets=20, verdict=False)
    assert found.programs[0].packets > 30


# ---- the NFP-4000: results that follow from its file alone ----


@pytest.mark.parametrize("engines", [1, 10])
def test_the_firmware_takes_224_cycles_of_an_engine_beside_the_8_of_the_empty_program(engines):
    mpps = rate(program="drop", set={"island.count": 1, "island.engines": engines})
    assert 800 * engines / mpps == pytest.approx(224 + 8, rel=0.02)


@pytest.mark.parametrize(
    ("table", "own", "around"), [("cluster.island.ebpf", 9, 224), ("program", 8, 224 + 0.125 * 191)]
)
def test_a_table_that_is_off_by_an_eighth_is_so_in_all_of_its_cycles(table, own, around):
    percent = {f"{table}.percent": 112.5, "island.count": 1, "island.engines": 1}
    found = linecard.run("nfp4000", program="drop", set=percent, packets=4000, warmup_packets=1000, verdict=False)
    # The empty program's 8 cycles become 9, and the 191 cycles of the steps around it 215; neither includes the issue
    # of accesses.
    assert found.programs[0].cycles_per_packet == own
    assert 800 / found.summary.throughput_mpps == pytest.approx(own + around, rel=0.02)


def test_a_table_that_is_off_by_a_part_of_a_cycle_is_so_in_the_mean_of_packets():
    def cycles(percent: float) -> float:
        settings = {"cluster.island.ebpf.percent": percent, "island.count": 1, "island.engines": 1}
        found = linecard.run("nfp4000", program="drop", set=settings, packets=4000, warmup_packets=1000, verdict=False)
        return 800 / found.summary.throughput_mpps

    # Four per cent of the empty program's 8 cycles.
    assert cycles(104) - cycles(100) == pytest.approx(0.32, abs=0.1)


FAR = """
#include <linecard_bpf.h>
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << 26);
	__type(key, __u32);
	__type(value, __u64);
} far SEC(".maps");
SEC("xdp") int program(struct xdp_md *context)
{
	__u32 key = (1 << 26) + 7;
	__u64 *found = bpf_map_lookup_elem(&far, &key);

	if (!found)
		return XDP_ABORTED;
	__sync_fetch_and_add(found, 1);
	return XDP_DROP;
}
"""


@pytest.mark.parametrize(("masked", "result"), [(True, "drop"), (False, "aborted")])
def test_an_index_beyond_a_map_of_2_26_values_is_masked_as_the_card_does(tmp_path, masked, result):
    pytest.importorskip("ziglang")
    (tmp_path / "far.c").write_text(FAR)
    changes = {"cluster.island.ebpf.masked_index": masked}
    found = linecard.run("nfp4000", program=str(tmp_path / "far.c"), set=changes, packets=500, verdict=False)
    assert [each.result for each in found.programs[0].results] == [result]
    # Every packet adds to value 7.
    assert [each.name for each in found.programs[0].hot] == (["`far[7]`"] if result == "drop" else [])


def test_a_share_of_nothing_is_refused(wording):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.check("nfp4000", set={"cluster.island.ebpf.percent": 0})
    wording(refused.value)


def test_rates_grow_with_engines_up_to_the_mac():
    found = [rate(program="drop", set={"island.engines": engines}) for engines in (1, 2, 10)]
    assert found[1] == pytest.approx(2 * found[0], rel=0.01)
    assert found[2] == pytest.approx(54.4, rel=0.001)


# A packet of `reads` also writes the sum of the values read.
@pytest.mark.parametrize(("program", "cycles", "more"), [("reads", 4.0525, 1), ("adds", 3.2198, 0)])
@pytest.mark.parametrize("number", [8, 20])
def test_accesses_of_one_place_are_bound_by_its_engine(program, cycles, more, number):
    bound = 800 / (cycles * (number + more))
    found = rate([f"N={number}", "ENTRIES=64"], program)
    assert 0.99 * bound < found <= 1.0001 * bound


def test_eight_threads_hide_more_of_the_waits_than_four_and_one_hides_none():
    one, four, eight = (rate(["N=8"], set={**ONE_ENGINE, "island.threads": threads}) for threads in (1, 4, 8))
    assert one < four < eight
    found = linecard.run(
        NFP,
        program="reads",
        defines=["N=8"],
        packets=2000,
        warmup_packets=100,
        verdict=False,
        set={**ONE_ENGINE, "island.threads": 1},
    )
    parts = {each.part: each.mean_ns for each in found.packet_time}
    assert 1e3 / found.summary.throughput_mpps == pytest.approx(sum(parts.values()), rel=0.001)


def test_what_nobody_reads_of_an_atomic_operation_is_not_waited_for(tmp_path):
    source = tmp_path / "add.c"
    source.write_text(
        "#include <linecard_bpf.h>\nstruct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1);"
        ' __type(key, __u32); __type(value, __u64); } count SEC(".maps");\n'
        'SEC("xdp") int add(struct xdp_md *context)\n{\n\t__u32 key = 0;\n'
        "\t__u64 *found = bpf_map_lookup_elem(&count, &key);\n"
        "#ifdef READ\n\treturn found ? __sync_fetch_and_add(found, 1) : 0;\n"
        "#else\n\tif (found)\n\t\t__sync_fetch_and_add(found, 1);\n\treturn XDP_DROP;\n#endif\n}\n"
    )

    def waits(defines):
        found = linecard.run(
            NFP, program=source, defines=defines, packets=500, warmup_packets=50, verdict=False, set=ONE_ENGINE
        )
        return {each.part: each.mean_ns for each in found.packet_time}.get("wait emem", 0)

    assert waits([]) == 0
    assert waits(["READ"]) == pytest.approx(200 / 0.8, rel=0.01)


# ---- Rosebud: the smallest of three bounds ----


@pytest.mark.parametrize(("chip", "engines"), [("rosebud16", 16), ("rosebud8", 8)])
@pytest.mark.parametrize("size", [64, 128, 512, 1500])
def test_rosebud_reaches_its_smallest_bound(chip, engines, size):
    found = linecard.run(chip, packets=10_000, verdict=False, set={"traffic.packet_bytes": size})
    wire = 2 * 100e3 / (8 * (size + 20))
    firmware, links = engines * 250 / 16, engines * 250 / -(-size // 16)
    bound = min(wire, firmware, links)
    # The rate never exceeds the bound. Slots in lockstep wait for their link together and lose up to 4 %, as the guide
    # says.
    assert 0.96 * bound <= found.summary.throughput_mpps <= 1.001 * bound


def test_a_packet_without_load_takes_the_sum_of_its_ways():
    found = linecard.run(
        "rosebud16",
        packets=200,
        verdict=False,
        set={"traffic.packet_bytes": 512, "traffic.arrivals": "constant", "traffic.rate_gbps": 1},
    )
    # The parts are: the frame once over the wire, from its first bit on; twice over a link of 16 bytes per cycle with
    # its pipeline; the firmware; and once over the wire with its overhead.
    ways = 512 * 8 / 100 + 2 * (32 + 6) * 4 + 16 * 4 + 532 * 8 / 100
    assert found.summary.latency_ns.mean == pytest.approx(ways, rel=0.01)


# ---- bands ----


def test_a_prediction_is_a_band_over_the_intervals_of_its_sources(cli):
    options = ("--program", "drop", "--packets", 4000, "--warmup", 1000)
    small = ("--set", "island.count=1", "--set", "island.engines=1", "--set", "island.threads=1")
    found = json.loads(cli("run", NFP, *options, *small, "--json").out)
    low, high = (found["band"][end]["throughput_mpps"] for end in ("low", "high"))
    assert low < found["summary"]["throughput_mpps"] < high
    # One thread waits three times for queues, whose interval is the widest; the empty program uses no table.
    widths = {each["key"]: each["high"] - each["low"] for each in found["band"]["widths"]}
    assert found["band"]["metric"] == "throughput_mpps"
    assert next(iter(widths)) == "memory.queues.latency_cycles"
    assert "memory.emem.latency_cycles" not in widths
    assert list(widths.values()) == sorted(widths.values(), reverse=True)
    keys = {each["key"]: (each["low"], each["high"]) for each in found["ranges"]}
    assert keys["memory.emem.latency_cycles"] == (150, 250)
    assert "from 150 to 250" in cli("describe", NFP).out
    screen = cli("run", NFP, *options, *small)
    assert "Band" in screen.out
    assert "memory.emem.latency_cycles 150 to 250" in " ".join(screen.out.split())
    assert "band" not in json.loads(cli("run", NFP, *options, *small, "--no-band", "--json").out)


def test_a_band_is_of_the_latency_where_no_interval_moves_the_throughput():
    slow = {"traffic.arrivals": "constant", "traffic.rate_gbps": 0.5}
    found = linecard.run(NFP, program="drop", packets=2000, warmup_packets=500, set=slow, band=True, verdict=False)
    band = found.band
    assert band is not None
    assert band.metric == "latency_mean_ns"
    assert band.low.latency_ns.mean < found.summary.latency_ns.mean < band.high.latency_ns.mean
    # Each packet waits for the queues three times, one after another: for 300 cycles in all three, and 150 to 250 in
    # each.
    queues = next(each for each in band.widths if each.key == "memory.queues.latency_cycles")
    assert queues.width == pytest.approx(3 * 100 / 0.8, rel=0.02)


def test_a_band_of_opposite_effects_brackets_both():
    # All upper ends at once would hide that a slower L3 and a longer busy time of its banks change the same number.
    ranges = {each.key: each.interval for each in linecard.describe("bluefield3_dpa").parameters if each.interval}
    found = linecard.run("bluefield3_dpa", packets=800, warmup_packets=300, band=True, verdict=False)
    assert found.band is not None
    for key, ends in ranges.items():
        for end in ends:
            one = linecard.run(
                "bluefield3_dpa", packets=800, warmup_packets=300, verdict=False, set=[f"{key}={end:.12g}"]
            )
            value = one.summary.throughput_mpps
            assert found.band.low.throughput_mpps <= value <= found.band.high.throughput_mpps


def test_a_chip_without_intervals_has_no_band(cli):
    found = json.loads(cli("run", "example_smartnic", "--packets", 200, "--json").out)
    assert "band" not in found
    assert "ranges" not in found


@pytest.mark.parametrize(
    "interval", ["low = 9, high = 12", "low = 5", "low = 9, high = 2", 'low = "a", high = 9', "low = 7, high = 6"]
)
def test_an_interval_holds_its_value(tmp_path, interval, wording):
    file = tmp_path / "chip.toml"
    value = f'{{ value = 8, {interval}, source = "x" }}'
    file.write_text(f'kind = "chip"\nextends = "nfp4000"\n\n[memory.emem]\nlatency_cycles = {value}\n')
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.run(str(file), packets=100)
    wording(refused.value)


# ---- sweeps ----


def test_programs_and_their_macros_are_axes_of_a_sweep(tmp_path):
    source = tmp_path / "mine.c"
    text = '#include <linecard_bpf.h>\nSEC("xdp") int mine(struct xdp_md *context)\n{\n\treturn XDP_DROP;\n}\n'
    source.write_text(text)
    axes = {"program": [str(source), "reads"], "island.engines": [1, 2]}
    options = {"set": {"island.count": 1}, "store": tmp_path / "runs", "packets": 300, "warmup_packets": 100}
    found = linecard.sweep(NFP, vary=axes, **options)
    rates = [row["throughput_mpps"] for row in found.rows]
    assert rates[0] > rates[2]
    assert rates[1] == pytest.approx(2 * rates[0], rel=0.05)
    assert "--program reads" in found.rows[2]["command"]
    again = linecard.sweep(NFP, vary=axes, **options)
    assert (again.counts.found, again.counts.run) == (4, 0)
    source.write_text(text.replace("return", 'asm volatile("r1 += 1"); return'))
    changed = linecard.sweep(NFP, vary=axes, **options)
    assert (changed.counts.found, changed.counts.run) == (2, 2)


def test_a_macro_without_a_program_is_a_row_with_its_reason(tmp_path, wording):
    found = linecard.sweep(NFP, vary={"define": ["N=3"]}, store=tmp_path / "runs", packets=10)
    wording(found.rows[0]["reason"])


# ---- refusals ----


def test_a_fault_names_the_packet_and_the_source_line(tmp_path, wording):
    source = tmp_path / "over.c"
    source.write_text(
        '#include <linecard_bpf.h>\nSEC("xdp") int over(struct xdp_md *context)\n{\n'
        "\treturn *(volatile int *)((long)context->data + 70);\n}\n"
    )
    with pytest.raises(linecard.RunError) as refused:
        linecard.run(NFP, program=source, packets=100)
    wording(refused.value)


def test_a_c_program_has_fractions_atomics_and_a_function_of_any_name(tmp_path, wording):
    source = tmp_path / "counted.c"
    source.write_text(
        '#include "linecard.h"\n#include <stdlib.h>\n'
        "static uint32_t *seen;\n"
        "void app_init(const uint8_t *control, uint32_t bytes)\n{\n"
        "\t(void)control;\n\t(void)bytes;\n\tseen = malloc(sizeof *seen);\n\t*seen = 1;\n}\n"
        "uint32_t count(uint8_t *ip, uint32_t bytes)\n{\n"
        "\t(void)ip;\n\tdouble half = bytes * 0.5;\n"
        "\treturn __atomic_fetch_add(seen, 1, __ATOMIC_RELAXED) <= 20 && half >= 20.0;\n}\n"
    )
    found = linecard.run("example_smartnic", program=source, entry="count", packets=60, verdict=False).programs[0]
    assert found.accesses_per_packet == pytest.approx(1)
    assert {each.result: each.packets for each in found.results}["0"] >= 40
    alone = linecard.program_trace(source, "edge", entry="count", packets=30)
    assert {each.name: each.count for each in alone.results} == {"0x1": 20, "0x0": 10}
    assert alone.table_accesses_per_packet == pytest.approx(1)
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.run("example_smartnic", program=linecard.program_build(source, entry="count"), packets=60)
    wording(refused.value)


def test_a_fault_of_a_c_program_names_its_line_and_no_folder(tmp_path, wording):
    source = tmp_path / "beyond.c"
    source.write_text(
        '#include "linecard.h"\nstatic inline uint32_t at(const uint32_t *words)\n{\n\treturn words[1 << 28];\n}\n'
        "uint32_t app_packet(uint8_t *ip, uint32_t bytes)\n{\n"
        "\treturn bytes + at((const uint32_t *)(const void *)ip);\n}\n"
    )
    with pytest.raises(linecard.RunError) as refused:
        linecard.program_trace(source, "edge", packets=3)
    wording(refused.value)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--program", "drop", "--entry", "other"), "an entry function apply only to C programs"),
        (("--entry", "other"), "without a program to execute"),
        (("--program", "firewal"), "did you mean firewall"),
        (("--program", "no_such_file.o"), "expected an application, a shipped program or a file"),
        (("--program", "drop", "--section", "other"), "other"),
        (("--program", "drop", "--map", "ports=/dev/null"), "ports"),
        (("--program", "patricia", "-D", "N=3"), "define: has no effect on 'patricia'; macros and flags apply only"),
        (("--program", "patricia", "--cflags", "-O1", "--bits", "64"), "cflags, bits: has no effect on 'patricia'"),
        (("--program", "drop", "-D", "N=3", "--bits", "64"), "bits: has no effect on an XDP program"),
        (("--cflags", "-O1"), "cflags: has no effect without a program to execute"),
        (("--section", "xdp"), "without a program to execute"),
        (("--program", "drop", "--map", "ports"), "NAME=FILE"),
    ],
)
def test_what_cannot_be_executed_is_refused(cli, options, says):
    ended = cli("run", NFP, *options, "--packets", 10)
    assert ended.status != 0
    assert says in " ".join(ended.err.split())


def test_a_program_that_never_ends_is_stopped(tmp_path, wording):
    source = tmp_path / "loop.c"
    source.write_text(
        '#include <linecard_bpf.h>\nSEC("xdp") int loop(struct xdp_md *context)\n{\n'
        '\tfor (;;)\n\t\tasm volatile("" ::: "memory");\n}\n'
    )
    with pytest.raises(linecard.RunError) as refused:
        linecard.run(NFP, program=source, packets=10)
    wording(refused.value)


# ---- the costs of a program's parts ----

RESIZED = """
#include <lx_packet.h>

SEC("xdp/longer")
int longer(struct xdp_md *context)
{
	return bpf_xdp_adjust_head(context, -20) ? XDP_ABORTED : XDP_TX;
}

SEC("xdp/shorter")
int shorter(struct xdp_md *context)
{
	return bpf_xdp_adjust_tail(context, -40) ? XDP_ABORTED : XDP_TX;
}
"""


@pytest.mark.parametrize(
    ("section", "received", "left"), [("longer", 128, 148), ("shorter", 128, 88), ("shorter", 68, 64)]
)
def test_a_packet_leaves_with_the_size_that_its_program_gives_it(section, received, left, tmp_path):
    pytest.importorskip("ziglang")
    source = tmp_path / "resized.c"
    source.write_text(RESIZED)
    asked = {"packets": 2000, "warmup_packets": 500, "verdict": False, "set": {"traffic.packet_bytes": received}}
    found = linecard.run("rosebud16", program=source, section=section, **asked).summary
    assert found.throughput_gbps * 1e3 / 8 / found.throughput_mpps == pytest.approx(left)


def test_lines_memories_and_stacks_add_up():
    found = linecard.run(NFP, program="balancer", packets=2000, warmup_packets=500, verdict=False).programs[0]
    total = {each.memory: each.accesses_per_packet for each in found.memories}
    by_line: dict[str, float] = {}
    for line in found.lines:
        assert sum(each.accesses_per_packet for each in line.memories) == pytest.approx(line.accesses_per_packet)
        for each in line.memories:
            by_line[each.memory] = by_line.get(each.memory, 0.0) + each.accesses_per_packet
    assert by_line == pytest.approx(total)
    assert sum(each.stall_cycles_per_packet for each in found.lines) == pytest.approx(found.stall_cycles_per_packet)
    assert sum(each.cycles for each in found.stacks) == pytest.approx(found.cycles_per_packet * found.packets)


def test_a_line_stalls_for_as_long_as_its_memory_takes():
    # With one thread, a program waits only for latency: 200 cycles per read, with no other access to that memory.
    alone = {**ONE_ENGINE, "island.threads": 1}
    asked = {"defines": ["N=4"], "packets": 500, "warmup_packets": 100, "verdict": False, "set": alone}
    found = linecard.run(NFP, program="reads", **asked)
    program = found.programs[0]
    reads = [line for line in program.lines if any(each.memory == "emem" for each in line.memories)]
    waited = sum(line.stall_cycles_per_packet for line in reads)
    spent = sum(part.mean_ns for part in found.packet_time if part.part == "wait emem") * 0.8  # cycles of 800 MHz
    assert waited == pytest.approx(spent, rel=0.01)
    asked_of_emem = sum(each.accesses_per_packet for each in program.memories if each.memory == "emem")
    assert waited >= 200 * (asked_of_emem - 1)


def test_call_stacks_are_written_as_flame_graphs_take_them(cli, tmp_path):
    file = tmp_path / "cycles.txt"
    ended = cli("run", "ixp1200", "--program", "classify", "--packets", 200, "--folded", file, "--json")
    assert ended.status == 0
    stacks = dict(line.rsplit(" ", 1) for line in file.read_text().splitlines())
    assert "classify;app_packet;insert;malloc" in stacks
    program = json.loads(ended.out)["programs"][0]
    assert sum(map(int, stacks.values())) == pytest.approx(program["cycles_per_packet"] * program["packets"])


def test_stacks_of_no_program_are_refused(cli, tmp_path, wording):
    ended = cli("run", "ixp1200", "--folded", tmp_path / "cycles.txt")
    assert ended.status == 2
    wording(ended.err)


LOCKED = """
#include <linecard.h>
#include <stdlib.h>

static uint32_t *table;

void app_init(const uint8_t *control, uint32_t bytes)
{
	(void)control;
	(void)bytes;
	table = calloc(1024, sizeof(*table));
}

uint32_t app_packet(uint8_t *packet, uint32_t bytes)
{
	uint32_t sum = 0;

	lc_lock(table);
	for (uint32_t each = 0; each < 8; each++)
		sum += table[(packet[each] * 8 + each) % 1024]++;
	lc_unlock(table);
	return sum + bytes;
}
"""


def test_a_lock_of_all_threads_is_what_limits_and_a_table_of_zeros_has_its_memory(tmp_path):
    pytest.importorskip("ziglang")
    source = tmp_path / "locked.c"
    source.write_text(LOCKED)
    found = linecard.run(NFP, program=source, packets=2000, warmup_packets=500)
    assert found.bottleneck.component == "locks"
    accesses = {each.memory: each.accesses_per_packet for each in found.programs[0].memories}
    assert accesses["emem"] == pytest.approx(16)  # eight words read and written


ENDLESS = """
#include <linecard.h>

static volatile uint32_t never;

uint32_t app_packet(uint8_t *packet, uint32_t bytes)
{
	while (!never)
		continue;
	return bytes + packet[0];
}
"""


def test_a_program_that_never_ends_names_its_line_and_ends_the_run(cli, tmp_path, wording):
    pytest.importorskip("ziglang")
    source = tmp_path / "endless.c"
    source.write_text(ENDLESS)
    ended = cli("run", NFP, "--program", source, "--budget", 100_000)
    assert ended.status == 4
    wording(ended.err)
    assert "endless.c:8" in ended.err or "endless.c:9" in ended.err


@pytest.mark.parametrize("option", [("--map", "firewall=gone.csv"), ("--fib", "gone.csv"), ("--control", "gone.txt")])
def test_a_file_that_is_not_there_is_named(cli, option):
    ended = cli("run", NFP, "--program", "stateful_firewall", *option)
    assert (ended.status, "found no file 'gone." in ended.err, "Traceback" in ended.err) == (2, True, False)


@pytest.mark.parametrize("chip", ["nfp4000", "pspin", "rosebud16"])
def test_no_chip_takes_in_more_than_its_wires_carry(chip):
    wires = {"nfp4000": 80, "pspin": 400, "rosebud16": 200}[chip]
    change = {"traffic.packet_bytes": 1518}
    found = linecard.run(chip, program="drop", packets=8000, warmup_packets=4000, set=change, verdict=False)
    assert 0.97 * wires * 1518 / 1538 < found.summary.throughput_gbps <= wires * 1518 / 1538 * 1.001


def test_a_narrow_screen_has_every_line_with_its_costs(monkeypatch, capsys):
    from linecard.cli import stdout
    from linecard.cli.screen import print_result

    found = linecard.run(NFP, program="stateful_firewall", packets=300, warmup_packets=100, verdict=False)
    monkeypatch.setattr(stdout, "screen_width", lambda: 40)
    print_result(found)
    shown = " ".join(capsys.readouterr().out.split())
    dearest = max(found.programs[0].lines, key=lambda line: line.cycles_per_packet + line.stall_cycles_per_packet)
    assert dearest.line.split(": ")[0] in shown
    assert f"stall {dearest.stall_cycles_per_packet:,.2f} accesses {dearest.accesses_per_packet:,.2f}" in shown


def test_lines_of_a_c_program_show_their_text_where_the_file_is(cli, tmp_path):
    pytest.importorskip("ziglang")
    source = tmp_path / "add.c"
    source.write_text(
        "unsigned app_packet(const unsigned char *packet) {\n    /* doubled */\n    return packet[0] * 2;\n}\n"
    )
    shown = cli("run", NFP, "--program", source, "--packets", 50).out
    assert "add.c:3: return packet[0] * 2;" in shown
    found = linecard.run(NFP, program=source, packets=50, verdict=False).programs[0]
    said = dict(lines_with_text(found))
    assert said.keys() == set(found.lines)
    source.write_text("\n")
    assert [text for _, text in lines_with_text(found)] == [line.line for line in found.lines]
