"""Do unusual names, encodings, widths and numbers result in an error or a result, and never in a traceback?"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from conftest import ipv4_frame, pcap_bytes

from linecard.cli.plain_text import one_line

CAPTURE = pcap_bytes([ipv4_frame(number) for number in range(10)])


def run(folder, *arguments, **variables):
    command = [sys.executable, "-m", "linecard", *arguments]
    return subprocess.run(command, capture_output=True, cwd=folder, env={**os.environ, **variables}, check=False)


@pytest.mark.parametrize("name", [b"new\nline.pcap", b"esc\x1b[31m.pcap", "b\u00e4d \u202e.pcap".encode()])
@pytest.mark.parametrize("command", [("flows",), ("flowcache",), ("run", "ixp1200", "--packets", "5", "--trace")])
def test_names_that_a_terminal_would_obey_are_read_and_shown(tmp_path, name, command):
    (tmp_path / os.fsdecode(name)).write_bytes(CAPTURE)
    for more in ((), ("--json",)):
        ended = run(tmp_path, *command, name, *more)
        assert ended.returncode == 0, ended.stderr
        assert b"\x1b" not in ended.stdout + ended.stderr
    missing = run(tmp_path, *command, b"no" + name)
    assert missing.returncode in (2, 3)
    assert b"Traceback" not in missing.stderr
    assert b"\x1b" not in missing.stderr
    assert missing.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        ("flows",),
        ("flowcache",),
        ("run", "ixp1200", "--trace"),
        ("run",),
        ("describe",),
        ("petri", "explore"),
        ("dram", "run", "ddr4_2400", "--trace"),
        ("cache", "show"),
    ],
)
def test_a_name_that_is_not_utf8_is_an_error_that_shows_it(tmp_path, command):
    name = b"bad\xff.toml"
    (tmp_path / os.fsdecode(name)).write_bytes(CAPTURE)
    ended = run(tmp_path, *command, name)
    assert ended.returncode == 2, ended.stderr
    assert b"Traceback" not in ended.stderr
    assert b"expected a name in UTF-8" in ended.stderr


def test_results_are_written_under_names_that_are_not_utf8(tmp_path):
    ended = run(tmp_path, "run", "ixp1200", "--packets", "50", "-o", b"bad\xff.csv")
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / os.fsdecode(b"bad\xff.csv")).is_file()


@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("plain.pcap", {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}),
        ("caf\u00e9.pcap", {"LC_ALL": "C"}),
        ("caf\u00e9.pcap", {"COLUMNS": "40"}),
    ],
)
def test_any_locale_and_width(tmp_path, name, variables):
    (tmp_path / name).write_bytes(CAPTURE)
    for command in (("flows", name), ("run", "ixp1200", "--packets", "200"), ("presets",), ("--help",)):
        ended = run(tmp_path, *command, **variables)
        assert ended.returncode == 0, ended.stderr
    described = run(tmp_path, "describe", "ixp1200", "--json", **variables)
    assert json.loads(described.stdout)["parameters"]
    read = run(tmp_path, "flows", name, "--json", **variables)
    assert json.loads(read.stdout)["packets"] == 10


@pytest.mark.parametrize("number", ["-1", str(1 << 64), "9" * 30])
@pytest.mark.parametrize(
    "command",
    [
        ("core", "checksum", "--packets", "50", "--latency=N"),
        ("core", "checksum", "--packets", "50", "--latency", "50", "--area=N"),
        ("core", "checksum", "--packets", "50", "--events=N"),
        ("program", "trace", "checksum", "--packets=N"),
        ("program", "trace", "checksum", "--seed=N"),
        ("run", "ixp1200", "--seed=N"),
        ("compare-models", "--packets=N"),
        ("compare-models", "--seed=N"),
        ("shot-noise", "--seed=N"),
    ],
)
def test_numbers_out_of_range_are_errors_that_quote_them(cli, command, number):
    ended = cli(*(word.replace("=N", f"={number}") for word in command))
    assert (ended.status, ended.out) == (2, "")
    assert number in ended.err or "greater than or equal to" in ended.err


def test_a_net_without_time_for_a_packet_says_so(cli, wording):
    ended = cli("compare-models", "--packets", "1")
    assert (ended.status, ended.out) == (2, "")
    wording(ended.err)


def test_a_long_expression_is_not_echoed_whole(cli, tmp_path):
    net = tmp_path / "long.toml"
    guard = " + ".join(["1"] * 5000)
    net.write_text(
        f'name = "long"\n[[place]]\nname = "a"\ntokens = 1\n[[transition]]\nname = "t"\nkind = "exp"\nrate = 1\n'
        f'guard = "{guard} +"\n[[arc]]\nfrom = "a"\nto = "t"\n'
    )
    ended = cli("petri", "simulate", net)
    assert ended.status == 2
    assert len(ended.err) < 3000
    assert len(cli("run", "ixp1200", "--set", "x" * 20_000).err) < 3000


def test_what_is_shown_keeps_its_ends():
    assert one_line("a\nb\x1b\x7f\u202e\udcff") == "a\u240ab\u241b\u2421\ufffd\ufffd"
    assert one_line("a" * 1500) == "a" * 1500
    short = one_line("a" + "b" * 20_000 + "c")
    assert short.startswith("ab")
    assert short.endswith("bc")
    assert len(short) < 1100


@pytest.mark.parametrize("name", ["@args.c", "-odd.c", "plain.c"])
def test_a_c_file_is_no_file_of_arguments(tmp_path, monkeypatch, name):
    pytest.importorskip("ziglang")
    import linecard

    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("unsigned app_packet(void) { return 0; }\n")
    assert linecard.program_build(name).read_bytes()[:4] == b"\x7fELF"
