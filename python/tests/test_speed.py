"""Instructions a packet stay where the record has them: a change that costs more than 2 % says so by failing here.

Instructions do not depend on the machine's speed. They come from the processor's counter or from valgrind; where there
is neither, nothing is measured and the tests say so.
"""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest
from conftest import ROOT

RECORD = json.loads((ROOT / "bench" / "record.json").read_text())
ALLOWED = 1.02


@pytest.fixture(scope="module")
def speed():
    sys.path.insert(0, str(ROOT / "bench"))
    spec = importlib.util.spec_from_file_location("speed", ROOT / "bench" / "speed.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.remove(str(ROOT / "bench"))
    return module


@pytest.mark.parametrize("kind", sorted(RECORD["instructions_per_packet"]))
def test_a_packet_costs_no_more_instructions_than_the_record_says(speed, kind):
    measured = speed.per_piece(kind, RECORD["short_packets"], RECORD["long_packets"])
    if measured is None:
        pytest.skip("no counter of instructions and no valgrind here: speed is not held")
    recorded = RECORD["instructions_per_packet"][kind]
    assert measured <= recorded * ALLOWED, (
        f"{kind}: {measured:.0f} instructions a packet, the record has {recorded}; make it cheaper, or say in the "
        f"commit why it costs more and write the new number into bench/record.json"
    )
