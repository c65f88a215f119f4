"""Do a chip's questions accept a program to execute, with its options, and answer for that program?"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import linecard

SHORT = {"packets": 200}


def test_a_rate_is_that_of_the_program():
    rates = {
        program: linecard.ndr("nfp4000", [64], program=program, width=0.05, **SHORT).rows[0].ndr_mpps
        for program in ("drop", "parse_count")
    }
    # Dropping takes a few instructions; parsing and counting take more.
    assert rates["drop"] > rates["parse_count"] > 0


def test_what_limits_is_asked_of_the_program():
    found = linecard.why("nfp4000", program="drop", set={"island.count": 1}, seeds=1, **SHORT)
    assert found.answered
    assert found.verdict == "engines of island"


def test_two_designs_are_compared_with_the_program():
    found = linecard.compare(
        "nfp4000", "nfp4000", program="parse_count", set_b={"island.count": 1}, seeds=2, packets=200
    )
    moved = {each.name: each for each in found.metrics}
    assert moved["throughput_mpps"].change is not None


def test_programs_are_an_axis_of_a_sweep_of_rates(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ("sweep", "nfp4000", "--what", "ndr", "--vary", "program=drop,parse_count", "--set", "size=64")
    ended = cli(*command, "--set", "width=0.05", "--packets", 200, "--json", "--store", "s")
    assert ended.status == 0, ended.err
    drop, counts = json.loads(ended.out)["rows"]
    assert (drop["program"], drop["status"], counts["status"]) == ("drop", "ok", "ok")
    assert drop["ndr_mpps"] > counts["ndr_mpps"]
    # The command of a row repeats the row.
    again = cli(*drop["command"].split()[1:], "--json", "--store", "s")
    assert again.status == 0, again.err
    assert json.loads(again.out)["ndr_mpps"] == drop["ndr_mpps"]


def test_the_macros_of_a_program_have_one_name_in_python():
    """In a sweep, `defines` is the argument `define` of its points, as of `linecard.run`."""
    asked = {"program": "adds", "packets": 500}
    alone = linecard.run("nfp4000", defines=["N=8"], verdict=False, **asked).summary.throughput_mpps
    asked["lengthen"] = False
    named = linecard.sweep("nfp4000", defines=["N=8"], **asked)
    assert (named.column("throughput_mpps"), named.column("reason")) == ([alone], [None])
    assert "--define N=8" in named.column("command")[0]
    varied = linecard.sweep("nfp4000", vary={"defines": ["N=8"]}, **asked)
    assert (varied.axes, varied.column("throughput_mpps")) == (("define",), [alone])
    both = linecard.sweep("reads", what="xdp", defines=["N=4", "UNUSED=1"], packets=100).rows[0]
    (four,) = linecard.sweep("reads", what="xdp", vary={"define": ["N=4"]}, packets=100).rows
    assert both["instructions_per_packet"] == four["instructions_per_packet"] > 0
    with pytest.raises(TypeError, match="argument 'define'; did you mean defines"):
        linecard.ndr("nfp4000", program="adds", define=["N=8"])


ADDS = """
#include <linecard.h>
unsigned app_packet(const void *packet, unsigned bytes) {
    unsigned total = bytes;
    for (unsigned i = 0; i < 16; i++)
        total += ((const unsigned char *)packet)[i];
    return total;
}
unsigned length(const void *packet, unsigned bytes) { return packet != 0 ? bytes : 0; }
"""


def test_what_a_c_file_is_compiled_with_is_an_axis(cli, tmp_path, monkeypatch):
    pytest.importorskip("ziglang", reason="NO ZIGLANG: C files were NOT compiled; pip install '.[programs]'")
    monkeypatch.chdir(tmp_path)
    Path("adds.c").write_text(ADDS)
    shared = (
        "sweep",
        "rosebud16",
        "--set",
        "program=adds.c",
        "--packets",
        400,
        "--no-lengthen",
        "--json",
        "--store",
        "s",
    )
    ended = cli(*shared, "--vary", "cflags=-O0,-O2", "--vary", "bits=32,64")
    rows = json.loads(ended.out)["rows"]
    rates = {(row["cflags"], row["bits"]): row["throughput_mpps"] for row in rows}
    assert all(rates["-O2", bits] > 1.5 * rates["-O0", bits] for bits in (32, 64))
    # The command of a row repeats the row, with its compiler flags.
    again = cli(*shlex.split(rows[1]["command"])[1:], "--json")
    assert json.loads(again.out)["summary"]["throughput_mpps"] == rows[1]["throughput_mpps"]
    rows = json.loads(cli(*shared, "--vary", "entry=app_packet,length").out)["rows"]
    assert rows[1]["throughput_mpps"] > 1.5 * rows[0]["throughput_mpps"]
    for bits, word in ((32, 1), (64, 2)):
        assert linecard.program_build("adds.c", bits=bits).read_bytes()[4] == word
    for cflags, said in (("-fno-such-flag", "the compiler rejected the file"), ("'", "cflags: found")):
        with pytest.raises(linecard.LinecardError, match=said):
            linecard.program_build("adds.c", cflags=cflags)


def test_options_have_no_effect_without_a_program(cli, tmp_path, wording):
    for question in (("ndr", "nfp4000"), ("why", "nfp4000"), ("compare", "nfp4000", "nfp4000")):
        ended = cli(*question, "--section", "xdp", "--store", tmp_path / "s")
        assert ended.status == 2
        wording(ended.err)
    with pytest.raises(TypeError) as refused:
        linecard.ndr("nfp4000", program="drop", sektion="xdp")
    wording(refused.value)
    with pytest.raises(TypeError, match="'size'; did you mean sizes"):
        linecard.ndr("nfp4000", size=[64])
    for question in (linecard.ndr, linecard.why, linecard.check, linecard.compare):
        with pytest.raises(TypeError, match=r"'qq'; expected one of (chip|a), .*, program, .*, bits"):
            question("nfp4000", qq=1)
