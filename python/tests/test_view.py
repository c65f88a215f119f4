"""One result, one view: parts on terminals of any width, on pages, in notebooks and as pictures; six formats."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import re
import shutil
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

import pytest
from conftest import ROOT, TINY, make_result
from rich.cells import cell_len
from rich.console import Console

import linecard
from linecard import petri
from linecard.cli.screen import screen
from linecard.errors import ConfigError
from linecard.explore.store import Store
from linecard.explore.store_contents import contents
from linecard.malleable.result import Cores
from linecard.report.page import notebook, page
from linecard.report.picture import COLOURS, picture
from linecard.result import FORMATS, Result, named_format
from linecard.tables import Table as Rows
from linecard.view import (
    BAR,
    Axis,
    Bar,
    Beside,
    Chart,
    Column,
    Fact,
    Facts,
    Lines,
    Notes,
    Picture,
    Said,
    Series,
    Stacked,
    Table,
    Title,
    Verdict,
    bars,
    text,
    view,
    view_of,
    wide,
)
from linecard.vrp.budget import VrpBudget, VrpBudgets, VrpResource
from linecard.vrp.extension import VrpCheck, VrpUse

WIDTHS = (40, 60, 80, 100, 200)
NET = str(ROOT / "presets" / "nets" / "girish2008_dram.toml")
NUMBER = re.compile(r"\d[\d,.]*")

PARTS = [
    Title("a title", "said beside it"),
    Verdict("the verdict", "and the reason why, which is a sentence that goes over several lines where it must", "bad"),
    Facts((Fact("Speed", "11.5 Gbit/s", "of 12.25", "best"), ("Loss", "none")), "Facts", "said of facts"),
    Table(
        "Rows",
        (text("name"), "count", BAR, wide("why"), Column("code", "c")),
        [
            ("first", 1234, Bar(0.25, "bad"), "a reason that is so long that it has to wrap", "x = 1  # 31"),
            "a heading between rows",
            (Said("second", "warn"), 5.625, Bar(-0.5, low=-0.7, high=-0.3, signed=True), Lines("above", "below"), "y"),
            ("third", None, Bar(2.0), "", "z"),
        ],
        "said of rows",
        marked=(2,),
        below=(Said("below the rows 77", "dim"),),
    ),
    Table("Many", ("n",), [(at,) for at in range(100)], shown=3),
    Table("Folded", (text("kept for pages"),), [("folded 4321",)], folded=True),
    Table("Nothing", (text("none"),), []),
    bars("Shares", [(f"part {at}", at / 20, f"{at} ns") for at in range(1, 15)]),
    Beside((bars("Left", [("l", 0.4)]), Table("Right", (text(""), ""), [("r", 99)]))),
    Chart("Curve", Axis("x", logarithmic=True), Axis("y"), [Series("a", [(1, 2), (10, 3)]), Series("b", [(2, 4)])]),
    Stacked("Stack", ["one", "two"], [("row", [25.0, 75.0])]),
    Picture("Drawing", "<svg xmlns='http://www.w3.org/2000/svg'/>", "a drawing in words"),
    Notes(["a warning"]),
]


def drawn(parts, width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), force_terminal=True, no_color=True, color_system=None)
    for part in screen(parts):
        console.print(part)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_terminal_of_any_width_has_every_number_and_word(width):
    whole, lines = "\n".join(drawn(PARTS, 200)), drawn(PARTS, width)
    assert [line for line in lines if cell_len(line) > width] == []
    shown = "".join("\n".join(lines).split())
    for word in (*NUMBER.findall(whole), "verdict", "wrap", "heading", "second", "below", "warning", "Shares"):
        assert word in shown, (word, lines)
    assert "…" not in shown
    assert "97 more rows are in the output of --json and --output".replace(" ", "") in shown
    assert "4321" not in shown
    assert "Nothing" not in shown


def test_a_long_list_of_bars_stands_in_two_columns_where_there_is_room():
    wide_lines, narrow = drawn(PARTS, 200), drawn(PARTS, 40)
    assert any("part 1 " in line and "part 8 " in line for line in wide_lines)
    assert not any("part 1 " in line and "part 8 " in line for line in narrow)


def test_a_page_has_every_part_and_a_notebook_those_that_are_not_for_pages_alone():
    whole, short = page(PARTS, "linecard it"), notebook(PARTS)
    assert whole.count("<h1>") == 1
    for word in ("a title", "linecard it", "folded 4321", "a drawing in words", "a warning", "a heading between rows"):
        assert word in whole
    assert whole.count("<tr") - whole.count("<thead") > 110
    assert "folded 4321" not in short
    assert "a drawing in words" not in short
    assert "97 more rows" in short
    assert short.count("<svg") == whole.count("<svg") == 2
    assert "<script" not in short
    # The style sheet of a notebook's output applies to that output only.
    assert re.fullmatch(r"<style>\.linecard \{.*\}</style><div class=\"linecard\">.*</div>", short, re.DOTALL)


def test_what_a_result_says_is_text_everywhere():
    nasty = "</main><script>&\"'"
    parts = [
        Title(nasty),
        Facts(((nasty, nasty, nasty),)),
        Table(nasty, (text(nasty),), [(nasty,), (Said(nasty),), (Lines(nasty, nasty),)], below=(Said(nasty),)),
        Chart(nasty, Axis(nasty), Axis(nasty), [Series(nasty, [(1, 1)]), Series("b", [(1, 2)])], nasty, (nasty, 1.0)),
        Notes([nasty]),
    ]
    for written in (page(parts, nasty), notebook(parts), picture(parts)):
        assert "</main><script>" not in written
    ElementTree.fromstring(picture(parts).partition("\n")[2])


def test_a_picture_has_all_charts_in_colours_of_paper_and_bars_where_there_is_no_chart():
    svg = picture(PARTS)
    root = ElementTree.fromstring(svg.partition("\n")[2])
    texts = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Curve", "Stack", "a title"} <= set(texts)
    assert "Shares" not in texts
    assert "var(" not in svg
    assert COLOURS["s0"] in svg
    assert "Shares" in picture([PARTS[0], PARTS[7]])


def test_bars_of_nothing_have_no_row():
    assert bars("none", [("a", 0.0), ("b", 0.0004)]).rows == []
    assert [row[0] for row in bars("some", [("a", 0.0), ("b", 0.5, "more")]).rows] == ["b"]


@dataclass(frozen=True)
class Small(Result):
    """A result of three numbers."""

    TABLE: ClassVar[str] = "rows"
    ASKED: ClassVar[tuple[str, ...]] = ("seed",)
    APART: ClassVar[tuple[str, ...]] = ("seconds",)

    rows: tuple[Fact, ...]
    seed: int
    seconds: float

    def table(self) -> Rows:
        return Rows(("a", "b"), [(1, 2.5), (3, None)])


@view.register
def _(result: Small):
    return [Title("small"), bars("Bars", [("a", 0.5)])]


SMALL = Small((), 7, 1.5)
HEADS = {
    "json": b"{",
    "csv": b"a,b\n1,2.5\n3,\n",
    "parquet": b"PAR1",
    "html": b"<!doctype html>",
    "svg": b"<?xml",
    "png": b"\x89PNG",
}


@pytest.mark.parametrize("kind", FORMATS)
def test_the_ending_or_a_prefix_says_the_format_and_a_manifest_stands_beside(tmp_path, kind):
    for name in (f"r.{kind}", f"R.{kind.upper()}"):
        path = SMALL.save(tmp_path / name, command="linecard small")
        assert path.read_bytes().startswith(HEADS[kind])
        manifest = json.loads(path.with_name(f"{name}.manifest.json").read_text())
        assert (manifest["result"], manifest["seed"], manifest["command"]) == ("Small", 7, "linecard small")
    prefixed = SMALL.save(f"{kind}:{tmp_path / 'plain'}")
    assert prefixed.read_bytes().startswith(HEADS[kind])
    assert SMALL.save(tmp_path / f"again.{kind}").read_bytes() == SMALL.save(tmp_path / f"r.{kind}").read_bytes()


def test_plain_data_leaves_out_what_is_apart_and_frames_have_the_table():
    assert SMALL.to_dict() == {"rows": [], "seed": 7}
    assert SMALL.to_frame().columns == ["a", "b"]
    assert "small" in SMALL._repr_html_()


@pytest.mark.parametrize("name", ["r.pdf", "r", "pdf:r", "-"])
def test_a_name_without_a_format_is_refused_with_what_was_expected(tmp_path, name, wording):
    with pytest.raises(ConfigError) as refused:
        named_format(name)
    wording(refused.value)


def test_a_png_has_twice_the_pixels_of_the_svg(tmp_path):
    svg = ElementTree.fromstring(SMALL.save(tmp_path / "r.svg").read_text().partition("\n")[2])
    png = SMALL.save(tmp_path / "r.png").read_bytes()
    assert struct.unpack(">II", png[16:24]) == tuple(2 * round(float(svg.attrib[side])) for side in ("width", "height"))


def traced():
    return linecard.program_trace("classify", packets=300)


def cores(_=None):
    found = [linecard.core(traced(), area=2, events=2000, adapt_packets=5000, latency=each) for each in (50, 150)]
    return Cores(found, "cores", "latency_cycles")


def budget(rate: float) -> VrpBudget:
    resources = (
        *(VrpResource("cycles", "cycles", 200, 180, 1.0), VrpResource("hashes", "hashes", 4, 3, 20.0)),
        *(VrpResource(name, "transfers", 10, 9, 30.0) for name in ("dram_reads", "dram_writes", "sram_transfers")),
    )
    return VrpBudget("chip", rate, 90.0, resources, 8, 100, 50)


def checked():
    uses = (VrpUse("cycles", 3.0, 5.0), VrpUse("hashes", 3.0, 2.0))
    return VrpCheck("filter", 1e6, False, uses, 12.0, None, None, "hashes: one too many")


def queue(folder) -> str:
    """The net of the guide."""
    guide = (ROOT / "docs" / "guide" / "petri.md").read_text(encoding="utf-8")
    path = folder.with_suffix(".toml")
    path.write_text(guide.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    return str(path)


NIC = {"packets": 200}


def kept(folder):
    linecard.sweep("example_smartnic", vary={"island.count": [1]}, store=folder, **NIC)
    return contents(Store(folder), "a store")


# One result of every class; results of searches are constructed by hand.
EVERY = {
    "RunResult": lambda _: make_result(),
    "ChipCheck": lambda _: linecard.check("example_smartnic"),
    "Description": lambda _: linecard.describe("ddr4_2400"),
    "Listed": lambda _: linecard.presets("dram"),
    "MemoryResult": lambda _: linecard.dram("ddr4_2400", pattern="random", count=300),
    "FlowStatistics": lambda _: linecard.flows("edge", packets=500),
    "ShotNoiseResult": lambda _: linecard.shot_noise(rate_mbps=500, windows=5),
    "HierarchyResult": lambda _: linecard.hierarchy("ixp1200_host", "564kpps", packets=2000),
    "VrpBudget": lambda _: budget(1e6),
    "VrpBudgets": lambda _: VrpBudgets([budget(1e6), budget(2e6)], "budgets", "rate_pps"),
    "VrpCheck": lambda _: checked(),
    "ProgramTrace": lambda _: traced(),
    "CoreResult": lambda _: cores().results[0],
    "Cores": cores,
    "XdpRun": lambda _: linecard.xdp_run("count_min", packets=200),
    "XdpRows": lambda _: linecard.xdp_rows("count_min"),
    "FlowCacheResult": lambda _: linecard.flowcache("edge", 64, packets=500, curves=True, time_out_seconds=1.0),
    "TrafficView": lambda _: linecard.flowcache("edge", 64, packets=500, time_out_seconds=1.0).traffic,
    "QueueingResult": lambda _: linecard.queueing_run("R", operations=500),
    "QueueDesignResult": lambda _: linecard.queueing_design("R", 60.0, operations=300),
    "Explored": lambda store: petri.explore(queue(store)),
    "Solved": lambda store: petri.solve(queue(store)),
    "Simulated": lambda _: petri.simulate(NET, 1000.0, replications=2),
    "Comparison": lambda _: linecard.compare_models(threads=["1x1"], traffic=["64"], schemes=["BASE"], packets=1000),
    "SweepResult": lambda store: linecard.sweep("example_smartnic", vary={"island.count": [1, 2]}, store=store, **NIC),
    "OptimizeResult": lambda store: linecard.optimize(
        ROOT / "examples/explore/queue_manager.toml", budget=4, store=store
    ),
    "WhyResult": lambda store: linecard.why(TINY, seeds=1, store=store, **NIC),
    "NdrResult": lambda store: linecard.ndr("example_smartnic", [1518], width=0.05, store=store, **NIC),
    "CompareResult": lambda store: linecard.compare("example_smartnic", set_b=HBM, seeds=2, store=store, **NIC),
    "StoreContents": kept,
    "StudyResult": lambda _: linecard.reproduce("kumar2006", quick=True, tables=("weights",)),
}
HBM = {"packets.part": "hbm2"}


@pytest.mark.parametrize("name", EVERY)
def test_every_result_has_six_formats_a_manifest_and_a_notebook_view(tmp_path, name):
    if name == "OptimizeResult":
        pytest.importorskip("optuna")
    result = EVERY[name](tmp_path / "store")
    assert type(result).__name__ == name
    assert isinstance(view_of(result)[0], Title)
    assert '<div class="linecard">' in result._repr_html_()
    assert json.loads((result.save(tmp_path / "r.json")).read_text()) == json.loads(json.dumps(result.to_dict()))
    rows = result.save(tmp_path / "r.csv").read_text().splitlines()
    assert rows[0] == ",".join(result.to_frame().columns)
    assert len(rows) > result.to_frame().height > 0
    result.save(tmp_path / "r.parquet")
    assert "<h1" in result.save(tmp_path / "r.html").read_text()
    svg = result.save(tmp_path / "r.svg").read_text()
    # The picture contains more than the title and the background.
    assert len(list(ElementTree.fromstring(svg.partition("\n")[2]).iter())) > 10
    assert result.save(tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    for kind in FORMATS:
        manifest = json.loads((tmp_path / f"r.{kind}.manifest.json").read_text())
        assert manifest["linecard_version"]
        assert manifest["result"] == name


def test_a_manifest_contains_the_question_as_it_was_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def manifest(result):
        result.save("r.csv")
        return json.loads(Path("r.csv.manifest.json").read_text())

    asked = {"packets": 500, "program": "adds", "defines": ["N=8"]}
    found = manifest(linecard.run("nfp4000", verdict=False, **asked))
    assert found["request"].items() >= {"chip": "nfp4000", "seed": 1, **asked}.items()
    # Two changes of one design are two comparisons; how runs are executed is no part of a question.
    asked = {"set_b": HBM, "packets": 500, "seeds": 2, "seed": 7}
    name = "example_smartnic"
    assert manifest(linecard.compare(name, store="s", jobs=1, **asked))["request"] == {"a": name, **asked}
    assert manifest(linecard.ndr(name, [1518], set=HBM, width=0.05, packets=500))["request"] == {
        **{"chip": name, "sizes": [1518], "set": HBM, "width": 0.05, "packets": 500, "seeds": 1, "seed": 1}
    }
    assert manifest(linecard.why(name, set=HBM, packets=500, seeds=1))["request"] == {
        **{"chip": name, "set": HBM, "packets": 500, "seeds": 1, "seed": 1, "global_": False}
    }
    # The manifest of a sweep contains the values of its file, and the hash of each file that a run reads.
    shutil.copy(ROOT / "presets" / "platforms" / f"{name}.toml", "chip.toml")
    space = (
        'chip = "chip.toml"\npackets = 500\nconstraints = ["island.count < 3"]\n[vary]\nisland.count = "1..3 step 1"\n'
    )
    Path("space.toml").write_text(f'kind = "sweep"\nrepeat = 2\n{space}[columns]\nhalf = "throughput_mpps / 2"\n')
    found = manifest(linecard.sweep("space.toml", lengthen=False))
    assert found["files"] == {"chip.toml": hashlib.sha256(Path("chip.toml").read_bytes()).hexdigest()}
    assert found["request"] == {
        "what": "run",
        "arguments": {"chip": "chip.toml", "packets": 500, "seed": 1},
        "set": {},
        "axes": [{"name": "island.count", "values": [1, 2, 3], "interval": None, "group": 0}],
        "repeat": 2,
        "constraints": ["island.count < 3"],
        "columns": {"half": "throughput_mpps / 2"},
        "sample": None,
        "costs": [],
        "precision": None,
        "lengthen": False,
    }
    assert manifest(linecard.sweep("space.toml", lengthen=False, shard=(1, 2)))["request"]["shard"] == [1, 2]
    task = 'objectives = ["max throughput_mpps"]\nlimits = ["island.count > 1"]\nbudget = 4\n'
    Path("task.toml").write_text(f'kind = "optimize"\n{task}{space}')
    found = manifest(linecard.optimize("task.toml", set={"verdict": False}))["request"]
    said = {"objectives": ["max throughput_mpps"], "limits": ["island.count > 1"], "budget": 4, "halving": 0}
    assert found.items() >= {**said, "constraints": ["island.count < 3"]}.items()
    assert found["axes"][0]["values"] == [1, 2, 3]


def test_no_class_of_results_is_left_out():
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "python" / "linecard").rglob("*.py"))
    found = {
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(re.match("Result|Several", ast.unparse(base)) for base in node.bases)
    }
    assert found - {"Several", "ResultOfRun"} == set(EVERY)
