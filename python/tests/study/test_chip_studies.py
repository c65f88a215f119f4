"""Studies that execute programs on chips: runners, the counted numbers, and the effects of the programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT, ipv4_frame, pcap_bytes

import linecard
from linecard.study.plan import RunSpec
from linecard.study.runners import loads as loads_runner
from linecard.study.runners import program as program_runner
from linecard.study.runners import rows as rows_runner
from linecard.study.spec import load_study
from linecard.study.write import manifest
from tools.scorecard.card import limited_studies

HXDP = ROOT / "studies" / "hxdp"
PREBUILT = HXDP / "programs" / "prebuilt"
NAMES = sorted(file.stem for file in (HXDP / "programs").glob("*.c"))
STUDIES = ("bluefield3", "hxdp", "nfp4000", "rosebud")


def nothing(_done: int, _all: int) -> None:
    """Progress that is ignored."""


def spec(runner: str, program: str, *overrides: str, preset: str = "") -> RunSpec:
    return RunSpec(runner, preset, program, "", False, overrides, 1, 500, 100, str(HXDP))


# ---- runners ----


def test_a_program_of_the_study_or_a_shipped_one_runs_on_a_chip():
    own = program_runner.run(spec("program", "programs/prebuilt/sent_back.o", preset="hxdp"), nothing)
    assert own.metric("program", "engine_cycles_per_packet") == pytest.approx(7, rel=0.02)
    assert own.run_id == own.first.run_id == own.manifest()["run_id"]
    late = program_runner.run(spec("program", "drop", "cluster.sephirot.ebpf.early_exit=false", preset="hxdp"), nothing)
    assert late.metric("total", "throughput_mpps") == late.first.summary.throughput_mpps
    with pytest.raises(KeyError, match="nearest"):
        late.metric("program", "engine_cycle_per_packet")


def test_cycles_of_an_access_are_those_between_two():
    found = program_runner.run(spec("program", "stateful_firewall", preset="example_smartnic"), nothing)
    accesses = [row for row in found.first.metrics if row.metric == "accesses" and row.value]
    assert accesses
    clock = float(linecard.describe("example_smartnic")["clock.core_mhz"].text)
    for row in accesses:
        time = found.metric(row.component, "cycles_per_access") * row.value / clock
        assert time == pytest.approx(found.first.summary.simulated_seconds * 1e6)


def test_a_load_takes_its_latency_and_its_loop():
    one = ("cluster.dpa.threads_in_use=1", "program.step[load].times=50", "program.step[load].cycles=4")
    fits = loads_runner.run(
        spec("loads", "dpa_loads", *one, "program.step[load].within_bytes=512", preset="bluefield3_dpa"), nothing
    )
    chip = linecard.describe("bluefield3_dpa")
    latency = float(chip["cluster.dpa.cache.latency_cycles"].text)
    assert fits.metric("loads", "cycles_each") == pytest.approx(latency + 4, rel=1e-3)
    assert fits.metric("loads", "gbyte_per_s") == pytest.approx(8 / fits.metric("loads", "ns_each"))


def test_loads_of_a_ring_are_found_somewhere():
    changes = ("cluster.dpa.threads_in_use=1", "traffic.packet_bytes=1024", "memory.l2.pool_bytes=262144")
    found = loads_runner.run(spec("loads", "dpa_ring", *changes, preset="bluefield3_dpa"), nothing)
    shares = [found.metric("loads", f"{level}_percent") for level in ("first", "second", "beyond")]
    # A ring of 256 KiB is smaller than the 640 KiB of L2 that the port may use.
    assert shares == [100, 0, 0]
    bounded = loads_runner.run(
        spec("loads", "dpa_ring", *changes, "memory.l2.port_ways=1", preset="bluefield3_dpa"), nothing
    )
    shares = [bounded.metric("loads", f"{level}_percent") for level in ("first", "second", "beyond")]
    assert sum(shares) == pytest.approx(100)
    # 128 KiB of 256, and a few lines that the thread itself has loaded into other ways.
    assert shares[0] == pytest.approx(50, abs=5)


def test_an_executed_program_stands_where_the_list_of_a_chip_says():
    found = linecard.run("bluefield3_dpa", program="drop", packets=300, warmup_packets=100, verdict=False)
    assert "wait pipeline" in {part.part for part in found.packet_time}


def test_a_second_run_says_what_one_more_costs():
    pytest.importorskip("ziglang")
    found = program_runner.run(spec("program", "programs/calls.c", "define.N=4", "further.N=8", preset="hxdp"), nothing)
    assert found.metric("program", "further_cycles") == pytest.approx(1.0, rel=0.02)
    assert found.run_id != found.first.run_id
    assert found.manifest()["further"]["run_id"] == found.further.run_id


@pytest.mark.parametrize("wrong", [("further.N=8",), ("define.N=1", "define.M=1", "further.N=8", "further.M=8")])
def test_a_second_run_changes_one_macro(wrong, wording):
    with pytest.raises(linecard.ConfigError) as refused:
        program_runner.run(spec("program", "programs/calls.c", *wrong, preset="hxdp"), nothing)
    wording(refused.value)


def test_rows_are_those_of_the_lanes_asked_for(wording):
    found = {
        lanes: rows_runner.run(spec("rows", "programs/prebuilt/xdp1.o", f"lanes={lanes}"), nothing) for lanes in (1, 4)
    }
    told = linecard.xdp_rows(PREBUILT / "xdp1.o")
    assert {lanes: run.metric("program", "rows") for lanes, run in found.items()} == {
        each.lanes: each.rows for each in told.lanes if each.lanes in (1, 4)
    }
    assert found[4].metric("program", "instructions") == told.instructions
    assert rows_runner.run(spec("rows", "drop"), nothing).metric("program", "rows") == 1
    with pytest.raises(linecard.ConfigError) as refused:
        rows_runner.run(spec("rows", "drop", "lane=4"), nothing)
    wording(refused.value)


# ---- studies ----


@pytest.mark.parametrize("name", STUDIES)
def test_a_quick_study_runs_whole(name):
    if name != "rosebud":
        pytest.importorskip("ziglang")
    result = linecard.reproduce(name, quick=True)
    assert result.failures == {}
    measured = [cell.measured for table in result.tables for cell in table.cells]
    assert measured
    assert None not in measured
    files = set(manifest(result)["inputs"])
    assert {"study.toml"} <= files
    assert {file for file in files if file.endswith(".o")} == (
        {f"programs/prebuilt/{each}.o" for each in NAMES if each not in ("calls", "keys")} if name == "hxdp" else set()
    )


def test_what_was_put_in_counts_nowhere():
    pytest.importorskip("ziglang")
    result = linecard.reproduce("nfp4000", quick=True, tables=["empty program", "ceiling", "access"])
    assert (result.calibrated_cells, result.counted_cells) == (5, ())
    rates = linecard.reproduce("hxdp", quick=True, tables=["rates"])
    assert [cell.keys["program"] for cell in rates.counted_cells] == ["redirected"]
    # Each value that a file calls calibrated, and that concerns these cells, is declared.
    for study, chip in (("nfp4000", "nfp4000"), ("hxdp", "hxdp")):
        declared = {key for each in load_study(study).spec.calibrations for key in each.keys}
        known = {each.key for each in linecard.describe(chip).parameters if each.source.startswith("calibrated")}
        assert declared <= known


def test_bounds_are_those_of_the_files_values():
    chips = {"rosebud16": 16, "rosebud8": 8}
    study = load_study("rosebud")
    for table in study.spec.tables:
        for row in study.rows[table.id]:
            engines, size = chips[row.keys["chip"]], row.keys["frame_bytes"]
            wires, links = 2 * 100e3 / (8 * (size + 20)), engines * 250 / -(-size // 16)
            # Each of two ports is granted at most every other cycle.
            bound = min(wires, links, 2 * 250 / 2, engines * 250 / row.keys["cycles"])
            assert row.relation == "<"
            assert row.published["mpps"] == pytest.approx(bound, abs=0.001)
    study = load_study("nfp4000")
    for row in study.rows["bound by memory"]:
        number = row.keys["number"]
        bound = 800 / (4.0525 * (number + 1)) if row.keys["access"] == "read" else 800 / (3.2198 * number)
        assert row.published["mpps"] == pytest.approx(bound, abs=0.001)


def test_the_scorecard_takes_the_studies_that_have_limits(tool, wording):
    assert limited_studies() == ["girish2008", "hasan2003", "kumar2006", "mudigonda2007", "spalink2000"]
    ended = tool("scorecard", "hxdp")
    assert (ended.status, ended.out) == (2, "")
    wording(ended.err)


# ---- the programs of hxdp do what they say ----


def run(name: str, frames: list[bytes], tmp_path: Path, maps: dict[str, str] | None = None, **options):
    capture = tmp_path / "frames.pcap"
    capture.write_bytes(pcap_bytes(frames))
    files = {}
    for each, text in (maps or {}).items():
        files[each] = tmp_path / f"{each}.toml"
        files[each].write_text(text)
    return linecard.xdp_run(PREBUILT / f"{name}.o", capture, maps=files, **options)


def entry(key: str, value: str) -> str:
    return f'[[entry]]\nkey = "{key}"\nvalue = "{value}"\n'


def verdicts(found) -> dict[str, int]:
    return {each.name: each.count for each in found.verdicts if each.count}


FRAMES = [ipv4_frame(number) for number in range(10)]


def test_every_program_is_compiled_from_its_source():
    assert {file.stem for file in PREBUILT.glob("*.o")} == set(NAMES)


@pytest.mark.parametrize(("name", "action"), [("xdp1", "drop"), ("xdp2", "tx")])
def test_protocols_are_counted(name, action, tmp_path):
    found = run(name, FRAMES, tmp_path)
    assert verdicts(found) == {action: 10}
    (listed,) = found.map("counts").listed
    assert (int.from_bytes(bytes.fromhex(listed.key), "little"), listed.numbers) == (17, (10,))


def test_large_packets_are_answered(tmp_path):
    found = run("adjust_tail", [*FRAMES, ipv4_frame(1, 598), ipv4_frame(2, 700)], tmp_path)
    assert verdicts(found) == {"pass": 10, "tx": 2}
    assert found.map("answers").listed[0].numbers == (2,)
    assert found.mean_bytes_left == pytest.approx((10 * len(FRAMES[0]) + 2 * (98 + 28)) / 12)


MAC = "02:00:00:00:00:09 zero:2"


@pytest.mark.parametrize(
    ("maps", "action"),
    [
        ({}, "drop"),
        (
            {"directs": entry("198.51.100.7", f"198.51.100.7 zero:4 {MAC} u32:3 zero:4 {MAC}")},
            "redirect to interface 3",
        ),
        ({"routes": entry("198.51.0.0/16", f"zero:8 {MAC} u32:3 u32:1 zero:8")}, "drop"),
        (
            {
                "routes": entry("198.51.0.0/16", f"zero:8 {MAC} u32:3 u32:1 zero:8"),
                "neighbours": entry("198.51.100.7", MAC),
            },
            "redirect to interface 3",
        ),
        (
            {
                "routes": entry("198.51.0.0/16", f"zero:8 {MAC} u32:3 u32:1 192.0.2.254 zero:4"),
                "neighbours": entry("192.0.2.254", MAC),
            },
            "redirect to interface 3",
        ),
    ],
)
def test_packets_are_routed(maps, action, tmp_path):
    found = run("router_ipv4", FRAMES, tmp_path, {**maps, "ports": entry("3", "u32:3")})
    assert verdicts(found) == {action: 10}
    assert bool(found.map("counts").listed) == (action != "drop")


@pytest.mark.parametrize(("number", "action", "options"), [(1, "drop", 0), (2, "pass", 1), (3, "tx", 2)])
def test_queues_are_counted(number, action, options, tmp_path):
    settings = entry("0", f"u32:{number} u32:1 u32:{options}")
    found = run("rxq_info", FRAMES, tmp_path, {"settings": settings})
    assert verdicts(found) == {action: 10}
    assert bytes.fromhex(found.map("queues").listed[0].values[0]) == (10).to_bytes(8, "little") + bytes(8)
    other = run("rxq_info", FRAMES, tmp_path, {"settings": entry("0", "u32:1 u32:9 u32:0")})
    assert verdicts(other) == {"aborted": 10}


def test_packets_of_a_service_are_tunnelled(tmp_path):
    service = "198.51.100.7 zero:12 be16:53 u16:2 u8:17 zero:3"
    tunnel = "192.0.2.1 zero:12 192.0.2.2 zero:12 u16:2 02:00:00:00:00:09"
    found = run("tx_ip_tunnel", FRAMES, tmp_path, {"tunnels": entry(service, tunnel)})
    assert verdicts(found) == {"tx": 10}
    assert found.mean_bytes_left == len(FRAMES[0]) + 20
    assert found.map("counts").listed[0].numbers == (10,)
    assert verdicts(run("tx_ip_tunnel", FRAMES, tmp_path)) == {"pass": 10}


def test_only_answers_come_in(tmp_path):
    ports = {"ports": entry("1", "u32:1") + entry("2", "u32:2")}
    out = run("simple_firewall", FRAMES, tmp_path, ports, interface=1)
    assert verdicts(out) == {"redirect to interface 2": 10}
    assert out.map("flows").entries == 10
    assert verdicts(run("simple_firewall", FRAMES, tmp_path, ports, interface=2)) == {"drop": 10}


def test_what_is_left_sends_on(tmp_path):
    assert verdicts(run("redirect_map", FRAMES, tmp_path, {"ports": entry("0", "u32:2")})) == {
        "redirect to interface 2": 10
    }
    assert verdicts(run("sent_back", FRAMES, tmp_path)) == {"tx": 10}
    assert verdicts(run("redirected", FRAMES, tmp_path)) == {"redirect to interface 1": 10}
    assert verdicts(run("xdpsock", FRAMES, tmp_path)) == {"pass": 10}
    taken = run("xdpsock", FRAMES, tmp_path, {"bound": entry("0", "u32:1"), "sockets": entry("0", "u32:1")})
    assert verdicts(taken) == {"redirect to the socket of queue 0": 10}
