"""Kept results of a complete measurement are restored exactly, number by number, in the file and in the documents."""

from __future__ import annotations

import json

import pytest
from conftest import ROOT

from tools import command
from tools.correlation import documents as correlation
from tools.robustness import documents as robustness


@pytest.mark.parametrize(
    ("documents", "kept", "file"),
    [
        (robustness, robustness.kept_studies, "robustness.json"),
        (correlation, correlation.kept_devices, "correlation.json"),
    ],
)
def test_what_is_kept_comes_out_again(tmp_path, monkeypatch, documents, kept, file):
    found = kept()
    (tmp_path / "studies").mkdir()
    monkeypatch.setattr(documents, "STUDIES", tmp_path / "studies")
    monkeypatch.setattr(command, "ROOT", tmp_path)
    documents.keep(found)
    again, before = (json.loads((folder / "studies" / file).read_text()) for folder in (tmp_path, ROOT))
    assert again == before
    written = {
        each.relative_to(tmp_path).as_posix(): each.read_text()
        for each in tmp_path.rglob("*.*")
        if "docs" in each.parts
    }
    assert written == documents.documents() == {name: (ROOT / name).read_text() for name in written}
