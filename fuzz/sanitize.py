"""The bindings under AddressSanitizer: Python tests that lend arrays to Rust, on an extension that checks each access.

    python fuzz/sanitize.py

All unsafe code of the project is one block of the bindings, which reads a buffer that Python lends. The extension is
compiled with the sanitizer, which only a nightly compiler has; where there is none, this says so and ends with
status 2. It stands under `target/sanitized`, and the tests import it through a package made of links, so that the
installed one stays as it is. Standard library only; the tests need the development tools.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "sanitized"
PACKAGE = ROOT / "python" / "linecard"
EXTENSION = "_core.abi3.so"
TESTS = ["python/tests/flowcache", "-k", "array or optimum or interrupt_from_python"]


def answer(*command: str) -> str:
    """What a command prints; nothing where it fails or is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def main() -> int:
    """Build, then test."""
    version = answer("rustc", "+nightly", "-vV")
    if not version:
        print("not run: found no nightly compiler (rustup toolchain install nightly)", file=sys.stderr)
        return 2
    runtime = answer(os.environ.get("CC", "cc"), "-print-file-name=libasan.so")
    if not Path(runtime).is_absolute():
        print("not run: the C compiler brings no libasan.so, which a Python without it needs", file=sys.stderr)
        return 2
    triple = re.search(r"^host: (.*)$", version, re.M)
    assert triple, "rustc says what it is built for"
    # With a target named, build scripts and macros are compiled without the sanitizer.
    build = ["cargo", "+nightly", "build", "--locked", "--package", "linecard-bindings", "--target", triple[1]]
    environment = {
        **os.environ,
        "RUSTFLAGS": "-Zsanitizer=address",
        "CARGO_TARGET_DIR": str(BUILD),
        "PYO3_BUILD_EXTENSION_MODULE": "1",
        "PYO3_PYTHON": sys.executable,
    }
    subprocess.run(build, cwd=ROOT, env=environment, check=True)
    with tempfile.TemporaryDirectory() as place:
        package = Path(place) / "linecard"
        package.mkdir()
        for entry in PACKAGE.iterdir():
            if entry.name != EXTENSION:
                (package / entry.name).symlink_to(entry)
        (package / EXTENSION).symlink_to(BUILD / triple[1] / "debug" / "liblinecard_core.so")
        tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
        environment = {
            **os.environ,
            "LD_PRELOAD": runtime,
            # Python keeps what it needs until it ends, which is no leak.
            "ASAN_OPTIONS": "detect_leaks=0",
            "PYTHONMALLOC": "malloc",
            "PYTHONPATH": place,
        }
        return subprocess.run(tests, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
