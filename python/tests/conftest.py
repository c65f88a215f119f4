"""Shared parts of the tests: the command line in this process, hand-made runs, and captures written byte by byte."""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import runpy
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from linecard import RunRequest, RunResult
from linecard.cli import main
from linecard.vrp import budget as vrp

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

TINY = Path(__file__).with_name("tiny.toml")
ROOT = Path(__file__).resolve().parents[2]
# No property depends on the speed of the machine.
settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Name bytes by their argument, because the time in a compressed file would differ between the processes."""
    return argname if isinstance(val, bytes) else None


@dataclass(frozen=True)
class Ended:
    """The end of a command."""

    status: int
    out: str
    err: str


@pytest.fixture(scope="session", autouse=True)
def runs_of_vrp_budgets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Simulate each run of a VRP search once for all tests: a dozen of them need the same budgets.

    A search takes about a hundred runs. The workers of pytest-xdist share the folder.
    """
    base = tmp_path_factory.getbasetemp()
    kept = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "vrp"
    kept.mkdir(exist_ok=True)
    simulate = vrp.run_chip

    def once(*arguments: Any, **named: Any) -> RunResult:
        path = kept / hashlib.sha256(repr((arguments, sorted(named.items()))).encode()).hexdigest()
        if path.exists():
            found: RunResult = pickle.loads(path.read_bytes())
            return found
        result = simulate(*arguments, **named)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_bytes(pickle.dumps(result))
        part.replace(path)
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vrp, "run_chip", once)
        yield


@pytest.fixture
def wording(
    snapshot: SnapshotAssertion, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str | BaseException], None]:
    """Compare a text with its snapshot in `__snapshots__` beside the test, where alone it is written and changed.

    ``pytest --snapshot-update`` writes the present text. Names replace parts that differ between runs.
    """
    base = tmp_path_factory.getbasetemp()

    def held(text: str | BaseException) -> None:
        said = re.sub(rf"{re.escape(str(base))}/[^/'`\" ]+", "<folder>", str(text)).replace(str(ROOT), "<root>")
        # Ports of the machine, addresses of objects, lines of the core, and ids of runs, which hash the core.
        said = re.sub(r"(\.rs:)\d+:\d+", r"\1<line>", said)
        said = re.sub(r"(127\.0\.0\.1:|object at 0x)[0-9a-f]+", r"\1<number>", said)
        assert re.sub(r"\b(?=[a-f]*[0-9])[0-9a-f]{12}\b", "<run>", said) == snapshot

    return held


def _ended(run: Callable[[], object], capsys: pytest.CaptureFixture[str]) -> Ended:
    capsys.readouterr()
    status: Any = 0
    try:
        run()
    except SystemExit as left:
        status = left.code or 0
    output = capsys.readouterr()
    return Ended(int(status), output.out, output.err)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Run a command in this process, as the entry point does."""

    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["linecard", *map(str, arguments)])
        return _ended(main, capsys)

    return call


@pytest.fixture
def tool(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Run a command of the repository in this process, as `python -m tools.NAME` does."""

    def call(name: str, *arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        return _ended(lambda: runpy.run_module(f"tools.{name}", run_name="__main__"), capsys)

    return call


def report(**changes: Any) -> dict[str, Any]:
    """A small report in the form in which the compiled core returns it."""
    plain: dict[str, Any] = {
        "chip": "ixp1200",
        "program": "l3fwd16",
        "traffic": "generator",
        "seed": 1,
        "version": "0.1.0",
        "config_hash": "c0ffee",
        "warnings": ["one thing to know"],
        "capture_damage": 0,
        "summary": {
            "throughput_gbps": 2.0,
            "throughput_mpps": 0.463,
            "offered_gbps": 2.1,
            "packets_in": 1010,
            "packets_out": 1000,
            "packets_dropped": 10,
            "loss_fraction": 10 / 1010,
            "latency_ns": {"mean": 5e4, "p50": 4e4, "p90": 9e4, "p99": 1e5, "p999": 2e5, "max": 3e5},
            "simulated_seconds": 0.002,
            "steady": True,
            "intervals": None,
            "packets_inside": 0,
        },
        "bottleneck": {"component": "dram", "utilization": 0.99, "why": "It was busy <99 %> of the time."},
        "resources": [{"component": "dram", "utilization": 0.99}, {"component": "engine.10", "utilization": 0.5}],
        "dram": {
            "data": 0.65,
            "row_miss": 0.34,
            "turnaround": 0.0,
            "refresh": 0.0,
            "idle": 0.01,
            "row_hit_rate": 0.4,
            "spacing": 0.0,
        },
        "packet_time": [{"part": "compute", "mean_ns": 5e4, "share": 1.0}],
        "drops": [{"reason": "no_route", "packets": 10}],
        "metrics": [
            {"component": "total", "metric": "throughput_gbps", "unit": "Gbit/s", "value": 2.0},
            {"component": "dram", "metric": "row_hit_rate", "unit": "fraction", "value": 0.4},
        ],
        "what_if": [],
        "latency_bins": [],
    }
    return plain | changes


def make_result(*, metrics: dict[tuple[str, str], float] | None = None, **changes: Any) -> RunResult:
    """A run's result made by hand."""
    plain = report(**changes)
    if metrics is not None:
        plain["metrics"] = [
            {"component": component, "metric": metric, "unit": "unit", "value": value}
            for (component, metric), value in metrics.items()
        ]
    request = RunRequest(overrides=(), packets=1000, warmup_packets=100, map_addresses=False, input_hash=None)
    return RunResult.from_report(plain, request, wall_seconds=1.5)


def ipv4_frame(number: int, payload_bytes: int = 30) -> bytes:
    """An Ethernet frame with an IPv4/UDP packet, one flow per number."""
    total = 20 + 8 + payload_bytes
    addresses = bytes([192, 0, 2, number % 250 + 1, 198, 51, 100, 7])
    header = struct.pack(">BBHHHBBH", 0x45, 0, total, number, 0, 64, 17, 0) + addresses
    checksum = sum(struct.unpack(">10H", header))
    while checksum >> 16:
        checksum = (checksum & 0xFFFF) + (checksum >> 16)
    header = header[:10] + struct.pack(">H", checksum ^ 0xFFFF) + header[12:]
    udp = struct.pack(">HHHH", 1000 + number, 53, 8 + payload_bytes, 0)
    return b"\x02" * 6 + b"\x04" * 6 + b"\x08\x00" + header + udp + bytes(payload_bytes)


def pcap_bytes(frames: list[bytes]) -> bytes:
    """A little-endian microsecond pcap of these frames, one per millisecond."""
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    for number, frame in enumerate(frames):
        parts.append(struct.pack("<IIII", 1_000_000_000, number * 1000, len(frame), len(frame)) + frame)
    return b"".join(parts)


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A sound capture of ten packets in ten flows, 72 bytes each."""
    path = tmp_path / "ten.pcap"
    path.write_bytes(pcap_bytes([ipv4_frame(number) for number in range(10)]))
    return path


@pytest.fixture
def cut_capture(tmp_path: Path) -> Path:
    """A capture whose last packet is cut in the middle."""
    path = tmp_path / "cut.pcap"
    path.write_bytes(pcap_bytes([ipv4_frame(number) for number in range(10)])[:-20])
    return path
