"""Is docs/threat_model.md true: no file that is read runs, connects, writes, or reads elsewhere?"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, ipv4_frame, pcap_bytes
from small_study import SMALL

from linecard import _core

SECRET = "the-words-of-another-file"

# This runs in a separate process: a hook sees each request to Python, and ends the process at some of them.
WATCHED = """
import sys
forbidden = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "socket.connect",
             "socket.getaddrinfo", "socket.bind", "ctypes.dlopen")
from linecard.cli import main
import linecard.chip.run, linecard.cli.stdout
def hook(event, arguments):
    if event in forbidden:
        raise SystemExit(f"{event} {arguments}")
sys.addaudithook(hook)
main()
"""


def watched(folder, *words):
    home = folder / "home"
    home.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "HOME": str(home),
        "TMPDIR": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    command = [sys.executable, "-c", WATCHED, *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)


def hostile(folder):
    """Files whose contents and names request what no reader does."""
    call = "$(touch owned); `touch owned` | __import__('os').system('touch owned')"
    (folder / "net.toml").write_text(
        f'name = {call!r}\n[[place]]\nname = "a"\ntokens = 1\n[[transition]]\nname = "t"\nkind = "exp"\n'
        f'rate = "__import__(\\"os\\").system(\\"touch owned\\")"\n[[arc]]\nfrom = "a"\nto = "t"\n'
    )
    (folder / "entities.pnml").write_text(
        '<?xml version="1.0"?><!DOCTYPE pnml [<!ENTITY e SYSTEM "secret.txt"><!ENTITY n SYSTEM "http://127.0.0.1/x">]>'
        '<pnml><net id="n" type="ptnet"><place id="p"><initialMarking><text>&e;&n;</text></initialMarking></place>'
        "</net></pnml>"
    )
    (folder / "preset.toml").write_text(f'title = {call!r}\nextends = ["{call}"]\n')
    (folder / "x; touch owned .pcap").write_bytes(pcap_bytes([ipv4_frame(1)]))
    (folder / "secret.txt").write_text(f"{SECRET}\n")
    (folder / "secret.toml").write_text(f"{SECRET} = = =\n")


@pytest.mark.parametrize(
    "words",
    [
        ("petri", "simulate", "net.toml"),
        ("petri", "explore", "entities.pnml"),
        ("run", "preset.toml"),
        ("describe", "preset.toml"),
        ("flows", "x; touch owned .pcap"),
        ("run", "ixp1200", "--packets", "20", "--warmup", "0"),
        ("run", "example_smartnic", "--packets", "20", "--trace", "x; touch owned .pcap"),
        ("program", "trace", "checksum", "--packets", "5"),
        ("dram", "run", "ddr4_2400", "--pattern", "random", "--count", "5"),
        ("vrp", "check", "net.toml"),
    ],
)
def test_what_is_read_starts_nothing_connects_to_nothing_and_writes_nothing(tmp_path, words):
    hostile(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    ended = watched(tmp_path, *words)
    assert ended.returncode in (0, 2, 3, 4), ended.stderr
    assert "subprocess" not in ended.stderr
    assert "socket" not in ended.stderr
    assert SECRET not in ended.stdout + ended.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*before, "home"])
    assert list((tmp_path / "home").iterdir()) == []


def test_the_core_links_nothing_that_starts_a_process_or_connects():
    # Names for the dynamic linker are separate and end with a zero byte.
    content = Path(_core.__file__).read_bytes()
    assert b"\0memcpy\0" in content
    for function in (b"connect", b"execve", b"execvp", b"fork", b"vfork", b"posix_spawn", b"posix_spawnp", b"system"):
        assert b"\0" + function + b"\0" not in content, function


@pytest.mark.parametrize("name", ["secret.txt", "secret.toml", "./secret.txt", "/dev/zero", "pipe.toml"])
def test_what_a_preset_or_a_net_names_is_read_as_a_preset_or_not_at_all(tmp_path, cli, monkeypatch, name):
    hostile(tmp_path)
    os.mkfifo(tmp_path / "pipe.toml")
    monkeypatch.chdir(tmp_path)
    chip = 'kind = "chip"\n'
    module = f'name = "n"\n[[place]]\nname = "a"\n[[module]]\nname = "m"\nfile = "{name}"\n'
    files = {
        "machine.toml": f'title = "x"\nextends = ["{name}"]\n',
        "chip.toml": f'{chip}title = "x"\nextends = ["{name}"]\n',
        "part.toml": f'title = "x"\nextends = ["standards/ddr4", "{name}"]\n',
        "module.toml": module,
    }
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    commands = {
        "machine.toml": ("run",),
        "chip.toml": ("check",),
        "part.toml": ("dram", "run", "--pattern", "random"),
        "module.toml": ("petri", "explore"),
    }
    for file, words in commands.items():
        ended = cli(*words, tmp_path / file)
        assert ended.status == 2, (file, ended)
        assert SECRET not in ended.out + ended.err, (file, ended.err)


def test_unsafe_code_stands_in_one_documented_place():
    crates = sorted((ROOT / "crates").glob("*/src/lib.rs"))
    assert len(crates) > 10
    for crate in crates:
        text = crate.read_text()
        assert "#![forbid(unsafe_code)]" in text or crate.parent.parent.name == "bindings", crate
    bindings = [file.read_text() for file in (ROOT / "crates" / "bindings" / "src").glob("*.rs")]
    blocks = [found for text in bindings for found in re.findall(r".*\bunsafe\b.*", text)]
    assert len(blocks) == 1, blocks
    assert any("// SAFETY:" in text and blocks[0] in text for text in bindings)


def test_python_in_the_folder_of_a_study_runs_only_where_the_study_is_shipped(tmp_path, cli):
    """A study's folder is data, even with the name and the contents of a shipped one."""
    (tmp_path / "one.csv").write_text("app,gbps\nprobe,1\n")
    (tmp_path / "runners").mkdir()
    for name in ("limits.py", "runners/mine.py"):
        (tmp_path / name).write_text("raise SystemExit('ran')\n")
    study = SMALL.replace('id = "small"', 'id = "kumar2006"')
    (tmp_path / "study.toml").write_text(study)
    ended = cli("reproduce", tmp_path, "--json", "--output", tmp_path / "out")
    assert (ended.status, json.loads(ended.out)["study"]) == (0, "kumar2006")
    (tmp_path / "study.toml").write_text(study + 'runner = "mine"\n')
    refused = cli("reproduce", tmp_path, "--output", tmp_path / "out")
    assert refused.status == 2
    assert "runner: found 'mine'" in refused.err
