"""A user mistypes everything: each message has the intended word, and leads one step further."""

from __future__ import annotations

from pathlib import Path

import pytest
from person import Person


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_every_mistake_names_the_way_on(cli):
    person = Person(cli)
    line = "linecard run ixp120 --program l3fwd61 --set dram.bank=2 --packets 300 --warmup 100"
    steps = (
        ("ixp120", "ixp1200"),
        ("dram.bank=", "dram.banks="),
        ("l3fwd61", "l3fwd16"),
    )
    for wrong, right in steps:
        told = person.is_told(line)
        assert right.rstrip("=").rpartition(".")[2] in told, told
        line = line.replace(f"{wrong} ", f"{right} ") if not wrong.endswith("=") else line.replace(wrong, right)
    assert "Throughput" in person.types(line).out


def test_wrong_files_are_said_to_be_wrong(cli):
    person = Person(cli)
    Path("picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    Path("empty.pcap").write_bytes(b"")
    Path("half.toml").write_text("kind = ")
    for line, status in (
        ("linecard flows picture.png", 3),
        ("linecard flows empty.pcap", 3),
        ("linecard flows no.pcap", 3),
        ("linecard run ixp1200 --trace picture.png", 3),
        ("linecard run half.toml", 2),
        ("linecard check half.toml", 2),
        ("linecard draw ixp1200 -o no/such/folder.svg", 2),
        ("linecard new half.toml --like ixp1200", 2),
        ("linecard presets machines", 2),
        ("linecard run ixp1200 --packets=-1", 2),
        ("linecard compare ixp1200", 2),
    ):
        told = person.is_told(line, status)
        assert told.strip(), line
    assert Path("half.toml").read_text() == "kind = "


def test_a_run_of_nothing_found_says_what_to_do(cli):
    person = Person(cli)
    told = person.types("linecard presets --search smartnick").err
    assert "linecard presets KIND" in told
