"""ns-3 for comparison: instructions of a UDP packet of 512 bytes over two links and a router, which models no chip.

    python bench/ns3.py

It installs the wheel of ns-3 into an environment of its own, compiles `ns3.cc` against it, and counts as `kernels.py`
does: the difference between a long and a short run under valgrind.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import peers

SOURCE = Path(__file__).with_suffix(".cc")
VERSION = "3.44.post0"
LIBRARIES = ("applications", "internet", "point-to-point", "network", "core", "bridge", "traffic-control", "stats")
SHORT, LONG = 500, 2_500


def build() -> Path | None:
    """The program; `None` if ns-3 has no wheel or no compiler is installed."""
    compiler = shutil.which("g++")
    # The Python bindings of ns-3 depend on packages that take minutes to build; C++ needs none of them.
    python = peers.python_with(f"ns3=={VERSION}", dependencies=False) if compiler else None
    if compiler is None or python is None:
        return None
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]
    root = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()) / "ns3"
    libraries = root / "lib64"
    program = peers.ROOT / "target" / "bench-peers" / "ns3"
    command = [compiler, "-O2", "-std=c++20", f"-I{root / 'include'}", str(SOURCE), "-o", str(program)]
    command += [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-Wl,--allow-shlib-undefined"]
    command += [f"-lns{VERSION.removesuffix('.post0')}-{name}" for name in LIBRARIES]
    subprocess.run(command, check=True)
    return program


def instructions(program: Path, packets: int) -> int:
    """Instructions of a process that sends and receives this number of packets."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), str(packets)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    if int(run.stdout) != packets:
        message = f"ns-3 delivered {run.stdout.strip()} of {packets} packets"
        raise RuntimeError(message)
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def count() -> float | None:
    """Instructions of a packet; `None` without ns-3 or valgrind."""
    if shutil.which("valgrind") is None:
        return None
    program = build()
    if program is None:
        return None
    return (instructions(program, LONG) - instructions(program, SHORT)) / (LONG - SHORT)


def main() -> int:
    """Print the count."""
    counted = count()
    if counted is None:
        print("ns-3 cannot be counted here: it needs pip, g++ and valgrind", file=sys.stderr)
        return 1
    print(f"ns-3 {VERSION}: {counted:,.0f} instructions a UDP packet over two links")
    return 0


if __name__ == "__main__":
    sys.exit(main())
