"""Do plots describe themselves in words, state cut axes, and have colours that all readers can distinguish?"""

from __future__ import annotations

import itertools
import re
from html import unescape
from pathlib import Path

import pytest
from conftest import TINY

from linecard.report.chart import mark
from linecard.report.picture import LINES
from linecard.words import label, objective, valued

# Simulation of eyes without red, green or blue cones, in linear light: Machado, Oliveira and Fernandes 2009, severity
# 1.
EYES = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
# In CIELAB, two colours are distinguishable at a glance from a distance of about 10 on.
APART = 15.0

PLOTS = {
    "sweep": (
        *("sweep", "example_smartnic", "--vary", "island.count=1,2", "--vary", "island.threads=1,2"),
        *("--set", "traffic.arrivals=saturated", "--packets", "300", "--repeat", "2"),
        *("--across", "island.count", "--up", "throughput_gbps"),
    ),
    "flat": (
        *("sweep", "example_smartnic", "--vary", "clock.core_mhz=1000,1200", "--set", "traffic.rate_gbps=50"),
        *("--packets", "500", "--across", "clock.core_mhz", "--up", "latency_p50_ns"),
    ),
    "why": ("why", TINY, "--packets", "200", "--seeds", "2"),
    "ndr": ("ndr", "example_smartnic", "--size", "1518", "--packets", "200", "--width", "0.05"),
    "core": ("core", "classify", "--packets", "500", "--latency", "150"),
    "map": ("core", "classify", "--packets", "500", "--latency", "50,150"),
    "budget": ("vrp", "budget", "ixp1200_eval", "--rate", "1.128Mpps"),
}


def linear(colour: str) -> list[float]:
    parts_of = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts_of]


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def lab(light: list[float]) -> tuple[float, float, float]:
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = times(to_xyz, [min(max(each, 0.0), 1.0) for each in light])
    x, y, z = (
        each ** (1 / 3) if each > 0.008856 else 7.787 * each + 16 / 116
        for each in (part / white for part, white in zip(xyz, (0.9505, 1.0, 1.089), strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("eyes", EYES)
def test_no_two_colours_of_the_palette_look_alike(eyes):
    seen = {colour: lab(times(EYES[eyes], linear(colour))) for colour in LINES}
    for one, other in itertools.combinations(LINES, 2):
        distance = sum((a - b) ** 2 for a, b in zip(seen[one], seen[other], strict=True)) ** 0.5
        assert distance >= APART, (eyes, one, other, distance)


def test_every_colour_has_a_mark_of_its_own():
    """Shapes, full or hollow, distinguish series without their colours."""
    marks = {re.sub(r"var\(--s\d\)", "", mark(number, 0, 0)) for number in range(len(LINES))}
    assert len(marks) == len(LINES) == 8


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("throughput_gbps", "throughput (Gbit/s)"),
        ("cluster.me.engines", "me engines"),
        ("clock.engine_mhz", "clock engine (MHz)"),
        ("latency_p99_ns", "latency, 99th percentile (ns)"),
        ("packets_per_mcycle", "packets (per million cycles)"),
        ("hit_rate_percent", "hit rate (%)"),
        ("bandwidth_gbytes_s", "bandwidth (Gbyte/s)"),
        ("route[0].back_cycles", "route 0 back (cycles)"),
        ("bytes", "bytes"),
    ],
)
def test_names_are_words_with_a_unit(name, words):
    assert label(name) == words


def test_values_and_objectives_are_words():
    assert valued("engine_mhz", 200) == "engine 200 MHz"
    assert valued("memory.dram.banks", 4) == "DRAM banks 4"
    assert objective("max throughput_gbps") == "throughput (Gbit/s), more is better"
    assert objective("min loss_fraction * 2") == "loss * 2, less is better"


@pytest.fixture
def drawn(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def draw(name: str) -> tuple[str, list[str]]:
        ended = cli(*PLOTS[name], "-o", f"{name}.svg")
        assert ended.status == 0, ended.err
        svg = Path(f"{name}.svg").read_text(encoding="utf-8")
        return svg, [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]

    return draw


@pytest.mark.parametrize("name", PLOTS)
def test_no_text_of_a_plot_is_a_raw_key(drawn, name):
    _, texts = drawn(name)
    assert len(texts) > 5
    # Names of presets and programs may contain any characters.
    for text in texts:
        rest = re.sub(rf"example_smartnic|ixp1200_eval|{re.escape(str(TINY))}", "", text)
        assert not re.search(r"[a-z]_[a-z]|[a-z]\.[a-z]|\[\d+\]", rest), (name, text)


def test_seeds_are_drawn_with_their_range_and_an_axis_from_zero_is_not_marked(drawn):
    svg, texts = drawn("sweep")
    assert "points: means of 2 seeds; bars: smallest and largest value" in texts
    assert {"island count", "throughput (Gbit/s)", "island threads 1"} <= set(texts)
    assert '<path class="range"' in svg
    assert "the axis does not begin at 0" not in texts


def test_a_cut_axis_is_marked(drawn):
    svg, texts = drawn("flat")
    assert "latency, 50th percentile (ns)" in texts
    assert '<path class="cut"' in svg
    assert "the axis does not begin at 0" in texts
