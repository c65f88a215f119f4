"""`linecard petri` and `linecard.petri`; the nets' numbers are tested in Rust."""

from __future__ import annotations

import csv
import json
import re
import tomllib

import pytest
from conftest import ROOT

import linecard
from linecard import petri

GOLDEN = ROOT.parent / "shared" / "golden" / "petri"
MM1K = """
[[place]]
name = "free"
tokens = 10
[[place]]
name = "busy"
[[transition]]
name = "arrive"
kind = "exp"
rate = 0.9
[[transition]]
name = "serve"
kind = "exp"
rate = 1
[[arc]]
from = "free"
to = "arrive"
[[arc]]
from = "arrive"
to = "busy"
[[arc]]
from = "busy"
to = "serve"
[[arc]]
from = "serve"
to = "free"
"""


@pytest.fixture
def net(tmp_path):
    path = tmp_path / "mm1k.toml"
    path.write_text(MM1K)
    return path


def test_every_golden_net_through_the_command(cli):
    if not (GOLDEN / "mcc" / "results.csv").exists():
        print("skipped: the golden nets are not there")
        return
    with (GOLDEN / "mcc" / "results.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    columns = ("reachable_markings", "edges", "dead_markings", "max_tokens_in_place", "max_tokens_in_marking")
    for line in lines:
        ended = cli("petri", "explore", GOLDEN / "mcc" / line["file"], "--json")
        assert ended.status == 0, ended.err
        found = json.loads(ended.out)
        assert {column: found[column] for column in columns} == {column: int(line[column]) for column in columns}


def test_solution_and_simulation_agree(net):
    solved = petri.solve(net)
    assert solved.tangible_markings == 11
    assert solved.throughput["serve"] == pytest.approx(0.8542683, abs=1e-6)
    found = petri.simulate(net, 20_000, replications=8)
    for name, value in solved.throughput.items():
        assert abs(found.throughput[name] - value) <= 3 * found.throughput_half_width[name]
    for name, value in solved.mean_tokens.items():
        assert abs(found.mean_tokens[name] - value) <= 3 * found.mean_tokens_half_width[name]
    assert found.most_tokens == {"free": 10, "busy": 10}
    frame = found.to_frame()
    assert frame.columns == ["measure", "name", "mean", "half_width"]
    assert frame.height == 6


def test_jobs_change_nothing(cli, net):
    texts = [cli("petri", "simulate", net, "--time", "500", "--jobs", n, "--json").out for n in (1, 2, 4)]
    assert texts[0] == texts[1] == texts[2]
    assert json.loads(texts[0])["replications"] == 10


def test_jobs_change_no_marking(cli, tmp_path):
    ring, endless = petri.Net("ring"), petri.Net("endless")
    places = [ring.place(f"p{n}", tokens=17 if n == 0 else 0) for n in range(7)]
    for n, place in enumerate(places):
        turn = ring.transition(f"t{n}", rate=1.0)
        ring.take(place, turn)
        ring.put(turn, places[(n + 1) % len(places)])
    for n in range(4):
        endless.put(endless.transition(f"t{n}", rate=1.0), endless.place(f"p{n}"))
    for net, limit, complete in ((ring, 1_000_000, True), (ring, 60_001, False), (endless, 60_001, False)):
        path = tmp_path / "net.toml"
        path.write_text(net.to_toml())
        texts = [cli("petri", "explore", path, "--limit", limit, "--jobs", n, "--json").out for n in (1, 2, 4)]
        assert texts[0] == texts[1] == texts[2]
        found = json.loads(texts[0])
        assert (found["complete"], found["reachable_markings"]) == (complete, 100_947 if complete else limit)
    assert found["unbounded_places"]


def test_a_search_stops_at_its_limit_with_what_it_found(cli, tmp_path, wording):
    path = tmp_path / "endless.toml"
    path.write_text(MM1K.replace('[[arc]]\nfrom = "free"\nto = "arrive"\n', ""))
    found = json.loads(cli("petri", "explore", path, "--limit", "1000", "--json").out)
    assert (found["complete"], found["reachable_markings"]) == (False, 1000)
    wording(cli("petri", "explore", path, "--limit", "1000").out)
    refused = cli("petri", "solve", path, "--limit", "1000")
    assert refused.status == 2
    assert "may be unbounded" in refused.err


def test_a_net_that_is_shown_to_be_unbounded_is_not_solved_up_to_the_limit(cli, tmp_path, wording):
    path = tmp_path / "endless.toml"
    path.write_text(MM1K.replace('[[arc]]\nfrom = "free"\nto = "arrive"\n', ""))
    refused = cli("petri", "solve", path)
    assert refused.status == 2
    wording(refused.err)


def test_a_net_that_an_immediate_transition_keeps_bounded_is_solved():
    net = petri.Net("drained")
    place, gone = net.place("waiting"), net.place("gone", tokens=1)
    arrive, drain = net.transition("arrive", rate=2.0), net.transition("drain", weight=1.0)
    net.put(arrive, place)
    net.take(place, drain)
    net.take(gone, drain)
    net.put(drain, gone)
    assert petri.explore(net, 20_000).unbounded_places == ("waiting",)
    assert petri.solve(net).throughput["arrive"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    "change",
    [
        ("rate = 0.9", "rate = 0"),
        ('to = "serve"', 'to = "sreve"'),
        ("tokens = 10", "token = 10"),
        ('kind = "exp"', 'kind = "gauss"'),
        ('name = "busy"', 'name = "free"'),
        ("[[arc]]", "[[arc"),
    ],
)
def test_what_is_no_net_is_refused_with_its_place(net, change, wording):
    net.write_text(MM1K.replace(*change))
    with pytest.raises(linecard.ConfigError) as refused:
        petri.explore(net)
    wording(refused.value)


def test_bad_requests_end_with_status_2(cli, net, tmp_path, wording):
    assert cli("petri", "simulate", net, "--time", "-1").status == 2
    assert cli("petri", "simulate", net, "--replications", "0").status == 2
    assert cli("petri", "explore", net, "--limit", "0").status == 2
    refused = cli("petri", "explore", net, "--jobs", "0")
    assert refused.status == 2
    wording(refused.err)
    assert cli("petri", "explore", tmp_path / "none.toml").status == 2
    (tmp_path / "cut.pnml").write_text("<pnml>\n<net")
    refused = cli("petri", "explore", tmp_path / "cut.pnml")
    assert refused.status == 2
    wording(refused.err)


GUIDE = (ROOT / "docs" / "guide" / "petri.md").read_text()
BUS = re.search(r"```toml\n(name = \"bus\".*?)```", GUIDE, re.DOTALL)[1]


def test_a_net_without_parameters_says_so(cli, tmp_path):
    (tmp_path / "mm1k.toml").write_text(MM1K)
    ended = cli("petri", "simulate", tmp_path / "mm1k.toml", "--set", "x=1")
    assert ended.status == 2
    assert '--set: found "x=1", but the net has no parameters, [parameters]; omit it' in ended.err


def test_the_coloured_net_of_the_guide_runs(cli, tmp_path, wording):
    path = tmp_path / "bus.toml"
    path.write_text(BUS)
    found = petri.simulate(path, 50_000, replications=4)
    # Every request is served; a firing counts for its bytes, 0.7 x 64 + 0.3 x 32.
    assert found.throughput["serve"] == pytest.approx(found.throughput["ask"], rel=0.01)
    assert found.rewards["serve"] / found.throughput["serve"] == pytest.approx(54.4, rel=0.02)
    # By Little's law, each service takes 30 ns and a cycle for every 16 bytes.
    assert found.mean_tokens["serving"] == pytest.approx(found.busy_servers["serve"])
    assert found.busy_servers["serve"] / found.throughput["serve"] == pytest.approx(30 + 54.4 / 16 * 10, rel=0.02)
    assert found.most_tokens["serving"] == 2
    assert sum(found.occupancy["serving"]) == pytest.approx(1)
    assert " reward" in cli("petri", "simulate", path, "--time", "900").out
    one = petri.simulate(path, 50_000, replications=4, overrides=["banks=1"])
    assert one.most_tokens["serving"] == 1
    threads = [cli("petri", "simulate", path, "--time", "900", "--jobs", n, "--json").out for n in (1, 3)]
    assert threads[0] == threads[1]
    refused = cli("petri", "explore", path)
    assert refused.status == 2
    wording(refused.err)


@pytest.mark.parametrize(
    "change",
    [
        ('tokens = "r.bank"', 'tokens = "r.bnk"'),
        ('tokens = "r.bank"', 'tokens = "r.bank +"'),
        ('bank = "0..banks - 1"', 'bank = "0..bnks"'),
        ('tokens = "all"', 'tokens = ["7"]'),
        ("rate = 0.05", 'rate = "0.05 * s"'),
        ("sizes = [[64, 0.7], [32, 0.3]]", "sizes = [[64, -1]]"),
        ('choice = "fifo"', 'choice = "lifo"'),
        ("banks = 2", 'banks = "2 / 0"'),
    ],
)
def test_what_is_no_coloured_net_is_refused_with_its_place(tmp_path, change, wording):
    path = tmp_path / "bus.toml"
    assert change[0] in BUS
    path.write_text(BUS.replace(*change))
    with pytest.raises(linecard.ConfigError) as refused:
        petri.simulate(path)
    wording(refused.value)


def test_a_module_is_a_net_within_a_net(tmp_path):
    (tmp_path / "station.toml").write_text("""
interface = ["in", "out"]
[parameters]
mu = 1.0
slots = 1
[[place]]
name = "in"
tokens = 5
[[place]]
name = "out"
[[place]]
name = "idle"
tokens = "slots"
[[transition]]
name = "serve"
kind = "exp"
rate = "mu"
servers = "inf"
[[arc]]
from = "in"
to = "serve"
[[arc]]
from = "idle"
to = "serve"
[[arc]]
from = "serve"
to = "idle"
[[arc]]
from = "serve"
to = "out"
""")
    outer = tmp_path / "ring.toml"
    text = """
[parameters]
speed = 2.0
[[place]]
name = "a"
tokens = 3
[[place]]
name = "b"
[[module]]
name = "first"
file = "station.toml"
places = { in = "a", out = "b" }
parameters = { mu = "speed / 2" }
[[module]]
name = "second"
file = "station.toml"
places = { in = "b", out = "a" }
parameters = { mu = "speed" }
"""
    outer.write_text(text)
    # Exponential servers with rates 1 and 2 and three jobs: the probabilities are proportional to 1, 2, 4, 8 by the
    # number of jobs at the first.
    solved = petri.solve(outer)
    assert solved.throughput["first.serve"] == pytest.approx(14 / 15)
    assert solved.mean_tokens["a"] == pytest.approx((1 * 2 + 2 * 4 + 3 * 8) / 15)
    found = petri.explore(outer, invariants=True)
    assert {"a": 1, "b": 1} in found.place_invariants
    assert found.transition_invariants == ({"first.serve": 1, "second.serve": 1},)
    for change, error in (
        (
            ('out = "a"', 'idle = "a"'),
            'second.places.idle: found "idle", expected interface places of the module: in, out',
        ),
        (
            ('mu = "speed"', "nu = 1"),
            'module second.parameters.nu: found "nu", expected parameters of the module: mu, slots',
        ),
        (("station.toml", "ring.toml"), "inside itself"),
        (("station.toml", "none.toml"), "cannot read"),
    ):
        outer.write_text(text.replace(*change))
        with pytest.raises(linecard.ConfigError, match=error):
            petri.solve(outer)


def test_replications_go_on_until_they_are_accurate(net, wording):
    found = petri.simulate(net, 1000, replications=2, accuracy=0.02, of=["serve"])
    assert found.replications > 2
    assert found.throughput_half_width["serve"] <= 0.02 * found.throughput["serve"]
    assert found.relative_half_width == found.throughput_half_width["serve"] / found.throughput["serve"]
    stopped = petri.simulate(net, 10, replications=2, accuracy=1e-6, most_replications=7)
    assert stopped.replications == 7
    with pytest.raises(linecard.ConfigError) as refused:
        petri.simulate(net, accuracy=0.02, of=["sreve"])
    wording(refused.value)
    for given in ({"of": ["serve"]}, {"most_replications": 7}):
        with pytest.raises(linecard.ConfigError, match="has no effect without an accuracy"):
            petri.simulate(net, **given)
    with pytest.raises(linecard.ConfigError) as refused:
        petri.simulate(net, accuracy=2.0)
    wording(refused.value)


def test_a_net_built_in_python_is_the_file_that_it_writes(tmp_path, wording):
    net = petri.Net("two")
    net.parameter("slow", 0.5)
    net.colour("kind", "red", "blue")
    job = net.colour("job", kind="kind", size="1..3")
    waiting = net.place("waiting", job, tokens=[{"kind": "red", "size": 1}, "2 of {kind: blue, size: 3}"])
    done = net.place("done", job)
    j = petri.var("j")
    work = net.transition("work", rate=petri.when(j.kind == "red", 2, petri.var("slow")) / j.size, servers="inf")
    back = net.transition("back", erlang=(1, 1.0), servers="inf", guard=~((j.size > 3) | (j.size < 1)) & (j.size != 7))
    net.take(waiting, work, j)
    net.put(work, done, j.replace(size=4 - j.size))
    net.take(done, back, j)
    net.put(back, waiting, {"kind": j.kind, "size": 4 - j.size})
    path = tmp_path / "two.toml"
    path.write_text(net.to_toml())
    assert petri.simulate(net, 500) == petri.simulate(path, 500)
    # Each token circulates by itself: red at 1 / (1/2 + 1), and two blue ones at 1 / (3/0.5 + 1).
    found = petri.simulate(net, 20_000)
    assert found.throughput["work"] == pytest.approx(1 / 1.5 + 2 / 7, rel=0.02)
    with pytest.raises(TypeError) as refused:
        assert j.size > 3
    wording(refused.value)
    with pytest.raises(ValueError) as refused:
        net.transition("odd", rate=1, delay=2)
    wording(refused.value)


def test_a_net_is_drawn_with_all_its_parts(cli, tmp_path, wording):
    from xml.etree import ElementTree

    path = tmp_path / "bus.toml"
    path.write_text(BUS)
    assert cli("petri", "draw", path, "-o", tmp_path / "bus.svg").status == 0
    picture = ElementTree.parse(tmp_path / "bus.svg").getroot()
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    for name in ("source", "requests", "free_banks", "serving", "ask", "start", "serve", "r.bank", "exp 0.05", "••••"):
        assert name in texts, name
    assert cli("petri", "draw", path, "-o", tmp_path / "bus.dot").status == 0
    dot = (tmp_path / "bus.dot").read_text()
    assert dot.startswith('digraph "bus" {')
    assert dot.count("->") == 8
    wording(cli("petri", "draw", path, "-o", tmp_path / "bus.png").err)


def test_a_net_goes_to_pnml_and_back(cli, net, tmp_path):
    out = tmp_path / "mm1k.pnml"
    assert cli("petri", "convert", net, "-o", out).status == 0
    assert petri.solve(out).throughput == petri.solve(net).throughput
    coloured = tmp_path / "bus.toml"
    coloured.write_text(BUS)
    assert "--unfold" in cli("petri", "convert", coloured, "-o", tmp_path / "bus.pnml").err
    few = petri.Net("few")
    kind = few.colour("kind", "a", "b")
    place = few.place("p", kind, tokens="all")
    turn = few.transition("turn", rate=1, guard=petri.var("x") == petri.var("a"))
    few.take(place, turn, petri.var("x"))
    few.put(turn, place, petri.var("b"))
    out.write_text(petri.pnml(few, unfold=True))
    assert petri.explore(out).bounds == {"p@a": 1, "p@b": 2}


def test_a_run_can_be_stepped_through_and_traced(cli, tmp_path, monkeypatch, wording):
    import io

    path = tmp_path / "bus.toml"
    path.write_text(BUS)
    run = petri.firings(path, 12)
    assert run == petri.firings(path, 5) + petri.firings(path, 7, first=5)
    assert [firing.time for firing in run] == sorted(firing.time for firing in run)
    monkeypatch.setattr("sys.stdin", io.StringIO("3\n\nm\nfly\nq\n"))
    lines = cli("petri", "step", path).out.splitlines()
    wording(lines[0])
    assert [line.split()[0] for line in lines[1:5]] == ["1", "2", "3", "4"]
    assert "start (b = " in "\n".join(lines)
    assert lines[5].startswith(f"at {run[3].time:g}: ")
    wording(lines[6])
    for wrong in ("t nan", "t -3", "t inf", "99999999999999999999", "-1", "1.5", "nan", "9" * 9999):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{wrong}\n\nq\n"))
        said = cli("petri", "step", path).out.splitlines()
        assert said[1].startswith(f"found {wrong.removeprefix('t ')[:40]}")
        assert ", expected a " in said[1]
        assert [line.split()[0] for line in said[2:]] == ["1"]
    out = tmp_path / "bus.json"
    assert cli("petri", "trace", path, "-o", out, "--time", "200").status == 0
    events = json.loads(out.read_text())["traceEvents"]
    fired = [event for event in events if event["ph"] == "i"]
    assert [event["ts"] for event in fired] == [firing.time for firing in petri.firings(path, time=200)]
    # The curve of each place ends with the run.
    last = {event["name"]: event["args"]["tokens"] for event in events if event["ph"] == "C"}
    names = [place.name for place in petri.parts(path).places]
    assert tuple(last[name] for name in names) == petri.firings(path, time=200)[-1].tokens
    for wrong in ("0", "-1", "nan", "inf"):
        ended = cli("petri", "trace", path, "-o", tmp_path / "refused.json", "--unit-us", wrong)
        assert ended.status == 2
        assert f"--unit-us: found {wrong}, expected a finite number of microseconds above 0" in ended.err
    assert not (tmp_path / "refused.json").exists()


def test_the_dram_net_alone_is_as_the_study_has_figure_3_6():
    # One outstanding access takes 10 cycles, row, column and burst, and 3 more if it meets the same bank.
    found = petri.simulate("girish2008_dram", 1_000_000, replications=2, overrides=["in_flight=1"])
    per_access = 1 / found.throughput["CpuTrans"]
    assert 100 < per_access < 130
    wide = petri.simulate("girish2008_dram", 2_000_000, replications=2, overrides=["in_flight=6"])
    narrow = petri.simulate(
        "girish2008_dram", 2_000_000, replications=2, overrides=["in_flight=6", "narrow_percent=50"]
    )
    gbps = [run.throughput["CpuTrans"] * 8 * size for run, size in ((wide, 64), (narrow, 48))]
    # Figure 3.6: 10.03 and 8.55 Gbit/s, within the uncertainty of the number of outstanding requests.
    assert gbps[0] == pytest.approx(10.03, rel=0.05)
    assert gbps[1] == pytest.approx(8.55, rel=0.05)


def test_the_net_of_the_ixp2400_has_the_parameters_of_the_preset():
    from linecard.petri.ixp2400 import overrides, parameters

    values = parameters("ixp2400", ["me.engines=4", "me.threads=4"])
    shipped = tomllib.loads((ROOT / "presets" / "nets" / "ixp2400_ipv4.toml").read_text())["parameters"]
    own = {name: entry["value"] if isinstance(entry, dict) else entry for name, entry in shipped.items()}
    for setting in overrides(values):
        name, _, value = setting.partition("=")
        expected = own[name]
        assert json.loads(value) == (pytest.approx(expected) if isinstance(expected, float) else expected), name


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--set", "traffic.arrivals=constant", "--set", "traffic.rate_gbps=1"], "traffic.arrivals"),
        (["--set", "dram.back_pressure_requests=10"], "dram.back_pressure_requests"),
        (["--set", "me.switch_cycles=2"], "me.switch_cycles"),
        (["--scheme", "DYNAMIC"], "program.scheme"),
        # 54 engines with 8 threads need more scratchpad than exists under FCB+TB.
        (["--scheme", "FCB+TB", "--threads", "54x8"], "memory.scratch"),
    ],
)
def test_what_the_net_does_not_know_is_refused(cli, options, named):
    refused = cli("compare-models", "--traffic", "64", *options)
    assert refused.status == 2
    assert named in refused.err


def test_both_models_of_the_ixp2400_agree(cli):
    point = ["--threads", "2x4", "--traffic", "64,PSC", "--scheme", "BASE,HB", "--packets", "4000"]
    ended = cli("compare-models", *point, "--json")
    assert ended.status == 0, ended.out
    found = json.loads(ended.out)
    assert found["passed"]
    assert len(found["rows"]) == 4 * 8


def test_the_dram_net_keeps_step_with_the_cycle_model(tmp_path):
    from linecard._studies.girish2008.runners import dram_models

    # Three cases without chance: 13 clocks if accesses meet in one bank, half of that with two banks, and the bus with
    # its turnarounds with four banks.
    for accesses, in_flight, clocks in (
        ([(0, n, False) for n in range(600)], 4, 13.0),
        ([(n % 2, n, False) for n in range(600)], 1, 12.0),
        ([(n % 2, n, False) for n in range(600)], 2, 6.5),
        ([(n % 4, n, n % 2 == 0) for n in range(600)], 4, 5.0),
    ):
        file = tmp_path / "trace.csv"
        lines = [f"0,{'W' if write else 'R'},{(row * 4 + bank) * 4096},64" for bank, row, write in accesses]
        file.write_text("\n".join(["arrival,op,address,bytes", *lines]) + "\n")
        cycle = linecard.dram("girish2008_ddr", "frfcfs_closed", trace=file, in_flight=in_flight)
        of_net = 512 / dram_models.through_net(accesses, in_flight, 10.0) / 10
        assert cycle.end_clock / 600 == pytest.approx(clocks, rel=0.01)
        assert of_net == pytest.approx(clocks, rel=0.01)


def test_the_net_of_core_traffic_is_shot_noise():
    """Flows are those of M/M/inf, and the load is their number multiplied by the mean rate (Campbell's theorem)."""
    file = ROOT / "presets" / "nets" / "girish2008_core_traffic.toml"
    given = {name: entry["value"] for name, entry in tomllib.loads(file.read_text())["parameters"].items()}
    flows = given["flows_per_ms"] * given["duration_ms"]

    def mean(pairs):
        return sum(value * weight for value, weight in pairs) / sum(weight for _, weight in pairs)

    assert mean(given["sizes_bytes"]) == pytest.approx(given["mean_bytes"])
    found = petri.simulate(file, 60_000.0, replications=4, seed=3)
    # The bound is twice the half-width, as for the golden nets.
    assert abs(found.mean_tokens["GenPacket"] - flows) < 2 * found.mean_tokens_half_width["GenPacket"]
    packets = flows * mean(given["rates_kbps"]) / (8 * given["mean_bytes"])
    assert abs(found.throughput["Departure"] - packets) < 2 * found.throughput_half_width["Departure"]
    assert found.mean_tokens["Network"] == 0


def test_a_capacity_of_pipe_is_refused_and_not_passed_over(tmp_path, wording):
    net = tmp_path / "pipe.xml"
    text = (
        '<pnml><net id="n" type="P/T net"><place id="P0"><initialMarking><value>0</value></initialMarking><capacity>'
        '<value>2</value></capacity></place><transition id="T0"/><arc id="a" source="T0" target="P0"/></net></pnml>'
    )
    net.write_text(text)
    with pytest.raises(linecard.ConfigError) as refused:
        petri.parts(net)
    wording(refused.value)
    # PIPE writes 0 for a place without a capacity.
    net.write_text(text.replace("<value>2<", "<value>0<"))
    assert petri.parts(net) is not None
