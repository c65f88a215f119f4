"""`check` with traffic: demand and capacity of each part, compared with closed forms and with a saturated run."""

from __future__ import annotations

import json

import pytest
from conftest import ROOT

import linecard

CAPTURE = str(ROOT / "examples/captures/edge-mix.pcap.gz")


def by_part(found: linecard.ChipCheck) -> dict[str, linecard.explore.demand.Demand]:
    return {each.component: each for each in found.demands}


def test_without_traffic_nothing_is_asked():
    assert linecard.check("example_smartnic").demands == ()


def test_the_facts_are_those_of_the_program_that_is_asked():
    own, other = (linecard.check("example_smartnic", program=program) for program in (None, "secure_gateway"))
    named = linecard.check("example_smartnic", set={"program.run": "secure_gateway"})
    assert (other.program, other.unused, other.accesses) == (named.program, named.unused, named.accesses)
    assert "unit.crypto" in own.unused
    assert "unit.crypto" not in other.unused


@pytest.mark.parametrize("size", [64, 512, 1518])
def test_wires_carry_frames_with_preamble_and_gap(size):
    """200 Gbit/s of ports, 20 bytes in addition to each frame; the offered load is limited to what they carry."""
    found = by_part(linecard.check("example_smartnic", size=size))
    wires = 200 * size / (size + 20)
    inward = found["eth, inward"]
    assert inward.offered_gbps == pytest.approx(min(150, wires), rel=1e-6)
    # In a short run, the two ports do not get equal shares of the flows.
    assert inward.most_gbps == pytest.approx(wires, rel=0.08)
    assert inward.share == pytest.approx(inward.offered_gbps / inward.most_gbps)


def test_a_unit_that_all_packets_pass_carries_its_rate(tmp_path):
    """Every frame of 1024 bytes passes a unit of 50 Gbit/s, and there are no other frames."""
    steps = tmp_path / "all.toml"
    steps.write_text(
        'kind = "program"\ntitle = "all"\nsource = "a test"\n'
        '[[step]]\nop = "read"\nat = "crypto"\nbytes = 1024\n[[step]]\nop = "send"\n'
    )
    settings = {"crypto.concurrency": 1, "crypto.latency_ns": 1000}
    found = linecard.check("example_smartnic", program=str(steps), size=1024, set=settings)
    crypto = by_part(found)["crypto"]
    assert crypto.most_gbps == pytest.approx(50, rel=0.01)
    assert crypto.offered_gbps == 150
    assert found.demands[0] == crypto


STEP = '[[program.step]]\nop = "read"\nat = "table"\nbytes = 64\ncycles = 5\nwithin_bytes = {within}\n'
READS = """kind = "chip"
title = "Reads of random rows"
source = "a test"
clock.core_mhz = 1000
cluster.core = { engines = 16, threads = 16 }
memory.table = { kind = "dram", part = "ddr4_2400", controller = "frfcfs_open", channels = 1 }
buffer.rx.bytes = "64 KiB"
inbox.work = {}
port.eth.rate_gbps = 100
traffic = { kind = "fixed", packet_bytes = 64, rate_gbps = 33 }
"""


def reads(path, within):
    """A chip of four reads of 64 bytes per packet, at random places within a range."""
    path.write_text(READS + 4 * STEP.format(within=within))
    return path


def test_activates_limit_a_dram_whose_rows_conflict(tmp_path):
    """Rows of 1 GiB: each of four reads opens one. Four activates take tFAW, 26 clocks of 0.83 ns; of tREFI, 9360
    clocks, a refresh takes tRP + tRFC, 437 clocks, and up to 26 more until a row may be opened.
    """
    chip = reads(tmp_path / "random.toml", 1 << 30)
    found = by_part(linecard.check(chip, size=64))
    mpps = 1e3 / (26 * 0.83)
    assert mpps * (1 - 463 / 9360) * 0.99 < found["table, activates"].most_mpps < mpps * (1 - 437 / 9360)
    # The data bus alone would carry the load.
    assert found["table"].share < 1 < found["table, activates"].share
    result = linecard.run(chip, packets=20_000, verdict=False)
    assert result.summary.throughput_mpps == pytest.approx(found["table, activates"].most_mpps, rel=0.01)
    # The threads that wait for the DRAM are not the limit.
    rates = linecard.ndr(chip, [64], packets=1000).rows[0]
    assert (rates.limit, rates.ndr_mpps) == ("table", pytest.approx(result.summary.throughput_mpps, rel=0.02))


def test_activates_that_a_busy_controller_saves_are_not_demanded(tmp_path):
    """Four rows in each bank: under load, requests to one row wait together, and the controller opens it once."""
    checked = linecard.check(reads(tmp_path / "few.toml", 1 << 19), size=64)
    assert max(each.share for each in checked.demands) < 1
    assert checked.is_carried


def test_it_is_what_a_saturated_run_reaches():
    settings = {"island.count": 1, "island.threads": 4}
    most = linecard.check("example_smartnic", program="secure_gateway", size="imix", set=settings).demands[0]
    run = linecard.run(
        "example_smartnic",
        program="secure_gateway",
        set={**settings, "traffic.arrivals": "saturated"},
        packets=4000,
        verdict=False,
    )
    # This is a bound: queues before the part and busy memories reduce the throughput.
    assert run.summary.throughput_gbps <= most.most_gbps * 1.03
    assert run.summary.throughput_gbps >= most.most_gbps * 0.6


def test_a_capture_is_asked_at_its_own_rate_or_at_the_given_one():
    own = linecard.check("example_smartnic", trace=CAPTURE).demands[0]
    given = linecard.check("example_smartnic", trace=CAPTURE, set=["traffic.rate_gbps=100"]).demands[0]
    # The demand is that of the first packets, at their own times.
    run = linecard.run("example_smartnic", trace=CAPTURE, packets=20_000, warmup_packets=2000, verdict=False)
    assert own.offered_gbps == run.summary.offered_gbps
    assert given.offered_gbps == 100
    assert given.component == own.component
    assert given.most_gbps == pytest.approx(own.most_gbps, rel=0.1)


def test_a_program_and_a_chip_that_is_saturated():
    found = linecard.check("nfp4000", program="stateful_firewall", size=64)
    assert found.demands[0].share > 1


def test_the_command_says_which_part_carries_too_little(cli):
    words = ("check", "example_smartnic", "--program", "secure_gateway", "--size", 512, "--set", "crypto.rate_gbps=2")
    ended = cli(*words)
    assert ended.status == 0
    assert "crypto is overloaded: 150 Gbit/s are offered, and its capacity is " in " ".join(ended.out.split())
    plain = json.loads(cli(*words, "--json").out)
    assert plain["demands"][0]["component"] == "crypto"


def test_a_size_beside_a_capture_is_refused(wording):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.check("example_smartnic", trace=CAPTURE, size=64)
    wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.check("example_smartnic", entry="main")
    wording(refused.value)


def test_a_port_without_a_rate_is_refused_without_naming_a_search(cli):
    ended = cli("check", "example_smartnic", "--size", 64, "--set", "eth.rate_gbps=0")
    assert ended.status == 2
    assert "has no line rate" in ended.err
    assert "search" not in ended.err
