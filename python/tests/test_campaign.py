"""Are the campaign's findings repaired, and does a small part of it find nothing new? `make check-long` runs more."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

import linecard
from linecard.study import spec

LINES = 12


def run(*words, timeout=None):
    command = [sys.executable, str(ROOT / "fuzz" / words[0]), *words[1:]]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False)


@pytest.mark.parametrize(
    "text",
    ["x = " + "[" * 5000, "x = " + "{a=" * 2000, "x = " + "9" * 5000, "registers = " + "9" * 4500],
    ids=["lists", "tables", "digits", "a key's digits"],
)
def test_text_that_python_cannot_take_is_an_error_and_no_traceback(tmp_path, cli, text):
    file = tmp_path / "extension.toml"
    file.write_text(text)
    ended = cli("vrp", "check", file)
    assert ended.status == 2
    assert str(file) in ended.err
    study = tmp_path / "study"
    study.mkdir()
    (study / "study.toml").write_text(text)
    with pytest.raises(linecard.ConfigError, match=r"study\.toml"):
        spec.load_study(str(study))


@pytest.mark.parametrize("content", [b"table,caf\xe9\n", b"a,b\n" + b"x" * 200_000], ids=["encoding", "a long field"])
def test_a_published_table_that_is_no_csv_is_named(tmp_path, content):
    study = tmp_path / "spalink2000"
    shutil.copytree(ROOT / "studies" / "spalink2000", study)
    table = study / "published" / "table1.csv"
    table.write_bytes(content)
    with pytest.raises(linecard.ConfigError, match=rf"{table.name}: is no CSV in UTF-8"):
        spec.load_study(str(study))


def test_random_command_lines_break_no_law():
    ended = run("campaign.py", "--cases", "0", "--chips", "0", "--lines", str(LINES), "--seed", "15")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"command lines: {LINES} of" in ended.stdout


def test_the_readers_in_python_go_on_from_their_seeds():
    ended = run("readers.py", "--seconds", "1")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    rows = [line.split() for line in ended.stdout.splitlines()]
    assert [row[0] for row in rows] == [
        *("extension_file", "stored_result", "space", "axis", "expression", "compared", "kept_run", "study")
    ]
    assert all(int(row[1].replace(",", "")) > 3 for row in rows), ended.stdout


def test_misuse_and_damage_break_no_law():
    ended = run("misuse.py", "--calls", "100", "--stores", "25", "--files", "50", "--seed", "7")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    made = [line for line in ended.stdout.splitlines() if " made, 0 broken laws" in line]
    assert [line.split(":")[0] for line in made] == ["calls", "stores", "files"]


@pytest.mark.long
def test_a_capture_and_a_run_of_millions_keep_their_bounds():
    ended = run("load.py", "--packets", "5000000", "--flows", "1000000", "--run", "500000", "--points", "200")
    assert ended.returncode == 0, ended.stdout + ended.stderr
