"""The virtual router processor, the processor hierarchy and the study of Spalink 2000."""

from __future__ import annotations

import json

import pytest

import linecard
from linecard.errors import ConfigError
from linecard.study.reproduce import run_study
from linecard.vrp.budget import LOSS_ALLOWED, parse_rate

GOOD = """name = "filter"
registers = 3
[[ops]]
op = "compute"
cycles = 20
[[ops]]
op = "sram_read"
bytes = 16
"""


@pytest.fixture(scope="module")
def budget():
    return linecard.vrp_budget("ixp1200_eval", "1.128Mpps")


def infinite(without=(), **changes):
    """A run without ports, and without other parts of the program."""
    parts = {"program.without": ["ports", *without]}
    settings = {"traffic.arrivals": "saturated", "out.rate_gbps": 0, "out.slots": 16}
    return linecard.run("ixp1200_eval", set={**settings, **parts, **changes}, packets=8000, warmup_packets=2000)


def test_table_1_comes_out_of_the_parts():
    expected = {
        "fifo_to_dram": 45,
        "dram_to_fifo": 55,
        "fifo_to_engine": 30,
        "engine_to_fifo": 40,
        "dram_to_engine": 40,
        "engine_to_dram": 50,
        "table": 30,
        "flags": 25,
    }
    alone = {"traffic.arrivals": "saturated", "input.engines": 1, "input.threads": 1, "in.count": 1}
    for transfer, cycles in expected.items():
        changes = {**alone, "program.step[transfer].at": transfer}
        result = linecard.run("ixp1200_eval", program="probe", set=changes, packets=100, warmup_packets=10)
        assert result.metric("input", "engine_cycles_per_packet") == pytest.approx(cycles, abs=0.3), transfer


def test_the_bottlenecks_are_those_of_the_report():
    both = infinite()
    assert both.bottleneck.component == "transfers"
    assert both.summary.throughput_mpps == pytest.approx(2.69, rel=0.05)
    output = infinite(["input"], **{"input.engines": 2, "in.count": 1})
    assert output.bottleneck.component == "engines of input"
    assert output.summary.throughput_mpps > both.summary.throughput_mpps * 1.2


def test_every_packet_is_forwarded_at_line_rate_and_none_is_lost_or_made():
    result = linecard.run("ixp1200_eval", packets=20_000, warmup_packets=2000)
    value = result.metric
    assert result.summary.packets_dropped == 0
    came = value("total", "packets_in") + value("total", "packets_inside_at_start")
    assert came == value("total", "packets_out") + value("total", "packets_inside_at_end")
    assert result.summary.throughput_mpps == pytest.approx(1.128, rel=0.01)


TEN_PORTS = """
title = "The evaluation board with its two ports of 1 Gbit/s"
extends = ["platforms/ixp1200_eval"]
source = "Spalink 2000, section 2.1"

[port.fast_in]
extends = "in"
count = 2
rate_gbps = 1

[port.fast_out]
extends = "out"
count = 2
rate_gbps = 1
"""


def test_ten_ports_forward_until_the_machine_is_full(tmp_path):
    """8 ports of 100 Mbit/s and 2 of 1 Gbit/s deliver more than the machine can forward."""
    path = tmp_path / "ten.toml"
    path.write_text(TEN_PORTS)
    offered = {"traffic.rate_gbps": 2.0}
    full = linecard.run(str(path), set=offered, packets=20_000, warmup_packets=4000)
    assert 1.128 < full.summary.throughput_mpps < 2.69 * 1.02
    assert full.summary.packets_dropped > 0
    bus = next(use for use in full.resources if use.component == "ix")
    crossed = (full.summary.throughput_mpps * 2 * 512e6) / 4e9
    assert bus.utilization == pytest.approx(crossed, rel=0.15)
    slow = linecard.run(str(path), set={**offered, "ix.rate_gbps": 0.5}, packets=10_000, warmup_packets=2000)
    assert slow.bottleneck.component == "ix"
    assert slow.summary.throughput_mpps <= 0.5e3 / 1024 * 1.01


def test_a_packet_of_several_pieces_goes_through_the_loop_for_each():
    one = infinite(["output"])
    four = infinite(["output"], **{"traffic.packet_bytes": 256})
    assert four.summary.throughput_mpps < one.summary.throughput_mpps / 3.5
    moved = one.metric("transfers", "bandwidth_gbps")
    assert four.metric("transfers", "bandwidth_gbps") == pytest.approx(moved, rel=0.05)


def test_an_extension_is_steps_of_the_program_at_their_place(wording):
    """20 cycles, a read, a hash and a transfer of two instructions for each of the two pieces of a packet."""
    extension = [
        {"cycles": 20},
        {"op": "read", "at": "table", "bytes": 16},
        {"op": "ask", "at": "hash"},
        {"op": "transfer", "at": "dram_to_engine", "bytes": 64},
    ]
    counts = {"packets": 500, "warmup_packets": 50, "verdict": False}
    sized = {"traffic.packet_bytes": 128, "traffic.rate_gbps": 0.1}
    bare = linecard.run("ixp1200_eval", set=sized, **counts)
    extended = linecard.run("ixp1200_eval", set={**sized, "program.extension": extension}, **counts)
    for place, more in {"sram": 2, "hash": 2, "transfers": 4}.items():
        each = [run.metric(place, "accesses") / run.metric("total", "packets_out") for run in (bare, extended)]
        assert each[1] - each[0] == pytest.approx(more, abs=0.1), place
    with pytest.raises(linecard.ConfigError) as refused:
        infinite(["input"], **{"program.extension": extension})
    wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        infinite(**{"program.extension": [{"cycles": 20, "each": "cell"}]})
    wording(refused.value)


def test_the_budget_is_what_the_rate_stands(budget, wording):
    assert [row.resource for row in budget.resources] == [
        "cycles",
        "dram_reads",
        "dram_writes",
        "sram_transfers",
        "hashes",
    ]
    for row in budget.resources:
        assert row.budget == int(row.head_room * 0.65)
    # Spare cycles of four engines at this rate without the function, branches included: a search can find no more.
    assert 0 < budget["cycles"].head_room < 4 * 177e6 / 1.128e6 - (138 - 32) * 1.25
    assert budget["dram_reads"].cost_cycles == pytest.approx(40, abs=0.3)
    with pytest.raises(KeyError) as refused:
        budget["cyles"]
    wording(refused.value)


@pytest.mark.long
def test_half_the_rate_stands_more_than_twice_the_cycles(budget):
    """The cost of forwarding itself is unchanged."""
    half = linecard.vrp_budget("ixp1200_eval", "564kpps")
    assert half["cycles"].budget > 2 * budget["cycles"].budget


@pytest.mark.long
def test_large_buffers_hide_no_overload(budget):
    """Buffers do not increase what the engines can do."""
    large = linecard.vrp_budget("ixp1200_eval", "1.128Mpps", set={"buffer.rx.cells": 4096})
    assert budget["cycles"].head_room <= large["cycles"].head_room
    assert large["cycles"].head_room < 4 * 177e6 / 1.128e6 - (138 - 32) * 1.25


def test_an_extension_within_the_budget_is_accepted_and_loses_nothing(tmp_path):
    path = tmp_path / "filter.toml"
    path.write_text(GOOD)
    found = linecard.vrp_check(path)
    assert found.accepted
    assert found.loss_fraction <= LOSS_ALLOWED
    used = {use.resource: use.used for use in found.uses}
    # 16 bytes are half a transfer of 30 cycles.
    assert (used["cycles"], used["sram_transfers"]) == (20 + 15, 0.5)
    assert (used["registers"], used["istore_instructions"]) == (3, 21)
    # Two scratchpad accesses of 25 cycles for each of 21 instructions.
    assert found.load_cycles == pytest.approx(21 * 2 * 25, rel=0.01)


def written(path, *ops):
    """An extension of these operations, each with the value of one key and its number of occurrences."""
    words = ['name = "set"']
    for op, number, value, times in ops:
        words += [f'[[ops]]\nop = "{op}"\n{number} = {value}'] * times
    path.write_text("\n".join(words))
    return path


READS = (("dram_read", "bytes", 32, 4), ("sram_read", "bytes", 32, 7), ("hash", "count", 1, 3))
REWRITE = (("dram_read", "bytes", 32, 2), ("dram_write", "bytes", 32, 2), ("sram_write", "bytes", 32, 7))


@pytest.mark.parametrize(
    ("ops", "cycles"),
    [
        # Section 4.2: 4 x 40 + 7 x 30, and the rest of 400.
        ((*READS, ("compute", "cycles", 30, 1)), 400),
        # 2 x 40 + 2 x 50 + 7 x 30: "sufficient to re-write the entire packet".
        ((*REWRITE, ("compute", "cycles", 10, 1)), 400),
        ((("compute", "cycles", 400, 1),), 400),
        # "a greater number of smaller accesses": 28 of 8 bytes are 7 transfers.
        ((("sram_read", "bytes", 8, 28),), 210),
    ],
)
def test_the_printed_set_of_section_4_2_is_accepted_and_runs_at_line_rate(tmp_path, ops, cycles):
    found = linecard.vrp_check(written(tmp_path / "set.toml", *ops))
    assert found.accepted, found.cause
    assert found.uses[0].used == cycles
    assert found.loss_fraction <= LOSS_ALLOWED


@pytest.mark.parametrize(
    ("ops", "cause"),
    [
        (
            (*READS, ("compute", "cycles", 31, 1)),
            "cycles: 401 used, 400 allowed, 1 too many, over the budget from line 44 on",
        ),
        # 4 x 50 + 7 x 30: the same accesses as writes.
        (
            (("dram_write", "bytes", 32, 4), ("sram_write", "bytes", 32, 7)),
            "cycles: 410 used, 400 allowed, 10 too many, over the budget from line 32 on",
        ),
        # Reads and writes together, and parts of a transfer, each of which DRAM counts as a whole transfer.
        (
            (("dram_read", "bytes", 8, 3), ("dram_write", "bytes", 32, 2)),
            "dram_transfers: 5 used, 4 allowed, 1 too many, over the budget from line 14 on",
        ),
        ((("sram_read", "bytes", 32, 7), ("sram_write", "bytes", 4, 1)), "sram_transfers: 7.125 used, 7 allowed"),
        ((("hash", "count", 4, 1),), "hashes: 4 used, 3 allowed, 1 too many, over the budget from line 2 on"),
    ],
)
def test_a_program_just_beyond_the_printed_set_is_refused_with_the_reason(tmp_path, ops, cause):
    found = linecard.vrp_check(written(tmp_path / "beyond.toml", *ops))
    assert not found.accepted
    assert found.loss_fraction is None
    assert cause in found.cause


@pytest.mark.parametrize("head", ["[[ops]] # first", "[[ ops ]]", '[["ops"]]', "  [[ops]]"])
def test_the_line_of_an_operation_is_that_of_its_header_however_it_is_written(tmp_path, head):
    path = tmp_path / "heads.toml"
    path.write_text(f'name = "heads"\n{head}\nop = "compute"\ncycles = 401\n[[ops]]\nop = "compute"\ncycles = 5\n')
    assert "over the budget from line 2 on" in linecard.vrp_check(path).cause


def test_the_use_of_a_resource_has_all_digits_but_no_rounding_error(tmp_path):
    """30 bytes are 0.9375 of a transfer; three transfers of 0.1 cycles are within a budget of 0.3."""
    path = written(tmp_path / "part.toml", ("sram_read", "bytes", 30, 1))
    assert [use.used for use in linecard.vrp_check(path).uses if use.resource == "sram_transfers"] == [0.9375]
    path = written(tmp_path / "three.toml", ("dram_read", "bytes", 32, 3))
    uses = linecard.vrp_check(path, set={"vrp.dram_read_cycles": 0.1, "vrp.cycles": 0.3}).uses
    assert [(use.used, use.fits) for use in uses if use.resource == "cycles"] == [(0.3, True)]


def test_what_the_chip_gives_is_a_key_of_it_and_what_does_not_run_is_refused(tmp_path, wording):
    path = written(tmp_path / "more.toml", ("compute", "cycles", 600, 1))
    wording(linecard.vrp_check(path, set={"vrp.cycles": 590}).cause)
    found = linecard.vrp_check(path, set={"vrp.cycles": 600})
    assert not found.accepted
    assert found.loss_fraction > LOSS_ALLOWED
    wording(found.cause)
    assert linecard.vrp_check(path, rate="564kpps", set={"vrp.cycles": 600}).accepted


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (("registers = 3", "registers = 9"), "registers: 9 used, 8 allowed, 1 too many"),
        (("registers = 3", "instructions = 651"), "istore_instructions: 651 used, 650 allowed, 1 too many"),
    ],
)
def test_registers_and_instructions_beyond_the_store_are_refused(tmp_path, change, cause):
    path = tmp_path / "big.toml"
    path.write_text(GOOD.replace(*change))
    found = linecard.vrp_check(path)
    assert not found.accepted
    assert cause in found.cause


@pytest.mark.parametrize(
    "change",
    [
        ('op = "sram_read"', 'op = "loop"'),
        ('op = "sram_read"', 'op = "sram_raed"'),
        ("cycles = 20", "cycles = -1"),
        ("bytes = 16", "bytes = 16\nrepeat = 4"),
        ("bytes = 16", "count = 16"),
        ("registers = 3", "registers = -3"),
        ("registers = 3", "registres = 3"),
        ("registers = 3", 'registers = "three"'),
        ("registers = 3", "registers = 3\nregisters = 4"),
        ('name = "filter"', ""),
        ('name = "filter"', "name = 7"),
        ("[[ops]]", "[[opps]]"),
        ("name", "name ="),
    ],
)
def test_what_is_no_extension_is_refused_with_its_line(tmp_path, change, wording):
    path = tmp_path / "big.toml"
    path.write_text(GOOD.replace(*change))
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.vrp_check(path)
    wording(refused.value)


def test_the_commands_print_json_and_end_with_a_status(cli, tmp_path, wording):
    path = tmp_path / "filter.toml"
    path.write_text(GOOD)
    rate = ("--rate", "1.128Mpps")
    accepted = cli("vrp", "check", path, *rate, "--json")
    assert accepted.status == 0, accepted.err
    assert json.loads(accepted.out)["accepted"] is True
    path.write_text(GOOD.replace("cycles = 20", "cycles = 9000"))
    assert cli("vrp", "check", path, *rate).status == 1
    path.write_text(GOOD.replace("compute", "while"))
    assert cli("vrp", "check", path, *rate).status == 2
    fast = cli("vrp", "budget", "ixp1200_eval", "--rate", "9Mpps")
    assert fast.status == 2
    assert "on the wire" in fast.err
    assert cli("vrp", "budget", "--rate", "fast").status == 2
    found = json.loads(cli("hierarchy", "ixp1200_host", "--rate", "564kpps", "--bytes", "128", "--json").out)
    assert found["reach_percent"] == pytest.approx(24.8, abs=3)
    assert cli("hierarchy", "--bytes", "0").status == 2
    assert cli("hierarchy", "--rate", "0.5").status == 2
    wording(cli("hierarchy", "--rate", "10Mpps").err)
    wording(cli("hierarchy", "ixp1200_eval").err)
    # 1,500 bytes at 100 kpps exceed the lines; no --set was given.
    assert cli("hierarchy", "ixp1200_host", "--rate", "100kpps", "--bytes", "1500").err.startswith("linecard: rate:")
    assert cli("hierarchy", "--set", "pci.write_times=64").status == 2


def test_a_chip_without_room_for_extensions_is_told(cli, wording):
    ended = cli("vrp", "budget", "ixp2400")
    assert ended.status == 2
    wording(ended.err)


def test_the_rate_is_read_with_its_unit(wording):
    assert parse_rate("1.128Mpps") == 1.128e6
    assert parse_rate("700 kpps") == parse_rate(7e5) == 7e5
    for text in ("", "pps", "-1", "0", "1e13", "1.1.1M"):
        with pytest.raises(linecard.ConfigError) as refused:
            parse_rate(text)
        wording(refused.value)


def test_the_core_and_the_host_take_nothing_when_nobody_asks():
    alone = linecard.hierarchy(one_in=10**9)
    assert alone.messages_per_second <= 100
    assert alone.engine_wait_ns == pytest.approx(alone.engine_wait_alone_ns, abs=0.1)
    polled = linecard.hierarchy()
    told = linecard.hierarchy(set={"attention.kind": "server", "attention.latency_ns": 3000})
    assert told.reach_percent < polled.reach_percent
    wide = linecard.hierarchy(set={"up.window": 8, "up.entries": 16})
    assert wide.reach_percent > polled.reach_percent


def test_the_study_keeps_and_misses_its_limits_quickly():
    tables = ["1", "section3.1", "section3.1 rates", "section3.2", "3", "4", "5", "5 cycles"]
    result = run_study("spalink2000", tables=tables, quick=True)
    assert not result.failures
    lines = {line.target.id: line for line in result.lines}
    # The gain of fast DRAM is judged in full runs only: quick runs spread by more than its limit.
    assert "enough DRAM" in lines.pop("S1").detail
    assert {name: line.kept for name, line in lines.items()} == {
        "S2": False,  # the two bandwidths exclude each other
        "S3": True,
        "S4": None,  # not run here
        "S5": True,
        "S6": True,
    }
    listed = {deviation.id for deviation in result.deviations if deviation.state == "known"}
    assert "target: S2" in listed, "what is missed has a reason"
    found = {table.spec.id: table for table in result.tables}
    assert found["1"].max_abs_error < 0.02
    assert found["3"].max_abs_error < 0.01
    chosen, judged = found["section3.2"].cells
    assert (chosen.calibrated, chosen.error) == (True, pytest.approx(0, abs=0.002))
    assert (judged.calibrated, judged.error) == (False, pytest.approx(0.083, abs=0.003))


def test_a_capture_is_no_extension(tmp_path):
    (tmp_path / "x.pcap").write_bytes(bytes.fromhex("d4c3b2a102000400"))
    with pytest.raises(ConfigError, match="is not UTF-8 text, expected the TOML file of an extension"):
        linecard.vrp_check(tmp_path / "x.pcap")


def test_a_rate_beyond_the_wires_is_shown_without_rounding_errors():
    with pytest.raises(ConfigError, match=r" 81\.216 Gbit/s of 9000-byte frames"):
        linecard.hierarchy(packet_bytes=9000)
