"""A firmware engineer has a C function: its cost, the place of its fault, and its effect on a chip."""

from __future__ import annotations

from pathlib import Path

import pytest
from person import Person

BROKEN = """\
#include <linecard.h>

static unsigned *volatile seen;

unsigned app_packet(const unsigned char *packet, unsigned bytes) {
    unsigned sum = 0;
    for (unsigned i = 0; i < 20 && i < bytes; i++)
        sum += packet[i];
    seen[sum & 63]++;
    return sum & 1;
}
"""
REPAIRED = BROKEN.replace("static unsigned *volatile seen;", "static LC_STATE unsigned seen[64];")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    pytest.importorskip("ziglang")
    monkeypatch.chdir(tmp_path)


def test_a_function_is_repaired_and_measured(cli):
    person = Person(cli)
    Path("sum.c").write_text(BROKEN)
    # The fault names its position.
    told = person.is_told("linecard program trace sum.c --packets 50", status=4)
    assert "sum.c:9" in told

    Path("sum.c").write_text(REPAIRED)
    traced = person.reads("linecard program trace sum.c --trace edge --packets 200")
    assert traced["instructions_per_packet"] > 20

    # On a chip, each line is shown with its text and its cost.
    shown = person.types("linecard run nfp4000 --program sum.c --packets 300 --no-band").out
    assert "sum.c:8: sum += packet[i];" in shown
    assert "Bottleneck" in shown

    # Split a core of your own between threads and a cache.
    splits = person.types("linecard core sum.c --packets 200").out
    assert "Best:" in splits
