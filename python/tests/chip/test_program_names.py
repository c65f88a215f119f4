"""Values of ``--program``: an application, a shipped program to execute, or a file."""

from pathlib import Path

import pytest

import linecard
from linecard import _core
from linecard.chip.program import is_listed
from linecard.executed.xdp import xdp_programs

FEW = {"packets": 50, "warmup_packets": 10, "verdict": False}
SHIPPED = [each.name for each in (*xdp_programs(), *linecard.programs())]


def test_no_name_means_two_things():
    # The second argument of `compare` is a chip or a program.
    chips = [each.name for each in linecard.presets("platforms")]
    names = [*_core.applications(), *SHIPPED, *chips]
    assert len(names) == len(set(names))
    assert all(Path(name).name == name and not Path(name).suffix for name in names)


def test_applications_are_timed_and_shipped_programs_executed():
    assert all(map(is_listed, _core.applications()))
    assert not any(map(is_listed, SHIPPED))
    timed = linecard.run("ixp1200", program="nat", **FEW)
    assert (timed.program, timed.programs) == ("nat", ())
    executed = linecard.run("ixp1200", program="stateful_firewall", **FEW)
    assert [each.name for each in executed.programs] == ["stateful_firewall"]


def test_a_suffix_or_a_separator_makes_a_file(tmp_path, monkeypatch, wording):
    monkeypatch.chdir(tmp_path)
    steps = linecard.Program("nat").compute(10).send().save(tmp_path / "nat.toml")
    assert linecard.run("example_smartnic", program="nat.toml", **FEW).run_id == (
        linecard.run("example_smartnic", program=steps, **FEW).run_id
    )
    Path("mine").write_bytes(b"\xb7\0\0\0\x02\0\0\0\x95\0\0\0\0\0\0\0")
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.run("nfp4000", program="mine", **FEW)
    wording(refused.value)
    assert linecard.run("nfp4000", program="./mine", **FEW).programs


def test_options_of_an_executed_program_are_refused_with_an_application(wording):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.run("ixp1200", program="nat", defines=["N=1"], cpus=2, **FEW)
    wording(refused.value)


def test_the_former_option_is_unknown(cli):
    ended = cli("run", "ixp1200", "--app", "nat")
    assert ended.status == 2
    assert "No such option" in ended.err + ended.out


def test_two_applications_are_compared():
    found = linecard.compare("ixp1200", "nat", program="l3fwd16", packets=200, seeds=1)
    assert [(each.key, each.a, each.b) for each in found.configuration][:1] == [("program", "l3fwd16", "nat")]
    assert found.lines == ()
