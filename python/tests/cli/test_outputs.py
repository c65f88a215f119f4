"""Do results reach links, pipes, devices and stdout, and is nothing lost or replaced where they cannot be written?"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from linecard import ConfigError, files

RUN = ("run", "ixp1200", "--packets", "200", "--warmup", "0", "--json")
DRAM = ("dram", "run", "-d", "ddr4_2400", "--pattern", "random", "--count", "20", "--json")


def test_a_device_is_written_to_and_stays_one(tmp_path):
    assert files.write_text("/dev/null", "x") == Path("/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options", [("--csv", "/dev/null"), ("--timeline", "/dev/null"), ("--csv", "/dev/null", "--timeline", "/dev/null")]
)
def test_a_run_writes_to_devices(cli, options):
    ended = cli(*RUN, *options)
    assert ended.status == 0, ended.err
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert not Path("/dev/null.manifest.json").exists()


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


def test_a_hyphen_is_stdout(tmp_path):
    command = [sys.executable, "-m", "linecard", *RUN[:-1], "--csv", "-"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "run_id,component,metric,unit,value\n" in ended.stdout
    command = [sys.executable, "-m", "linecard", *DRAM[:-1], "--commands", "-"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "cycle,cmd,channel" in ended.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "option", "name"),
    [
        (RUN, "--csv", "no/such/run.csv"),
        (RUN, "--timeline", "no/such/run.json"),
        (("flowcache", "none.u32le"), "--csv", "no/caches.csv"),
        (("queueing", "run", "--workload", "SD16_90"), "--csv", "no/queues.csv"),
        (("compare-models",), "--csv", "no/rows.csv"),
        (("petri", "convert", "none.toml"), "-o", "no/net.pnml"),
        (("core", "--program", "classify"), "--plot", "no/splits.png"),
        (DRAM, "--requests", "no/requests.csv"),
    ],
)
def test_a_missing_folder_is_said_before_the_run_and_not_made(cli, tmp_path, command, option, name):
    ended = cli(*command, option, tmp_path / name)
    assert (ended.status, ended.out) == (2, "")
    assert "there is no folder" in ended.err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_file(cli, tmp_path):
    for option in ("--csv", "--timeline"):
        ended = cli(*RUN, option, tmp_path)
        assert (ended.status, ended.out) == (2, "")
        assert "it is a folder" in ended.err


def test_a_full_disk_is_said_before_the_run(cli, tmp_path, monkeypatch):
    found = os.statvfs(tmp_path)
    full = os.statvfs_result((*found[:4], 0, *found[5:]))
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    ended = cli(*RUN, "--csv", tmp_path / "run.csv")
    assert (ended.status, ended.out) == (2, "")
    assert "no space left" in ended.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("command", "option"), [(RUN, "--csv"), (RUN, "--timeline"), (DRAM, "--requests"), (DRAM, "--commands")]
)
def test_a_disk_that_fills_up_loses_no_result(cli, tmp_path, command, option):
    link = tmp_path / "full"
    link.symlink_to("/dev/full")
    ended = cli(*command, option, link)
    assert ended.status == 2
    assert "No space left" in ended.err
    assert str(link) in ended.err
    assert json.loads(ended.out)
    assert list(tmp_path.iterdir()) == [link]


def test_a_write_that_fails_half_way_leaves_no_temporary_file(tmp_path):
    def fill(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(ConfigError, match="No space left"):
        files.write_file(tmp_path / "a.csv", fill)
    assert list(tmp_path.iterdir()) == []


def test_long_names_are_written(tmp_path):
    name = "n" * 250 + ".csv"
    assert files.write_text(tmp_path / name, "x").read_text() == "x"
