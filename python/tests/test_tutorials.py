"""Each tutorial from its first line to its last in an empty folder: files are saved, commands print what it shows."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from conftest import ROOT

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("[!i]*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?:#|/\*) ([\w.]+\.(?:toml|c))\b")
# The tests type five empty lines without a shell.
TYPED = 'yes "" | head -5 | '


def commands(block: str) -> list[tuple[str, list[str]]]:
    """The commands of a block, each with the lines of its screen that the page shows."""
    parts = [part.splitlines() for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, *shown in parts]


def assert_in_order(shown: list[str], printed: str, command: str) -> None:
    lines = iter(printed.splitlines())
    for line in shown:
        assert not line or line in lines, f"{command}: not printed, or not in this order: {line}"


# Each takes half a minute of processor time: `make check-long` runs them.
LONG = {"best", "smartnic"}


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.long if page.stem in LONG else (), id=page.stem) for page in TUTORIALS],
)
def test_a_tutorial_runs_from_top_to_bottom(page, cli, tmp_path, monkeypatch):
    text = page.read_text()
    if "```c\n" in text:
        pytest.importorskip("ziglang", reason=f"NO COMPILER: {page.name} was NOT run; pip install '.[programs]'")
    monkeypatch.chdir(tmp_path)
    for kind, block in BLOCK.findall(text):
        match kind:
            case "toml" | "c":
                name = NAME.match(block)
                assert name, f"{page.name}: the first line of a file is a comment with its name"
                Path(name[1]).write_text(block)
            case "python":
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(block, page.name, "exec"), {})
            case "console" | "text":
                for command, shown in commands(block):
                    if command.startswith(TYPED):
                        monkeypatch.setattr("sys.stdin", io.StringIO("\n" * 5))
                    ended = cli(*shlex.split(command.removeprefix(TYPED))[1:])
                    # Intentional errors are in a block of text.
                    assert ended.status == (0 if kind == "console" else 2), f"{command}\n{ended.err}"
                    assert_in_order(shown, ended.out if kind == "console" else ended.err, command)


def test_every_tutorial_is_listed():
    overview, index = ((ROOT / "docs" / name).read_text() for name in ("tutorials/index.md", "index.md"))
    assert len(TUTORIALS) >= 7
    assert all(f"({page.name})" in overview and f"tutorials/{page.stem}\n" in index for page in TUTORIALS)
