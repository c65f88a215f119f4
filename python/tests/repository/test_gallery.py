"""Is every picture of the gallery below its command, with a description for those who cannot see it?

``test_docs.py`` tests that the commands run, as on every page; this module tests that they write the pictures.
"""

from __future__ import annotations

import re

from conftest import ROOT

FOLDER = ROOT / "docs" / "gallery"
TEXT = (FOLDER / "index.md").read_text()
PICTURES = re.findall(r"^!\[([^]]*)\]\(([^)]+)\)$", TEXT, re.MULTILINE)


def test_every_picture_is_there_small_and_described_and_none_is_left_over():
    kept = {str(each.relative_to(FOLDER)) for each in FOLDER.rglob("*") if each.suffix in {".png", ".svg"}}
    assert kept == {picture for _, picture in PICTURES}
    assert len(PICTURES) >= 10
    for words, picture in PICTURES:
        data = (FOLDER / picture).read_bytes()
        assert data.startswith(b"\x89PNG" if picture.endswith(".png") else b"<"), picture
        assert len(data) < 250_000, picture
        assert len(words.split()) >= 15, f"{picture}: say what can be seen"


def test_a_command_above_each_picture_writes_it():
    for _, picture in PICTURES:
        before = TEXT.partition(f"]({picture})")[0].rpartition("```console\n")[2]
        name = picture.rpartition("/")[2]
        folder = picture.partition("/")[0]
        # The picture of a report is a photograph; studies and caches write several pictures into a folder.
        assert name in before or f" {folder}" in before or picture == "report.png", f"{picture}: {before}"
