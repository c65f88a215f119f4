"""Are two programs compared line by line, and is the cost of a line that of the program's own run?"""

from __future__ import annotations

import json

import pytest

import linecard
from linecard.errors import ConfigError
from linecard.explore.lines import compared_lines

SOURCE = """\
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int count(struct xdp_md *context)
{
	volatile __u32 sum = context->data_end - context->data;
	return sum ? XDP_PASS : XDP_DROP;
}
"""


def record(**lines):
    """A run in which lines cost these cycles and instructions."""
    rows = []
    for place, cycles in lines.items():
        for name in ("cycles", "stall_cycles", "instructions"):
            rows.append((f"line {place.replace('_', ':', 1)}", name, "", cycles if name != "stall_cycles" else 0.0))
    return {"status": "ok", "measurements": rows, "numbers": {}}


def places(lines):
    return [(line.a, line.b, line.cycles.a, line.cycles.b, line.beyond_noise) for line in lines]


def written(folder, a, b):
    for name, text in (("a.c", a), ("b.c", b)):
        (folder / name).write_text(text)
    return [str(folder / name) for name in ("a.c", "b.c")]


def test_lines_are_matched_by_a_diff_of_the_sources(tmp_path):
    # b has an additional line before `two`, and `three` differs.
    names = written(tmp_path, "one\ntwo\nthree\n", "one\nnew\ntwo\nother\n")
    a = [record(**{"a.c_1": 5.0, "a.c_2": 7.0, "a.c_3": 1.0})] * 2
    b = [record(**{"b.c_1": 5.0, "b.c_2": 4.0, "b.c_3": 9.0, "b.c_4": 2.0})] * 2
    found = compared_lines(names, (a, b), ("", ""))
    # The order follows the size of the changes: the new line, the two that differ, and the equal line last.
    assert places(found) == [
        (None, "b.c:2", 0.0, 4.0, True),
        (None, "b.c:4", 0.0, 2.0, True),
        ("a.c:2", "b.c:3", 7.0, 9.0, True),
        ("a.c:3", None, 1.0, 0.0, True),
        ("a.c:1", "b.c:1", 5.0, 5.0, False),
    ]
    assert [line.text for line in found] == ["new", "other", "two", "three", "one"]


def test_a_cost_that_differs_by_chance_is_not_beyond_noise_and_none_is_of_runs_that_are_not_sure(tmp_path):
    names = written(tmp_path, "one\n", "one\n")
    a = [record(**{"a.c_1": cycles}) for cycles in (5.0, 6.0, 5.5)]
    b = [record(**{"b.c_1": cycles}) for cycles in (6.0, 5.0, 5.6)]
    assert [line.beyond_noise for line in compared_lines(names, (a, b), ("", ""))] == [False]
    assert [line.beyond_noise for line in compared_lines(names, (a, b), ("", "not steady"))] == [None]


def test_without_sources_the_text_of_the_object_counts_and_functions_go_by_name():
    a = [record(**{"x.c_9: same": 5.0, "x.c_10: old": 1.0, "helper": 3.0})] * 2
    b = [record(**{"y.c_30: same": 6.0, "helper": 3.0})] * 2
    found = compared_lines(["/nowhere/x.o", "/nowhere/y.o"], (a, b), ("", ""))
    assert places(found) == [
        ("x.c:10", None, 1.0, 0.0, True),
        ("x.c:9", "y.c:30", 5.0, 6.0, True),
        ("helper", "helper", 3.0, 3.0, False),
    ]


def test_two_shipped_programs_are_compared_on_a_chip(cli, tmp_path):
    words = ("compare", "nfp4000", "--program", "drop", "parse_count", "--packets", 2000, "--seeds", 2)
    ended = cli(*words, "--set", "island.count=1", "--json", "--store", tmp_path / "s")
    assert ended.status == 0, ended.err
    found = json.loads(ended.out)
    assert found["configuration"] == [{"key": "program", "a": "drop", "b": "parse_count", "unit": ""}]
    rate = next(each for each in found["metrics"] if each["name"] == "throughput_mpps")
    assert rate["beyond_noise"] is True
    assert rate["change"] < 0
    # The lines contain all cycles of either program, as its own run reports them.
    alone = linecard.run("nfp4000", program="parse_count", set={"island.count": 1}, packets=2000, verdict=False)
    assert sum(line["cycles"]["b"] for line in found["lines"]) == pytest.approx(alone.programs[0].cycles_per_packet)
    own = {line["b"]: line["instructions"]["b"] for line in found["lines"]}
    number = next(line for line in alone.programs[0].lines if line.number is not None)
    assert own[f"parse_count.c:{number.number}"] == number.instructions_per_packet
    page = tmp_path / "page.html"
    again = cli(*words, "--set", "island.count=1", "--store", tmp_path / "s", "-o", page)
    assert "Lines of the programs values per packet" in " ".join(again.out.split())
    assert "<h2>Lines of the programs</h2>" in page.read_text()


def test_a_changed_line_of_a_c_file_stands_out(tmp_path, cli):
    pytest.importorskip("ziglang")
    a, b = written(tmp_path, SOURCE, SOURCE.replace("\treturn", "\tsum = sum * 3;\n\treturn"))
    found = linecard.compare("nfp4000", program=a, program_b=b, packets=2000, seeds=2)
    added = [line for line in found.lines if line.a is None]
    assert [(line.b, line.text) for line in added] == [("b.c:8", "sum = sum * 3;")]
    # The compiler may assign an instruction of a neighbour to another line, but no other line gains as much.
    assert max(found.lines, key=lambda line: line.instructions.difference) is added[0]


def test_a_second_program_needs_a_first_one(wording):
    with pytest.raises(ConfigError) as refused:
        linecard.compare("nfp4000", program_b="drop")
    wording(refused.value)
    with pytest.raises(ConfigError) as refused:
        linecard.compare("nfp4000", program="drop")
    wording(refused.value)
