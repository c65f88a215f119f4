"""The page of a run: the chip's title, its drawing coloured by load, and the gains of improving parts."""

from __future__ import annotations

import base64
import re

import pytest

import linecard


@pytest.fixture(scope="module")
def result() -> linecard.RunResult:
    return linecard.run("nfp4000", program="stateful_firewall", packets=1000)


@pytest.fixture(scope="module")
def page(result, tmp_path_factory) -> str:
    return result.save(tmp_path_factory.mktemp("page") / "run.html").read_text()


def test_the_page_has_the_title_of_the_chip(page):
    assert linecard.describe("nfp4000").title in page


def test_the_page_has_the_chip_coloured_by_load(page, result, tmp_path):
    drawn = linecard.draw("nfp4000", tmp_path / "chip.svg", result=result).read_text()
    held = re.search(
        r'<img class="drawing" src="data:image/svg\+xml;base64,([^"]+)" alt="Block diagram of a chip', page
    )
    assert base64.b64decode(held[1]).decode() == drawn


def test_the_page_has_a_bar_for_each_part_that_was_made_better(page, result):
    assert result.what_if
    gains = [each.gain for each in result.what_if]
    assert gains == sorted(gains, reverse=True)
    best = result.what_if[0]
    assert f"Throughput rises by {best.gain * 100:.0f} % with {best.change}" in result.bottleneck.why
    table = page.partition("<h2>What if</h2>")[2].partition("</table>")[0]
    rows = [re.findall(r"<t[dh][^>]*>(?:<a[^>]*>)?([^<]*)(?:</a>)?</t[dh]>", row) for row in table.split("<tr")[2:]]
    assert [row[0] for row in rows] == [each.change for each in result.what_if]
    assert [row[-1] for row in rows] == [f"{each.gain:+.1%}" for each in result.what_if]


def test_a_run_without_a_verdict_has_no_bars(tmp_path):
    found = linecard.run("example_smartnic", packets=300, warmup_packets=100, verdict=False)
    assert found.what_if == ()
    assert "What if" not in found.save(tmp_path / "run.html").read_text()


def test_a_run_whose_chip_is_not_here_has_a_page_without_a_drawing(tmp_path):
    chip = tmp_path / "mine.toml"
    chip.write_text('title = "mine"\nkind = "chip"\nsource = "s"\nextends = "platforms/example_smartnic"\n')
    found = linecard.run(chip, packets=300, warmup_packets=100, verdict=False)
    chip.unlink()
    text = found.save(tmp_path / "run.html").read_text()
    assert "coloured by load" not in text
    assert "Utilisation" in text
