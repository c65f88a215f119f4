"""Headers that use only some of the channels: reported by `check` and by the verdict of a run, but not by default."""

from __future__ import annotations

from math import gcd

import pytest
from conftest import ROOT

import linecard

PACKETS = {"packets": 1500, "warmup_packets": 1500}


@pytest.fixture(scope="module")
def chip(tmp_path_factory) -> str:
    """The example with 16 channels of LPDDR5 and ports of 200 Gbit/s, without a setting of the interleave."""
    text = (ROOT / "presets/platforms/example_smartnic.toml").read_text()
    for before, after in (
        ("interleave_bytes = 2048                # a packet lies in one channel\n", ""),
        ("ddr4_2400", "lpddr5_6400"),
        ("channels = 4", "channels = 16"),
        ("rate_gbps = 100\n", "rate_gbps = 200\n"),
        ("rate_gbps = 150\n", "rate_gbps = 320\n"),
    ):
        assert before in text
        text = text.replace(before, after)
    file = tmp_path_factory.mktemp("hot") / "hot.toml"
    file.write_text(text)
    return str(file)


def interleave(chip: str, **changes: object) -> int:
    rows = linecard.describe(chip, set={f"packets.{key}": value for key, value in changes.items()}).parameters
    return next(row.value for row in rows if row.key == "memory.packets.interleave_bytes")


def test_check_says_on_how_many_channels_headers_fall(chip):
    for grain, page, hit in ((256, 2048, 2), (256, 1024, 4), (512, 2048, 4), (1024, 4096, 4)):
        assert hit == 16 // gcd(page // grain, 16)
        changes = {"packets.interleave_bytes": grain, "packets.page_bytes": page}
        said = linecard.check(chip, set=changes).warnings
        start = f"packet headers lie in only {hit} of 16 channels of packets"
        assert any(each.startswith(start) for each in said), said


def test_a_run_that_is_limited_by_them_says_so(chip, wording):
    found = linecard.run(chip, set={"packets.interleave_bytes": 256}, **PACKETS)
    wording(found.bottleneck.why)
    assert "Set memory.packets.interleave_bytes=2048" in found.bottleneck.why


def test_by_default_packets_begin_in_every_channel(chip):
    assert interleave(chip) == 2048
    assert interleave(chip, page_bytes=1600, pool_bytes=16_384 * 1600) == 256
    assert interleave(chip, page_bytes=4096) == 4096
    assert linecard.check(chip).warnings == ()
    found = linecard.run(chip, verdict=False, **PACKETS)
    assert found.summary.throughput_gbps == pytest.approx(found.summary.offered_gbps, rel=0.05)


@pytest.mark.parametrize("changes", [{"channels": 1}, {"channels": 3}, {"channels": 7}])
def test_the_default_stays_where_no_channel_is_idle(chip, changes):
    assert interleave(chip, **changes) == 256
    assert linecard.check(chip, set={f"packets.{key}": value for key, value in changes.items()}).warnings == ()


def test_a_pool_of_fewer_pages_than_channels_is_said(chip):
    said = linecard.check(chip, set={"packets.pool_bytes": 8 * 2048}).warnings
    where = "packet headers lie in only 8 of 16 channels"
    assert any(where in each and "holds 8 packets" in each for each in said), said
