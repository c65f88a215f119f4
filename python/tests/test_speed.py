"""Instructions per unit of work are those of the record: a change that costs more than 2 % fails here.

Instructions do not depend on the machine's speed. They come from the processor's counter or from valgrind; without
either, nothing is measured, and the tests report that.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

import pytest
from conftest import ROOT

ALLOWED = 1.02
HELD = (
    "hasan2003",
    "sixty_engines",
    "nfp4000_reads",
    "dram_random",
    "dram_cells",
    "queueing_qc",
    "petri_mm1k",
    "trace_md5",
)


@pytest.fixture
def bench(monkeypatch):
    """Modules of the folder `bench` by name."""
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    return importlib.import_module


# Instructions are counted in the fast extension, by valgrind if the processor has no counter: this takes minutes.
@pytest.mark.long
@pytest.mark.parametrize("name", HELD)
def test_a_piece_costs_no_more_instructions_than_the_record_says(bench, name):
    kernels = bench("kernels")
    recorded, measured = kernels.last()[name], kernels.count(name)
    if measured is None:
        pytest.skip("no counter of instructions and no valgrind here: speed is not held")
    assert measured <= recorded * ALLOWED, (
        f"{name}: {measured:.1f} instructions a {kernels.KERNELS[name].piece}, the record has {recorded}; make it "
        f"cheaper, or say in the commit why it costs more: python bench/kernels.py {name} --write"
    )


def test_the_documents_have_the_table_of_the_record(bench):
    assert bench("table").table() in (ROOT / "docs" / "reference" / "speed.md").read_text(), (
        "run: python bench/table.py"
    )


def test_two_commits_of_the_record_are_compared(bench, monkeypatch, tmp_path, capsys, wording):
    kernels, compare = bench("kernels"), bench("compare")
    lines = [
        {"commit": "aaaa", "instructions": {"dram_random": 4000.0}, "ratios": {"against one": 2.0}},
        {"commit": "bbbb", "instructions": {"dram_random": 2000.0, "petri_mm1k": 50.0}},
    ]
    record = tmp_path / "kernels.jsonl"
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr(kernels, "RECORD", record)
    monkeypatch.setattr(sys, "argv", ["compare.py", "aaaa", "bb"])
    assert compare.main() == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        ["aaaa", "bbbb"],
        ["dram_random", "4,000", "2,000", "-50.0", "%"],
        ["petri_mm1k", "–", "50.0"],
        ["against", "one", "2.0", "–"],
    ]
    monkeypatch.setattr(sys, "argv", ["compare.py", "cccc", "bbbb"])
    with pytest.raises(SystemExit) as refused:
        compare.main()
    wording(refused.value)


def test_an_unknown_kernel_is_named():
    asked = [sys.executable, ROOT / "bench" / "kernels.py", "hasan"]
    ended = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "no kernel is called hasan; there are hasan2003, " in ended.stderr
