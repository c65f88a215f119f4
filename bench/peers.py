"""Peers from the package index, in an environment of their own, so that both sides run on one machine in one run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def python_with(*packages: str, dependencies: bool = True) -> Path | None:
    """A Python that has these packages, with or without their dependencies; `None` if they cannot be installed."""
    folder = ROOT / "target" / "bench-peers"
    python = folder / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
        command = [python, "-m", "pip", "install", "--quiet", *packages]
        command += [] if dependencies else ["--no-deps"]
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return python
