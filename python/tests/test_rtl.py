"""The RTL's sources are accepted by the installed tools; `make rtl` does the rest. Skips name the missing tools."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl/queuing_cache"
SOURCES = [str(source) for source in sorted((RTL / "src").glob("*.sv"))]


def need(tool):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed: `make rtl` installs it")


def test_verilator_has_no_warning():
    need("verilator")
    command = ["verilator", "--lint-only", "-Wall", "--top-module", "queuing_cache", *SOURCES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_icarus_elaborates():
    need("iverilog")
    command = ["iverilog", "-g2012", "-t", "null", "-s", "queuing_cache", *SOURCES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_the_recorded_gate_counts():
    readme = (RTL / "README.md").read_text()
    with (ROOT / "studies/kumar2006/measured/gates.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5
    for row in rows:
        line = next(line for line in readme.splitlines() if line.startswith(f"| {row['block']} |"))
        cells = [cell.strip().replace(",", "") for cell in line.strip("|").split("|")]
        assert (cells[2], cells[4], cells[5]) == (row["flip_flops"], row["nand2_equivalents"], row["plain_gates"])
