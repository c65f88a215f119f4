"""Do results reach links, pipes, devices and stdout, and is nothing lost or replaced if they cannot be written?"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import linecard
from linecard import ConfigError, files

RUN = ("run", "ixp1200", "--packets", "200", "--warmup", "0", "--json")
DRAM = ("dram", "run", "ddr4_2400", "--pattern", "random", "--count", "20", "--json")


def test_a_device_is_written_to_and_stays_one(tmp_path):
    assert files.write_text("/dev/null", "x") == Path("/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [("-o", "csv:/dev/null"), ("--timeline", "/dev/null"), ("-o", "csv:/dev/null", "--timeline", "/dev/null")],
)
def test_a_run_writes_to_devices(cli, options):
    ended = cli(*RUN, *options)
    assert ended.status == 0, ended.err
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert not Path("/dev/null.manifest.json").exists()


def test_a_file_has_the_permissions_that_the_process_gives_at_the_time(tmp_path):
    before = os.umask(0o027)
    try:
        files.write_text(tmp_path / "first", "x")
        os.umask(0o077)
        files.write_text(tmp_path / "second", "x")
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("first", "second")] == [0o640, 0o600]


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    files.write_text(pipe, "through")
    reader.join()
    assert read == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_the_core_writes_to_a_pipe(cli, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    ended = cli(*DRAM, "--requests", pipe)
    reader.join()
    assert ended.status == 0, ended.err
    assert len(read[0].splitlines()) == 21
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_one_and_what_it_leads_to_is_replaced(cli, tmp_path, there):
    (tmp_path / "kept").mkdir()
    target, link = tmp_path / "kept" / "target.csv", tmp_path / "link.csv"
    if there:
        target.write_text("old")
    link.symlink_to("kept/target.csv")
    files.write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    target.unlink()
    assert cli(*DRAM, "--requests", link).status == 0
    assert link.is_symlink()
    assert len(target.read_text().splitlines()) == 21
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["kept", "link.csv", "target.csv"]


def test_stdout_takes_one_output(cli, wording):
    ended = cli(*RUN[:-1], "--json", "-o", "csv:-")
    assert (ended.status, ended.out) == (2, "")
    wording(ended.err)
    assert cli(*RUN[:-1], "-o", "json:-", "-o", "csv:-").status == 2
    assert cli("presets", "-o", "csv:-").out.startswith("name,")


def test_a_hyphen_is_stdout(tmp_path):
    command = [sys.executable, "-m", "linecard", *RUN[:-1], "-o", "csv:-"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    # The data alone: no screen before or after it.
    assert ended.stdout.startswith("run_id,component,metric,unit,value\n")
    assert all(line.count(",") >= 4 for line in ended.stdout.splitlines())
    command = [sys.executable, "-m", "linecard", *DRAM[:-1], "--commands", "-"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "cycle,cmd,channel" in ended.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "option", "name"),
    [
        (RUN, "-o", "no/such/run.csv"),
        (RUN, "--timeline", "no/such/run.json"),
        (("flowcache", "none.u32le"), "-o", "no/caches.csv"),
        (("queueing", "run", "--workload", "SD16_90"), "-o", "no/queues.csv"),
        (("compare-models",), "-o", "no/rows.csv"),
        (("petri", "convert", "none.toml"), "-o", "no/net.pnml"),
        (("core", "classify"), "-o", "no/splits.png"),
        (DRAM, "--requests", "no/requests.csv"),
    ],
)
def test_a_missing_folder_is_said_before_the_run_and_not_made(cli, tmp_path, command, option, name, wording):
    ended = cli(*command, option, tmp_path / name)
    assert (ended.status, ended.out) == (2, "")
    wording(ended.err)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_file(cli, tmp_path, wording):
    for words in (("-o", f"csv:{tmp_path}"), ("--timeline", tmp_path)):
        ended = cli(*RUN, *words)
        assert (ended.status, ended.out) == (2, "")
        wording(ended.err)


def test_a_full_disk_is_said_before_the_run(cli, tmp_path, monkeypatch):
    found = os.statvfs(tmp_path)
    full = os.statvfs_result((*found[:4], 0, *found[5:]))
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    ended = cli(*RUN, "-o", tmp_path / "run.csv")
    assert (ended.status, ended.out) == (2, "")
    assert "no space left" in ended.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("command", "option"), [(RUN, "-o"), (RUN, "--timeline"), (DRAM, "--requests"), (DRAM, "--commands")]
)
def test_a_disk_that_fills_up_loses_no_result(cli, tmp_path, command, option):
    link = tmp_path / "full"
    link.symlink_to("/dev/full")
    ended = cli(*command, option, f"csv:{link}" if option == "-o" else link)
    assert ended.status == 2
    assert "No space left" in ended.err
    assert str(link) in ended.err
    assert json.loads(ended.out)
    assert list(tmp_path.iterdir()) == [link]


def test_a_write_that_fails_half_way_leaves_no_temporary_file(tmp_path, wording):
    def fill(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(ConfigError) as refused:
        files.write_file(tmp_path / "a.csv", fill)
    wording(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_long_names_are_written(tmp_path):
    name = "n" * 250 + ".csv"
    assert files.write_text(tmp_path / name, "x").read_text() == "x"


CHIP = """kind = "chip"
title = "a chip"
extends = ["platforms/example_smartnic"]
"""


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("run nic.toml --packets 50 -o csv:nic.toml", "it is also the input file nic.toml"),
        ("run nic.toml --packets 50 -o csv:./sub/../nic.toml", "it is also the input file nic.toml"),
        ("run nic.toml --packets 50 --timeline link.toml", "it is also the input file nic.toml"),
        ("run nic.toml --packets 50 -o html:hard.toml", "it is also the input file nic.toml"),
        # Files that another file names, and files of options and overrides.
        ("run nic2.toml --packets 50 -o csv:nic.toml", "it is also the input file nic.toml"),
        ("run example_smartnic --set program.run=steps.toml -o csv:steps.toml", "it is also the input file steps.toml"),
        ("run ixp1200 --trace in.pcap -o csv:in.pcap", "it is also the input file in.pcap"),
        ("check nic.toml -o csv:nic.toml", "it is also the input file nic.toml"),
        ("draw nic.toml -o nic.toml", "it is also the input file nic.toml"),
        ("sweep nic.toml --vary seed=1,2 --packets 50 -o csv:nic.toml", "it is also the input file nic.toml"),
        ("sweep space.toml -o csv:nic.toml", "it is also the input file nic.toml"),
        ("flows in.pcap -o csv:in.pcap", "it is also the input file in.pcap"),
        ("dram run ddr4_2400 --trace t.csv --requests t.csv", "it is also the input file t.csv"),
        ("petri convert net.toml -o net.toml", "it is also the input file net.toml"),
        ("run nic.toml --packets 50 -o csv:out.x -o html:out.x", "are the same file"),
        ("run nic.toml --packets 50 -o csv:out.x -o html:out.x.manifest.json", "are the same file"),
        ("sweep nic.toml --vary seed=1,2 -o new.csv -o html:to_new.csv", "are the same file"),
        ("dram run ddr4_2400 --pattern stream --requests r.csv --commands ./r.csv", "are the same file"),
    ],
)
def test_no_output_is_an_input_or_another_output(cli, tmp_path, monkeypatch, command, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "nic.toml").write_text(CHIP)
    (tmp_path / "nic2.toml").write_text('kind = "chip"\ntitle = "another"\nextends = ["nic"]\n')
    (tmp_path / "space.toml").write_text('of = "run"\n[vary]\nchip = ["nic.toml"]\nseed = [1, 2]\n')
    for name in ("steps.toml", "in.pcap", "t.csv", "net.toml"):
        (tmp_path / name).write_text("what was there")
    (tmp_path / "link.toml").symlink_to("nic.toml")
    (tmp_path / "hard.toml").hardlink_to(tmp_path / "nic.toml")
    (tmp_path / "to_new.csv").symlink_to("new.csv")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    ended = cli(*command.split())
    assert (ended.status, ended.out) == (2, ""), ended.err
    assert said in ended.err
    assert "cannot write" in ended.err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_an_option_without_its_file_takes_no_other_option_for_one(cli, tmp_path, monkeypatch, wording):
    monkeypatch.chdir(tmp_path)
    ended = cli("describe", "ixp1200", "-o", "a.csv", "--output", "--json")
    assert (ended.status, ended.out) == (2, "")
    wording(ended.err)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("results prune --limit nan", "--limit: found nan, expected a number of megabytes"),
        ("results prune --to inf", "--to: found inf"),
        ("run example_smartnic --program checksum --budget 18446744073709551616", "budget: found 18446744073709551616"),
    ],
)
def test_numbers_out_of_every_range_are_refused(cli, tmp_path, monkeypatch, command, said):
    monkeypatch.chdir(tmp_path)
    ended = cli(*command.split())
    assert ended.status == 2
    assert said in ended.err


def test_python_refuses_an_output_that_it_reads(tmp_path, wording):
    chip = tmp_path / "nic.toml"
    chip.write_text(CHIP)
    with pytest.raises(ConfigError) as refused:
        linecard.run(chip, packets=50, timeline=chip)
    wording(refused.value)
    with pytest.raises(ConfigError) as refused:
        linecard.dram("ddr4_2400", pattern="stream", set=[f"x={tmp_path / 'part.toml'}"], requests=_made(tmp_path))
    wording(refused.value)
    assert chip.read_text() == CHIP


def _made(folder):
    (folder / "part.toml").write_text("")
    return folder / "part.toml"


def test_every_option_that_names_an_output_is_guarded():
    """The guard includes every option whose help says that it writes or draws something."""
    import typer

    from linecard.cli import app
    from linecard.cli.own_files import OUTPUTS

    def leaves(command):
        inner = getattr(command, "commands", None)
        return [command] if inner is None else [leaf for child in inner.values() for leaf in leaves(child)]

    words = (
        "Write ",
        "Drawing to",
        "What is made",
        "Output folder",
        "to write",
    )
    for command in leaves(typer.main.get_command(app)):
        for param in command.params:
            said = getattr(param, "help", None) or ""
            if param.opts[0].startswith("-") and any(word in said for word in words) and not param.is_flag:
                assert param.opts[0] in OUTPUTS, (command.name, param.opts, said)
