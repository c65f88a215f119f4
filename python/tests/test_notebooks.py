"""Do the notebooks in examples run from the first cell to the last, and are they stored without output?"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT

BOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def test_there_are_notebooks():
    assert {path.stem for path in BOOKS} >= {
        "size_a_smartnic",
        "choose_packet_memory",
        "threads_for_an_xdp_program",
    }


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_clean(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    for cell in book["cells"]:
        assert not cell.get("outputs"), "clear its outputs: what a cell prints is what it prints today"
        assert cell.get("execution_count") is None
    assert book["cells"][0]["cell_type"] == "markdown"
    assert "".join(book["cells"][0]["source"]).startswith("# ")


# A separate process is necessary: the executor of notebooks leaves an event loop open, whose sockets a later test would
# find.
EXECUTE = """
import sys, nbclient, nbformat
book = nbformat.read(sys.argv[1], as_version=4)
resources = {"metadata": {"path": sys.argv[2]}}
nbclient.NotebookClient(book, kernel_name="python3", timeout=300, resources=resources).execute()
nbformat.write(book, sys.argv[3])
"""


# This notebook takes longer than all others together.
LONG = "size_a_smartnic"


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=pytest.mark.long if path.stem == LONG else ()) for path in BOOKS],
)
def test_a_notebook_runs(path, tmp_path):
    pytest.importorskip("ipykernel")
    pytest.importorskip("nbclient")
    shows = {"MPLBACKEND": "module://matplotlib_inline.backend_inline", "IPYTHONDIR": str(tmp_path / "ipython")}
    done = tmp_path / "done.ipynb"
    command = [sys.executable, "-c", EXECUTE, str(path), str(tmp_path), str(done)]
    ended = subprocess.run(command, env=os.environ | shows, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    book = json.loads(done.read_text(encoding="utf-8"))
    shown = [output for cell in book["cells"] if cell["cell_type"] == "code" for output in cell["outputs"]]
    kinds = {kind for output in shown for kind in output.get("data", ())}
    assert {"text/html", "image/png"} <= kinds
