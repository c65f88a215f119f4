"""Does a sweep lose or repeat anything if it is killed, if disks fail, or if other processes work beside it?

There is one criterion: the final table is that of an undisturbed run, byte for byte, and no finished run is repeated.
"""

from __future__ import annotations

import errno
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from dask_cluster import ENVIRONMENT, SECONDS, cluster, worker

KILLS = 8
RUNS = 60
COMMAND = [
    *(
        "sweep",
        "example_smartnic",
        "--vary",
        "island.count=1..6",
        "--vary",
        "seed=1..10",
        "--packets",
        "2000",
        "--no-lengthen",
        "--set",
        "verdict=false",
    ),
    *("--jobs", "2", "--store", "store", "--json"),
]


def start(folder: Path, *more: str, **asked: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "linecard", *COMMAND, *more],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        **asked,  # type: ignore[call-overload]
    )


def end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=SECONDS)
    assert "Traceback" not in err, err
    return process.returncode, out, err


def counted(err: str) -> tuple[int, int]:
    """Runs found and executed, according to stderr."""
    found = re.search(r"([\d,]+) runs reused, ([\d,]+) executed,", err)
    assert found, err
    return int(found[1]), int(found[2])


def kept(folder: Path) -> dict[str, int]:
    """Kept runs, each with the inode of its file: a file that is written again has another one."""
    return {path.name: path.stat().st_ino for path in (folder / "store").glob("runs/*/*.json")}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with an undisturbed sweep, and its table."""
    folder = tmp_path_factory.mktemp("undisturbed")
    status, out, err = end(start(folder))
    assert (status, counted(err)) == (0, (0, RUNS))
    return folder, out


@pytest.fixture
def undisturbed(finished: tuple[Path, str]) -> str:
    return finished[1]


def wait_for(folder: Path, runs: int) -> None:
    until = time.monotonic() + SECONDS
    while len(kept(folder)) < runs:
        assert time.monotonic() < until
        time.sleep(0.005)


def test_a_driver_killed_at_random_instants_loses_nothing_that_was_finished(tmp_path, undisturbed):
    draw = random.Random(1)
    before: dict[str, int] = {}
    for _ in range(KILLS):
        process = start(tmp_path)
        # Some kills come before the first run, some later; each sweep gets a little further.
        wait_for(tmp_path, min(RUNS, len(before) + draw.choice((0, 0, 1, 3, 5))))
        time.sleep(draw.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=SECONDS)
        after = kept(tmp_path)
        assert before.items() <= after.items(), "a finished run was lost, or made again"
        before = after
    status, out, err = end(start(tmp_path))
    assert status == 0
    assert out == undisturbed
    assert counted(err) == (len(before), RUNS - len(before))


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(tmp_path, undisturbed):
    process = start(tmp_path)
    wait_for(tmp_path, 5)
    process.send_signal(signal.SIGINT)
    status, out, err = end(process)
    assert (status, out) == (130, "")
    done = re.search(r"(\d+) of 60 runs are complete and kept in store; repeat the command to", err)
    assert done, err
    assert int(done[1]) == len(kept(tmp_path)) < RUNS
    status, out, err = end(start(tmp_path))
    assert out == undisturbed
    assert counted(err) == (int(done[1]), RUNS - int(done[1]))


def test_two_sweeps_on_one_store_share_the_work(tmp_path, undisturbed):
    first, second = start(tmp_path), start(tmp_path)
    ended = [end(first), end(second)]
    assert [out for _, out, _ in ended] == [undisturbed] * 2
    counts = [counted(err) for _, _, err in ended]
    assert all(found + run == RUNS for found, run in counts)
    assert sum(run for _, run in counts) == RUNS, "a run was made twice"


def test_a_sweep_takes_over_what_a_killed_one_had_claimed(tmp_path, undisturbed):
    first = start(tmp_path)
    wait_for(tmp_path, 3)
    second = start(tmp_path)
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=SECONDS)
    status, out, _ = end(second)
    assert (status, out) == (0, undisturbed)


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "another", "text", "folder"])
def test_damaged_files_are_made_again(tmp_path, finished, damage):
    folder, undisturbed = finished
    shutil.copytree(folder / "store", tmp_path / "store")
    files = sorted((tmp_path / "store").glob("runs/*/*.json"))
    draw = random.Random(2)
    chosen = draw.sample(files, 7)
    for path in chosen:
        content = path.read_bytes()
        at = draw.randrange(len(content) - 1)
        path.unlink()
        if damage == "folder":
            path.mkdir()
            continue
        other = next(each for each in files if each not in chosen).read_bytes()
        path.write_bytes(
            {
                "cut": content[:at],
                "empty": b"",
                "flipped": content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :],
                "another": other,
                "text": b"not even JSON\n",
            }[damage]
        )
    status, out, err = end(start(tmp_path))
    assert (status, out) == (4 if damage == "folder" else 0, undisturbed)
    assert counted(err) == (RUNS - 7, 7)
    if damage == "folder":
        assert "7 runs could not be stored in store (Is a directory) and will run again: " in err
        assert all(path.stem[:12] in err for path in chosen)
    else:
        assert "7 damaged files replaced" in err
        # The store equals that of the undisturbed sweep again, so that the next sweep finds every run.
        assert all(path.read_bytes() == (folder / path.relative_to(tmp_path)).read_bytes() for path in files)


def test_a_full_disk_costs_the_keeping_and_not_the_table(tmp_path, undisturbed):
    # No file may grow beyond 2 KiB, which is less than a run needs.
    full = start(tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048)))
    status, out, err = end(full)
    assert (status, out) == (4, undisturbed)
    assert "60 runs could not be stored in store (File too large) and will run again: " in err
    assert " and 52 more\n" in err
    assert kept(tmp_path) == {}
    assert [path for path in (tmp_path / "store").rglob(".linecard-*") if path.is_file()] == []


@contextmanager
def read_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Simulate a read-only file system by its error, because the user who runs the tests may ignore permissions."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        for name in ("utime", "mkdir", "replace"):
            patch.setattr(os, name, refuse)
        yield


def test_a_read_only_store_is_read(cli, tmp_path, monkeypatch, undisturbed, wording):
    monkeypatch.chdir(tmp_path)
    assert cli(*COMMAND, "--shard", "1/2").status == 0
    files = kept(tmp_path)
    with read_only(monkeypatch):
        ended = cli(*COMMAND)
    assert (ended.status, ended.out) == (4, undisturbed)
    assert counted(ended.err) == (RUNS // 2, RUNS // 2)
    wording(ended.err)
    assert kept(tmp_path) == files


def test_a_store_of_which_only_the_runs_are_left_is_still_one(cli, tmp_path, monkeypatch, finished):
    folder, undisturbed = finished
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder / "store", tmp_path / "store")
    (tmp_path / "store" / "linecard-store.json").unlink()
    (tmp_path / "store" / "claims").unlink()
    ended = cli(*COMMAND)
    assert ended.out == undisturbed
    assert counted(ended.err) == (RUNS, 0)


# ---- a cluster ----


@pytest.mark.long
def test_a_cluster_gives_the_same_table_though_workers_are_killed(tmp_path):
    draw = random.Random(3)
    # The sweep is long enough to be in progress when the last worker is killed.
    longer = ("--packets", "40000")
    apart = tmp_path / "undisturbed"
    apart.mkdir()
    _, undisturbed, _ = end(start(apart, *longer))
    with cluster(tmp_path) as (address, _, workers):
        process = start(tmp_path, *longer, "--executor", f"dask:{address}")
        for _ in range(KILLS):
            wait_for(tmp_path, min(RUNS - 1, len(kept(tmp_path)) + draw.choice((0, 1, 2))))
            time.sleep(draw.random() * 0.1)
            assert process.poll() is None, "the sweep ended before all kills"
            killed = workers.pop(0)
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            workers.append(worker(tmp_path, address))
        status, out, err = end(process)
        for each in workers:
            each.kill()
            each.wait()
    assert (status, out) == (0, undisturbed), err
    assert counted(err) == (0, RUNS)
    assert len(kept(tmp_path)) == RUNS


def test_a_lost_scheduler_ends_the_sweep_and_keeps_what_is_done(tmp_path, undisturbed):
    with cluster(tmp_path) as (address, scheduler, _):
        process = start(tmp_path, "--executor", f"dask:{address}")
        wait_for(tmp_path, 5)
        scheduler.send_signal(signal.SIGKILL)
        status, out, err = end(process)
    assert (status, out) == (4, "")
    assert "the Dask scheduler was lost after" in err
    done = len(kept(tmp_path))
    assert 5 <= done < RUNS
    status, out, err = end(start(tmp_path))
    assert out == undisturbed
    assert counted(err) == (done, RUNS - done)


def test_files_are_shipped_to_workers_that_do_not_have_them(tmp_path):
    (tmp_path / "designs").mkdir()
    (tmp_path / "designs" / "own.toml").write_text(
        'kind = "chip"\ntitle = "own"\nsource = "test"\nextends = ["example_smartnic"]\n[program]\nrun = "step.toml"\n'
    )
    (tmp_path / "step.toml").write_text(
        'kind = "program"\ntitle = "one"\nsource = "a test"\n[[step]]\nop = "send"\ncycles = 10\n'
    )
    asked = ["sweep", "designs/own.toml", "--vary", "seed=1..4", "--packets", "5000", "--json", "--store"]
    with cluster(tmp_path) as (address, _, _):
        shared = {"cwd": tmp_path, "env": ENVIRONMENT, "capture_output": True, "text": True, "timeout": SECONDS}
        command = [sys.executable, "-m", "linecard", *asked]
        alone = subprocess.run([*command, "one"], check=False, **shared)  # type: ignore[call-overload]
        ended = subprocess.run([*command, "two", "--executor", f"dask:{address}"], check=False, **shared)  # type: ignore[call-overload]
    assert alone.returncode == 0, alone.stderr
    assert '"status": "ok"' in alone.stdout
    assert (ended.returncode, ended.stdout) == (0, alone.stdout), ended.stderr


def test_no_scheduler_is_said_in_words(cli, tmp_path, wording):
    pytest.importorskip("distributed")
    ended = cli(*COMMAND[:-2], tmp_path / "s", "--executor", "dusk")
    assert ended.status == 2
    wording(ended.err)
