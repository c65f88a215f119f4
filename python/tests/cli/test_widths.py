"""Screens on terminals of any width: no line too long, no number lost or broken, no ellipsis in measured values."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
import typer
from conftest import ROOT, TINY
from rich.cells import cell_len
from rich.console import Console, RenderableType

from linecard import cli as package
from linecard.cli import stdout
from tools.documents.commands import named_commands

# The renderer is the same for all screens; `test_view.py` draws five widths.
WIDTHS = (40, 200)
QUICK = ("--packets", "300", "--warmup", "100")
EDGE = ROOT / "examples" / "captures" / "edge-mix.pcap.gz"
NET = ROOT / "presets" / "nets" / "girish2008_dram.toml"
SPLIT = ("core", "classify", "--latency", "100,200", "--packets", "300")
NDR = ("--size", "64,1518", "--packets", "300", "--width", "0.05", "--store", "runs")
C_PROGRAM = """
#include <linecard.h>
static unsigned total;
unsigned app_packet(const void *packet, unsigned bytes) {
    for (unsigned i = 0; i < 4; i++)
        total += ((const unsigned char *)packet)[i];
    return total & 3;
}
"""

# A small request of every command that reports on the screen; several for a command with several screens.
COMMANDS: dict[str, tuple[object, ...]] = {
    "run": ("run", "ixp1200", *QUICK),
    "run: a band": ("run", "nfp4000", *QUICK),
    "run: losses": ("run", "ixp1200", "--trace", EDGE, *QUICK),
    "run: XDP": ("run", "nfp4000", "--program", "count_min", *QUICK),
    "run: C": ("run", "example_smartnic", "--program", "app.c", *QUICK),
    "demo": ("demo",),
    "check": ("check", "example_smartnic"),
    "check: a large one": ("check", "ixp2800"),
    "presets": ("presets",),
    "presets: a kind": ("presets", "policies"),
    "presets: a search": ("presets", "--search", "ddr"),
    "describe": ("describe", "hasan2003_ref_base"),
    "describe: a part": ("describe", "ddr4_2400"),
    "explain": ("explain", "throughput"),
    "explain: all": ("explain",),
    "sweep": ("sweep", "example_smartnic", "--vary", "island.threads=1,2,4", *QUICK, "--store", "runs"),
    "sweep: two axes": (
        *("sweep", "example_smartnic", "--vary", "island.threads=1,2", "--vary", "packets.part=ddr4_2400,hbm2"),
        *(*QUICK, "--store", "runs"),
    ),
    "sweep: a dry run": ("sweep", "example_smartnic", "--vary", "island.threads=1,2,4", *QUICK, "--dry-run"),
    "why": ("why", TINY, "--packets", "300", "--seeds", "1", "--store", "runs"),
    "ndr": ("ndr", "example_smartnic", *NDR),
    "compare": ("compare", "hasan2003_ref_base", "hasan2003_our_base", "--packets", "300", "--store", "runs"),
    "optimize": ("optimize", "space.toml", "--store", "runs"),
    "results list": ("results", "list", "--store", "runs"),
    "flows": ("flows", EDGE),
    "flowcache": ("flowcache", EDGE, "--entries", "64,256", "--ways", "2,4", "--policy", "lru,sp,opt"),
    "flowcache: curves": ("flowcache", EDGE, "--entries", "64", "--curves"),
    "shot-noise": ("shot-noise", "--rate", "500Mbps", "--windows", "20"),
    "dram run": ("dram", "run", "ddr4_2400", "--pattern", "random", "--count", "500"),
    "queueing run": ("queueing", "run", "--workload", "SD16_90", "--operations", "500"),
    "queueing design": ("queueing", "design", "--target-mops", "60", "--operations", "500"),
    "queueing settings": ("queueing", "settings"),
    "program list": ("program", "list"),
    "program trace": ("program", "trace", "classify", "--packets", "200"),
    "program run": ("program", "run", "count_min", "--packets", "200"),
    "program rows": ("program", "rows", "count_min"),
    "cache show": ("cache", "show", "kept"),
    "core": SPLIT,
    "vrp budget": ("vrp", "budget", "ixp1200_eval", "--rate", "1.128Mpps"),
    "vrp check": ("vrp", "check", "filter.toml", "--rate", "1.128Mpps"),
    "hierarchy": ("hierarchy", "ixp1200_host", "--rate", "564kpps"),
    "petri explore": ("petri", "explore", "model.toml"),
    "petri solve": ("petri", "solve", "model.toml"),
    "petri simulate": ("petri", "simulate", NET, "--time", "1000"),
    "compare-models": ("compare-models", "--threads", "1x1", "--traffic", "64", "--scheme", "BASE"),
    "reproduce": ("reproduce", "hasan2003", "--table", "1", "--quick", "--output", "out"),
    "reproduce: a study by its own runner": (
        "reproduce",
        "kumar2006",
        "--table",
        "weights",
        "--quick",
        "--output",
        "out",
    ),
}
# Commands that write or remove files, and one that asks a question.
NO_SCREEN = {
    "schema",
    *("new", "draw", "program build", "petri draw", "petri convert", "petri trace", "petri step"),
    *("results prune", "results export", "cache clear"),
}

NUMBER = re.compile(r"(?<![\w.,:/-])\d[\d,]*(?:\.\d+)?(?![\w]|[.,:]\d)")
# Names of columns may be broken at underscores.
NAME = re.compile(r"[^\W\d_]{4,}")
# A name or a number that was cut: an ellipsis in place of letters.
CUT = re.compile(r"\w…|…\w|\d\.\.\.")


@pytest.fixture
def parts(tmp_path, monkeypatch) -> list[RenderableType]:
    """The screens of commands, in a folder with the files that they need."""
    shown: list[RenderableType] = []

    class Recorder(stdout.Printable):
        def __init__(self, parts):
            super().__init__(parts)
            shown.append(self)

    monkeypatch.setattr(stdout, "Printable", Recorder)
    monkeypatch.chdir(tmp_path)
    guide = ROOT / "docs" / "guide"
    for page, name in (("petri", "model.toml"), ("vrp", "filter.toml")):
        text = (guide / f"{page}.md").read_text()
        Path(name).write_text(text.split("```toml\n")[1].split("```")[0])
    Path("app.c").write_text(C_PROGRAM)
    Path("space.toml").write_text((ROOT / "examples" / "explore" / "queue_manager.toml").read_text())
    return shown


def drawn(parts: list[RenderableType], width: int) -> list[str]:
    """The lines of a screen on a terminal of this width without colours."""
    console = Console(width=width, file=io.StringIO(), force_terminal=True, no_color=True, color_system=None)
    for part in parts:
        console.print(part)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def check(parts: list[RenderableType]) -> None:
    wide = drawn(parts, WIDTHS[-1])
    for width in WIDTHS:
        lines = drawn(parts, width)
        long = [line for line in lines if cell_len(line) > width]
        assert not long, f"wider than {width}: {long}"
        cut = [line for line in lines if CUT.search(line)]
        assert not cut, f"{width}: {cut}"
        text, wide_text = "\n".join(lines), "\n".join(wide)
        lost = set(NUMBER.findall(wide_text)) - set(NUMBER.findall(text))
        # A name that is longer than its line continues on the next line.
        whole = "".join(text.split())
        lost |= {name for name in NAME.findall(wide_text) if name not in whole}
        assert not lost, f"lost at {width}: {sorted(lost)}\n{text}"


def test_every_command_that_reports_is_here():
    names = {name for name, _ in named_commands(typer.main.get_command(package.app).commands)}
    assert names == {name.partition(":")[0] for name in COMMANDS} | NO_SCREEN


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * name.startswith("vrp")) for name in COMMANDS]
)
def test_no_width_loses_anything(cli, parts, name):
    command = COMMANDS[name]
    if name == "run: C":
        pytest.importorskip("ziglang")
    if name.startswith("optimize"):
        pytest.importorskip("optuna")
    if name == "results list":
        cli(*COMMANDS["sweep"])
    if name == "cache show":
        cli(*COMMANDS["program trace"], "--cache", "kept")
    parts.clear()
    ended = cli(*command)
    assert ended.status in (0, 1), ended.err
    assert parts, "nothing was shown"
    check(parts)


@pytest.mark.parametrize(("name", "coloured"), [("FORCE_COLOR", True), ("NO_COLOR", False), ("TERM", False)])
def test_colours_are_left_out_where_they_are_not_wanted(cli, monkeypatch, name, coloured):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    for unset in ("NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(unset, raising=False)
    monkeypatch.setenv(name, "dumb" if name == "TERM" else "1")
    shown = cli("run", "ixp1200", *QUICK).out
    assert bool(re.search(r"\x1b\[[\d;]*3\d", shown)) == coloured
    assert ("\x1b" in shown) == (name != "TERM")
