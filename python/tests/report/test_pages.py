"""Are the pages of results one small file each, and readable for everybody: on a phone, in the dark, by ear?"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib import resources

import pytest
from browser import DARK, LIGHT, needs_browser, seen_in_frames
from conftest import ROOT, TINY, make_result

import linecard
from linecard.report import chart, sheet
from linecard.report.page import page
from linecard.report.table import table
from linecard.view import BAR, Axis, Bar, Chart, Grouped, Series, Stacked, Table, Title, text

CAPTURE = ROOT / "examples" / "captures" / "edge-mix.pcap.gz"
NIC = ("example_smartnic", "--packets", 200)
COMMANDS = {
    "run": ("run", *NIC, "--warmup", 100, "--set", "traffic.arrivals=saturated"),
    "machine": ("run", "hasan2003_all_pf", "--packets", 300, "--warmup", 100),
    "ndr": ("ndr", *NIC, "--size", "64,1518", "--set", "island.count=1", "--width", "0.05"),
    "why": ("why", TINY, "--packets", 200, "--seeds", 2),
    "compare": ("compare", "example_smartnic", *NIC, "--seeds", 2, "--set-b", "packets.part=hbm2"),
    "core": ("core", "classify", "--packets", 300, "--events", 3000, "--area", 4, "--adapt", 5000),
    "cores": ("core", "classify", "--packets", 300, "--events", 3000, "--area", 3, "--latency", "50,150"),
    "trace": ("program", "trace", "classify", "--packets", 300),
    "xdp": ("program", "run", "parse_count", "--packets", 300),
    "executed": ("run", "nfp4000", "--program", "stateful_firewall", "--packets", 300, "--warmup", 100),
    "flowcache": ("flowcache", CAPTURE, "--entries", "64,256", "--policy", "lru,opt", "--curves", "--traffic"),
    "budget": ("vrp", "budget", "ixp1200_eval", "--rate", "1.128Mpps"),
    "net": ("petri", "simulate", "girish2008_dram", "--time", 1000, "--replications", 2),
    "places": ("check", "ixp2800"),
    "parameters": ("describe", "ixp2400"),
    "sweep": ("sweep", *NIC, "--vary", "island.count=1,2,4", "--vary", "packets.part=ddr4_2400,hbm9"),
}
STORED = {"ndr", "why", "compare", "sweep"}
VOID = {"meta", "br", "input", "link", "line", "path"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def made(folder):
    """Generated pages by name, each created once for all tests."""
    return {}


@pytest.fixture
def pages(cli, folder, made):
    if len(made) < len(COMMANDS):
        for name, words in COMMANDS.items():
            store = ("--store", folder / "store") if name in STORED else ()
            ended = cli(*words, *store, "-o", folder / f"{name}.html", "--json")
            assert ended.status in (0, 2 * (name == "sweep")), (name, ended.err)
            assert f"wrote {folder / f'{name}.html'}" in ended.err
            made[name] = folder / f"{name}.html"
    return made


class Elements(HTMLParser):
    """Elements of a page, and whether each was closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, tag
        assert self.open.pop() == tag


def test_every_page_is_one_small_well_formed_file_that_loads_nothing(pages):
    for name, path in pages.items():
        text = path.read_text(encoding="utf-8")
        # A picture inside the page is loaded from nowhere.
        loads = r"https?://|\bsrc=(?!.data:)|\bhref=.[^#]|@import|url\(|fetch\(|XMLHttpRequest|import\("
        assert not re.search(loads, text), name
        assert len(text) < 500_000, name
        page = Elements()
        page.feed(text)
        assert page.open == [], name
        tags = [tag for tag, _ in page.found]
        assert tags.count("h1") == tags.count("main") == 1
        for tag, attributes in page.found:
            if tag == "th":
                assert attributes.get("scope") in {"row", "col"}, name
            if tag == "svg":
                assert attributes.get("aria-hidden") or attributes.get("aria-label"), name
        # The explorer builds its table in the browser.
        assert name == "sweep" or tags.count("table") == tags.count("caption") > 0, name


def test_a_page_says_the_command_that_repeats_it_and_is_the_same_again(pages, cli, folder):
    words = [str(word) for word in COMMANDS["run"]]
    text = pages["run"].read_text(encoding="utf-8")
    assert f"<code>linecard {' '.join(words)} --json</code>" in text
    cli(*words, "--json", f"--output={folder / 'again.html'}")
    assert (folder / "again.html").read_text(encoding="utf-8") == text


def test_what_a_result_says_is_escaped(tmp_path):
    result = make_result(chip="<b>&x", warnings=["</main><script>"])
    text = result.save(tmp_path / "p.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;&amp;x" in text
    assert "</main><script>" not in text
    assert "It was busy &lt;99 %&gt; of the time." in text


def test_a_page_that_cannot_be_written_is_refused_before_the_run(cli, tmp_path, wording):
    for words in (("run", "ixp1200"), ("ndr", "example_smartnic"), ("why", "example_smartnic"), ("compare", "a", "b")):
        ended = cli(*words, "-o", tmp_path / "none" / "p.html")
        assert ended.status == 2
        wording(ended.err)
    ended = cli("program", "run", "rv32ui-p-add", "-o", tmp_path / "p.html")
    assert ended.status in (2, 4)


def test_charts_hold_what_they_are_given():
    x, y = Axis("x", logarithmic=True), Axis("y")
    found = chart.drawn(Chart("a title", x, y, [Series("s", [(1, 2), (10, 3), (0, 4)])]))
    # Points without a position on a logarithmic axis are left out.
    assert found.elements.count("<title>") == 2
    assert "s: 10, 3" in found.elements
    assert chart.drawn(Chart("none", Axis("x"), y, [])) is None
    one = chart.drawn(Chart("one", Axis("x"), Axis("y", zero=True), [Series("", [(5, 0)])]))
    assert one.elements.count("<title>") == 1
    stack = chart.drawn(Stacked("parts", ["a", "b"], [("r", [25.0, 75.0]), ("s", [100.0, 0.0])]))
    assert stack.elements.count("<title>") == 3
    ranged = chart.drawn(Chart("r", Axis("x"), y, [Series("s", [(1, 2), (2, 3)], ranges=[(1, 3), (2.5, 3.5)])]))
    assert ranged.elements.count('class="range"') == 2
    names = chart.drawn(Chart("n", Axis("x", names=["first", "second"]), y, [Series("", [(0, 1), (1, 2)])]))
    assert ">first</text>" in names.elements
    signed = chart.drawn(Table("t", (text("a"), BAR, ""), [("a", Bar(-0.5, low=-0.6, high=-0.4, signed=True), "-5")]))
    assert "a: -5" in signed.elements
    assert chart.drawn(Table("t", (text("a"),), [("a",)])) is None


def test_a_bar_stays_in_its_cell():
    for bar in (Bar(7.0), Bar(-7.0, "", -9.0, 9.0, signed=True), Bar(0.5, "", 0.4, 0.6)):
        found = table("t", (BAR,), [(bar,)])
        for left, width in re.findall(r"left:([\d.-]+)%;width:([\d.-]+)%", found):
            assert 0 <= float(left) <= 100.1
            assert float(left) + float(width) <= 100.6


READ = """
const problems = [], page = document.documentElement, style = (e) => window.getComputedStyle(e);
if (page.scrollWidth > page.clientWidth) problems.push("scrolls to the side");
const light = (color) => {
  const linear = (c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map((c) => linear(c / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (e) => {
  for (; e; e = e.parentElement) {
    if (!/, 0\\)|transparent/.test(style(e).backgroundColor)) return style(e).backgroundColor;
  }
  return "rgb(255, 255, 255)";
};
const words = "h1, h2, p, td, th, dt, dd, small, code, button, figcaption, li, summary, label";
for (const e of document.querySelectorAll(words)) {
  if (!e.textContent.trim() || !e.checkVisibility() || e.disabled) continue;
  const [a, b] = [light(style(e).color), light(behind(e))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) problems.push(`${e.tagName} ${e.textContent.slice(0, 20)}: contrast ${contrast.toFixed(2)}`);
}
for (const e of document.querySelectorAll(".wide, button, canvas#scatter, summary, select, input")) {
  if (e.tabIndex < 0) problems.push(`${e.tagName} cannot be reached by keyboard`);
}
for (const e of document.querySelectorAll("select, input")) {
  if (!e.closest("label") && !e.ariaLabel) problems.push(`${e.id} has no label`);
}
for (const e of document.querySelectorAll("canvas")) if (!e.ariaLabel) problems.push(`${e.id} has no text`);
return [problems, style(document.body).backgroundColor];
"""


@needs_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_everybody_can_read_every_page(pages, width):
    files = list(pages.values())
    ground = {}
    for name, mode in (("light", LIGHT), ("dark", DARK)):
        found = seen_in_frames(files, width, READ, *mode)
        assert [problems for problems, _ in found] == [[]] * len(files), name
        ground[name] = {colour for _, colour in found}
    assert ground == {"light": {"rgb(255, 255, 255)"}, "dark": {"rgb(13, 17, 23)"}}


# On a phone, only source code needs horizontal scrolling, because its lines do not wrap.
FITS = """
const problems = [];
for (const e of document.querySelectorAll(".wide:not(.source), .scroll, table, figure, .plot")) {
  // The explorer's table has all columns of its points, and says where it stands by scrolling.
  const may = e.closest(".source") || !e.checkVisibility() || e.id === "table" || e.querySelector("#table");
  if (!may && e.scrollWidth > e.clientWidth + 1) {
    problems.push(`${e.tagName} ${e.className} ${e.ariaLabel ?? ""}: ${e.scrollWidth} in ${e.clientWidth}`);
  }
}
for (const a of document.querySelectorAll("nav a")) {
  if (!document.getElementById(a.getAttribute("href").slice(1))) problems.push(`${a.textContent} leads nowhere`);
}
const pictures = "svg:not([aria-hidden]):not([role=img]):not([role=img] svg), img:not([alt])";
if (document.querySelector(pictures)) problems.push("a picture has no words");
return problems;
"""


@needs_browser
def test_no_table_is_cut_on_a_phone_and_every_entry_of_the_contents_leads_somewhere(pages, documents):
    files = [*pages.values(), *documents.values()]
    found = zip([*pages, *documents], seen_in_frames(files, 390, FITS), strict=True)
    assert {name: problems for name, problems in found if problems} == {}


# From the first section on, nothing wider than a line of text may leave the right half of a page empty.
HALVES = """
const sections = [...document.querySelectorAll("main > section, main > .views")], middle = window.innerWidth / 2;
return sections.filter((e) => {
  const far = [...e.querySelectorAll("table, svg, p, h2")].map((each) => each.getBoundingClientRect().right);
  return e.getBoundingClientRect().height > 400 && Math.max(...far) < middle;
}).map((e) => e.textContent.slice(0, 30));
"""


@needs_browser
def test_no_long_section_leaves_the_right_half_of_a_wide_page_empty(pages):
    files = list(pages.values())
    assert seen_in_frames(files, 1280, HALVES) == [[]] * len(files)


@pytest.fixture(scope="module")
def documents(folder):
    """Pages of studies: a report, its scorecard, and the robustness of every study."""
    pytest.importorskip("jinja2", reason="NO JINJA: pages of studies were NOT read; pip install '.[report]'")
    from linecard.study.write import write_study
    from tools.robustness import documents as robustness
    from tools.scorecard.card import Scorecard

    study = linecard.reproduce("hasan2003", quick=True, tables=("table1", "figure5"))
    write_study(study, folder / "study")
    found = {"study": folder / "study" / "report.html", "scorecard": folder / "scorecard.html"}
    found["scorecard"].write_text(Scorecard((study,)).html(), encoding="utf-8")
    for each in robustness.kept_studies():
        name = f"robustness of {each.study}"
        found[name] = folder / f"{name.replace(' ', '_')}.html"
        found[name].write_text(robustness.html(each), encoding="utf-8")
    return found


@needs_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_everybody_can_read_every_document(documents, width):
    files = list(documents.values())
    ground = {}
    for name, mode in (("light", LIGHT), ("dark", DARK)):
        found = seen_in_frames(files, width, READ, *mode)
        assert {each: problems for each, (problems, _) in zip(documents, found, strict=True) if problems} == {}
        ground[name] = {colour for _, colour in found}
    assert ground == {"light": {"rgb(255, 255, 255)"}, "dark": {"rgb(13, 17, 23)"}}


@needs_browser
def test_the_command_is_copied(pages):
    script = """
    const said = [];
    document.execCommand = (what) => { said.push(what, document.activeElement.value); };
    window.navigator.clipboard ?? said.push("no clipboard");
    return document.querySelectorAll(".command button").length;
    """
    files = [path for name, path in pages.items() if name != "sweep"]
    assert seen_in_frames(files, 390, script) == [1] * len(files)


def test_a_result_of_nothing_is_still_a_page():
    assert table("none", ("a",), []) == ""
    assert sheet.section("none") == ""
    assert page([Title("t", "s")]).startswith("<!doctype html>")
    assert page([]).startswith("<!doctype html>")


def test_every_colour_of_a_chart_follows_the_dark():
    light, dark = (set(re.findall(r"--(\w+):", each)) for each in sheet.style("colours").split("@media"))
    assert light == dark
    named = "".join(sheet.style("chart")) + resources.files("linecard").joinpath("report/chart.py").read_text()
    assert set(re.findall(r"var\(--(\w+)\)", named)) <= light


def test_bars_of_several_names():
    """A row per name, published and measured; a failed one has no bar, and a heading has none."""
    rows = ["first", ("a & b", (2.0, 4.0, None), "+100.0 %", 0.5), "second", ("c", (3.0, None, None), "failed", 0.0)]
    found = chart.drawn(Grouped("t", "rate (Gbit/s)", ("published", "measured", "calibrated"), rows, pale=True))
    assert found is not None
    bars = dict(re.findall(r'width="([\d.]+)" height="8.0" fill="[^"]*"><title>([^<]*)', found.elements))
    lengths = {words: float(width) for width, words in bars.items()}
    assert lengths["a &amp; b: measured 4"] == pytest.approx(2 * lengths["a &amp; b: published 2"], abs=0.2)
    assert len(lengths) == 3
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", found.elements)
    assert {"first", "second", "+100.0 %", "failed", "rate (Gbit/s)", "published", "measured"} <= {*texts}
    assert "calibrated" not in texts
    assert found.elements.count('class="range"') == 1
    assert chart.drawn(Grouped("t", "x", ("a",), ["only a heading"])) is None
