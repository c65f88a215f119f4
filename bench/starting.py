"""How long commands take from the shell, where most of the time is Python's start: seconds of whole processes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

RUN = ("run", "ixp1200", "--program", "l3fwd16", "--packets", "1000")
CORE = ("core", "classify", "--packets", "2000", "--threads", "8", "--events", "2000")


def measure(row: Callable[..., None], best: Callable[..., float]) -> None:
    """Print every line of this benchmark."""
    print("commands from the shell, whole processes")

    def seconds(*words: str) -> float:
        command = [sys.executable, "-m", "linecard", *words]
        return best(5, lambda: subprocess.run(command, capture_output=True, check=True))

    row("python -c pass", best(5, lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)), "s")
    helped = seconds("--help")
    row("linecard --help", helped, "s", "<= 0.15")
    row("linecard run of 1,000 packets", seconds(*RUN), "s", "<= 0.3")
    with tempfile.TemporaryDirectory() as folder:
        cached = seconds(*CORE, "--cache", folder)
        row("linecard core on a cached trace", cached, "s")
        row("linecard core on a cached trace, beyond --help", cached - helped, "s", "<= 0.1")
