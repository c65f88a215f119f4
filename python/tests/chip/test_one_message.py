"""One mistake results in one message, which names the intended word."""

from __future__ import annotations

import pytest
from conftest import ROOT

import linecard

SHIPPED = (ROOT / "presets/platforms/example_smartnic.toml").read_text()


def problems(path, text: str, **settings: object) -> list[str]:
    path.write_text(text)
    with pytest.raises(linecard.ConfigError) as error:
        linecard.check(path, set={key.replace("__", "."): value for key, value in settings.items()})
    return [str(each) for each in error.value.problems]


def test_values_without_a_source_are_one_problem_beside_the_real_ones(tmp_path):
    text = SHIPPED.replace('source = "an example for the guide; no product has these values"\n', "")
    text = text.replace("engines = 8", "engnies = 8").replace('part = "ddr4_2400"', 'part = "ddr4_24000"')
    said = problems(tmp_path / "chip.toml", text)
    assert sum("no source" in each for each in said) == 1
    assert "65 other values have no source either: cluster.island.count, cluster.island.engnies" in said[0]
    assert any("engnies: no such key; did you mean `engines`?" in each for each in said)
    assert any("ddr4_24000" in each for each in said)
    assert len(said) == 4


def test_two_values_without_a_source_are_both_named(tmp_path):
    text = (
        'title = "x"\nkind = "chip"\nextends = "platforms/example_smartnic"\n[clock]\ncore_mhz = 800\nslow_mhz = 100\n'
    )
    said = problems(tmp_path / "chip.toml", text)
    assert next(each for each in said if "no source" in each).endswith("; clock.slow_mhz has no source either")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (
            "core = 800",
            "clock.core: the key of a clock ends in its unit (NAME_hz, NAME_khz, NAME_mhz or NAME_ghz), "
            "for example core_mhz = 800",
        ),
        ("period_ns = 2", "clock.period_ns: the key of a clock ends in its unit (NAME_hz"),
    ],
)
def test_a_clock_of_a_chip_without_its_unit(tmp_path, line, what):
    text = f'title = "x"\nkind = "chip"\nsource = "s"\nextends = "platforms/example_smartnic"\n[clock]\n{line}\n'
    said = problems(tmp_path / "chip.toml", text)
    assert len(said) == 1
    assert what in said[0]


@pytest.mark.parametrize(("line", "ns"), [("mhz = 1250", "0.8"), ("clock_ghz = 2", "0.5"), ("memory_hz = 1e9", "1")])
def test_a_frequency_of_a_memory_says_which_period_it_is(cli, tmp_path, line, ns, wording):
    part = tmp_path / "part.toml"
    part.write_text(f'title = "p"\nsource = "s"\nextends = "dram/ddr4_2400"\n[clock]\n{line}\n')
    ended = cli("dram", "run", part, "--pattern", "random")
    assert ended.status == 2
    wording(ended.err)


def test_a_clock_that_no_part_counts_in_is_refused_where_it_is_set(cli, wording):
    ended = cli("run", "example_smartnic", "--set", "clock.mhz=400")
    assert ended.status == 2
    wording(ended.err)
    words = ("--set", "clock.slow_mhz=600", "--set", "island.clock=slow", "--packets", 100, "--warmup", 10)
    assert cli("run", "example_smartnic", *words).status == 0


def test_a_size_that_is_missing_is_not_also_a_rate_that_is_too_high(cli):
    ended = cli("run", "example_smartnic", "--set", "traffic.kind=fixed")
    assert "traffic.packet_bytes: missing" in ended.err
    assert "Gbit/s" not in ended.err


DRAM = ("dram", "run", "--pattern", "random", "--count", "50")


@pytest.mark.parametrize(
    ("kind", "text", "command"),
    [
        ("chip", 'title = "c"\nextends = "example_smartnic"\n', ("check",)),
        ("chip", 'title = "c"\nextends = "example_smartnic"\n', ("run",)),
        (
            "program",
            'title = "p"\nsource = "test"\n[[step]]\nop = "send"\n',
            ("run", "example_smartnic", "--program"),
        ),
        ("dram", 'title = "d"\nextends = "ddr4_2400"\n', DRAM),
        ("policy", 'title = "y"\nextends = "frfcfs"\n', (*DRAM, "ddr4_2400", "--policy")),
    ],
)
def test_a_file_of_another_kind_is_refused(cli, tmp_path, kind, text, command):
    path = tmp_path / "own.toml"
    usual = ["--packets", "50"] if "run" in command and "dram" not in command else []
    path.write_text(f'kind = "{kind}"\n{text}')
    assert cli(*command, path, *usual).status == 0
    path.write_text(f'kind = "sweep"\n{text}')
    ended = cli(*command, path, *usual)
    assert (ended.status, f"own.toml:1: kind: found `sweep`, expected `{kind}`" in ended.err) == (2, True), ended.err


@pytest.mark.parametrize("option", ["--strict", "--map-addresses"])
def test_options_of_captures_need_a_capture(cli, option):
    ended = cli("run", "example_smartnic", option, "--packets", "50")
    assert (ended.status, ended.err.startswith(f"linecard: {option}: has no effect without a capture")) == (2, True)
