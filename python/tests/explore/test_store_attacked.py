"""Can a folder of kept runs filled by somebody else take more than a run's time, memory or result?"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import sys

import msgspec
import pytest

import linecard
from linecard.explore.store import LIMIT_BYTES, Store

VARY = {"seed": [1, 2, 3]}
SHORT = {"packets": 50, "warmup_packets": 0, "lengthen": False}


def swept(folder):
    return linecard.sweep("ixp1200", vary=VARY, store=folder, **SHORT)


def of_a_run(record, key):
    body = msgspec.json.encode({**record, "key": key})
    return body + b"\n" + hashlib.sha256(body).hexdigest().encode() + b"\n"


@pytest.fixture
def store(tmp_path):
    """A store of three runs, and its table."""
    folder = tmp_path / "store"
    return folder, swept(folder).to_dict()["rows"], sorted(folder.glob("runs/*/*.json"))


def large(path):
    with path.open("wb") as file:
        file.truncate(1 << 40)


PUT = {
    "a link to a device without end": lambda path: path.symlink_to("/dev/zero"),
    "a pipe": os.mkfifo,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a terabyte": large,
    "a list": lambda path: path.write_bytes(_signed(b"[1, 2]")),
    "nothing but the key": lambda path: path.write_bytes(of_a_run({}, path.stem)),
    "numbers in place of text": lambda path: path.write_bytes(of_a_run({"status": 1, "numbers": []}, path.stem)),
    "brackets": lambda path: path.write_bytes(_signed(b"[" * 100_000)),
}


def _signed(body):
    return body + b"\n" + hashlib.sha256(body).hexdigest().encode() + b"\n"


@pytest.mark.parametrize("kind", PUT)
def test_what_is_no_kept_run_is_made_again(store, kind):
    folder, rows, files = store
    files[0].unlink()
    PUT[kind](files[0])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kept = Store(folder)
    again = linecard.sweep("ixp1200", vary=VARY, store=folder, **SHORT)
    assert again.to_dict()["rows"] == rows
    assert (again.counts.found, again.counts.run) == (2, 1)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes
    assert kept.get(files[0].stem) is not None
    assert files[0].is_file()
    assert not files[0].is_symlink()


@pytest.mark.parametrize(
    "mark",
    [
        b"[" * 100_000,
        b'{"format": 1, "limit_bytes": 1e400}',
        b'{"format": 1, "limit_bytes": -1}',
        b"",
        b"9" * 5000,
        b"{" * 70_000,
    ],
    ids=["deep", "infinite", "negative", "empty", "digits", "large"],
)
def test_a_damaged_mark_is_said_and_costs_nothing(store, cli, mark):
    folder, rows, _ = store
    (folder / "linecard-store.json").write_bytes(mark)
    again = swept(folder)
    assert (again.to_dict()["rows"], again.counts.found) == (rows, 3)
    assert any("linecard-store.json is damaged" in warning for warning in again.warnings)
    ended = cli("results", "list", "--store", folder, "--json")
    assert (ended.status, json.loads(ended.out)["use"]["limit_bytes"]) == (0, LIMIT_BYTES)
    assert "linecard-store.json is damaged" in ended.err
    assert cli("results", "prune", "--limit", "100", "--store", folder).status == 0
    assert swept(folder).warnings == ()


@pytest.mark.parametrize("name", ["linecard-store.json", "claims", "times"])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_pipes_and_devices_in_place_of_its_own_files_end_soon(store, name, kind):
    folder, _, _ = store
    (folder / name).unlink()
    if kind == "pipe":
        os.mkfifo(folder / name)
    elif kind == "device":
        (folder / name).symlink_to("/dev/zero")
    else:
        (folder / name).mkdir()
    command = [sys.executable, "-m", "linecard", "results", "list", "--store", str(folder), "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert "Traceback" not in ended.stderr
    assert ended.returncode in {0, 2}, ended.stderr
    if ended.returncode == 2:
        assert "store" in ended.stderr


def test_kept_runs_are_the_same_bytes_with_any_number_of_jobs(tmp_path):
    """Times are stored separately, and are used for estimates."""
    kept = []
    for jobs in (1, 8):
        folder = tmp_path / str(jobs)
        linecard.sweep("ixp1200", vary={"seed": [1, 2, 3, 4]}, store=folder, jobs=jobs, **SHORT)
        kept.append({path.name: path.read_bytes() for path in folder.glob("runs/*/*.json")})
        assert sorted(Store(folder).seconds()) == sorted(name.removesuffix(".json") for name in kept[-1])
    assert len(kept[0]) == 4
    assert kept[0] == kept[1]


def test_times_that_are_none_are_passed_over(store):
    folder, rows, files = store
    key = files[0].stem
    (folder / "times").write_bytes(f"{key} 2.5\n{files[1].stem} nan\n{files[2].stem} -1\n\xff x\n".encode() + b"\xff\n")
    assert Store(folder).seconds() == {key: 2.5}
    assert swept(folder).to_dict()["rows"] == rows
