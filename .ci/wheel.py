"""Build a wheel for any Linux on this processor, and test it where nothing else is installed.

    python .ci/wheel.py

The wheel is abi3 (one for every Python from 3.11) and manylinux2014: linked by Zig against the C library of that time.
It is then installed into a fresh environment and used from an empty folder, without the clone: its version,
its contents, the demo, a user's own design, a study. Standard library only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WHEELS = TARGET / "wheels"
TOOLS = ["maturin>=1.9.4,<2", "ziglang>=0.13,<0.16"]


def environment(folder: Path) -> Path:
    """Create a fresh environment; return the folder of its programs."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return folder / "bin"


def pip(programs: Path, *words: str) -> None:
    """Install into an environment."""
    subprocess.run([str(programs / "python"), "-m", "pip", "install", "--quiet", *words], check=True)


def build() -> Path:
    """The wheel."""
    tools = environment(TARGET / "wheel-tools")
    pip(tools, *TOOLS)
    before = set(WHEELS.glob("*.whl"))
    for old in before:
        old.unlink()
    command = [str(tools / "maturin"), "build", "--release", "--locked", "--zig", "--compatibility", "manylinux2014"]
    path = os.pathsep.join([str(tools), os.environ["PATH"]])
    subprocess.run(
        [*command, "--out", str(WHEELS), "--interpreter", sys.executable],
        cwd=ROOT,
        env={**os.environ, "PATH": path, "VIRTUAL_ENV": str(tools.parent)},
        check=True,
    )
    (wheel,) = WHEELS.glob("*.whl")
    return wheel


def tried(wheel: Path) -> None:
    """Use the wheel as somebody who has nothing else."""
    with tempfile.TemporaryDirectory() as place:
        programs = environment(Path(place) / "environment")
        pip(programs, str(wheel))
        folder = Path(place) / "elsewhere"
        folder.mkdir()
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

        def linecard(*words: str) -> str:
            ended = subprocess.run(
                [str(programs / "linecard"), *words], cwd=folder, env=clean, capture_output=True, text=True, check=False
            )
            if ended.returncode:
                sys.exit(f"linecard {' '.join(words)} ended with {ended.returncode}: {ended.stderr}")
            return ended.stdout

        assert "To go on:" in linecard("demo")
        assert len(json.loads(linecard("presets", "--json"))) > 50
        linecard("new", "mine.toml", "--like", "example_smartnic")
        assert json.loads(linecard("run", "mine.toml", "--packets", "500", "--json"))["summary"]["packets_out"] > 0
        linecard("run", "nfp4000", "--program", "count_min", "--packets", "500")
        linecard("program", "trace", "checksum", "--packets", "100")
        linecard("reproduce", "spalink2000", "--quick", "--json")
        print(linecard("--version").splitlines()[0])


def main() -> int:
    """Build and try."""
    wheel = build()
    if "manylinux" not in wheel.name or "abi3" not in wheel.name:
        sys.exit(f"{wheel.name}: expected an abi3 wheel for manylinux")
    tried(wheel)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB, installed and used in a fresh environment")
    return 0


if __name__ == "__main__":
    sys.exit(main())
