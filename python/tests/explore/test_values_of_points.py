"""Do expressions use the values of each point, and has each key of a point one value in every spelling?"""

from __future__ import annotations

import json

import pytest

import linecard
from linecard.errors import ConfigError
from linecard.explore import keys
from linecard.explore.objectives import read_task
from linecard.explore.points import make_points
from linecard.explore.spec import read_spec
from linecard.explore.sweep import draft_of
from linecard.explore.wording import doubts_text

# Two engines of one thread, 170 cycles of 1 ns a packet; the channels of a DRAM have a default that depends on others.
CHIP = """
kind = "chip"
title = "A"
source = "assumed"
[clock]
core_mhz = 1000
[cluster.core]
engines = 2
threads = 1
[memory.sram]
latency_cycles = 30
access_cycles = 4
[memory.packets]
kind = "dram"
part = "ddr4_2400"
pool_bytes = "1 MiB"
[buffer.rx]
bytes = "1 MiB"
[inbox.work]
[port.eth]
rate_gbps = 100
receive_to = "packets"
send_from = "packets"
[[program.step]]
op = "read"
at = "sram"
cycles = 170
[[program.step]]
op = "send"
[traffic]
kind = "fixed"
packet_bytes = 500
rate_gbps = 20
"""
STEPS = 'kind = "program"\ntitle = "p"\nsource = "assumed"\n[[step]]\nop = "compute"\ncycles = {cycles}\n'
SHORT, LONG = "core.engines", "cluster.core.engines"


@pytest.fixture
def chip(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(CHIP)
    return path


@pytest.fixture
def programs(tmp_path):
    paths = [tmp_path / f"steps{cycles}.toml" for cycles in (100, 50)]
    for path, cycles in zip(paths, (100, 50), strict=True):
        path.write_text(STEPS.format(cycles=cycles))
    return list(map(str, paths))


def kept(chip, name, written, *constraints, **others):
    points = make_points(draft_of(chip, vary={name: written}, constraints=constraints, **others).finish())
    return [point.values[name] for point in points.points]


def column(chip, text, **asked):
    table = linecard.sweep(chip, columns={"x": text}, **{"packets": 300, "lengthen": False} | asked)
    assert table.warnings == ()
    return table.column("x")


# ---- the values of a point ----


@pytest.mark.parametrize("axis", [SHORT, LONG])
@pytest.mark.parametrize("name", [SHORT, LONG, "engines"])
def test_a_constraint_knows_a_key_in_every_spelling(chip, axis, name):
    assert kept(chip, axis, [1, 2, 4], f"{name} <= 2") == [1, 2]


@pytest.mark.parametrize("name", [SHORT, LONG, "engines"])
def test_a_column_knows_what_is_set_in_every_spelling(chip, name):
    assert column(chip, f"{name} * core.threads", set={SHORT: 4}, vary={"core.threads": [1, 2]}) == [4, 8]


def test_a_default_is_that_of_the_point(chip):
    # Of two channels, one would keep the beginning of every packet if 256 bytes were interleaved.
    assert column(chip, "packets.interleave_bytes", vary={"packets.channels": [1, 2]}) == [256, 2048]
    assert kept(chip, "packets.channels", [1, 2], "interleave_bytes > 256") == [2]


def test_a_value_with_a_unit_has_the_unit_of_the_key(chip):
    clocks = ["0.5 GHz", "1 GHz", 2000]
    assert kept(chip, "clock.core_mhz", clocks, "clock.core_mhz != 500") == ["1 GHz", 2000]
    assert column(chip, "core_mhz / 2", vary={"clock.core_mhz": clocks}) == [250, 500, 1000]


def test_keys_of_a_program_are_those_of_the_program_of_the_point(chip, programs):
    assert column(chip, "program.step[0].cycles", vary={"program": programs}) == [100, 50]
    assert kept(chip, "program", programs, "program.step[0].cycles > 80") == programs[:1]
    # The file has a second step, and the programs have one.
    with pytest.raises(ConfigError, match=r"`program.step\[1\].op`, which is no key of this point's design"):
        kept(chip, "program", programs, "program.step[1].op == 'send'")


def test_a_name_of_a_part_is_known_though_it_switches_keys_on(chip):
    kinds = kept(chip, "packets.kind", ["dram", "server"], "packets.kind == 'dram' and packets.channels == 1")
    assert kinds == ["dram"]


def test_the_length_of_a_run_is_its_final_length(chip):
    # At 30 Gbit/s packets accumulate before one engine, so that its run of 2000 packets is lengthened.
    asked = {"traffic.rate_gbps": 30, "rx.bytes": "64 MiB", "packets.pool_bytes": "64 MiB"}
    columns = {"n": "packets", "mpps": "packets / simulated_seconds / 1e6"}
    table = linecard.sweep(chip, vary={SHORT: [1, 8]}, set=asked, packets=2000, columns=columns)
    assert table.rows[0]["n"] > 2000
    for row in table.rows:
        assert f"--packets {row['n']}" in row["command"]
        assert row["mpps"] == pytest.approx(row["throughput_mpps"], rel=0.05)


def test_a_point_that_will_be_refused_can_be_judged(chip):
    # Without a clock of a valid frequency the point has no description; the run states why.
    table = linecard.sweep(chip, vary={"clock.core_mhz": [-1]}, constraints=["packets.channels < 9"], packets=300)
    assert table.column("status") == ["refused"]


def test_numbers_need_one_description_for_all_points(chip, monkeypatch):
    described = []
    real = keys._core.describe
    monkeypatch.setattr(keys._core, "describe", lambda *asked: described.append(asked) or real(*asked))
    assert len(kept(chip, "core.threads", "1..50", "engines * threads <= 60")) == 30
    assert len(described) <= 2


def test_a_front_is_that_of_the_values_of_the_points(chip, tmp_path):
    path = tmp_path / "space.toml"
    path.write_text(f"""
kind = "optimize"
chip = "{chip}"
packets = 300
lengthen = false
constraints = ["{LONG} * core.threads <= 4"]
objectives = ["min total"]
limits = ["{LONG} > 1"]
budget = 100
[vary]
core.engines = [1, 2, 4, 8]
core.threads = [1, 2]
[columns]
total = "{LONG} * core.threads"
""")
    task = read_task(path)
    assert len(make_points(task.spec).points) == 5
    found = linecard.optimize(path, set={"traffic.rate_gbps": 1})
    assert (found.runs, found.beyond_limits) == (5, 2)
    assert [(row[SHORT], row["core.threads"], row["objectives"]) for row in found.front] == [(2, 1, [2])]
    with pytest.raises(ConfigError, match=f"set: {LONG}: is set, but .*space.toml:11 varies it, because `{SHORT}`"):
        linecard.optimize(path, set={LONG: 2})


# ---- one value for each key ----


def test_two_axes_of_one_key_are_refused_with_both_spellings(chip, cli):
    for options in (("--vary", f"{SHORT}=1,2", "--vary", f"{LONG}=3,4"), ("--vary", f"{SHORT}=1,2;{LONG}=3,4")):
        ended = cli("sweep", chip, *options)
        assert ended.status == 2
        assert f"{LONG}: is varied twice, because `{SHORT}` and `{LONG}` are one key" in ended.err
    with pytest.raises(ConfigError, match=f"{SHORT}: is varied twice; expected one list"):
        draft_of(chip, together=[{SHORT: [1, 2]}, {SHORT: [3, 4]}]).finish()


def written(chip, more=""):
    path = chip.parent / "sweep.toml"
    path.write_text(
        f'kind = "sweep"\nchip = "{chip}"\npackets = 300\nlengthen = false\n{more}[vary]\n{LONG} = [1, 2]\n'
    )
    return path


def test_an_option_replaces_an_axis_in_any_spelling(chip, cli):
    varied = ("--vary", f"{SHORT}=8", "--vary", "packets=400,500")
    rows = json.loads(cli("sweep", written(chip), *varied, "--json", "--store", chip.parent / "s").out)["rows"]
    assert [(row[SHORT], row["packets"]) for row in rows] == [(8, 400), (8, 500)]
    assert all(
        LONG not in row and f"--packets {row['packets']} " in row["command"] and f"{LONG}=8" in row["command"]
        for row in rows
    )


def test_an_option_replaces_a_value_in_any_spelling(chip):
    path = written(chip, "[set]\ncore.threads = 2\n")
    points = make_points(draft_of(path, set={"cluster.core.threads": 4}).finish())
    assert [point.request.settings["cluster.core.threads"] for point in points.points] == [4, 4]
    points = make_points(draft_of(path, vary={"cluster.core.threads": [8]}).finish())
    assert [point.request.settings["cluster.core.threads"] for point in points.points] == [8, 8]


def test_a_value_of_a_varied_key_is_refused(chip, cli):
    path = written(chip)
    for key in (SHORT, LONG):
        said = cli("sweep", path, "--set", f"{key}=8").err
        assert f"set: {key}: is set, but {path}:6 varies it" in said
        assert f"--vary {LONG}=8 replaces the axis" in said
    said = cli("sweep", path, "--vary", "packets=100,200", "--packets", 500).err
    assert "--packets: packets: is set, but --vary varies it; omit the value or the axis" in said
    with pytest.raises(ConfigError, match=f"{SHORT}: is set, but .*:8 varies it"):
        read_spec(written(chip, f"[set]\n{SHORT} = 8\n")).finish()


def test_a_key_that_is_set_in_two_spellings_is_refused(chip):
    with pytest.raises(ConfigError, match=f"{LONG}: is set twice, because `{SHORT}` and `{LONG}` are one key"):
        draft_of(chip, set={SHORT: 1, LONG: 2}).finish()
    # Two keys of the design have this end, so that it is no spelling of either.
    draft_of(chip, set={"sram.clock": "core", "clock": "core"}).finish()


def test_only_conclusive_runs_are_said_to_be_conclusive():
    assert doubts_text(["ok", "ok"], [8000], 2) == (
        "2 of 2 runs were lengthened until conclusive: up to 8,000 packets",
    )
    assert doubts_text(["ok", "not steady"], [8000], 2)[-1] == "2 of 2 runs were lengthened: up to 8,000 packets"


LIST = 'program.step=[{cycles=400}, {op="send"}]'
SET = ("--set", LIST, "--set", "core.threads={value=1}", "--json")
SHORT_RUN, LOADED = ("--packets", 500, *SET), ("--set", "traffic={rate_gbps=40}")


@pytest.mark.parametrize(
    ("words", "mpps_of"),
    [
        (("run", *SHORT_RUN, "--set", "traffic.rate_gbps=40"), lambda found: found["summary"]["throughput_mpps"]),
        (("sweep", "--vary", "seed=1", *SHORT_RUN, *LOADED), lambda found: found["rows"][0]["throughput_mpps"]),
        (("why", "--seeds", 1, *SHORT_RUN, *LOADED), lambda found: found["throughput_mpps"]),
        (("ndr", "--seeds", 1, *SHORT_RUN), lambda found: found["rows"][0]["ndr_mpps"]),
        (("check", "--size", 500, *SET, *LOADED), lambda found: found["demands"][0]["most_mpps"]),
        (("compare", "--packets", 500, "--json", *LOADED, "--set-b", LIST), lambda found: found["metrics"][1]["b"]),
    ],
)
def test_every_command_takes_lists_and_tables_as_values(chip, cli, words, mpps_of, tmp_path, monkeypatch):
    """Two engines with 400 ns a packet forward 5 packets a microsecond; more are offered."""
    monkeypatch.chdir(tmp_path)
    ended = cli(words[0], chip, *words[1:])
    assert mpps_of(json.loads(ended.out)) == pytest.approx(5, rel=0.02), ended.err


def test_settings_of_python_may_be_lists_of_tables(chip):
    steps = {"program.step": [{"cycles": 400}, {"op": "send"}], "traffic.rate_gbps": 40}
    table = linecard.sweep(chip, set=steps, vary={"seed": [1]}, packets=500)
    assert table.column("throughput_mpps") == [pytest.approx(5, rel=0.02)]
    with pytest.raises(ConfigError, match="found a list, expected a number, text, true, false, or a list of these"):
        linecard.sweep(chip, set={"packets": [[1]]}, vary={"seed": [1]})
