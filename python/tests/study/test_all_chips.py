"""Does the sweep of all chips contain those of the document, none beyond its area, and a lone core's rates?"""

from __future__ import annotations

import importlib.util
import sys

import pytest
from conftest import ROOT

import linecard
from linecard.malleable.run import core

FOLDER = ROOT / "studies" / "mudigonda2007"


@pytest.fixture
def sweep(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = importlib.util.spec_from_file_location("all_chips", FOLDER / "all_chips.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "all_chips", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "EVENTS", 2000)
    return module


def test_the_chips_fill_the_area_and_those_of_the_document_are_among_them(sweep):
    program = linecard.program_trace("classify", "edge", packets=500)
    found = sweep.chips_of(program, 150, 0.64)
    assert {sweep.OPTIMAL_FIXED, sweep.IXP2800} <= found.keys()
    for cores, threads, cache in found:
        beside = sweep.CACHED_CORE if cache else sweep.CORE
        assert cores * (threads + cache + beside) <= sweep.CHIP
        # One more thread-equivalent in each core would not fit.
        assert not cache or cores * (threads + cache + 1 + beside) > sweep.CHIP
    cores, threads, cache = sweep.OPTIMAL_FIXED
    alone = core(program, latency=150, bandwidth=0.64, area=threads + cache, threads=threads, events=2000)
    assert found[sweep.OPTIMAL_FIXED] == cores * alone.rows[0].packets_per_mcycle
