"""`studies/girish2008/undetermined.py`: does every machine accept the changes, and does each one change something?"""

from __future__ import annotations

import importlib.util

import pytest
from conftest import ROOT

import linecard

_spec = importlib.util.spec_from_file_location("undetermined", ROOT / "studies/girish2008/undetermined.py")
SCRIPT = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(SCRIPT)


@pytest.mark.parametrize("changes", SCRIPT.CHANGES[1:], ids=" ".join)
def test_a_change_is_taken_and_is_not_what_the_preset_has(changes, monkeypatch):
    monkeypatch.setattr(SCRIPT, "SEEDS", (1,))
    monkeypatch.setattr(SCRIPT, "PACKETS", 50)
    for preset, own, metrics in SCRIPT.COLUMNS[:2]:
        (run,) = SCRIPT.measured(preset, changes, own)
        assert all(run.metric(*metric) >= 0 for metric, _ in metrics)
    for number, change in enumerate(changes):
        key, _, value = change.partition("=")
        assert linecard.describe("ixp2400_dynamic", set=changes[:number])[key].text != value, change
