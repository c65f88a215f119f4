"""Do the questions of a chip take a program that it executes, with its options, and answer for that program?"""

from __future__ import annotations

import json

import pytest

import linecard

SHORT = {"packets": 200}


def test_a_rate_is_that_of_the_program():
    rates = {
        program: linecard.ndr("nfp4000", [64], program=program, width=0.05, **SHORT).rows[0].ndr_mpps
        for program in ("drop", "parse_count")
    }
    # To drop takes a few instructions, to parse and count takes more.
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
    # The command beside a row repeats it.
    again = cli(*drop["command"].split()[1:], "--json", "--store", "s")
    assert again.status == 0, again.err
    assert json.loads(again.out)["ndr_mpps"] == drop["ndr_mpps"]


def test_options_have_no_effect_without_a_program(cli, tmp_path):
    for question in (("ndr", "nfp4000"), ("why", "nfp4000"), ("compare", "nfp4000", "nfp4000")):
        ended = cli(*question, "--section", "xdp", "--store", tmp_path / "s")
        assert ended.status == 2
        assert "section: has no effect without a program" in ended.err
    with pytest.raises(TypeError, match="unexpected keyword argument 'sektion'"):
        linecard.ndr("nfp4000", program="drop", sektion="xdp")
