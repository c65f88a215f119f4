"""Is the page one file that needs nothing else, and does it do in a real browser what it says?

The browser is Chromium, if it is installed; without it the tests that need it say so and are skipped.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import linecard
from linecard.explore import page

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="NO CHROMIUM: what the page does was not tested; install it with the system's packages"
)
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


@pytest.fixture(scope="module")
def table():
    return linecard.sweep(
        "example_smartnic",
        vary={"island.count": [1, 2, 4], "packets.part": ["ddr4_2400", "hbm2", "hbm9</script>"]},
        packets=100,
    )


@pytest.fixture
def file(table, tmp_path):
    return table.write_html(tmp_path / "page.html")


def test_a_page_is_one_small_file_that_loads_nothing(file, table):
    text = file.read_text()
    assert not re.search(r"https?://|\bsrc=|\bhref=|@import|url\(|fetch\(|XMLHttpRequest|import\(", text)
    assert len(text) - len(DATA.search(text)[1]) < 500_000
    assert text.count("</script>") == 2, "a value of the table ends the data"
    data = json.loads(DATA.search(text)[1])
    assert data["columns"] == list(table.columns)
    assert [row[data["columns"].index("command")] for row in data["rows"]] == table.column("command")
    assert table.write_html(file.with_name("again.html")).read_bytes() == file.read_bytes()


def test_an_optimised_space_marks_its_front(tmp_path):
    space = tmp_path / "space.toml"
    space.write_text(
        'kind = "optimize"\nwhat = "dram"\npattern = "random"\ncount = 200\nbudget = 9\ndevice = "hbm2"\n'
        'objectives = ["max bandwidth_gbytes_s", "min read.mean_ns"]\n[vary]\nin_flight = "1..9"\n'
    )
    found = linecard.optimize(space)
    data = json.loads(DATA.search(found.write_html(tmp_path / "p.html").read_text())[1])
    commands = [data["rows"][number][data["columns"].index("command")] for number in data["front"]]
    assert commands == [row["command"] for row in found.front]
    assert found.front[data["knee"]]["knee"]


def done_in_browser(file: Path, script: str, *options: str) -> str:
    """What stands in the page after a script has acted on it; what goes wrong in it is the text."""
    acted = file.with_name("acted.html")
    watch = "<script>window.onerror = (text) => { document.body.dataset.error = text; };</script>"
    act = f"<script>document.body.dataset.found = JSON.stringify((() => {{ {script} }})());</script>"
    acted.write_text(file.read_text().replace("<body>", "<body>" + watch).replace("</body>", act + "</body>"))
    ended = subprocess.run(
        [
            *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,1000"),
            *(f"--user-data-dir={file.parent / 'profile'}", *options, "--dump-dom", acted.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "data-error" not in ended.stdout, re.findall(r'data-error="[^"]*"', ended.stdout)
    found = re.search(r'data-found="([^"]*)"', ended.stdout)
    assert found, ended.stderr[-500:]
    return found[1].replace("&quot;", '"').replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


@needs_browser
def test_a_filter_a_choice_and_an_order_show_in_every_part(file):
    found = json.loads(
        done_in_browser(
            file,
            """
            const all = document.querySelectorAll("tbody tr").length;
            $("f").value = "island.count"; $("low").value = "2"; $("high").value = "4"; $("add").click();
            const some = document.querySelectorAll("tbody tr").length, words = $("filters").textContent;
            const head = [...document.querySelectorAll("th button")].find((b) => b.textContent === "island.count");
            head.click();
            const first = document.querySelector("tbody tr td").textContent;
            document.querySelector("tbody tr").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
            const code = document.querySelector("#detail code").textContent;
            const order = document.querySelector("th[aria-sort=descending] button").textContent;
            $("clear").click();
            return [all, some, words, first, code, order, document.querySelectorAll("tbody tr").length];
            """,
        )
    )
    assert found[:2] == [9, 6]
    assert found[2] == "Only: island.count 2 to 4"
    assert found[3] == "4"
    assert "cluster.island.count=4" in found[4]
    assert found[5:] == ["island.count", 9]


@needs_browser
def test_arrow_keys_go_from_point_to_point_and_dragging_filters(file):
    found = json.loads(
        done_in_browser(
            file,
            """
            const before = document.querySelector("#detail code").textContent;
            $("scatter").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
            const after = document.querySelector("#detail code").textContent;
            const box = $("lines").getBoundingClientRect(), at = { clientX: box.left + 50, bubbles: true };
            $("lines").dispatchEvent(new PointerEvent("pointerdown", { ...at, clientY: box.top + 30 }));
            $("lines").dispatchEvent(new PointerEvent("pointerup", { ...at, clientY: box.top + 120 }));
            return [before !== after, document.querySelectorAll("tbody tr").length, filters[0].name];
            """,
        )
    )
    assert found == [True, 3, "island.count"]


@needs_browser
def test_a_phone_needs_no_scrolling_to_the_side(file):
    script = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth;"
    assert done_in_browser(file, script, "--window-size=360,800") == "true"


@needs_browser
def test_fifty_thousand_points_are_filtered_and_drawn_in_no_more_than_moments(table, tmp_path):
    rows = [{**row, "throughput_gbps": 1.0 + number % 977} for number, row in enumerate(list(table.rows)[:2] * 25_000)]
    file = page._write(
        tmp_path / "large.html",
        title="many",
        said="",
        axes=table.axes,
        columns=[*table.axes, "throughput_gbps", "status", "run", "reason", "command"],
        rows=rows,
        x="island.count",
        y="throughput_gbps",
        coordinates=["island.count", "throughput_gbps"],
        front=(),
        knee=0,
    )
    script = "const from = performance.now(); keep('throughput_gbps', 1, 900); "
    script += "return [performance.now() - from, shown.length];"
    milliseconds, shown = json.loads(done_in_browser(file, script))
    assert 45_000 < shown < 50_000
    # An idle machine needs a tenth of it.
    assert milliseconds < 5000
