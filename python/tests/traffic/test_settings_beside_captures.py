"""A setting of `[traffic]` has an effect or is refused: with a capture, a described link and a generator."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest
from conftest import ROOT

import linecard

CAPTURE = str(ROOT / "examples/captures/edge-mix.pcap.gz")
SOURCES = {"capture": CAPTURE, "described link": "edge", "generator": None}
# For every key of the table, values that differ from the chip's own.
OTHERS = {
    "kind": ["rfc2544", "fixed", "sizes"],
    "packet_bytes": [64],
    "sizes": ["64:1"],
    "arrivals": ["constant", "jittered", "back_to_back", "on_off", "shot_noise", "saturated", "captured"],
    "rate_gbps": [120],
    "peak_gbps": [180],
    "burst_packets": [4],
    "flows": [3],
    "zipf": [2],
    "speedup": [7],
    "captures": ["packets"],
}
PACKETS = 400


def run(trace: str | None, **settings: object) -> linecard.RunResult:
    changes = {f"traffic.{key}": value for key, value in settings.items()}
    return linecard.run(
        "example_smartnic", trace=trace, set=changes, packets=PACKETS, warmup_packets=100, verdict=False
    )


@pytest.fixture(scope="module")
def usual() -> dict[str, linecard.RunResult]:
    return {name: run(trace) for name, trace in SOURCES.items()}


def test_the_table_of_keys_is_covered():
    specimen = str(ROOT / "docs/reference/specimens/chip.toml")
    of_sizes = {"traffic.kind": "sizes", "traffic.sizes": "64:1"}
    rows = [row for changes in ({}, of_sizes) for row in linecard.describe(specimen, set=changes).parameters]
    names = {row.key.removeprefix("traffic.") for row in rows if row.key.startswith("traffic.")}
    assert names == set(OTHERS)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in OTHERS.items() for value in values])
def test_a_key_that_is_given_has_an_effect_or_is_refused(source, key, value, usual):
    before, problems, after = usual[source], (), None
    try:
        after = run(SOURCES[source], **{key: value})
    except linecard.ConfigError as error:
        problems = error.problems
    if after is None:
        # The error names the key; with a generator, it may name a key that is then missing.
        wanting = [each for each in problems if source == "generator" and each.message.startswith("missing")]
        assert all(each.key == f"traffic.{key}" or each in wanting for each in problems), problems
        return
    moved = [row.value for row in before.metrics] != [row.value for row in after.metrics]
    # The requested value may equal the existing one: a capture has its own times.
    assert moved or (source, value) in {("capture", "captured"), ("described link", "captured")}


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("capture", "flows"),
        ("described link", "kind"),
        ("capture", "arrivals"),
        ("generator", "speedup"),
        ("generator", "packet_bytes"),
        ("generator", "burst_packets"),
    ],
)
def test_what_is_refused_says_why(source, key, wording):
    with pytest.raises(linecard.ConfigError) as refused:
        run(SOURCES[source], **{key: OTHERS[key][0]})
    wording(refused.value)


def test_a_capture_comes_at_the_rate_that_is_given():
    """Over the whole capture, because a part of it may be faster or slower than its mean."""
    whole = {"packets": 0, "warmup_packets": 0, "verdict": False, "trace": CAPTURE}
    for gbps in (2.0, 40.0):
        found = linecard.run("example_smartnic", set={"traffic.rate_gbps": gbps}, **whole)
        assert found.summary.offered_gbps == pytest.approx(gbps, rel=2e-3)
        assert found.summary.packets_in == 20_000


def test_a_rate_and_the_speed_up_that_makes_it_are_the_same_run():
    flows = linecard.flows(CAPTURE)
    # The capture has IP packets; frames have Ethernet headers and check sequences, and at least 64 bytes.
    content, at, frames = gzip.decompress(Path(CAPTURE).read_bytes()), 24, 0
    while at < len(content):
        captured, wire = struct.unpack_from("<II", content, at + 8)
        frames += max(wire + 18, 64)
        at += 16 + captured
    own = frames * 8 / flows.seconds / 1e9
    by_rate = linecard.run("example_smartnic", trace=CAPTURE, set={"traffic.rate_gbps": own * 5}, packets=2000)
    by_factor = linecard.run("example_smartnic", trace=CAPTURE, set={"traffic.speedup": 5}, packets=2000)
    # The rate excludes the last packet, after which the gap is unknown.
    assert by_rate.summary.offered_gbps == pytest.approx(by_factor.summary.offered_gbps, rel=1e-3)


def test_the_rate_of_generated_traffic_does_not_limit_a_capture(usual, tmp_path):
    """The wires carry the capture, but not the 150 Gbit/s that the file generates without one."""
    narrow = {"port.eth.rate_gbps": 10}
    with pytest.raises(linecard.ConfigError, match=r"traffic\.rate_gbps: with preamble"):
        linecard.run("example_smartnic", set=narrow, packets=PACKETS)
    replayed = linecard.run(
        "example_smartnic", trace=CAPTURE, set=narrow, packets=PACKETS, warmup_packets=100, verdict=False
    )
    assert replayed.summary.offered_gbps == pytest.approx(usual["capture"].summary.offered_gbps, rel=1e-3)
    # Nor do its bursts, here slower than the mean rate.
    chip = tmp_path / "bursts.toml"
    chip.write_text(
        'kind = "chip"\ntitle = "bursts"\nsource = "a test"\nextends = ["platforms/example_smartnic"]\n'
        '[traffic]\narrivals = "on_off"\npeak_gbps = 30\n'
    )
    bursts = linecard.run(str(chip), trace=CAPTURE, packets=PACKETS, warmup_packets=100, verdict=False)
    assert bursts.summary == usual["capture"].summary


def test_what_cannot_be_replayed_at_a_rate_is_refused(tmp_path, one_instant, wording):
    with pytest.raises(linecard.ConfigError) as refused:
        run(str(one_instant), rate_gbps=1)
    wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        run(CAPTURE, rate_gbps=900)
    wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        run(CAPTURE, rate_gbps=9, speedup=2)
    wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        run(CAPTURE, rate_gbps=9, arrivals="saturated")
    wording(refused.value)


@pytest.fixture
def one_instant(capture, tmp_path):
    """Only the first packet of the small capture."""
    path = tmp_path / "one.pcap"
    path.write_bytes(capture.read_bytes()[: 24 + 16 + 72])
    return path


def test_a_search_for_rates_refuses_the_rate_that_it_sets(cli, wording):
    for key in ("rate_gbps", "speedup"):
        ended = cli("ndr", "example_smartnic", "--trace", CAPTURE, "--set", f"traffic.{key}=2", "--packets", 500)
        assert ended.status == 2
        wording(ended.err)
