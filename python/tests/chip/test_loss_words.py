"""`Loss none` is printed only if everything that arrived also left."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import linecard
from linecard.chip.view import loss_words


@pytest.fixture(scope="module")
def summary() -> linecard.chip.result.Summary:
    return linecard.run("example_smartnic", packets=2000, warmup_packets=500, verdict=False).summary


def of(summary, came, left, lost, *, steady):
    gone = left + lost
    return replace(
        summary,
        packets_in=came,
        packets_out=left,
        packets_dropped=lost,
        loss_fraction=lost / gone,
        steady=steady,
    )


def test_nothing_lost_and_nothing_kept_is_none(summary):
    assert loss_words(of(summary, 1003, 1000, 0, steady=True)) == (
        "none",
        "0 of 1,000 packets that left or were dropped",
    )


def test_what_stays_inside_is_said(summary):
    word, rest = loss_words(of(summary, 319_000, 253_000, 0, steady=False))
    assert word == "none yet"
    assert rest.endswith("; another 66,000 of the 319,000 arrived packets (20.7 %) are still in the chip: not steady")


def test_what_stays_inside_is_said_beside_losses(summary):
    word, rest = loss_words(of(summary, 2000, 900, 100, steady=False))
    assert word == "10.000 %"
    assert "another 1,000 of the 2,000 arrived packets (50.0 %)" in rest


def test_what_was_inside_before_and_left_is_no_loss(summary):
    assert loss_words(of(summary, 900, 1000, 0, steady=True))[0] == "none"


def test_the_screen_of_a_chip_that_fills_its_buffers_says_so(cli):
    """A unit of 50 Gbit/s in the path of 150, and buffers that take the whole run to fill."""
    words = ("--program", "secure_gateway", "--set", "crypto.rate_gbps=5", "--set", "crypto.concurrency=1")
    ended = cli("run", "example_smartnic", *words, "--set", "rx.bytes=64 MiB", "--packets", 2000, "--warmup", 0)
    assert "none yet" in ended.out
    assert "are still in the chip" in ended.out
