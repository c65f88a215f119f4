"""Does a first simulation explain itself with its own numbers?"""

from __future__ import annotations

import json
import shlex

import pytest


@pytest.fixture
def shown(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = cli("demo")
    assert ended.status == 0, ended.err
    assert not list(tmp_path.iterdir())
    return ended.out


def test_each_run_is_that_of_the_command_above_it(cli, shown):
    commands = [line[2:] for line in shown.splitlines() if line.startswith("$ linecard ")]
    assert len(commands) == 2
    for command in commands:
        result = json.loads(cli(*shlex.split(command)[1:], "--json").out)
        summary = result["summary"]
        assert f"Throughput  {summary['throughput_gbps']:.3f} Gbit/s" in shown
        assert f"{summary['throughput_gbps']:.1f}" in shown.split(command, 1)[1].split("Warnings")[-1]


PROPOSED = ("describe", "why", "sweep", "new", "run", "presets")


@pytest.mark.parametrize("proposed", [pytest.param(p, marks=pytest.mark.long if p == "why" else ()) for p in PROPOSED])
def test_what_is_proposed_next_works(cli, shown, proposed):
    lines = [line for line in shown.split("Next:", 1)[1].splitlines() if line.startswith("linecard ")]
    commands = {(words := shlex.split(line.split("   ")[0])[1:])[0]: words for line in lines}
    assert tuple(commands) == PROPOSED
    ended = cli(*commands[proposed])
    assert ended.status == 0, ended.err
