"""DRAM alone from the command line and from Python: results, files, and messages about wrong input."""

from __future__ import annotations

import csv
import gzip
import json

import pytest

import linecard

HEADER = "arrival,op,address\n"
FOUR = HEADER + "0,R,0x0\n0,W,0x100000\n5,R,0x40\n5,W,0x100040\n"
RUN = ("dram", "run", "ddr4_2400")


@pytest.fixture
def trace(tmp_path):
    """Write a trace and return its path."""

    def write(content, name="trace.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_requests_commands_and_json_of_one_run_agree(cli, trace, tmp_path):
    requests, commands = tmp_path / "requests.csv", tmp_path / "commands.csv"
    ended = cli(
        *RUN,
        "--policy",
        "frfcfs_open",
        "--trace",
        trace(FOUR),
        "--requests",
        requests,
        "--commands",
        commands,
        "--json",
    )
    assert ended.status == 0, ended.err
    result = json.loads(ended.out)
    found = rows(requests)
    assert [row["index"] for row in found] == ["0", "1", "2", "3"]
    assert (result["reads"], result["writes"]) == (2, 2)
    # An idle closed row: the request is accepted in clock 1, the activate is in clock 2, the read 17 later, and the
    # data 17 + 4 later.
    assert (found[0]["accept"], found[0]["complete"]) == ("1", "40")
    names = [row["cmd"] for row in rows(commands)]
    assert names.count("RD") == 2
    assert names.count("ACT") == result["commands"]["act"]
    latest = max(int(row["complete"]) for row in found)
    assert latest == result["end_clock"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", FOUR),
        ("columns.csv", "op, address ,arrival\nR,0,0\nW,1048576,0\nread,0x40,5\nWRITE,0x100040,5\n"),
        ("windows.csv", FOUR.replace("\n", "\r\n")),
        ("mark.csv", "\ufeff# a comment\n" + FOUR + "\n"),
        ("a.trace", "0x0 READ 0\n0x100000 WRITE 0\n0x40 READ 5\n0x100040 WRITE 5\n"),
        ("a.csv.gz", gzip.compress(FOUR.encode())),
        ("parts.gz", gzip.compress(FOUR[:40].encode()) + gzip.compress(FOUR[40:].encode())),
    ],
)
def test_formats_hold_the_same_requests(cli, trace, tmp_path, name, content):
    out = tmp_path / "requests.csv"
    ended = cli(*RUN, "--trace", trace(content, name), "--requests", out)
    assert ended.status == 0, ended.err
    found = [(row["arrival"], row["op"], row["address"]) for row in rows(out)]
    assert found == [("0", "R", "0x0"), ("0", "W", "0x100000"), ("5", "R", "0x40"), ("5", "W", "0x100040")]


def test_ramulator_traces_come_as_fast_as_they_are_accepted():
    text = "LD 0x0\nST 4096\nLD 0x40\n"
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.ramulator"
        path.write_text(text)
        result = linecard.dram("ddr3_1600", trace=path)
    assert (result.format, result.reads, result.writes) == ("ramulator", 2, 1)


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        ("", 1, "empty"),
        (HEADER + "0,R,0x0\n0,R\n", 3, "columns; expected 3"),
        (HEADER + "0,X,0x0\n", 2, "expected R or W"),
        (HEADER + "0,R,zero\n", 2, "address `zero`; expected a number"),
        (HEADER + "-1,R,0x0\n", 2, "arrival `-1`; expected a whole number"),
        (HEADER + "0,R,0x0\n0,R,0x400000000000\n", 3, "beyond the device"),
        (HEADER + "9,R,0x0\n\n8,R,0x40\n", 4, "before 9"),
        (HEADER + "99999999999999,R,0x0\n", 2, "expected at most clock"),
        ("arrival,op,adress\n0,R,0\n", 1, "the column `adress` is unknown"),
        ("arrival,op\n0,R\n", 1, "`address` is missing"),
        ("arrival,op,op,address\n0,R,R,0\n", 1, "twice"),
        ("arrival,op,address,bytes\n0,R,0x0,96\n", 2, "within one access of 64 bytes"),
        ("some words that are no trace at all\n", 1, "has no known format; expected one of csv, dramsim3, ramulator"),
        ("0x0 READ 0\n0x40 READ\n", 2, "expected `address OP clock`"),
        ("LD 0x0\nPR 0x40\n", 2, "expected LD or ST"),
        (b"arrival,op,address\n0,R,\xff\xfe\n", 2, "expected a number"),
        (gzip.compress((HEADER + "0,R,0x0\n" * 90_000).encode())[:90], None, "the compressed file ends early"),
    ],
)
def test_a_bad_trace_is_named_with_its_line_and_leaves_no_file(cli, trace, tmp_path, content, line, expected):
    path = trace(content)
    out = tmp_path / "out" / "requests.csv"
    out.parent.mkdir()
    ended = cli(*RUN, "--trace", path, "--requests", out, "--commands", out.with_name("commands.csv"))
    assert ended.status == 3
    assert expected in ended.err
    assert str(path) in ended.err
    assert line is None or f"line {line}:" in ended.err
    assert list(out.parent.iterdir()) == []


def test_an_older_file_survives_a_bad_trace(cli, trace, tmp_path):
    out = tmp_path / "requests.csv"
    out.write_text("before")
    assert cli(*RUN, "--trace", trace(HEADER + "0,R,x\n"), "--requests", out).status == 3
    assert out.read_text() == "before"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("ddr4_2401", "--pattern", "random"), "did you mean `ddr4_2400`?"),
        (("frfcfs_open", "--pattern", "random"), "device: `frfcfs_open` is a preset of the wrong kind"),
        (("ddr4", "--pattern", "random"), "is a standard"),
        ((*RUN[2:], "--policy", "frfcfs_opne", "--pattern", "random"), "did you mean `frfcfs_open`?"),
        ((*RUN[2:], "--pattern", "randon"), "did you mean `random`?"),
        ((*RUN[2:],), "found neither, expected a trace or a pattern"),
        ((*RUN[2:], "--pattern", "random", "--trace", "x"), "found both"),
        ((*RUN[2:], "--trace", "there-is-none.csv"), "cannot be read"),
        ((*RUN[2:], "--trace", "x", "--count", "5"), "has no effect with a trace"),
        ((*RUN[2:], "--trace", "x", "--seed", "5"), "seed: has no effect with a trace"),
        ((*RUN[2:], "--pattern", "random", "--reads", "1.5"), "expected a fraction from 0 to 1"),
        ((*RUN[2:], "--pattern", "packet_cells", "--reads", "0.5"), "has no effect"),
        ((*RUN[2:], "--pattern", "random", "--in-flight", "0"), "found 0; expected 1 or more"),
        (
            (*RUN[2:], "--pattern", "random", "--set", "timing.tRDC=3"),
            "of this name; omit it, or use it in the cycles of a constraint; did you mean `tRC`?",
        ),
        (
            (*RUN[2:], "--pattern", "random", "--set", "constraint[tRCD].cycles=20"),
            "timing.tRCD: no constraint uses a time of this name; omit it, or use it in the cycles of a constraint",
        ),
        ((*RUN[2:], "--pattern", "random", "--set", "policy.page=opne"), "did you mean `open`?"),
        ((*RUN[2:], "--pattern", "random", "--set", "map.order=row bank column"), "`bankgroup` is missing"),
        ((*RUN[2:], "--pattern", "random", "--set", "organization.rows=1000"), "is not a power of two"),
        ((*RUN[2:], "--pattern", "random", "--set", "timing.tRCD=1.3"), "expected whole or half clocks"),
        ((*RUN[2:], "--pattern", "random", "--set", "policy.command_queue=99"), "a whole number from 1 to 16"),
    ],
)
def test_a_wrong_request_says_what_was_expected(cli, options, expected):
    ended = cli("dram", "run", *options)
    assert ended.status in {2, 3}
    assert expected in ended.err


def test_all_problems_come_at_once(cli):
    ended = cli(*RUN, "--pattern", "random", "--set", "timing.tXX=3", "--set", "policy.pag=open", "--set", "foo=1")
    assert ended.status == 2
    assert "timing.tXX: no constraint uses a time of this name" in ended.err
    assert all(f"{key}: no such key" in ended.err for key in ("policy.pag", "foo"))


def test_a_part_without_a_source_is_refused(cli, tmp_path, wording):
    part = tmp_path / "mine.toml"
    part.write_text(
        'title = "mine"\nextends = ["dram/ddr4_2400"]\n[timing]\ntRCD = { value = 15, unit = "ns", source = "" }\n'
    )
    ended = cli("dram", "run", part, "--pattern", "random")
    assert ended.status == 2
    wording(ended.err)
    part.write_text(part.read_text().replace('source = ""', 'source = "a datasheet"'))
    assert cli("dram", "run", part, "--pattern", "random", "--count", "100").status == 0


def test_two_files_make_a_standard_of_ones_own(cli, tmp_path):
    """The recipe of CONTRIBUTING.md, outside the shipped presets."""
    standard, part = tmp_path / "standard.toml", tmp_path / "part.toml"
    standard.write_text(
        'title = "mine"\nextends = ["standards/ddr4"]\n'
        '[[constraint]]\nname = "tXYZ"\nlevel = "bank"\nbefore = ["ACT"]\nafter = ["RD"]\n'
        'cycles = "max(tXYZ, tRCD + 3)"\nsource = "mine"\n'
    )
    shipped = linecard.describe("ddr4_2400")
    lines = [f'title = "mine"\nextends = ["{standard}"]']
    for each in shipped.parameters:
        if not each.key.startswith(("constraint.", "refresh.", "energy.")):
            value = f'"{each.value}"' if each.key.startswith("map.") else each.value
            lines.append(f'{each.key} = {{ value = {value}, unit = "{each.unit}", source = "mine" }}')
    lines.append('timing.tXYZ = { value = 16.6, unit = "ns", source = "mine" }')
    part.write_text("\n".join(lines) + "\n")
    ended = cli("describe", part, "--json")
    assert ended.status == 0, ended.err
    described = {row["key"]: row["value"] for row in json.loads(ended.out)["parameters"]}
    assert described["constraint.tXYZ"] == 20
    result = linecard.dram(str(part), "frfcfs_closed", pattern="random", count=50, spacing=3000)
    assert result.read.max_clocks >= 1 + 20 + 17 + 4


def test_frames_hold_requests_commands_banks_and_metrics():
    result = linecard.dram("hbm2", "split_open", pattern="packet_cells", count=2000, frames=True)
    assert result.requests_frame.height == 2000
    assert set(result.commands_frame["cmd"].unique()) >= {"ACT", "RD", "WR"}
    assert len(result.banks) == 16
    metrics = result.to_frame()
    assert metrics.filter(metrics["metric"] == "requests")["value"].to_list() == [2000.0]
    assert "hbm2" in repr(result)
    assert "Bus" in result._repr_html_() or "bus" in result._repr_html_()


def test_the_share_of_the_peak_is_that_of_the_bandwidth(cli):
    # An access of 4 bytes occupies the bus for a clock, in which 16 bytes fit.
    change = ("--set", "organization.access_bytes=4")
    ended = cli("dram", "run", "ddr4_2400", "--pattern", "stream", "--count", "1000", *change)
    assert ended.status == 0, ended.err
    assert "0.799 GB/s" in ended.out
    assert "4.1 % of the peak of 19.277 GB/s" in ended.out
    assert "16.6 % of the time" in " ".join(ended.out.split())


def test_the_same_request_prints_the_same_bytes(cli):
    command = (*RUN, "--pattern", "random", "--count", "3000", "--json")
    assert cli(*command).out == cli(*command).out


def test_every_part_policy_and_standard_describes_itself():
    for preset in linecard.presets():
        if preset.kind in {"dram", "policies", "standards"} and preset.name != "hasan2003_sdr100":
            description = linecard.describe(preset.name)
            assert description.parameters, preset.name
            assert all(each.source for each in description.parameters), preset.name
