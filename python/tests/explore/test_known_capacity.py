"""Is the no-drop rate that of the closed form, on chips with one deliberate limit and any size of buffers?"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

import linecard
from linecard.explore.ndr import WIDTH

CHIPS = 60
# Numbers of packets below and above what it takes to fill the largest buffers.
LENGTHS = (5_000, 20_000, 100_000)

CHIP = """
kind = "chip"
title = "A chip with one limit"
source = "a test"
[clock]
core_mhz = 2000
[cluster.core]
engines = 64
threads = {threads}
[unit.gate]
latency_ns = {latency_ns}
{gate}
[buffer.rx]
bytes = {buffer_bytes}
[inbox.work]
[port.eth]
rate_gbps = {port_gbps}
[[program.step]]
op = "ask"
at = "gate"
bytes = {asked_bytes}
cycles = 4
[traffic]
kind = "fixed"
packet_bytes = {size}
rate_gbps = 1
"""


@dataclass(frozen=True)
class Known:
    """A chip's file, its capacity in 10^6 packets a second, and what limits it."""

    text: str
    mpps: float
    limit: str


def drawn(number: int) -> Known:
    """A chip whose gate serves at a rate, carries a number of bits per second, or is never the limit."""
    draw = random.Random(number)
    size = draw.choice((64, 128, 256, 512, 1024, 1518))
    port_gbps = draw.choice((40, 100, 200, 400))
    line = port_gbps * 1e3 / 8 / (size + 20)
    kind = ("service", "bandwidth", "line")[number % 3]
    asked = 64
    if kind == "service":
        pipes = draw.choice((1, 2, 4))
        cycles = max(pipes, round(pipes * 2000 / (line * draw.uniform(0.02, 0.95))) + pipes)
        gate, capacity = f"access_cycles = {cycles}\nconcurrency = {pipes}", pipes * 2000 / cycles
    elif kind == "bandwidth":
        gbps = round(line * draw.uniform(0.02, 0.95) * asked * 8 / 1e3, 4)
        gate, capacity = f"rate_gbps = {gbps}", gbps * 1e3 / 8 / asked
    else:
        gate, capacity = "access_cycles = 0", line
    # The buffer holds from a few frames to more than any trial offers.
    buffer = draw.choice((8, 64, 1024, 16_384, 262_144)) * size
    text = CHIP.format(
        threads=draw.choice((1, 8)),
        latency_ns=draw.choice((5, 50)),
        gate=gate,
        buffer_bytes=buffer,
        port_gbps=port_gbps,
        asked_bytes=asked,
        size=size,
    )
    return Known(text, min(capacity, line), "line rate" if capacity >= line else "gate")


@pytest.fixture
def chip(request, tmp_path):
    known = drawn(request.param)
    (tmp_path / "chip.toml").write_text(known.text)
    return str(tmp_path / "chip.toml"), known


def check(path, known, packets):
    row = linecard.ndr(path, packets=packets).rows[0]
    assert row.confirmed
    assert row.confirmed_packets >= packets
    # The result is the lower bound of an interval with this width.
    assert row.ndr_mpps == pytest.approx(known.mpps, rel=0.01), row.tried
    assert row.ndr_mpps <= known.mpps * (1 + WIDTH)
    assert row.limit == known.limit, (row.busiest, row.busiest_share)
    return row.trials


@pytest.mark.parametrize("chip", range(12), indirect=True)
def test_the_rate_is_that_of_the_closed_form(chip):
    assert check(*chip, LENGTHS[0]) <= 14


@pytest.mark.long
@pytest.mark.parametrize("packets", LENGTHS)
def test_sixty_chips_have_their_rate_in_few_trials(tmp_path, packets):
    trials = []
    for number in range(CHIPS):
        known = drawn(number)
        (tmp_path / "chip.toml").write_text(known.text)
        trials.append(check(str(tmp_path / "chip.toml"), known, packets))
    mean = sum(trials) / len(trials)
    print(f"{packets:,} packets a trial: {mean:.2f} trials on average, {max(trials)} at most")
    assert mean <= 9


@pytest.mark.long
@pytest.mark.parametrize("packets", [500, 4_000])
def test_why_names_the_planted_limit_of_sixty_chips(tmp_path, packets):
    named, wrong = 0, []
    for number in range(CHIPS):
        known = drawn(number)
        path = tmp_path / f"chip{number}.toml"
        path.write_text(known.text)
        found = linecard.why(path, packets=packets)
        limit = {"line rate": "eth", "gate": "gate"}[known.limit]
        if found.verdict != limit:
            wrong.append((number, known.limit, known.mpps, found.verdict, found.why))
            continue
        named += 1
        assert found.throughput_mpps == pytest.approx(known.mpps, rel=0.02), number
        # The statements agree: the limit is the first of the table, and no gain exceeds the next one.
        assert found.limits[0].component.startswith(limit), found.limits
    print(f"{packets:,} packets: {named} of {CHIPS} named", *wrong, sep="\n")
    assert named >= 57
