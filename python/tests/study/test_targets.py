"""The limits of studies, a line each in `studies/targets.csv`: set before the runs, and not by this project."""

from __future__ import annotations

import csv

import pytest
from conftest import ROOT

from linecard.study.folders import study_folders

TARGETS = ROOT / "studies" / "targets.csv"
SHARED = ROOT.parent / "shared" / "published" / "targets.csv"
# Anchor studies with public data: no limits were set for them. A further study must be added here.
WITHOUT_LIMITS = {"bluefield3", "hxdp", "nfp4000", "rosebud"}
KINDS = {"at_most", "at_least", "violations", "shape"}


def test_the_limits_are_those_that_were_set():
    if not SHARED.is_file():
        pytest.skip(
            "the limits as they were set are not beside this checkout: studies/targets.csv is compared with nothing"
        )
    assert TARGETS.read_bytes() == SHARED.read_bytes(), "studies/targets.csv is a copy: change neither it nor a limit"


def test_every_limit_belongs_to_a_shipped_study():
    with TARGETS.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["study"] for row in rows} == set(study_folders()) - WITHOUT_LIMITS
    assert {row["kind"] for row in rows} <= KINDS
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(row["limit"] and row["what"] and row["source"] for row in rows)


def test_published_numbers_are_not_edited_by_hand():
    """Every published table has a header, equal columns in every row, and no empty line."""
    for file in sorted(ROOT.glob("studies/*/published/*.csv")):
        lines = file.read_text().splitlines()
        assert len(lines) > 1, file.name
        assert len({line.count(",") for line in lines}) == 1, f"{file.name}: rows of different length"
        assert all(lines), f"{file.name}: an empty line"
