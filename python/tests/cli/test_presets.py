"""Shipped presets as the command line shows them, and their own descriptions."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys

import pytest

import linecard
from linecard.catalogue import KINDS


def test_kinds_are_listed_in_a_line_or_two_each(cli):
    shown = cli("presets").out
    for kind in {each.kind for each in linecard.presets()}:
        assert f"\n  {kind} " in shown
    assert len(shown.splitlines()) <= 2 * len(KINDS) + 6
    assert {each.kind for each in linecard.presets()} == set(KINDS)


def test_a_kind_is_listed_in_full(cli):
    shown = cli("presets", "platforms").out
    names = [each.name for each in linecard.presets("platforms")]
    assert "ixp1200" in names
    assert all(name in shown for name in names)
    assert "frfcfs_open" not in shown
    assert [each["name"] for each in json.loads(cli("presets", "platforms", "--json").out)] == names


def test_a_search_takes_names_and_titles_in_any_case(cli):
    shown = cli("presets", "--search", "DDR4").out
    assert "ddr4_2400" in shown
    assert "example_smartnic" in shown
    assert "ddr3_1600" not in shown
    assert [each.name for each in linecard.presets("dram", search="ddr4 3200")] == ["ddr4_3200"]
    nothing = cli("presets", "--search", "no such thing")
    assert (nothing.status, nothing.out) == (0, "")
    assert "no preset matches" in nothing.err


def test_a_kind_that_is_none_is_said_with_the_nearest(cli):
    ended = cli("presets", "platform")
    assert (ended.status, ended.out) == (2, "")
    assert "nearest: platforms" in ended.err


def test_a_preset_says_what_it_changes_in_its_base(cli):
    assert linecard.describe("ixp1200").changes == ()
    changes = {each.key: each for each in linecard.describe("hasan2003_ref_base").changes}
    assert (changes["clock.engine_mhz"].base, changes["clock.engine_mhz"].value) == (200, 400)
    assert changes["traffic.rate_gbps"].value is None
    set_too = linecard.describe("rosebud8", set={"clock.core_mhz": 100}).changes
    assert [each.value for each in set_too if each.key == "clock.core_mhz"] == [100]
    # The numbers of a part do not count as changes of its standard's formulas.
    assert linecard.describe("ddr4_2400").changes == ()
    assert [each.base for each in linecard.describe("ddr266_cl25").changes if each.key == "timing.RL"] == [2]
    shown = cli("describe", "rosebud8").out
    assert "Changes to rosebud16" in shown
    assert json.loads(cli("describe", "rosebud8", "--json").out)["changes"][0]["key"] == "cluster.rpu.count"


def test_the_version_says_what_was_built_and_where_it_is(cli):
    lines = cli("--version").out.splitlines()
    assert lines[0] == f"linecard {linecard.__version__}"
    assert platform.python_version() in lines[1]
    assert any(os.path.dirname(linecard.__file__) in line for line in lines)  # noqa: PTH120


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("linecard com", "compare-models"), ("linecard run example", "example_smartnic"), ("linecard presets p", "dram")],
)
def test_a_shell_is_offered_commands_and_presets(typed, offered):
    complete = {
        "_LINECARD_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    code = "import sys; sys.argv = ['linecard']; from linecard.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **complete}, capture_output=True, text=True, check=False
    )
    assert ended.stderr == ""
    assert (offered in ended.stdout) == (offered != "dram")


def test_every_parameter_of_every_kind_has_a_meaning_and_says_what_it_may_be():
    for preset in linecard.presets():
        for each in linecard.describe(f"{preset.kind}/{preset.name}").parameters:
            assert each.meaning, (preset.name, each.key)
            assert each.allowed, (preset.name, each.key)


def test_a_key_that_says_a_unit_has_it():
    units = {
        "mhz": "MHz",
        "gbps": "Gbit/s",
        "ns": "ns",
        "bytes": "bytes",
        "cycles": "cycles",
        "percent": "percent",
    }
    for preset in linecard.presets():
        for each in linecard.describe(f"{preset.kind}/{preset.name}").parameters:
            ending = each.key.rpartition("_")[2]
            if ending in units and "." not in ending and ".helpers." not in each.key:
                assert each.unit == units[ending], (preset.name, each.key, each.unit)


def test_helpers_cost_cycles_whatever_their_names_end_in():
    found = {each.key: each for each in linecard.describe("nfp4000").parameters if ".helpers." in each.key}
    assert "cluster.island.ebpf.helpers.ktime_get_ns" in found
    assert {each.unit for each in found.values()} == {"cycles"}


def test_what_a_part_may_have_is_what_its_reader_takes(wording):
    part = {each.key: each.allowed for each in linecard.describe("ddr4_2400").parameters}
    assert part["organization.ranks"] == "a whole number from 1 to 8"
    assert linecard.describe("ddr4_2400", set={"organization.rows": 4096})["organization.rows"].value == 4096
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.describe("ddr4_2400", set={"organization.ranks": 9})
    wording(refused.value)
    for mode in part["refresh.mode"].replace(" or ", ", ").split(", "):
        assert linecard.describe("ddr4_2400", set={"refresh.mode": mode})["refresh.mode"].value == mode
    assert linecard.describe("fcfs_open")["policy.row_hit_cap"].allowed == "a whole number from 0 to 65535"


def test_every_change_is_one(cli):
    for preset in linecard.presets():
        found = linecard.describe(f"{preset.kind}/{preset.name}")
        values = {each.key: each.value for each in found.parameters}
        for each in found.changes:
            assert each.value != each.base, (preset.name, each.key)
            assert values.get(each.key) == each.value
