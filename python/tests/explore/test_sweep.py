"""Does a sweep run each requested point once, with the same results on any executor?"""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

import linecard
from linecard.errors import ConfigError
from linecard.explore import Store, content
from linecard.explore.axes import Interval, read_axis, read_option
from linecard.explore.expression import Expression, UnknownName
from linecard.explore.points import make_points
from linecard.explore.spec import read_spec
from linecard.explore.subject import SUBJECTS, Request
from linecard.explore.sweep import draft_of
from linecard.explore.view import chart_of

NIC = "example_smartnic"


def values(written: object) -> list[object]:
    return list(read_axis("key", written, "here", 0).values)


# ---- axes ----


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ([1, 2, 4], [1, 2, 4]),
        (7, [7]),
        ("hbm2", ["hbm2"]),
        ("5..8", [5, 6, 7, 8]),
        ("5..10 step 2", [5, 7, 9]),
        ("-2..2 step 2", [-2, 0, 2]),
        ("0.1..0.5 step 0.1", [0.1, 0.2, 0.3, 0.4, 0.5]),
        ("1..64 times 2", [1, 2, 4, 8, 16, 32, 64]),
        ("0.5..2 points 4", [0.5, 1.0, 1.5, 2.0]),
        ("1..1000 log points 4", [1, 10, 100, 1000]),
        ("1.0..100.0 log points 3", [1.0, 10.0, 100.0]),
        ("1_000..3_000 step 1000", [1000, 2000, 3000]),
    ],
)
def test_an_axis_has_the_values_that_are_written(written, expected):
    found = values(written)
    assert found == expected
    assert [type(value) for value in found] == [type(value) for value in expected]


@pytest.mark.parametrize(
    "written",
    [
        [],
        "5..2",
        "1..1" + "0" * 400,
        "1..1e400",
        "1..9 points 1e309",
        "0..8 times 2",
        "1..8 times 1",
        "1..8 step 0",
        "1..8 points 1",
        [float("nan")],
        [None],
        "1..8 by 2",
    ],
)
def test_an_axis_that_makes_no_sense_is_refused(written):
    with pytest.raises(ConfigError, match="here: key: "):
        read_axis("key", written, "here", 0)


def test_values_given_twice_are_refused_unless_what_goes_with_them_differs(wording):
    with pytest.raises(ConfigError) as refused:
        points_of(vary={"island.count": [1, 2, 1]})
    wording(refused.value)
    found = points_of(together=[{"island.count": [1, 2, 2], "island.engines": [1, 1, 2]}])
    assert len(found.points) == 3
    with pytest.raises(ConfigError) as refused:
        points_of(together=[{"island.count": [2, 2], "island.engines": [1, 1]}])
    wording(refused.value)


def test_options_read_numbers_names_and_axes_that_go_together():
    first, second = read_option("a.b=1,2.5,true,x, '8 MiB' ; c=1..5", 3)
    assert first.values == (1, 2.5, True, "x", "8 MiB")
    assert second.values == (1, 2, 3, 4, 5)
    assert first.group == second.group == 3


@given(low=st.integers(1, 1000), span=st.integers(1, 1000), log=st.booleans(), share=st.floats(0, 1, exclude_max=True))
def test_a_range_gives_only_what_lies_in_it(low, span, log, share):
    whole = Interval(low, low + span, log, True).at(share)
    assert isinstance(whole, int)
    assert low <= whole <= low + span
    real = Interval(low, low + span, log, False).at(share)
    assert low * (1 - 1e-9) <= real <= (low + span) * (1 + 1e-9)


# ---- expressions ----


def evaluate(text, **said):
    def look(name):
        if name not in said:
            raise UnknownName(f"uses `{name}`")
        return said[name]

    return Expression.parse(text, "here").evaluate(look)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("engines * threads <= 64", True),
        ("1 < engines < 8", False),
        ("part in ('hbm2', 'ddr4') and not slow", True),
        ("engines if slow else threads + 1", 9),
        ("max(engines, 3) ** 2 / 4 - threads // 3 % 2", 16.0),
        ("round(sqrt(engines * 2) + log2(threads) - abs(-3))", 4),
        ("-threads", -8),
        ("slow == false", True),
        ("engines and 3", 3),
        ("slow or engines", 8),
        ("slow and engines", False),
        ("engines > 1 and threads > 1", True),
    ],
)
def test_an_expression_is_worth_what_it_says(text, expected):
    assert evaluate(text, engines=8, threads=8, part="hbm2", slow=False) == expected


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__",
        "[x for x in (1, 2)]",
        "lambda: 1",
        "open('f')",
        "f'{a}'",
        "a[b]",
        "a := 1",
        "a b",
        "",
        "(" * 500 + ")" * 500,
        "max(*a)",
        "round(a, ndigits=1)",
        "a @ a",
        "1" * 1001,
        "measured(a, 'b')",
    ],
)
def test_an_expression_can_only_reckon(text):
    with pytest.raises(ConfigError):
        Expression.parse(text, "here")


@pytest.mark.parametrize(
    "text",
    [
        "a / 0",
        "(0 - 8) ** 0.5",
        "1e308 * 10",
        "max(1e400, a)",
        "'x' * 10",
        "9.0 ** 65",
        "sqrt(-1)",
        "b",
        "a + 'x'",
        "a < 'x'",
    ],
)
def test_arithmetic_that_fails_says_so(text):
    with pytest.raises(ConfigError, match="here: "):
        evaluate(text, a=1)


@given(st.text(max_size=40))
@settings(max_examples=300)
def test_no_text_is_more_than_an_expression(text):
    with suppress(ConfigError):
        evaluate(text, a=1, b=2.5)


# ---- points ----


def points_of(**asked):
    return make_points(draft_of(NIC, **asked).finish())


def test_points_are_the_grid_in_order_with_seeds_fastest():
    found = points_of(vary={"island.count": [1, 2], "packets.part": ["a", "b"]}, repeat=2, arguments={"seed": 5})
    assert found.names == ("island.count", "packets.part", "seed")
    rows = [tuple(point.values.values()) for point in found.points]
    assert rows == [(c, p, s) for c in (1, 2) for p in ("a", "b") for s in (5, 6)]


def test_axes_that_go_together_do_not_multiply():
    found = points_of(vary={"island.count": [1, 2]}, together=[{"island.engines": [4, 8], "island.threads": [8, 4]}])
    rows = [tuple(point.values.values()) for point in found.points]
    assert rows == [(1, 4, 8), (1, 8, 4), (2, 4, 8), (2, 8, 4)]


def test_constraints_know_axes_short_names_and_the_keys_of_the_design():
    # The design has eight engines on an island; the sweep does not state that.
    found = points_of(vary={"island.threads": [4, 8, 16]}, constraints=["threads * engines <= 64", "threads != 4"])
    assert [point.values["island.threads"] for point in found.points] == [8]
    assert found.left_out == 2


@pytest.mark.parametrize(
    "constraint",
    ["thread > 1", "rate_gbps > 1", "island.threads > 99"],
)
def test_constraints_that_cannot_be_judged_or_leave_nothing_are_refused(constraint, wording):
    with pytest.raises(ConfigError) as refused:
        points_of(
            vary={"island.threads": [1], "traffic.rate_gbps": [1], "crypto.rate_gbps": [1]}, constraints=[constraint]
        )
    wording(refused.value)


def test_too_many_points_are_refused_before_they_are_made(wording):
    with pytest.raises(ConfigError) as refused:
        points_of(vary={"a": "1..2000", "b": "1..2000"})
    wording(refused.value)


@pytest.mark.parametrize("kind", ["sobol", "latin_hypercube"])
def test_a_sample_fills_the_space_and_depends_on_its_seed_alone(kind):
    pytest.importorskip("scipy")

    def drawn(seed):
        draft = draft_of(NIC, vary={"traffic.rate_gbps": "10.0..100.0", "island.count": "1..10", "x": ["a", "b"]})
        from linecard.explore.spec import make_sample

        draft.sample = make_sample(draft, "here", kind, 64, seed)
        return [dict(point.values) for point in make_points(draft.finish()).points]

    first = drawn(1)
    assert first == drawn(1)
    assert first != drawn(2)
    assert len(first) == 64
    # Every tenth of each range has its share of the points, within three.
    for tenth in range(10):
        inside = [row for row in first if 10 + 9 * tenth <= row["traffic.rate_gbps"] < 19 + 9 * tenth]
        assert 3 <= len(inside) <= 10
    assert {row["island.count"] for row in first} == set(range(1, 11))
    assert 28 <= sum(row["x"] == "a" for row in first) <= 36


# ---- files ----


def test_mistakes_of_a_file_come_at_once_with_their_lines(tmp_path, wording):
    path = tmp_path / "bad.toml"
    path.write_text(
        'kind = "sweep"\nchip = "example_smartnic"\npakets = 5\nrepeat = 0\nconstraints = ["a b"]\n'
        '[vary]\nisland.threads = "9..1"\n"packets.part" = []\n[columns]\nx = 5\n[sample]\nkind = "best"\n'
    )
    with pytest.raises(ConfigError) as caught:
        read_spec(path).finish()
    lines = str(caught.value).splitlines()
    assert [line.partition("bad.toml:")[2][:2].strip(":") for line in lines[:-1]] == ["3", "7", "8", "5", "10", "11"]
    wording(lines[0])
    assert lines[-1].startswith("repeat: found 0")


@pytest.mark.parametrize(
    "text", ["repeat = [1]", "x = " + "9" * 5000, "[vary]\na.b = {}", "[sample]\npoints = 1e9", "together = 3", "[["]
)
def test_files_that_make_no_sense_are_refused_in_words(tmp_path, text):
    path = tmp_path / "bad.toml"
    path.write_text(f'kind = "sweep"\nchip = "{NIC}"\n{text}\n')
    with pytest.raises(ConfigError):
        make_points(read_spec(path).finish())


def test_options_change_what_a_file_says(tmp_path, cli):
    path = tmp_path / "sweep.toml"
    path.write_text('kind = "sweep"\nchip = "example_smartnic"\n[vary]\nisland.threads = [1, 2]\nisland.count = [1]\n')
    words = ("--vary", "island.threads=4", "--store", tmp_path / "s", "--packets", 50, "--no-lengthen", "--json")
    ended = cli("sweep", path, *words)
    rows = json.loads(ended.out)["rows"]
    assert [(row["island.threads"], row["packets_out"]) for row in rows] == [(4, 50)]


EXAMPLES = sorted((ROOT / "examples" / "explore").glob("*.toml"))
# test_optimize.py runs the files of the other kind.
SWEEPS = [path for path in EXAMPLES if 'kind = "sweep"' in path.read_text()]


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.stem)
def test_shipped_examples_run(path, cli, tmp_path):
    short = ("--packets", 100, "--warmup", 50, "--no-lengthen", "--repeat", 1)
    ended = cli("sweep", path, "--store", tmp_path / "s", *short, "--json")
    # None of these runs is long enough for a conclusion.
    assert ended.status == 4, ended.err
    assert "not steady: " in ended.err
    rows = json.loads(ended.out)["rows"]
    assert {row["status"] for row in rows} == {"not steady"}
    assert all(row["packets_out"] + row["packets_dropped"] >= 100 for row in rows)


def test_nothing_is_asked_twice_where_options_name_it_in_other_ways(tmp_path):
    short = Request("run", {"chip": NIC}, {"cluster.island.threads": 4})
    named = points_of(set={"island.threads": 4}).points[0].request
    assert named.settings == short.settings


# ---- runs ----

# For each subject, a small space: what, shared arguments, axes, and a number that must be in the table.
RUNS = {
    "run": (NIC, {"packets": 2000}, {"island.count": [2, 5]}, "throughput_gbps"),
    "ndr": (NIC, {"packets": 200, "island.count": 1, "width": 0.05}, {"size": ["imix", 1518]}, "ndr_mpps"),
    "dram": (
        "ddr4_2400",
        {"pattern": "random", "count": 500},
        {"policy": ["frfcfs_open", "fcfs_open"]},
        "bandwidth_gbytes_s",
    ),
    "flowcache": ("edge.u32le", {}, {"policy": ["lru", "sp"]}, "hits"),
    "queueing": ("SD1_30", {"operations": 2000, "warmup": 100}, {"manager": ["qc", "nc"]}, "throughput_mops"),
    "petri": ("model.toml", {"time": 50.0, "replications": 2}, {"arrivals": [0.5, 0.9]}, "throughput.serve"),
    "core": ("checksum", {"packets": 50, "events": 5000}, {"threads": [1, 4]}, "packets_per_mcycle"),
    "program": ("checksum", {"packets": 50}, {"program": ["checksum", "classify"]}, "instructions_per_packet"),
    "xdp": (
        "parse_count",
        {"packets": 50},
        {"program": ["parse_count", "stateful_firewall"]},
        "instructions_per_packet",
    ),
}
NET = """
name = "station"
[parameters]
arrivals = 0.5
[[place]]
name = "free"
tokens = 10
[[place]]
name = "queue"
[[transition]]
name = "arrive"
kind = "exp"
rate = "arrivals"
[[transition]]
name = "serve"
kind = "exp"
rate = 1
[[arc]]
from = "free"
to = "arrive"
[[arc]]
from = "serve"
to = "free"
[[arc]]
from = "arrive"
to = "queue"
[[arc]]
from = "queue"
to = "serve"
"""


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    (tmp_path / "edge.u32le").write_bytes(b"".join((n * n % 9973).to_bytes(4, "little") for n in range(9000)))
    (tmp_path / "model.toml").write_text(NET)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("what", SUBJECTS)
def test_everything_that_runs_can_be_swept_and_each_command_repeats_its_point(what, inputs, cli):
    target, shared, vary, number = RUNS[what]
    table = linecard.sweep(target, what=what, vary=vary, store="store", **shared)
    assert table.column("status") == ["ok", "ok"], table.column("reason")
    assert all(isinstance(value, (int, float)) for value in table.column(number))
    assert table.rows[0][number] != table.rows[1][number]
    for row in table.rows:
        ended = cli(*shlex.split(row["command"])[1:], "--json")
        assert ended.status == 0, ended.err
        assert json.dumps(row[number]) in ended.out
    again = linecard.sweep(target, what=what, vary=vary, store="store", **shared)
    assert json.dumps(again.to_dict()) == json.dumps(table.to_dict())
    # A short run may have been followed by a longer one, which is found again, too.
    assert (again.counts.found, again.counts.run) == (table.counts.run, 0)


def test_a_shipped_program_that_is_built_anew_is_run_anew(tmp_path, monkeypatch):
    from linecard.executed import shipped
    from linecard.explore.content import content_of

    whole = tmp_path / "programs"
    shutil.copytree(shipped.PROGRAMS, whole, symlinks=False)
    monkeypatch.setattr(shipped, "PROGRAMS", whole)
    asked = [Request(what, {"program": "checksum"}, {}) for what in ("program", "core")]
    before = [content_of(each) for each in asked]
    elf = whole / "prebuilt" / "checksum.elf"
    elf.write_bytes(elf.read_bytes() + b"\0")
    assert all(content_of(each) != key for each, key in zip(asked, before, strict=True))


def test_the_table_has_the_numbers_of_the_runs():
    table = linecard.sweep(NIC, vary={"island.count": [1, 2]}, packets=300, seed=7, lengthen=False)
    for row in table.rows:
        alone = linecard.run(NIC, set={"island.count": row["island.count"]}, packets=300, seed=7).summary
        assert (row["throughput_gbps"], row["latency_p99_ns"]) == (alone.throughput_gbps, alone.latency_ns.p99)
        assert row["throughput_gbps_low"] == (alone.intervals.throughput_gbps.low if alone.intervals else None)


def test_columns_follow_from_axes_keys_numbers_and_measurements():
    table = linecard.sweep(
        NIC,
        vary={"island.threads": [2, 4]},
        packets=2000,
        columns={
            "each": "throughput_mpps / threads",
            "hits": 'measured("packets", "hit_rate")',
            "twice": "each * 2",
            "none": 'measured("packets", "colour")',
        },
    )
    row = table.rows[1]
    assert row["each"] == row["throughput_mpps"] / 4
    assert row["twice"] == row["each"] * 2
    assert 0 < row["hits"] < 1
    assert row["none"] is None
    assert "was not measured" in table.warnings[0]


@pytest.mark.parametrize("repeat", [1, 2])
def test_the_screen_shows_every_defined_column_and_a_result(cli, repeat, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"column{number}" for number in range(9)]
    columns = [word for name in names for word in ("--column", f"{name}=throughput_mpps")]
    words = ("--vary", "island.threads=2,4", "--repeat", repeat, "--packets", 300, "--no-lengthen", *columns)
    screen = cli("sweep", NIC, *words, "--column", "part=bottleneck").out
    assert [name for name in (*names, "part", "throughput_") if name not in screen] == []
    assert ("part has no mean; --json has its values" in screen) == (repeat > 1)


@pytest.mark.parametrize("name", ["status", "run", "seed", "throughput_gbps", "island.threads"])
def test_a_column_replaces_no_other_column(name):
    with pytest.raises(ConfigError, match="choose a different name") as refused:
        linecard.sweep(NIC, vary={"island.threads": [2, 4]}, packets=300, repeat=2, columns={name: "packets_in"})
    assert refused.value.problems[0].key == name


def test_a_column_with_an_unknown_name_is_refused_after_one_run_at_most(tmp_path):
    with pytest.raises(ConfigError, match="`nosuch`, which is not a known name"):
        linecard.sweep(
            NIC, vary={"island.threads": [2, 4]}, packets=300, store=tmp_path, columns={"x": "nosuch + threads"}
        )


@pytest.mark.parametrize("switch", ["strict", "map_addresses"])
def test_the_command_of_a_refused_switch_repeats_the_refusal(cli, switch):
    ended = cli("sweep", NIC, "--vary", f"{switch}=maybe", "--set", "island.threads=2", "--packets", 300, "--json")
    row = json.loads(ended.out)["rows"][0]
    assert row["status"] == "refused"
    again = cli(*shlex.split(row["command"])[1:], "--json")
    assert (again.status, json.loads(again.out)["rows"][0]["reason"]) == (2, row["reason"])


@pytest.mark.parametrize("axis", ["seed", "packets"])
def test_a_point_whose_seed_or_length_is_no_number_is_refused(cli, axis):
    ended = cli("sweep", NIC, "--vary", f"{axis}=5000,x", "--vary", "island.threads=2,4", "--json")
    assert ended.status == 0, ended.err
    assert [row["status"] == "refused" for row in json.loads(ended.out)["rows"]] == [False, False, True, True]
    assert cli("sweep", NIC, "--set", f"{axis}=x", "--vary", "island.threads=2,4").status == 2


def test_refused_and_failed_points_are_rows_with_a_reason(cli, tmp_path, wording):
    ended = cli(
        *("sweep", NIC, "--vary", "traffic.rate_gbps=100,5000", "--vary", "packets.part=hbm2,hbm9"),
        *("--packets", 5000, "--store", tmp_path / "s", "--json"),
    )
    rows = json.loads(ended.out)["rows"]
    assert ended.status == 0
    assert [row["status"] for row in rows] == ["ok", "refused", "refused", "refused"]
    assert "hbm9" in rows[1]["reason"]
    assert rows[1]["throughput_gbps"] is None
    wording(ended.err)
    again = cli(*shlex.split(rows[2]["command"])[1:])
    assert again.status == 2
    ended = cli("sweep", NIC, "--vary", "packets.part=hbm9", "--packets", 100, "--store", tmp_path / "s")
    assert ended.status == 2
    assert "again: linecard run" in ended.out


DEADLOCK = """
kind = "chip"
title = "Two rings in a circle"
source = "a test"
[clock]
core_mhz = 100
[cluster.a]
engines = 1
threads = 1
takes = "work"
[cluster.b]
engines = 1
threads = 1
takes = "ring"
program = "b.toml"
[memory.sram]
access_cycles = 1
[buffer.rx]
bytes = "64 KiB"
[inbox.work]
[ring.ring]
memory = "sram"
entries = 1
[port.eth]
rate_gbps = 10
inbox = "work"
[[program.step]]
op = "put"
to = "ring"
[traffic]
kind = "imix"
rate_gbps = 5
"""


def test_points_that_were_not_steady_are_marked_on_the_screen_and_counted(cli, tmp_path):
    asked = {"island.count": [1, 10]}
    short = {"traffic.rate_gbps": 150, "verdict": False}
    table = linecard.sweep("example_smartnic", vary=asked, set=short, packets=4000)
    assert table.column("steady") == [False, True]
    assert table.column("status") == ["rate only", "ok"]
    note = "rate only: 1 of 2 points, with up to 16,000 packets per run"
    assert note in table._repr_html_()
    words = (
        "sweep",
        "example_smartnic",
        "--vary",
        "island.count=1,10",
        "--set",
        "traffic.rate_gbps=150",
        "--set",
        "verdict=false",
    )
    screen = cli(*words, "--packets", 4000, "--store", tmp_path / "s").out
    assert note in screen
    ends = [line.split("  ")[-1].strip() for line in screen.splitlines()]
    assert [end for end in ends if end in {"rate only", "ok"}] == ["rate only", "ok"]


def test_a_run_that_stands_still_is_a_failed_row_that_is_kept(cli, capture, tmp_path, monkeypatch, wording):
    monkeypatch.chdir(tmp_path)
    Path("stuck.toml").write_text(DEADLOCK)
    Path("b.toml").write_text(
        'kind = "program"\ntitle = "round"\nsource = "a test"\n[[step]]\nop = "put"\nto = "ring"\n'
    )
    command = ("sweep", "stuck.toml", "--vary", "seed=1,2", "--trace", "ten.pcap", "--store", "s", "--json")
    first = cli(*command)
    assert first.status == 4
    assert [row["status"] for row in json.loads(first.out)["rows"]] == ["failed", "failed"]
    assert "is deadlocked" in first.out
    second = cli(*command)
    assert second.out == first.out
    wording(second.err)


def test_the_same_bytes_with_any_number_of_jobs_again_and_by_shards(cli, tmp_path):
    command = ("sweep", NIC, "--vary", "island.count=2,5", "--vary", "seed=1..3", "--packets", 300, "--json")
    whole = [cli(*command, "--jobs", jobs, "--store", tmp_path / f"jobs{jobs}").out for jobs in (1, 2, 5)]
    assert whole[0] == whole[1] == whole[2]
    shards = [
        json.loads(cli(*command, "--shard", f"{n}/5", "--store", tmp_path / "s").out)["rows"] for n in range(1, 6)
    ]
    assert sum(map(len, shards)) == 6
    last = cli(*command, "--store", tmp_path / "s")
    assert last.out == whole[0]
    # Lengthened runs are found together with the shorter ones before them.
    assert re.search(r"(\d+) runs reused, 0 executed", last.err)


def test_an_axis_that_grows_runs_only_what_is_missing(tmp_path):
    asked = {"packets": 100, "lengthen": False, "store": tmp_path / "s"}
    linecard.sweep(NIC, vary={"island.count": [1, 2]}, **asked)
    grown = linecard.sweep(NIC, vary={"island.count": [1, 2, 3], "packets.part": ["ddr4_2400", "hbm2"]}, **asked)
    # The design's own part is the same content only if it is written in the same way: a stated part runs again.
    assert (grown.counts.found, grown.counts.run) == (0, 6)
    again = linecard.sweep(NIC, vary={"island.count": "1..4", "packets.part": ["hbm2", "ddr4_2400"]}, **asked)
    assert (again.counts.found, again.counts.run) == (6, 2)


def test_points_that_are_the_same_run_are_run_once():
    table = linecard.sweep(NIC, together=[{"island.threads": [4, 4.0]}], packets=2000)
    assert len(table) == 2


def test_what_a_file_says_decides_and_not_how_it_is_laid_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own, base = Path("own.toml"), Path("base.toml")
    base.write_text((ROOT / "presets" / "platforms" / "example_smartnic.toml").read_text())
    own.write_text('kind = "chip"\ntitle = "own"\nsource = "a test"\nextends = ["base.toml"]\n')
    request = Request("run", {"chip": "own.toml"}, {})
    first = content.content_of(request)
    base.write_text("# a remark\n" + base.read_text())
    assert content.content_of(request) == first
    base.write_text(base.read_text().replace("count = 10", "count = 9"))
    assert content.content_of(request) != first
    assert content.content_of(Request("run", {"chip": "own.toml", "seed": 2}, {})) != content.content_of(request)


def test_a_dry_run_says_how_many_and_how_long_and_keeps_what_it_tried(cli, tmp_path):
    command = (
        "sweep",
        NIC,
        "--vary",
        "island.count=1..10",
        "--packets",
        200,
        "--no-lengthen",
        "--store",
        tmp_path / "s",
    )
    found = json.loads(cli(*command, "--dry-run", "--json").out)
    assert (found["points"], found["runs"], found["found"], found["probes"]) == (10, 10, 3, 3)
    assert found["seconds"] > 0
    assert "3 runs reused, 7 executed" in cli(*command).err


def test_a_table_is_a_frame_a_csv_and_a_notebook_view(tmp_path):
    polars = pytest.importorskip("polars")
    table = linecard.sweep(NIC, vary={"packets.part": ["ddr4_2400", "hbm9"]}, packets=100)
    frame = table.to_frame()
    assert frame["status"].to_list() == ["ok", "refused"]
    assert frame["throughput_gbps"].dtype == polars.Float64
    table.save(tmp_path / "t.parquet")
    assert polars.read_parquet(tmp_path / "t.parquet").equals(frame)
    table.save(tmp_path / "t.csv")
    assert polars.read_csv(tmp_path / "t.csv").columns == list(table.columns)
    assert "refused" in table._repr_html_()
    assert math.isfinite(frame["throughput_gbps"].drop_nulls().sum())


# ---- the store ----


def test_a_store_lists_exports_and_forgets(cli, tmp_path):
    store = tmp_path / "s"
    cli("sweep", NIC, "--vary", "island.count=1..3", "--packets", 100, "--no-lengthen", "--store", store)
    listed = json.loads(cli("results", "list", "--store", store, "--json").out)
    assert [(row["what"], row["of"], row["runs"]) for row in listed["groups"]] == [("run", NIC, 3)]
    exported = cli("results", "export", "--store", store, "-o", "csv:-").out.splitlines()
    assert exported[0] == "run,what,command,component,metric,unit,value"
    assert len({line.split(",")[0] for line in exported[1:]}) == 3
    one = Store(store).use().used_bytes // 3
    pruned = json.loads(cli("results", "prune", "--store", store, "--to", one * 1.5 / 1e6, "--json").out)
    assert (pruned["removed"], pruned["use"]["runs"]) == (2, 1)
    ended = cli("results", "list", "--store", tmp_path / "nowhere")
    assert ended.status == 2
    assert "no store here" in ended.err


def test_a_store_stays_below_its_limit_and_keeps_what_was_used_last(cli, tmp_path):
    store = tmp_path / "s"
    command = ("sweep", NIC, "--packets", 100, "--no-lengthen", "--store", store, "--vary")
    cli(*command, "island.count=1..6")
    size = Store(store).use().used_bytes
    cli("results", "prune", "--store", store, "--limit", size * 0.75 / 1e6)
    cli(*command, "island.count=1")
    cli(*command, "island.count=7")
    assert Store(store).use().used_bytes <= size * 0.75
    assert "1 runs reused" in cli(*command, "island.count=7").err


def test_a_folder_of_other_things_is_no_store(cli, tmp_path, wording):
    (tmp_path / "mine.txt").write_text("mine")
    ended = cli("sweep", NIC, "--store", tmp_path)
    assert ended.status == 2
    wording(ended.err)


def test_a_row_has_its_limit_unless_it_was_told_to_leave_that_out(cli, tmp_path):
    words = ("sweep", "example_smartnic", "--vary", "island.count=1,2", "--set", "traffic.arrivals=saturated")
    words = (*words, "--packets", 200, "--no-lengthen", "--json", "--store", tmp_path / "s")
    found, left_out = (json.loads(cli(*words, *more).out)["rows"] for more in ((), ("--set", "verdict=false")))
    assert all(row["bottleneck"] and row["bottleneck"] != "not judged" for row in found)
    assert all("bottleneck" not in row for row in left_out)
    for with_it, without in zip(found, left_out, strict=True):
        assert with_it["run"] != without["run"]
        assert with_it["command"] == without["command"]
        same = without.keys() - {"run"}
        assert {name: with_it[name] for name in same} == {name: without[name] for name in same}


# ---- plots ----


def test_a_sweep_is_drawn_over_an_axis_with_the_same_bytes(cli, tmp_path, wording):
    pytest.importorskip("resvg_py")
    command = ("sweep", NIC, "--packets", 2000, "--vary", "island.count=2,3,4", "--vary", "packets.part=ddr4_2400,hbm9")
    files = []
    for name in ("a", "b"):
        ended = cli(*command, "--store", tmp_path / "s", "-o", tmp_path / f"{name}.svg", "--up", "latency_p99_ns")
        assert ended.status == 0, ended.err
        files.append((tmp_path / f"{name}.svg").read_bytes())
    assert files[0] == files[1]
    table = linecard.sweep(NIC, packets=2000, vary={"island.count": [2, 3]}, repeat=2)
    assert table.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    # Names are positions on the axis, and two measured columns are points.
    table.charted("status", "throughput_gbps").save(tmp_path / "names.svg")
    table.charted("latency_p50_ns", "throughput_gbps").save(tmp_path / "points.svg")
    for asked, says in (({"up": "speed"}, "no column 'speed'"), ({"up": "command"}, "no point has a number")):
        with pytest.raises(ConfigError, match=says):
            table.charted(**asked)
    with pytest.raises(ConfigError) as refused:
        table.save(tmp_path / "x.pdf")
    wording(refused.value)


def test_what_is_drawn_are_the_numbers_of_the_table():
    table = linecard.sweep(NIC, packets=2000, vary={"island.count": [3, 2], "packets.part": ["ddr4_2400", "hbm2"]})
    (chart,) = chart_of(table.charted(up="throughput_mpps"))
    lines = {series.name: dict(series.points) for series in chart.series}
    assert lines.keys() == {"packets part ddr4_2400", "packets part hbm2"}
    for row in table.rows:
        assert lines[f"packets part {row['packets.part']}"][row["island.count"]] == row["throughput_mpps"]


def test_the_hash_of_a_run_covers_what_a_c_file_includes(tmp_path, monkeypatch):
    from linecard.explore import content
    from linecard.explore.subject import Request

    monkeypatch.chdir(tmp_path)
    files = {
        "prog/my.c": '#include <linecard.h>\n#include "sub/a.h"\n  #  include "b.inc"\n#include "far.h"\n',
        "prog/sub/a.h": '#include "nested.h"\n#include "beside.h"\n',
        "prog/sub/nested.h": "1",
        "prog/beside.h": "1",
        "prog/b.inc": "1",
        "folder/far.h": "1",
        "forced.h": "1",
    }
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    Path("prog/other.h").write_text("1")
    request = Request("run", {"chip": "nfp4000", "program": "prog/my.c", "cflags": "-Ifolder -include forced.h"}, {})
    first = content.content_of(request)
    Path("prog/other.h").write_text("not included, longer")
    assert content.content_of(request) == first
    for name, text in files.items():
        Path(name).write_text(f"{text}\nint changed;")
        assert content.content_of(request) != first, name
        Path(name).write_text(text)
        assert content.content_of(request) == first


@pytest.mark.parametrize("first", ["#include <linecard.h>\n", "#include <linux/bpf.h>\n"])
def test_the_hash_of_a_run_covers_what_a_macro_includes(tmp_path, monkeypatch, first):
    from linecard.explore import content
    from linecard.explore.subject import Request

    pytest.importorskip("ziglang")
    monkeypatch.chdir(tmp_path)
    # The compiler alone can tell that `table` and `of` are files; each name is a macro of the file or of the request.
    files = {
        "my.c": f"{first}#define TEXT(x) #x\n#define NAMED(x) TEXT(x.inc)\n#include NAMED(table)\n",
        "table.inc": "#include OTHER\n",
        "a b.inc": "",
    }
    for name, text in files.items():
        Path(name).write_text(text)
    Path("other.inc").write_text("")
    arguments = {"chip": "nfp4000", "program": "my.c", "define": ['OTHER="a b.inc"']}
    request = Request("run", arguments, {})
    kept = content.content_of(request)
    assert content.files_of(request).keys() >= files.keys()
    Path("other.inc").write_text("int other;")
    assert content.content_of(request) == kept
    for name, text in files.items():
        Path(name).write_text(f"{text}\nint changed;")
        assert content.content_of(request) != kept, name
        Path(name).write_text(text)
        assert content.content_of(request) == kept
    other = Request("run", arguments | {"define": ['OTHER="other.inc"']}, {})
    assert "other.inc" in content.files_of(other)
    # The names of further files are in the one that a macro names.
    Path("a b.inc").write_text('#include "other.inc"\n')
    assert "other.inc" in content.files_of(request)
