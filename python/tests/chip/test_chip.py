"""Chips as files: the messages of `check`, the file that `new` writes, and the drawing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from conftest import ROOT, make_result

import linecard

CHIP = """\
kind = "chip"
title = "A <small> chip & its \\"parts\\""
source = "a test"
[clock]
core_mhz = 800
[cluster.core]
count = 4
engines = 2
threads = 8
takes = "work"
[memory.near]
per = "core"
capacity_bytes = "64 KiB"
latency_ns = 2
[memory.l2]
kind = "cached"
behind = "main"
line_bytes = 64
ways = 8
cache_bytes = "1 MiB"
latency_ns = 20
access_ns = 4
[memory.main]
kind = "dram"
part = "ddr4_2400"
channels = 2
capacity_bytes = "2 GiB"
[unit.crc]
latency_ns = 20
[link.noc]
rate_gbps = 512
[[route]]
from = "core"
to = ["l2", "main", "crc"]
issue_ns = 4
back_ns = 5
links = "noc"
[buffer.rx]
bytes = "64 KiB"
[inbox.work]
[port.eth]
count = 4
rate_gbps = 10
receive_to = "packets"
send_from = "packets"
[bind]
packets = "main"
table = "l2"
flows = "l2"
counters = "l2"
local = "near"
[program]
run = "forward"
[traffic]
kind = "fixed"
packet_bytes = 256
rate_gbps = 4
"""
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def chip(tmp_path):
    """Write the chip with changes of its text, and return its path."""

    def write(*changes, name="mine.toml"):
        text = CHIP
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def line_of(path, text):
    return path.read_text().splitlines().index(text) + 1


def texts(path):
    return [each.text or "" for each in ET.parse(path).getroot().iter(f"{SVG}text")]


# The drawing.


def test_a_drawing_is_xml_with_a_title_and_the_same_bytes_again(cli, tmp_path):
    one, two = tmp_path / "one.svg", tmp_path / "two.svg"
    ended = cli("draw", "example_smartnic", "-o", one)
    assert ended.status == 0, ended.err
    assert cli("draw", "example_smartnic", "--output", two).status == 0
    assert one.read_bytes() == two.read_bytes()
    root = ET.parse(one).getroot()
    assert root.tag == f"{SVG}svg"
    assert root.find(f"{SVG}title").text.startswith("example_smartnic: ")
    assert "10 × island with 8 engines of 8 threads each" in root.find(f"{SVG}desc").text


@pytest.mark.parametrize("name", ["chip.pdf", "chip", "chip.svg.gz"])
def test_a_drawing_is_refused_under_a_name_of_another_kind(cli, tmp_path, name, wording):
    ended = cli("draw", "example_smartnic", "-o", tmp_path / name)
    assert ended.status == 2
    wording(ended.err)
    assert not (tmp_path / name).exists()
    assert cli("draw", "example_smartnic", "-o", tmp_path / "chip.SVG").status == 0
    assert cli("draw", "example_smartnic", "-o", "-").status == 0


def test_every_name_of_the_file_is_in_the_drawing(chip, tmp_path):
    path = chip()
    written = texts(linecard.draw(str(path), tmp_path / "chip.svg"))
    for text in (
        *("core × 4", "2 engines × 8 threads", "at 800 MHz"),
        *("near", "64 KiB", "l2", "cache of 1 MiB", "main", "crc", "accelerator"),
        *("eth × 4", "10 Gbit/s", "each way", "rx", "work: inbox"),
        *("noc · 512 Gbit/s", "9 ns"),
        *("ddr4_2400", "2 channels", "2 GiB"),
        *("local", "packets", "table", "counters"),
    ):
        assert text in written, text
    for name in ("island × 10", "local", "shared", "packets", "hash", "crypto", "rx", "eth × 2", "256 KiB", "8 MiB"):
        assert name in texts(linecard.draw("example_smartnic", tmp_path / "smart.svg")), name


def test_names_and_titles_are_escaped(chip, tmp_path):
    drawn = linecard.draw(str(chip(("[unit.crc]", '[unit."a<b&c"]'), ('"crc"]', '"a<b&c"]'))), tmp_path / "chip.svg")
    assert {'A <small> chip & its "parts"', "a<b&c"} <= set(texts(drawn))
    assert "<small>" not in drawn.read_text()
    assert str(tmp_path) not in drawn.read_text()


def test_no_two_texts_of_a_drawing_overlap(chip, tmp_path):
    from linecard.svg import width_of

    shipped = sorted(path.stem for path in (ROOT / "presets" / "platforms").glob("*.toml"))
    for preset in (str(chip()), *shipped):
        boxes = []
        root = ET.parse(linecard.draw(preset, tmp_path / "chip.svg")).getroot()
        # The drawing is not so wide that its texts shrink on a page.
        assert 0.5 <= float(root.get("width")) / float(root.get("height")) <= 2.5, preset
        for each in root.iter(f"{SVG}text"):
            size, wide = float(each.get("font-size")), width_of(each.text, float(each.get("font-size")))
            share = {"middle": 0.5, "end": 1.0}.get(each.get("text-anchor"), 0.0)
            x, y = float(each.get("x")) - wide * share, float(each.get("y"))
            boxes.append((x, y - size * 0.75, x + wide, y, each.text))
        for number, (left, top, right, low, text) in enumerate(boxes):
            for other in boxes[:number]:
                apart = right <= other[0] or other[2] <= left or low <= other[1] or other[3] <= top
                assert apart, (preset, text, other[4])


def test_a_link_of_each_cluster_is_drawn_in_its_card(chip, tmp_path):
    own = (
        '[link.own]\nper = "core"\nrate_gbps = 100\n'
        '[[route]]\nfrom = "core"\nto = "near"\nissue_ns = 1\nback_ns = 2\nlinks = "own"\n[buffer.rx]'
    )
    drawn = linecard.draw(str(chip(("[buffer.rx]", own))), tmp_path / "chip.svg")
    assert {"own × 4 · 100 Gbit/s", "3 ns round trip"} <= set(texts(drawn))


@pytest.mark.parametrize("count", [1, 5, 12, 20])
def test_chips_of_few_and_of_many_places_stay_readable(chip, tmp_path, count):
    memories = "".join(f'[memory.memory_{n}]\ncapacity_bytes = "{n + 1} MiB"\nlatency_ns = 9\n' for n in range(count))
    names = ", ".join(f'"memory_{n}"' for n in range(count))
    path = chip(("[unit.crc]", memories + "[unit.crc]"), ('"crc"]', f'"crc", {names}]'))
    drawn = linecard.draw(str(path), tmp_path / "chip.svg")
    assert {f"memory_{n}" for n in range(count)} <= set(texts(drawn))
    assert float(ET.parse(drawn).getroot().get("width")) < 2300
    boxes = [
        tuple(float(each.get(key)) for key in ("x", "y", "width", "height"))
        for each in ET.parse(drawn).getroot().iter(f"{SVG}rect")
        if each.get("fill") == "#e6f2df" and float(each.get("height")) > 40
    ]
    assert len(boxes) >= count
    for number, (x, y, w, h) in enumerate(boxes):
        for left, top, wide, high in boxes[:number]:
            assert x + w <= left or left + wide <= x or y + h <= top or top + high <= y


def test_a_change_is_drawn(tmp_path):
    drawn = linecard.draw(
        "example_smartnic", tmp_path / "chip.svg", set=["packets.part=hbm2", "cluster.island.count=3"]
    )
    assert {"hbm2", "island × 3"} <= set(texts(drawn))


def test_a_ring_is_drawn_from_who_puts_to_who_takes(chip, tmp_path):
    program = tmp_path / "first.toml"
    program.write_text(
        'kind = "program"\ntitle = "first"\nsource = "a test"\n'
        '[[step]]\nname = "hand on"\nop = "put"\nto = "jobs"\ncycles = 20\n'
    )
    second = (
        f'takes = "work"\nprogram = "{program}"\n'
        '[cluster.second]\nengines = 1\nthreads = 1\ntakes = "jobs"\n[ring.jobs]\nentries = 64\nmemory = "main"\n'
    )
    path = chip(
        ('takes = "work"\n', second), ('per = "core"', 'per = "second"'), ("[port.eth]", '[port.eth]\ninbox = "work"')
    )
    drawn = linecard.draw(str(path), tmp_path / "chip.svg")
    assert {"jobs: ring of 64 in main", "second", "runs first"} <= set(texts(drawn))


def test_a_run_colours_the_drawing(cli, chip, tmp_path):
    path = chip()
    plain = linecard.draw(str(path), tmp_path / "plain.svg").read_text()
    ended = cli("run", path, "--packets", 2000, "--json")
    assert ended.status == 0, ended.err
    run = tmp_path / "run.json"
    run.write_text(ended.out)
    busy = tmp_path / "busy.svg"
    drawn = cli("draw", path, "--result", run, "-o", busy)
    assert drawn.status == 0, drawn.err
    assert busy.read_text() != plain
    report = json.loads(ended.out)
    shares = {each["component"]: f"{each['utilization'] * 100:.0f} %" for each in report["resources"]}
    written = texts(busy)
    assert shares["main"] in written
    assert f"engines {shares['engines of core']} busy" in " ".join(written)
    assert f"noc · 512 Gbit/s · {shares['noc']}" in written
    assert f"in {shares['eth, inward']}" in written
    assert f"Limited by {report['bottleneck']['component']}" in " ".join(written)
    result = linecard.run(str(path), packets=2000)
    assert linecard.draw(str(path), tmp_path / "again.svg", result=result).read_text() == busy.read_text()


@pytest.mark.parametrize(
    "component", ["shared", "engines of island", "threads of island", "mesh", "eth, outward", "local"]
)
def test_what_limits_a_run_is_marked_once(tmp_path, component):
    result = make_result(
        chip="example_smartnic",
        bottleneck={"component": component, "utilization": 0.99, "why": "It was <busy>."},
        resources=[{"component": component, "utilization": 0.99}],
    )
    written = texts(linecard.draw("example_smartnic", tmp_path / "chip.svg", result=result))
    assert written.count("the limit") == 1
    assert f"Limited by {component}: It was <busy>." in written
    assert any("99 %" in text for text in written)


def test_a_run_with_changes_is_drawn_with_them(tmp_path, wording):
    result = linecard.run("example_smartnic", packets=500, set=["cluster.island.count=3"])
    assert "island × 3" in texts(linecard.draw("example_smartnic", tmp_path / "chip.svg", result=result))
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.draw("example_smartnic", tmp_path / "chip.svg", result=result, set=["cluster.island.count=4"])
    wording(refused.value)


def test_a_file_that_is_no_run_of_the_chip_is_refused(cli, tmp_path):
    run, out = tmp_path / "run.json", tmp_path / "chip.svg"
    other = make_result().to_dict()
    for content, expected in (
        (json.dumps(other), "found a result of the chip ixp1200, expected a result of the chip example_smartnic"),
        ('{"chip": "example_smartnic"}', "is not the result of a run"),
        ("[1, 2]", "is not the result of a run"),
        ("not JSON", "is not JSON"),
        ('{"more": ' + "[" * 20_000, "is not JSON"),
        (None, "cannot be read"),
    ):
        if content is None:
            run.unlink()
        else:
            run.write_text(content)
        ended = cli("draw", "example_smartnic", "--result", run, "-o", out)
        assert ended.status == 2
        assert str(run) in ended.err
        assert expected in ended.err
        assert not out.exists()


@pytest.mark.parametrize("command", ["draw", "check"])
def test_only_chips_can_be_drawn_and_checked(cli, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    for preset, expected in (
        ("ddr4_2400", "is a preset of dram"),
        ("example_smartnik", "did you mean `example_smartnic`?"),
    ):
        ended = cli(command, preset)
        assert ended.status == 2
        assert expected in ended.err
        assert len(ended.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


# Checking.


def test_check_adds_the_way_there_the_place_and_the_way_back(cli, chip):
    path = chip()
    found = json.loads(cli("check", path, "--json").out)
    assert set(found) >= {
        "chip",
        "title",
        "program",
        "engines",
        "threads",
        "receive_gbps",
        "transmit_gbps",
        "accesses",
    }
    assert (found["engines"], found["threads"], found["receive_gbps"]) == (8, 64, 40.0)
    assert {(row["role"], row["memory"]) for row in found["accesses"]} >= {("table", "l2"), ("local", "near")}
    for row in found["accesses"]:
        assert row["unloaded_ns"] == pytest.approx(row["there_ns"] + row["memory_ns"] + row["back_ns"])
        assert row["formula"]
    table = next(row for row in found["accesses"] if row["role"] == "table")
    assert table["back_ns"] == 5.0
    assert table["there_ns"] >= 4.0
    ended = cli("check", path)
    assert "The file fits together." in ended.out
    # The program requests no checksum.
    assert found["unused"] == ["unit.crc"]
    assert re.search(r"Unused +unit\.crc\n", ended.out)
    assert all(name in ended.out for name in ("near", "l2", "main"))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("channels = 2", "chanels = 2", "memory.main.chanels: no such key; did you mean `channels`?"),
        ('behind = "main"', 'behind = "mian"', "no memory is called `mian`; did you mean `main`?"),
        ("latency_ns = 20\n[link", 'latency_ns = "20 KiB"\n[link', "unit.crc.latency_ns"),
        ('links = "noc"', 'links = "nox"', "no link is called `nox`; did you mean `noc`?"),
        ('from = "core"', 'from = "cores"', "no cluster is called `cores`; did you mean `core`?"),
        ('takes = "work"', 'takes = "wrok"', "no inbox or ring is called `wrok`; did you mean `work`?"),
        ('table = "l2"', 'table = "l3"', "no memory or unit is called `l3`; did you mean `l2`?"),
        ('capacity_bytes = "2 GiB"', 'capacity_bytes = "1 MiB"', "capacity is 1048576 bytes, but"),
        (
            'to = ["l2", "main", "crc"]',
            'to = ["main", "crc"]',
            "the program of `core` uses `l2`, but no [[route]] leads to `l2`",
        ),
        ("[inbox.work]\n", "[inbox.work]\n[inbox.idle]\n", "inbox.idle: no cluster takes packets from `idle`"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(cli, chip, old, new, expected):
    path = chip((old, new))
    ended = cli("check", path)
    assert ended.status == 2
    assert expected in ended.err
    assert re.search(rf"{re.escape(str(path))}:\d+: ", ended.err)
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('part = "ddr4_2400"', 'part = "ddr4_2401"', "did you mean `ddr4_2400`?"),
        (
            'run = "forward"',
            'run = "forwrad"',
            "program.run: no preset is called `programs/forwrad`; did you mean",
        ),
        ('packets = "main"\n', "", "`packets` is not bound"),
    ],
)
def test_a_mistake_in_what_a_chip_names_is_named_where_it_is(cli, chip, old, new, expected):
    ended = cli("check", chip((old, new)))
    assert ended.status == 2
    assert expected in ended.err
    assert "Traceback" not in ended.err


def test_all_mistakes_come_at_once_with_their_lines(cli, chip, wording):
    path = chip(
        ("channels = 2", "chanels = 2"),
        ("issue_ns = 4", 'issue_ns = "4 KiB"'),
        ('local = "near"', 'local = "nearr"'),
        ('to = ["l2", "main", "crc"]', 'to = ["main", "crc"]'),
        ("[inbox.work]\n", "[inbox.work]\n[inbox.idle]\n"),
        ('capacity_bytes = "2 GiB"', 'capacity_bytes = "1 MiB"'),
    )
    ended = cli("check", path)
    assert ended.status == 2
    for text, expected in (
        ("chanels = 2", "did you mean `channels`?"),
        ('issue_ns = "4 KiB"', "issue_ns"),
        ('local = "nearr"', "did you mean `near`?"),
        ("[cluster.core]", "the program of `core` uses `l2`, but no [[route]] leads to `l2`"),
        ("[memory.main]", "capacity is 1048576 bytes"),
    ):
        place = f"{path}:{line_of(path, text)}: "
        assert any(place in line and expected in line for line in ended.err.splitlines()), (text, ended.err)
    wording(ended.err)
    with pytest.raises(linecard.ConfigError) as raised:
        linecard.draw(str(path), path.with_suffix(".svg"))
    assert len(raised.value.problems) >= 6
    assert not path.with_suffix(".svg").exists()


# Template files.


def test_new_writes_a_chip_that_checks_draws_and_runs(cli, tmp_path):
    path = tmp_path / "mine.toml"
    ended = cli("new", path, "--like", "example_smartnic")
    assert ended.status == 0, ended.err
    assert str(path) in ended.err
    assert "# ten islands of 8 engines x 8 threads" in path.read_text()
    assert cli("check", path).status == 0
    assert cli("draw", path, "-o", tmp_path / "mine.svg").status == 0
    assert cli("run", path, "--packets", 500).status == 0


def test_new_leaves_files_alone_that_are_there_or_of_another_kind(cli, tmp_path, wording):
    path = tmp_path / "mine.toml"
    path.write_text("mine")
    ended = cli("new", path)
    assert (ended.status, path.read_text()) == (2, "mine")
    wording(ended.err)
    ended = cli("new", tmp_path / "mine.txt")
    assert ended.status == 2
    assert "expected a name that ends in .toml" in ended.err
    for like, expected in (
        ("example_smartnik", "did you mean `example_smartnic`?"),
        ("ddr4_2400", "is a part, not a platform"),
    ):
        ended = cli("new", tmp_path / "other.toml", "--like", like)
        assert ended.status == 2
        assert expected in ended.err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine.toml"]


# Arguments that Python takes in addition to the command line.


def test_a_path_is_taken_wherever_the_name_of_a_preset_or_file_is(chip, tmp_path):
    path = chip()
    steps = tmp_path / "steps.toml"
    steps.write_text((ROOT / "presets" / "programs" / "forward.toml").read_text())
    part = tmp_path / "part.toml"
    part.write_text((ROOT / "presets" / "dram" / "ddr4_2400.toml").read_text())
    few = {"packets": 100, "warmup_packets": 10}
    result = linecard.run(path, program=steps, **few)
    assert result.summary == linecard.run(str(path), program=str(steps), **few).summary
    assert linecard.run(path, set={"program.run": steps}, **few).summary == result.summary
    assert linecard.check(path) == linecard.check(str(path))
    assert linecard.draw(path, tmp_path / "chip.svg", result=linecard.run(path, **few)).is_file()
    assert linecard.describe(path) == linecard.describe(str(path))
    assert linecard.new(tmp_path / "new.toml", like=Path("ixp1200")).is_file()
    assert linecard.dram(part, policy=Path("frfcfs_open"), pattern="stream", count=100).reads == 100
    table = linecard.sweep(path, vary={"program": [steps]}, set={"program.run": steps}, packets=100)
    assert table.column("status") == ["ok"]
    assert linecard.compare(path, path, program=steps, packets=100, seeds=2).configuration == ()


@pytest.mark.parametrize(
    "arguments",
    [
        {"packets": "5"},
        {"packets": 5.5},
        {"warmup_packets": "5"},
        {"seed": None},
        {"set": 5},
        {"set": [5]},
        {"chip": 5},
        {"program": 5},
    ],
)
def test_an_argument_of_another_kind_is_a_configuration_error(arguments, wording):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.run(**{"chip": "example_smartnic", "packets": 100, **arguments})
    wording(refused.value)


@pytest.mark.parametrize("ask", [linecard.sweep, linecard.why, linecard.ndr])
def test_changes_that_are_no_mapping_and_no_texts_are_refused(ask, wording):
    with pytest.raises(linecard.ConfigError) as refused:
        ask("example_smartnic", set=5)
    wording(refused.value)


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ("rx.bytes=32", "buffer.rx.bytes: found `32`; expected a whole number from 64 to 4294967296"),
        ("traffic.sizes=100", "traffic.sizes: found `100`; expected text"),
        ("traffic.sizes=10:1", "traffic.sizes: packet size in bytes: found 10, expected 20 to 65535"),
        ("traffic.sizes=70000:1", "traffic.sizes: packet size in bytes: found 70000, expected 20 to 65535"),
        ("traffic.sizes=40-70000:1", "traffic.sizes: packet size in bytes: found 70000, expected 20 to 65535"),
    ],
)
def test_a_refused_size_is_one_problem_with_its_range(chip, setting, problem):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.check(chip(), set=["traffic.kind=sizes", setting] if "sizes" in setting else [setting])
    assert [each.split(": ", 1)[1] for each in map(str, refused.value.problems)] == [problem]
