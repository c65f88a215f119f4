"""A Dask cluster for tests: a scheduler and workers on the loopback address, each a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
SECONDS = 120


@contextmanager
def cluster(
    folder: Path, workers: int = 2
) -> Iterator[tuple[str, subprocess.Popen[bytes], list[subprocess.Popen[bytes]]]]:
    """A scheduler and workers on the loopback address, each a process of its own."""
    pytest.importorskip("distributed")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": ENVIRONMENT, "cwd": folder}
    started = []
    try:
        scheduler = subprocess.Popen(
            [
                *(sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"),
                *("--no-dashboard", "--scheduler-file", "scheduler.json"),
            ],
            **quiet,  # type: ignore[call-overload]
        )
        started.append(scheduler)
        file = folder / "scheduler.json"
        until = time.monotonic() + SECONDS
        while not (file.exists() and "tcp://" in file.read_text()):
            assert time.monotonic() < until
            time.sleep(0.05)
        found = re.search(r"tcp://[\d.:]+", file.read_text())
        assert found
        several = [worker(folder, found[0]) for _ in range(workers)]
        started += several
        yield found[0], scheduler, several
    finally:
        for process in started:
            process.kill()
            process.wait()


def worker(folder: Path, address: str) -> subprocess.Popen[bytes]:
    place = Path(tempfile.mkdtemp(dir=folder))
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "distributed.cli.dask_worker", address, "--host", "127.0.0.1", "--nthreads", "1"),
            *("--no-dashboard", "--no-nanny"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        cwd=place,
    )
