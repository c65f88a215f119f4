"""What the documentation shows runs: every `$ linecard` command and every Python block of the guide and the README."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from conftest import ROOT, ipv4_frame, pcap_bytes

PAGES = [ROOT / "README.md", ROOT / "docs" / "index.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://)([^)#]+)(#[^)]*)?\)")


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text()) if kind == language]


def commands() -> list[str]:
    lines = [line for page in PAGES for text in blocks(page, "console") for line in text.splitlines()]
    found = [line.removeprefix("$ ") for line in lines if line.startswith("$ linecard ")]
    # A whole study belongs to `make reproduce`.
    return sorted({line for line in found if "reproduce" not in line or "--quick --table" in line})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the capture that the documentation speaks of."""
    import gzip

    shipped = ROOT / "examples" / "captures" / "edge-mix.pcap.gz"
    content = (
        shipped.read_bytes() if shipped.exists() else gzip.compress(pcap_bytes([ipv4_frame(n) for n in range(50)]))
    )
    (tmp_path / "edge.pcap.gz").write_bytes(content)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    # The net and the extension that the guide shows.
    for page, name in (("petri", "model.toml"), ("vrp", "filter.toml")):
        (tmp_path / name).write_text(blocks(ROOT / "docs" / "guide" / f"{page}.md", "toml")[0])
    # The chips and sweeps of the guide, each named in its first line, and one that `linecard new` has written.
    for page in ("chips", "explore"):
        for text in blocks(ROOT / "docs" / "guide" / f"{page}.md", "toml"):
            (tmp_path / text.splitlines()[0].removeprefix("# ")).write_text(text)
    (tmp_path / "nic.toml").write_text((ROOT / "presets" / "platforms" / "example_smartnic.toml").read_text())
    (tmp_path / "my_xdp.c").write_text(blocks(ROOT / "docs" / "guide" / "executing.md", "c")[0])
    (tmp_path / "heavy.c").write_text(blocks(ROOT / "docs" / "guide" / "programs.md", "c")[0])
    for kind in ("c", "csv"):
        (tmp_path / f"quota.{kind}").write_text(blocks(ROOT / "docs" / "guide" / "xdp.md", kind)[0])
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", commands())
def test_commands_run(cli, command):
    if ".c " in command:
        pytest.importorskip("ziglang")
    if " new " in command:
        Path("nic.toml").unlink()
    if "linecard results" in command:
        cli("sweep", "sweep.toml", "--store", "runs", "--packets", "100", "--repeat", "1")
    ended = cli(*shlex.split(command)[1:])
    assert ended.status == 0, ended.err
    # A command that writes a file says so beside the data, which there is none of.
    assert ended.out or "wrote" in ended.err


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.stem)
def test_python_blocks_run(page, capsys):
    names: dict[str, object] = {}
    for text in blocks(page, "python"):
        exec(compile(text, page.name, "exec"), names)


def test_docstring_examples_run():
    import doctest

    import linecard
    from linecard.chip import run
    from linecard.dram import run as dram
    from linecard.flowcache import run as flowcache
    from linecard.traffic import mix

    for module in (linecard, run, dram, flowcache, mix):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target, _ in LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), f"{page.name}: {target}"
