"""Do the notebooks in examples run from the first cell to the last, and are they kept without what they printed?"""

from __future__ import annotations

import asyncio
import json

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


# Its kernel is a process of its own, and warns of what is no matter here.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    pytest.importorskip("ipykernel")
    client = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    book = nbformat.read(path, as_version=4)
    runner = client.NotebookClient(
        book, kernel_name="python3", timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    )
    # In a loop that is closed: `execute` leaves one open, whose sockets are found in whatever test is next.
    asyncio.run(runner.async_execute())
    shown = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = {kind for output in shown for kind in output.get("data", ())}
    assert {"text/html", "image/png"} <= kinds
