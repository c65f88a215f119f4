"""One vocabulary of options: a word means the same in every command, and a command that prints a table writes one."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
import typer
from conftest import ROOT
from test_widths import COMMANDS

from linecard import cli
from linecard.cli.commands import COMMANDS as LISTED
from linecard.result import FORMATS
from tools.documents.commands import named_commands

# The reason for which a command with --json writes no result.
NO_RESULT = {
    "results prune": "what was removed",
    "reproduce": "a folder of tables, plots and a report",
}
# Commands in which threads are hardware threads, not parallelism.
HARDWARE_THREADS = {"core", "compare-models"}
# Synonyms of existing options: a synonym would be a second vocabulary.
SYNONYMS = {
    *("--workers", "--parallel", "--processes", "--njobs", "--cores"),
    *("--out", "--out-file", "--outfile", "--output-file", "--out-dir", "--dest"),
    *("--figure", "--png", "--svg", "--graph", "--rate-mbps", "--rate-pps", "--rate-gbps", "--pps", "--num-packets"),
    *("--random-seed", "--override", "--param", "--report", "--page", "--tsv"),
}


def options():
    """Every option of every command: command, names, parameter."""
    root = typer.main.get_command(cli.app)
    for name, command in named_commands(root.commands):
        for parameter in command.params:
            if parameter.param_type_name == "option":
                yield name, set(parameter.opts), parameter


ALL = list(options())
OF = {}
for _command, _names, _parameter in ALL:
    OF.setdefault(_command, {}).update(dict.fromkeys(_names, _parameter))


def test_commands_were_found():
    assert len(OF) > 35
    assert "--jobs" in OF["sweep"]


@pytest.mark.parametrize("command", sorted(OF))
def test_no_option_is_a_synonym_of_another(command):
    assert not SYNONYMS & set(OF[command]), command


def test_jobs_are_parallelism_and_threads_are_hardware():
    for command, names, parameter in ALL:
        if "--jobs" in names:
            assert re.fullmatch(
                r"Number of (parallel \w+|\w+ \w+ in parallel); by default, one per CPU core\.", parameter.help
            ), command
            assert (parameter.metavar, parameter.default) == ("N", None), command
        if "--threads" in names:
            assert command in HARDWARE_THREADS, command


def test_output_is_minus_o():
    for command, names, _ in ALL:
        assert ("--output" in names) == ("-o" in names), command


def test_every_result_is_written_by_one_option_with_the_same_words():
    words = {}
    for command, names, parameter in ALL:
        if "--output" in names and "--json" in OF[command] and command not in NO_RESULT:
            words.setdefault((parameter.help, parameter.metavar, parameter.multiple), []).append(command)
    ((said, metavar, repeatable),) = words
    assert metavar == "FILE"
    assert repeatable
    for kind in FORMATS:
        assert f".{kind}" in said
    removed = {"--csv", "--parquet", "--html", "--plot", "--plots"}
    assert not [command for command, names, _ in ALL if names & removed]


def test_rates_have_a_unit_in_what_is_typed():
    for command, names, parameter in ALL:
        if "--rate" in names:
            assert parameter.metavar.startswith("RATE"), command
            assert re.search(r"\d(\.\d+)?[kMG](pps|bps)", parameter.help), command


def test_packets_are_a_number_of_packets():
    for command, names, parameter in ALL:
        if "--packets" in names:
            assert parameter.metavar == "N", command
            assert "packets" in parameter.help.lower(), command


def test_settings_seeds_and_json_are_written_alike():
    for command, names, parameter in ALL:
        if "--set" in names:
            assert parameter.metavar in {"KEY=VALUE", "NAME=VALUE"}, command
            assert parameter.multiple, command
            assert "repeatable" in parameter.help, command
        if "--seed" in names:
            assert parameter.metavar == "N", command
        if "--json" in names:
            assert parameter.help == "Print the result as one JSON object on stdout.", command


def test_a_letter_is_one_word():
    words: dict[str, set[str]] = {}
    for _, names, _ in ALL:
        for letter in (name for name in names if re.fullmatch(r"-\w", name)):
            words.setdefault(letter, set()).update(name for name in names if name.startswith("--"))
    assert {letter: found for letter, found in words.items() if len(found) > 1} == {}


def test_what_reports_writes_its_result():
    for command, known in OF.items():
        if "--json" in known:
            assert ("--output" in known) != (command in NO_RESULT.keys() - {"reproduce"}), command
    assert set(OF) >= set(NO_RESULT)


# Lists of a folder that would have to be filled, and results that the tests of runs write.
NOT_HERE = {"results list", "run", *NO_RESULT}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that small requests need."""
    monkeypatch.chdir(tmp_path)
    for page, name in (("petri", "model.toml"), ("vrp", "filter.toml")):
        text = (ROOT / "docs" / "guide" / f"{page}.md").read_text()
        Path(name).write_text(text.split("```toml\n")[1].split("```")[0])
    Path("kept").mkdir()
    Path("space.toml").write_text((ROOT / "examples" / "explore" / "queue_manager.toml").read_text())
    return tmp_path


@pytest.mark.parametrize(
    "name",
    sorted(name for name in COMMANDS if name in OF and "--json" in OF[name] and name not in NOT_HERE),
)
def test_a_table_holds_what_the_command_found(cli, folder, name):
    polars = pytest.importorskip("polars", reason="NO POLARS: Parquet was NOT written; pip install '.[frames]'")
    ended = cli(*COMMANDS[name], "-o", "a.csv", "-o", "a.parquet", "-o", "a.html", "--json")
    assert ended.status in {0, 1}, ended.err
    json.loads(ended.out)
    with Path("a.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    assert len(set(header)) == len(header) > 1
    frame = polars.read_parquet("a.parquet")
    assert frame.columns == header
    assert frame.height == len(rows)
    if name != "cache show":
        assert rows, name
    page = Path("a.html").read_text(encoding="utf-8")
    assert "linecard" in page
    assert ("<table" in page) == bool(rows)
    assert ended.err.count("wrote") == 3


@pytest.mark.parametrize("name", ["check", "vrp budget", "petri simulate", "compare"])
def test_a_table_that_cannot_be_written_is_refused_before_the_run(cli, folder, name, wording):
    for kind in ("csv", "parquet", "html"):
        ended = cli(*COMMANDS[name], "-o", f"none/a.{kind}")
        assert (ended.status, ended.out) == (2, "")
        wording(ended.err)


def test_records_of_both_kinds_make_a_table_and_none_of_them_a_header(cli, folder):
    assert cli("program", "list", "--xdp", "-o", "xdp.csv").status == 0
    header, *rows = Path("xdp.csv").read_text(encoding="utf-8").splitlines()
    assert header.startswith("name,")
    assert len(rows) > 5
    assert cli("cache", "show", "kept", "-o", "kept.csv").status == 0
    assert Path("kept.csv").read_text(encoding="utf-8").startswith("file,")


@pytest.mark.parametrize("entry", LISTED, ids=lambda entry: entry.name)
def test_help_lists_each_command_with_its_own_first_line(entry):
    root = typer.main.get_command(cli.app)
    command = root.commands[entry.name]
    assert " ".join((command.help or "").split("\n\n")[0].split()) == entry.line
    assert command.rich_help_panel == entry.panel
