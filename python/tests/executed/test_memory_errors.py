"""Invalid accesses of C programs end the run and are named."""

from __future__ import annotations

import re

import pytest

import linecard

pytest.importorskip("ziglang")

# Lines count from 1: the allocations are on lines 9 and 10, the error is on line 16.
PROGRAM = """#include <linecard.h>
#include <stdlib.h>

static volatile uint32_t *a, *b;

void app_init(const uint8_t *control, uint32_t bytes)
{
	(void)control, (void)bytes;
	a = calloc(16, sizeof *a);
	b = calloc(16, sizeof *b);
}

uint32_t app_packet(volatile uint8_t *packet, uint32_t bytes)
{
	(void)packet, (void)bytes;
	WRONG;
	return a[15];
}
"""
BLOCK = "the 64-byte block that wrong.c"
FREED = f"{BLOCK}:10 allocated and wrong.c:16 freed"
WRONG = {
    "a[20]++": f"load of 4 bytes at 0x........, 16 bytes beyond the end of {BLOCK}:9 allocated",
    "a[16] = 1": f"store of 4 bytes at 0x........, directly beyond the end of {BLOCK}:9 allocated",
    "b[16] = 1": f"store of 4 bytes at 0x........, directly beyond the end of {BLOCK}:10 allocated",
    "a[-1] = 1": f"store of 4 bytes at 0x........, 4 bytes before {BLOCK}:9 allocated",
    "packet[bytes + 40]": "load of 1 byte at 0x........, 40 bytes beyond the end of the packet of 46 bytes",
    "packet[bytes] = 1": "store of 1 byte at 0x........, directly beyond the end of the packet of 46 bytes",
    "*(packet - 2)": "load of 1 byte at 0x........, 2 bytes before the packet of 46 bytes",
    "free((void *)b); b[2]": f"load of 4 bytes at 0x........, 8 bytes from the start of {FREED}",
    "free((void *)b); free((void *)b)": f"free of 0x........, at the start of {FREED}",
    "free((void *)(a + 1))": f"free of 0x........, 4 bytes from the start of {BLOCK}:9 allocated",
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda text: text)
def test_what_a_program_may_not_touch_is_named(cli, tmp_path, wrong):
    source = tmp_path / "wrong.c"
    source.write_text(PROGRAM.replace("WRONG", wrong))
    ended = cli("run", "nfp4000", "--program", source, "--packets", 100, "--no-band")
    assert ended.status == 4
    message = WRONG[wrong].replace(".", r"\.").replace(r"\.\.\.\.\.\.\.\.", "[0-9a-f]{8}")
    assert re.search(rf"packet 1: {message}, at pc 0x.*\(wrong\.c:16\)", ended.err), ended.err


def test_what_it_may_touch_is_as_before_and_costs_the_same(tmp_path):
    """Every byte of both blocks and of the packet, and a block freed and allocated again for each packet."""
    from linecard.executed.riscv import program_build

    source = tmp_path / "right.c"
    right = "free((void *)b); b = malloc(64); for (uint32_t i = 0; i < bytes; i++) ((uint8_t *)b)[i % 64] = packet[i]"
    source.write_text(PROGRAM.replace("WRONG", right))
    elf = program_build(source, tmp_path / "right.elf")
    runs = [
        linecard.run("example_smartnic", program=elf, packets=300, warmup_packets=100, unchecked=unchecked).to_dict()
        for unchecked in (False, True)
    ]
    # Only the checks know which line allocated a block.
    names = [word.pop("name") for run in runs for program in run["programs"] for word in program["hot"]]
    assert names == ["the 64-byte block that right.c:16 allocated", "heap, byte 64"]
    assert runs[0]["programs"] == runs[1]["programs"]
    assert runs[0]["summary"] == runs[1]["summary"]


def test_unchecked_is_what_it_says(cli, tmp_path, wording):
    source = tmp_path / "wrong.c"
    source.write_text(PROGRAM.replace("WRONG", "a[20]++"))
    assert linecard.program_trace(source, packets=100, unchecked=True).packet_accesses_per_packet == 0
    with pytest.raises(linecard.RunError) as refused:
        linecard.program_trace(source, packets=100)
    wording(refused.value)
    ended = cli("run", "nfp4000", "--program", "tx", "--unchecked")
    assert ended.status == 2
    wording(ended.err)
