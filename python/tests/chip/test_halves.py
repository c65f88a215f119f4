"""First cells of a packet buffer that are two writes: those of which a part comes from registers, from some size on."""

from __future__ import annotations

import pytest

import linecard

SHORT, WHOLE = 40, 64


@pytest.mark.parametrize(
    ("least", "size", "writes"), [(1, SHORT, 2), (64, SHORT, 1), (64, WHOLE, 2), (41, SHORT, 1), (40, SHORT, 2)]
)
def test_a_first_cell_is_two_writes_from_so_many_bytes_on(least, size, writes):
    found = linecard.run(
        "hasan2003_ref_base",
        program="l3fwd16",
        set={"traffic.kind": "fixed", "traffic.packet_bytes": size, "dram.halves_from_bytes": least},
        packets=400,
        warmup_packets=100,
    )
    # Bytes of a packet divided by those of a write; packets in progress at the ends of the window do not matter.
    assert size / found.metric("dram", "mean_write_bytes") == pytest.approx(writes, rel=1e-3)
