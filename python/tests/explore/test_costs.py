"""Are costs computed from data with sources, and do shipped costs agree with the documents and the core?"""

from __future__ import annotations

import json
import tomllib

import pytest
from conftest import ROOT

import linecard
from linecard.errors import ConfigError
from linecard.explore.costs import SHIPPED, read_costs

OWN = """
kind = "costs"
[price]
unit = "euro"
source = "assumed"
of = { ddr4_2400 = 4.0, hbm2 = 30 }
[thread_mm2]
unit = "mm2"
source = "a process of our own"
value = 0.01
"""
SPACE = """
kind = "sweep"
chip = "example_smartnic"
packets = 100
verdict = false
costs = "own.toml"
[vary]
packets.part = ["ddr4_2400", "hbm2"]
[columns]
money = 'packets.channels * cost("price", packets.part)'
area = 'island.threads * cost("thread_mm2") + cost("engine_mm2")'
standby = 'cost("dram_standby_mw", packets.part)'
"""


@pytest.fixture
def space(tmp_path):
    (tmp_path / "own.toml").write_text(OWN)
    (tmp_path / "space.toml").write_text(SPACE)
    return tmp_path / "space.toml"


def test_a_file_of_ones_own_adds_costs_and_replaces_shipped_ones(space):
    found = linecard.sweep(space)
    assert found.column("money") == [16.0, 120.0]
    assert found.column("area") == [pytest.approx(0.08 + 3.423)] * 2
    # The costs of a part without known currents are unknown; the rest of the table exists.
    assert found.column("standby") == [412.8, None]
    assert any("defined for ddr3_1600, ddr4_2400" in warning for warning in found.warnings)


def test_the_shipped_areas_and_energies_are_those_of_the_presets():
    costs = read_costs(())
    area = {each.key: float(each.value) for each in linecard.describe("cores/area_130nm").parameters}
    thread = area["area.thread_equivalent_mm2"]
    assert costs["thread_mm2"] == thread
    assert costs["engine_mm2"] == pytest.approx(thread * area["area.core_thread_equivalents"])
    line_kib = area["area.further_lines"] * 16 / 1024
    assert costs["cache_kib_mm2"] == pytest.approx(thread / line_kib)
    assert costs["dram_standby_mw"].keys() == {
        path.stem for path in (ROOT / "presets" / "dram").glob("*.toml") if "[energy]" in path.read_text()
    }
    for part, standby in costs["dram_standby_mw"].items():
        said = {each.key: each.value for each in linecard.describe(part).parameters}
        amps = {name: said[f"energy.{name}"] for name in ("IDD0", "IDD2N", "IDD3N", "IDD4R", "IDD4W")}
        watts = said["energy.parts"] * said["energy.VDD"]
        assert standby == pytest.approx(watts * amps["IDD3N"])
        moving = watts * ((amps["IDD4R"] + amps["IDD4W"]) / 2 - amps["IDD3N"])
        assert costs["dram_moving_mw"][part] == pytest.approx(moving)
        ras, rc = said["timing.tRAS"], said["timing.tRC"]
        charge = amps["IDD0"] * rc - amps["IDD3N"] * ras - amps["IDD2N"] * (rc - ras)
        assert costs["dram_activate_nj"][part] == pytest.approx(watts * charge * said["clock.period_ns"] / 1e3)


def test_every_shipped_cost_has_a_unit_and_a_source():
    table = tomllib.loads(SHIPPED.read_text())
    for name, cost in table.items():
        if name not in {"kind", "title"}:
            assert cost["unit"]
            assert len(cost["source"]) > 8


@pytest.mark.parametrize(
    "text",
    [
        "kind = 'sweep'",
        "kind = 'costs'\n[a]\nvalue = 1",
        "kind = 'costs'\n[a]\nunit='x'\nsource='y'",
        "kind = 'costs'\n[a]\nunit='x'\nsource='y'\nvalue='z'",
        "kind = 'costs'\n[a]\nunit='x'\nsource='y'\nvalue=1\nprize=2",
        "kind = 'costs'\na = 3",
        "kind =",
    ],
)
def test_a_damaged_file_of_costs_is_refused_in_words(space, text, wording):
    space.with_name("own.toml").write_text(text)
    with pytest.raises(ConfigError) as refused:
        linecard.sweep(space)
    wording(refused.value)


@pytest.mark.parametrize(
    ("column", "says"),
    [
        ("cost(packets.part)", "expected a text, or a text and a name"),
        ('cost("prize")', "no cost 'prize', expected price"),
        ('cost("price")', "without a name; this cost is defined for ddr4_2400, hbm2"),
        ('cost("thread_mm2", packets.part)', "is one number"),
    ],
)
def test_a_cost_that_is_not_there_is_said_in_words(space, cli, column, says):
    space.write_text(SPACE + f"wrong = '{column}'\n")
    ended = cli("sweep", space, "--json", "--store", space.with_name("s"))
    assert says in ended.err
    if ended.status == 0:
        assert [row["wrong"] for row in json.loads(ended.out)["rows"]] == [None, None]
