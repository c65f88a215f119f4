"""What happens to a command whose stdout is full, closed, or read by nobody?"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COMMANDS = {
    "a screen": "run ixp1200 --packets 200 --warmup 0",
    "json": "presets --json",
    "help": "--help",
    "a version": "--version",
    "a table on stdout": "run ixp1200 --packets 200 --warmup 0 -o csv:-",
    "a file": "new mine.toml",
}


def shell(folder, command, redirect):
    words = f'"{sys.executable}" -m linecard {command} {redirect}'
    return subprocess.run(["/bin/sh", "-c", words], cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("redirect", "reason"), [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")]
)
@pytest.mark.parametrize("name", COMMANDS)
def test_stdout_that_takes_nothing_is_one_sentence_and_a_status(tmp_path, name, redirect, reason):
    ended = shell(tmp_path, COMMANDS[name], redirect)
    said = [line for line in ended.stderr.splitlines() if "wrote" not in line]
    if name == "a file":
        # Nothing goes to stdout, so nothing is lost.
        assert (ended.returncode, said) == (0, [])
        assert (tmp_path / "mine.toml").stat().st_size > 1000
    else:
        assert (ended.returncode, said) == (2, [f"linecard: cannot write to stdout: {reason}"])


def test_files_are_written_though_the_screen_is_lost(tmp_path):
    ended = shell(tmp_path, "run ixp1200 --packets 200 --warmup 0 -o table.csv -o page.html", "> /dev/full")
    assert ended.returncode == 2
    assert (tmp_path / "table.csv").read_text().startswith("run_id,")
    assert "</html>" in (tmp_path / "page.html").read_text()


def test_the_file_that_is_opened_next_does_not_become_stdout(tmp_path):
    """A closed descriptor is reused for the next file: the screen's text must not be written there."""
    shell(tmp_path, "run ixp1200 --packets 200 --warmup 0 --timeline timeline.json", ">&-")
    assert (tmp_path / "timeline.json").read_text().lstrip()[0] in "[{"


def test_closed_stderr_is_no_reason_to_fail(tmp_path):
    ended = shell(tmp_path, "presets --json", "2>&-")
    assert (ended.returncode, ended.stdout[0]) == (0, "{" if ended.stdout.startswith("{") else "[")
    assert shell(tmp_path, "presets nothing", "2>&- >&-").returncode == 2


def test_a_reader_that_goes_away_is_nothing_to_speak_of(tmp_path):
    ended = shell(tmp_path, "describe ixp1200 --json", "| head -c 10")
    assert ended.stderr == ""
    assert len(ended.stdout) == 10


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "a file"])
def test_a_closed_pipe_has_the_status_of_sigpipe(tmp_path, name):
    """Status 1 means a difference or a rejection, and status 0 complete output."""
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "linecard", *COMMANDS[name].split()]
    ended = subprocess.run(words, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    said = [line for line in ended.stderr.splitlines() if "wrote" not in line]
    assert (ended.returncode, said) == (141, [])


@pytest.mark.parametrize(
    ("command", "status"),
    [("run ixp1200 --packets 200 --warmup 0 -o out.csv", 0), ("run nosuch", 2), ("run --nosuch", 2), ("flows none", 3)],
)
def test_a_reader_of_stderr_that_goes_away_does_not_change_the_status(tmp_path, command, status):
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "linecard", *command.split()]
    ended = subprocess.run(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=writer, text=True, check=False)
    os.close(writer)
    assert (ended.returncode, bool(ended.stdout)) == (status, status == 0)
