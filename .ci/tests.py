"""Run the tests of Rust and Python and end with one line: `N passed, N failed`.

Standard library only. A suite that cannot even be built counts as one failure, so that the line never looks better
than it is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
RUST_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed;")


def rust_tests() -> tuple[int, int]:
    """Run `cargo test` and add up the results of its binaries."""
    command = ["cargo", "test", "--workspace", "--locked", "--no-fail-fast"]
    passed = failed = 0
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            if result := RUST_RESULT.match(line):
                passed += int(result[1])
                failed += int(result[2])
    if process.returncode and not failed:
        failed = 1
    return passed, failed


def python_tests() -> tuple[int, int]:
    """Run pytest on every core and count its report."""
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
    return passed, failed


def main() -> int:
    """Run both suites."""
    os.environ["PYTHONUNBUFFERED"] = "1"
    rust = rust_tests()
    python = python_tests()
    if not any(map(shutil.which, BROWSERS)):
        print("NOT TESTED: what pages do in a browser, for there is no Chromium; `make test-web` installs it")
    print(f"Rust: {rust[0]} passed, {rust[1]} failed")
    print(f"Python: {python[0]} passed, {python[1]} failed")
    failed = rust[1] + python[1]
    print(f"{rust[0] + python[0]} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
