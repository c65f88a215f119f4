"""Rows of XDP programs, and the chip that executes them: hXDP at the rates of its smallest programs."""

from __future__ import annotations

import json

import pytest
from conftest import ROOT, ipv4_frame, pcap_bytes

import linecard

SOURCES = ROOT / "studies" / "hxdp" / "programs"
HXDP = "hxdp"
EBPF = "cluster.sephirot.ebpf"
MHZ = 156.25


def run(program, defines=(), **changes):
    """A run under overload, and the results of its program."""
    found = linecard.run(
        HXDP,
        program=program if isinstance(program, str) else str(program),
        defines=defines,
        packets=4000,
        warmup_packets=500,
        verdict=False,
        set={f"{EBPF}.{key}" if "." not in key else key: value for key, value in changes.items()},
    )
    return found.summary.throughput_mpps, found.programs[0]


def anchor(*defines, **changes):
    """The rate of `calls` with these macros, or of the program with this name."""
    name, macros = (defines[0], ()) if defines[0] in ("sent_back", "redirected") else ("calls", defines)
    return run(SOURCES / f"{name}.c", macros, **changes)[0]


# ---- the published rates of the smallest programs, packets of 64 bytes ----


def test_drops_reach_the_published_rates():
    assert run("drop")[0] == pytest.approx(52, rel=0.03)
    assert run("drop", early_exit=False)[0] == pytest.approx(22, rel=0.03)


def test_sending_back_and_elsewhere_reach_the_published_rates():
    assert anchor("sent_back") == pytest.approx(22.5, rel=0.03)
    assert anchor("redirected") == pytest.approx(15, rel=0.08)


@pytest.mark.parametrize("what", [(), ("LOOKUP",)])
def test_each_further_call_costs_a_cycle(what):
    few, many = (MHZ / anchor(f"N={calls}", *what) for calls in (4, 16))
    assert (many - few) / 12 == pytest.approx(1.0, rel=0.02)


def test_the_wires_carry_88_bytes_for_a_packet_of_64():
    # One cycle a packet: the four ports are the limit.
    assert run("drop", start_stop_cycles=0)[0] == pytest.approx(40e3 / (88 * 8), rel=0.01)


# ---- the effects of the values in the file ----


def test_each_value_of_the_file_has_its_effect():
    tx = MHZ / anchor("sent_back")
    assert MHZ / anchor("sent_back", exit_alone=True) == pytest.approx(tx + 1, rel=0.01)
    assert MHZ / anchor("sent_back", lanes=1) > tx + 5
    assert MHZ / anchor("sent_back", start_stop_cycles=5) == pytest.approx(tx + 3, rel=0.01)
    redirect = MHZ / anchor("redirected")
    assert MHZ / anchor("redirected", register_exit_cycles=1) == pytest.approx(redirect - 3, rel=0.01)
    assert MHZ / anchor("redirected", helper_cycles=3) == pytest.approx(redirect + 2, rel=0.01)
    changed = {f"{EBPF}.helpers.redirect": 5}
    assert MHZ / anchor("redirected", **changed) == pytest.approx(redirect + 4, rel=0.01)
    calls = MHZ / anchor("N=4", "LOOKUP")
    # Keys of four bytes at a byte per cycle take three more cycles for each call.
    assert MHZ / anchor("N=4", "LOOKUP", helper_bytes=1) == pytest.approx(calls + 12, rel=0.01)
    # Two lanes have no room to set the same arguments repeatedly. A path has a number of taken jumps.
    once, again = (MHZ / anchor("N=8", "LOOKUP", lanes=2, kept_arguments=kept) for kept in (True, False))
    assert again > once + 3
    straight, jumps = (run("parse_count", taken_cycles=cycles)[1].cycles_per_packet for cycles in (0, 3))
    assert jumps > straight
    assert (jumps - straight) % 3 == 0


def test_costs_of_classes_have_no_place_beside_lanes():
    with pytest.raises(linecard.ConfigError, match="alu_cycles"):
        run("drop", alu_cycles=2)


@pytest.mark.parametrize("program", ["parse_count", "router", "tunnel", "balancer", "adds"])
def test_accesses_wait_for_nothing_and_cycles_are_those_of_rows(program):
    mpps, executed = run(program)
    assert mpps == pytest.approx(MHZ / executed.cycles_per_packet, rel=0.03)
    assert executed.accesses_per_packet == 0
    assert sum(line.cycles_per_packet for line in executed.lines) == pytest.approx(executed.cycles_per_packet)


def test_programs_for_the_chip_are_compiled_without_32_bit_arithmetic():
    # Shipped programs are compiled for both versions; source files, and shipped programs with macros, are compiled for
    # the chip.
    for program, defines in [("reads", ()), ("reads", ["N=4"])]:
        counts = [run(program, defines, isa=isa)[1].instructions_per_packet for isa in (1, 3)]
        assert counts[0] > counts[1]
    assert linecard.xdp_rows("reads", defines=["N=4"]) == linecard.xdp_rows("reads", defines=["N=4"], isa=1)


# ---- rows ----


@pytest.mark.parametrize(("program", "rows"), [("xdp1", 21), ("xdp2", 26)])
def test_rows_of_a_path_are_near_those_that_were_counted_apart(program, rows, tmp_path):
    """Another scheduler with the same rules needed 21 and 26 rows for UDP, exit alone."""
    capture = tmp_path / "udp.pcap"
    capture.write_bytes(pcap_bytes([ipv4_frame(number, 22) for number in range(10)]))
    free = {f"{EBPF}.start_stop_cycles": 0, f"{EBPF}.register_exit_cycles": 0, f"{EBPF}.exit_alone": True}
    source = SOURCES / f"{program}.c"
    executed = linecard.run(HXDP, program=source, trace=capture, verdict=False, set=free).programs[0]
    assert executed.cycles_per_packet == pytest.approx(rows, rel=0.10)


@pytest.mark.parametrize("program", [each.name for each in linecard.xdp_programs()])
def test_more_lanes_never_take_more_rows(program):
    found = linecard.xdp_rows(program, lanes=8)
    rows = [each.rows for each in found.lanes]
    assert rows == sorted(rows, reverse=True)
    assert rows[0] <= found.instructions * 1.2
    assert sum(block.rows for block in found.blocks) == rows[-1]


def test_rows_on_the_command_line(cli):
    found = json.loads(cli("program", "rows", "tx", "--lanes", 2, "--json").out)
    assert [each["lanes"] for each in found["lanes"]] == [1, 2]
    assert found["blocks"][-1]["exit"] == "constant"
    assert "instructions per row" in cli("program", "rows", "tx").out


def test_raw_instructions_have_rows_too(tmp_path):
    # The program is a constant action and its exit.
    file = tmp_path / "drop.bin"
    file.write_bytes(bytes.fromhex("b7000000010000009500000000000000"))
    found = linecard.xdp_rows(file)
    assert [(each.rows, each.exit) for each in found.blocks] == [(1, "constant")]


@pytest.mark.parametrize("lanes", [0, 9])
def test_lanes_have_bounds(lanes, wording):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.xdp_rows("drop", lanes=lanes)
    wording(refused.value)


def test_a_version_that_is_none_is_refused(tmp_path, wording):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.xdp_build(SOURCES / "sent_back.c", tmp_path / "x.o", isa=7)
    wording(refused.value)
