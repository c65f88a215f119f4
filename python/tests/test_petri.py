"""`linecard petri` and `linecard.petri`; the nets' numbers are tested in Rust."""

from __future__ import annotations

import csv
import json

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
    assert frame.height == 4


def test_threads_change_nothing(cli, net):
    texts = [cli("petri", "simulate", net, "--time", "500", "--threads", n, "--json").out for n in (1, 2, 4)]
    assert texts[0] == texts[1] == texts[2]
    assert json.loads(texts[0])["replications"] == 10


def test_a_search_stops_at_its_limit_with_what_it_found(cli, tmp_path):
    path = tmp_path / "endless.toml"
    path.write_text(MM1K.replace('[[arc]]\nfrom = "free"\nto = "arrive"\n', ""))
    found = json.loads(cli("petri", "explore", path, "--limit", "1000", "--json").out)
    assert (found["complete"], found["reachable_markings"]) == (False, 1000)
    assert "stopped at the limit" in cli("petri", "explore", path, "--limit", "1000").out
    refused = cli("petri", "solve", path, "--limit", "1000")
    assert refused.status == 2
    assert "may be unbounded" in refused.err


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (("rate = 0.9", "rate = 0"), "transition arrive: .*expected a rate, delay or weight above 0"),
        (('to = "serve"', 'to = "sreve"'), "arc busy -> sreve: expected a place and a transition of this net"),
        (("tokens = 10", "token = 10"), "unknown field `token`"),
        (('kind = "exp"', 'kind = "gauss"'), "found kind `gauss`, expected exp, det, imm"),
        (('name = "busy"', 'name = "free"'), "place free: .*a name that is taken"),
        (("[[arc]]", "[[arc"), "mm1k.toml"),
    ],
)
def test_what_is_no_net_is_refused_with_its_place(net, change, error):
    net.write_text(MM1K.replace(*change))
    with pytest.raises(linecard.ConfigError, match=error):
        petri.explore(net)


def test_bad_requests_end_with_status_2(cli, net, tmp_path):
    assert cli("petri", "simulate", net, "--time", "-1").status == 2
    assert cli("petri", "simulate", net, "--replications", "0").status == 2
    assert cli("petri", "explore", net, "--limit", "0").status == 2
    assert cli("petri", "explore", tmp_path / "none.toml").status == 2
    (tmp_path / "cut.pnml").write_text("<pnml>\n<net")
    refused = cli("petri", "explore", tmp_path / "cut.pnml")
    assert refused.status == 2
    assert "line 1: found the root node was opened but never closed" in refused.err
