"""Run the tests of Rust and Python, report the time of each part, and end with one line: `N passed, N failed`.

Standard library only. A suite that cannot even be built counts as one failure, so that the line never
looks better than it is. `target/test-times.txt` keeps the times of the last run, test by test for Python.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
TIMES = TARGET / "test-times.txt"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
RUST_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed;")
# The profile of the extension that `make test` installs: crates are compiled once for both. Examples: see `make lint`.
CARGO_TEST = ("cargo", "test", "--workspace", "--locked", "--profile", "checked")
TARGETS = ("--tests", "--doc")
PLAN = """\
1. compile the tests in Rust
2. run them
3. run the tests in Python, on every core
Left out: what takes long (`make check-long`)."""


@contextmanager
def timed(part: str, times: list[str]) -> Iterator[None]:
    """Note the wall time and the processor time of a part."""

    def processor() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    wall, cpu = time.monotonic(), processor()
    yield
    line = f"{part}: {time.monotonic() - wall:.0f} s, {processor() - cpu:.0f} s of processor time"
    times.append(line)
    print(line, flush=True)


def compile_rust_tests() -> None:
    """Compile the tests in Rust, so that their own time is separate; a failure shows when they are run."""
    subprocess.run([*CARGO_TEST, "--tests", "--no-run", "--quiet"], cwd=ROOT, check=False)


def rust_tests() -> tuple[int, int]:
    """Run the tests in Rust and add up the results of their binaries."""
    passed = failed = 0
    for targets in TARGETS:
        command = [*CARGO_TEST, targets, "--no-fail-fast"]
        before = failed
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                sys.stdout.write(line)
                if result := RUST_RESULT.match(line):
                    passed += int(result[1])
                    failed += int(result[2])
        if process.returncode and failed == before:
            failed += 1
    return passed, failed


def python_tests(times: list[str]) -> tuple[int, int]:
    """Run pytest on every core, count its report, and note its tests of more than a second."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        status = subprocess.run(
            [sys.executable, "-m", "pytest", "--numprocesses=auto", "--dist=worksteal", f"--junitxml={report}"],
            cwd=ROOT,
            check=False,
        ).returncode
        suites = list(ET.parse(report).getroot().iter("testsuite")) if report.exists() else []
    failed = sum(int(suite.get("failures", 0)) + int(suite.get("errors", 0)) for suite in suites)
    skipped = sum(int(suite.get("skipped", 0)) for suite in suites)
    passed = sum(int(suite.get("tests", 0)) for suite in suites) - failed - skipped
    if status and not failed:
        failed = 1
    cases = [(float(case.get("time", 0)), case) for suite in suites for case in suite.iter("testcase")]
    for seconds, case in sorted(cases, key=lambda each: -each[0]):
        if seconds >= 1:
            times.append(f"{seconds:8.2f} s  {case.get('classname')}::{case.get('name')}")
    return passed, failed


def main() -> int:
    """Run both suites."""
    os.environ["PYTHONUNBUFFERED"] = "1"
    print(PLAN, flush=True)
    times: list[str] = []
    slowest: list[str] = []
    with timed("compile the tests in Rust", times):
        compile_rust_tests()
    with timed("tests in Rust", times):
        rust = rust_tests()
    with timed("tests in Python", times):
        python = python_tests(slowest)
    TARGET.mkdir(exist_ok=True)
    TIMES.write_text("\n".join([*times, *slowest, ""]))
    if not any(map(shutil.which, BROWSERS)):
        print("NOT TESTED: what pages do in a browser, for there is no Chromium; `make test-web` installs it")
    print("\n".join(times))
    print(f"Rust: {rust[0]} passed, {rust[1]} failed")
    print(f"Python: {python[0]} passed, {python[1]} failed")
    failed = rust[1] + python[1]
    print(f"{rust[0] + python[0]} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
