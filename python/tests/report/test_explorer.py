"""Is the page one file that needs nothing else, and does it work in a real browser?

Pages of single results are tested in `test_pages`.
"""

from __future__ import annotations

import json
import re

import pytest
from browser import done_in_browser, needs_browser

import linecard
from linecard.explore.front import front_of
from linecard.report import explorer

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


@pytest.fixture(scope="module")
def table():
    return linecard.sweep(
        "example_smartnic",
        vary={"island.count": [1, 2, 4], "packets.part": ["ddr4_2400", "hbm2", "hbm9</script>"]},
        set={"traffic.rate_gbps": 40},
        packets=2000,
    )


@pytest.fixture
def file(table, tmp_path):
    return table.save(tmp_path / "page.html")


def test_a_page_is_one_small_file_that_loads_nothing(file, table):
    text = file.read_text()
    assert not re.search(r"https?://|\bsrc=|\bhref=.[^#]|@import|url\(|fetch\(|XMLHttpRequest|import\(", text)
    assert len(text) - len(DATA.search(text)[1]) < 500_000
    assert text.count("</script>") == 2, "a value of the table ends the data"
    data = json.loads(DATA.search(text)[1])
    assert data["columns"] == list(table.columns)
    assert [row[data["columns"].index("command")] for row in data["rows"]] == table.column("command")
    assert table.save(file.with_name("again.html")).read_bytes() == file.read_bytes()


def test_an_optimised_space_marks_its_front(tmp_path):
    space = tmp_path / "space.toml"
    space.write_text(
        'kind = "optimize"\nwhat = "dram"\npattern = "random"\ncount = 200\nbudget = 9\ndevice = "hbm2"\n'
        'objectives = ["max bandwidth_gbytes_s", "min read.mean_ns"]\n[vary]\nin_flight = "1..9"\n'
    )
    found = linecard.optimize(space)
    data = json.loads(DATA.search(found.save(tmp_path / "p.html").read_text())[1])
    commands = [data["rows"][number][data["columns"].index("command")] for number in data["front"]]
    assert commands == [row["command"] for row in found.front]
    assert found.front[data["knee"]]["knee"]


@needs_browser
def test_a_filter_a_choice_and_an_order_show_in_every_part(file):
    found = done_in_browser(
        file,
        """
            const all = document.querySelectorAll("tbody tr").length;
            $("f").value = "island.count"; $("low").value = "2"; $("high").value = "4"; $("add").click();
            const some = document.querySelectorAll("tbody tr").length, words = $("filters").textContent;
            const head = [...document.querySelectorAll("th button")].find((b) => b.title === "island.count");
            head.click();
            const first = document.querySelector("tbody tr td").textContent;
            document.querySelector("tbody tr").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
            const code = $("command").textContent;
            const order = document.querySelector("th[aria-sort=descending] button").textContent;
            $("clear").click();
            return [all, some, words, first, code, order, document.querySelectorAll("tbody tr").length];
            """,
    )
    assert found[:2] == [9, 6]
    assert found[2] == "Only: island.count 2 to 4"
    assert found[3] == "4"
    assert "cluster.island.count=4" in found[4]
    assert found[5:] == ["island count", 9]


@needs_browser
def test_arrow_keys_go_from_point_to_point_and_dragging_filters(file):
    found = done_in_browser(
        file,
        """
            const before = $("command").textContent;
            $("scatter").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
            const after = $("command").textContent;
            const box = $("lines").getBoundingClientRect(), at = { clientX: box.left + 50, bubbles: true };
            $("lines").dispatchEvent(new PointerEvent("pointerdown", { ...at, clientY: box.top + 30 }));
            $("lines").dispatchEvent(new PointerEvent("pointerup", { ...at, clientY: box.top + 120 }));
            return [before !== after, document.querySelectorAll("tbody tr").length, filters[0].name];
            """,
    )
    assert found == [True, 3, "island.count"]


@needs_browser
def test_the_front_is_what_no_point_beats(file, table):
    found = done_in_browser(
        file,
        """
        const set = (id, value) => { $(id).value = value; $(id).dispatchEvent(new Event("change")); };
        set("x", "latency_p99_ns"); set("y", "throughput_gbps");
        const guessed = [$("bx").value, $("by").value], usual = [...best];
        set("bx", "1");
        const other = [...best];
        set("bx", "0");
        return [guessed, usual, other, best.size, $("scatter").ariaLabel];
        """,
    )
    values = [(row["latency_p99_ns"], row["throughput_gbps"]) for row in table.rows if row["status"] == "ok"]
    numbers = [number for number, row in enumerate(table.rows) if row["status"] == "ok"]
    for way, marked in ((1, found[1]), (-1, found[2])):
        small = [(way * x, -y) for x, y in values]
        assert {numbers[n] for n in front_of(small)} == set(marked)
    assert found[0] == ["-1", "1"]
    assert found[3] == 0
    assert found[4].startswith("Scatter: throughput (Gbit/s) over latency, 99th percentile (ns), 9 points")


@needs_browser
def test_a_point_shows_its_limit_its_time_and_a_file_that_runs_it_again(file, table, tmp_path):
    number = next(n for n, row in enumerate(table.rows) if row["status"] == "ok" and row["packets.part"] == "hbm2")
    said, written, shown = done_in_browser(
        file,
        f"""
        choose({number});
        const box = $("detail");
        return [box.textContent, $("toml").textContent, box.querySelectorAll(".bars li").length];
        """,
    )
    row = table.rows[number]
    assert f"Limit: {row['bottleneck']}" in said
    assert "How busy each part was" in said
    assert "Where a packet's time went" in said
    assert shown >= 8
    path = tmp_path / "one.toml"
    path.write_text(written)
    again = linecard.sweep(path)
    assert [each["run"] for each in again.rows] == [row["run"]]


@needs_browser
def test_a_drag_is_seen_while_it_lasts_and_pages_of_the_table_are_turned(tmp_path, table):
    file = large(tmp_path, table, 500)
    found = done_in_browser(
        file,
        """
        const box = $("scatter").getBoundingClientRect();
        const event = (name, x, y) => $("scatter").dispatchEvent(
          new PointerEvent(name, { clientX: box.left + x, clientY: box.top + y, bubbles: true }));
        const before = [document.querySelectorAll("tbody tr").length, $("before").disabled];
        $("after").click(); $("after").click();
        const last = [document.querySelectorAll("tbody tr").length, $("after").disabled, $("count").textContent];
        event("pointerdown", 80, 30); event("pointermove", 200, 120);
        const during = [brush !== null, filters.length];
        event("pointercancel", 0, 0);
        return [before, last, during, brush, filters.length];
        """,
    )
    assert found == [
        [200, True],
        [100, True, "500 of 500 points; 401 to 500 are listed"],
        [True, 0],
        None,
        0,
    ]


def large(folder, table, count):
    """A page of many points, each different."""
    first = table.rows[0]
    rows = [
        {
            **first,
            "throughput_gbps": 1.0 + n * 7919 % 977,
            "latency_p99_ns": float(n),
            "command": f"run {n}",
            "run": f"{n}",
        }
        for n in range(count)
    ]
    text = explorer._page(
        title="many",
        said="",
        axes=table.axes,
        columns=["run", *table.axes, "throughput_gbps", "latency_p99_ns", "status", "reason", "command"],
        rows=rows,
        given=table.given,
        parts=(),
        better={"throughput_gbps": 1, "latency_p99_ns": -1},
        x="latency_p99_ns",
        y="throughput_gbps",
        coordinates=["island.count", "throughput_gbps", "latency_p99_ns"],
        front=(),
        knee=0,
        objectives=0,
    )
    file = folder / "large.html"
    file.write_text(text, encoding="utf-8")
    return file


@needs_browser
def test_fifty_thousand_points_are_opened_filtered_and_drawn_in_moments(table, tmp_path):
    file = large(tmp_path, table, 50_000)
    found = done_in_browser(
        file,
        """
        const times = {};
        const time = (name, act) => {
          const from = performance.now();
          act(); times[name] = performance.now() - from;
        };
        times.open = performance.now();
        time("filter", () => keep("throughput_gbps", 1, 900));
        time("choose", () => choose(shown[7]));
        time("sort", () => document.querySelector("th button").click());
        return [times, shown.length, best.size];
        """,
    )
    assert 45_000 < found[1] < 50_000
    assert found[2] > 1
    # An idle machine needs a tenth of this.
    assert found[0].pop("open") < 10_000
    assert max(found[0].values()) < 3_000, found
