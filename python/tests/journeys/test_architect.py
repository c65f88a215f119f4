"""An architect sizes a SmartNIC: the fewest threads that carry the traffic, and the limit of the design."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from person import Person


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_nic_is_sized(cli):
    person = Person(cli)
    # Search for a similar chip.
    assert "example_smartnic" in person.types("linecard presets --search smartnic").out
    person.types("linecard new nic.toml --like example_smartnic")
    checked = person.reads("linecard check nic.toml")
    assert checked["receive_gbps"] == 200

    # Run it unchanged: its throughput and its limit.
    first = person.reads("linecard run nic.toml --packets 2000")
    assert first["summary"]["packets_dropped"] == 0
    assert "What would help" in person.types("linecard why nic.toml --packets 100 --seeds 1 --set island.count=1").out

    # Sweep fewer threads, with the whole table in a spreadsheet. Short queues fill quickly, so that runs are steady
    # early.
    queues = "--set eth.queue_packets=64 --set rx.bytes=65536"
    line = (
        f"linecard sweep nic.toml --vary island.threads=1,2,8 --set traffic.arrivals=saturated {queues} --packets 2000"
    )
    person.types(f"{line} -o threads.csv")
    rows = list(csv.DictReader(Path("threads.csv").read_text().splitlines()))
    rates = {int(row["island.threads"]): float(row["throughput_mpps"]) for row in rows}
    assert list(rates) == [1, 2, 8]
    fewest = min(threads for threads, rate in rates.items() if rate > 0.97 * max(rates.values()))
    assert fewest <= 8

    # Compare both designs, and save a picture for a decision.
    compared = person.types(
        f"linecard compare nic.toml nic.toml --set-b island.threads={fewest} --packets 500 --seeds 2"
    )
    assert "bold: beyond noise" in compared.out
    person.types("linecard draw nic.toml -o nic.svg")
    assert Path("nic.svg").read_text().startswith("<svg")
