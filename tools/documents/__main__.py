"""Writes all documents that are generated from the code: `make docs` runs `python -m tools.documents`.

The command writes the pages of commands, keys and metrics, which tests compare with the code. It also writes the pages
of the scorecard, robustness and correlation from the stored results in `studies`, and the screen of `make run` in the
gallery.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

from tools import command
from tools.command import HEADER
from tools.correlation import documents as correlation
from tools.documents.chip_keys import chip_page
from tools.documents.commands import commands_page
from tools.documents.core import core_text
from tools.documents.glossary import glossary_page
from tools.documents.memory_keys import memory_page
from tools.documents.metrics import metrics_page
from tools.documents.other_keys import others_page
from tools.documents.reports import report_texts
from tools.documents.requests import request_texts
from tools.documents.schemas import schema_texts
from tools.robustness import documents as robustness
from tools.scorecard import documents as scorecard

PAGES = {
    "commands.md": commands_page,
    "glossary.md": glossary_page,
    "keys/chip.md": chip_page,
    "keys/memory.md": memory_page,
    "keys/others.md": others_page,
    "metrics.md": metrics_page,
}
MAIN_JOB = "linecard run ixp1200 --program l3fwd16 --trace examples/captures/edge-mix.pcap.gz"
SCREEN = re.compile(r"(<!-- screen: begin -->\n).*?(<!-- screen: end -->)", re.DOTALL)


def written_modules() -> dict[str, str]:
    """The generated parts of the package: the core's types, requests, reports, and schemas of files."""
    schemas = {f"schemas/{name}": text for name, text in schema_texts().items()}
    return {"_core.pyi": core_text(), **request_texts(), **report_texts(), **schemas}


def main_screen() -> str:
    """The command of `make run` and its screen, as Markdown; the last line with the wall-clock time is omitted."""
    words = [sys.executable, "-m", *shlex.split(MAIN_JOB)]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return f"```text\n$ {MAIN_JOB}\n{shown.rstrip().rpartition(chr(10))[0].rstrip()}\n```\n"


def main() -> None:
    """Write all generated documents."""
    command.write({f"docs/reference/{name}": HEADER + "\n" + page() for name, page in PAGES.items()})
    command.write({f"python/linecard/{name}": text for name, text in written_modules().items()})
    for kept in (scorecard, robustness, correlation):
        command.write(kept.documents())
    gallery = (command.ROOT / "docs/gallery/index.md").read_text(encoding="utf-8")
    command.write({"docs/gallery/index.md": SCREEN.sub(lambda found: found[1] + main_screen() + found[2], gallery)})


if __name__ == "__main__":
    command.run(main)
