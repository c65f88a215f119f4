"""The command line on the real core: exit status, JSON, reproducible bytes, files, and errors without tracebacks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time

import pytest
from conftest import ROOT

import linecard
from linecard.numbers import BIT_RATES, PACKET_RATES, rate

QUICK = ("--packets", 2000, "--warmup", 500)
COMMANDS = ("run", "flows", "flowcache", "presets", "describe", "reproduce")


def test_the_screen_answers_the_first_questions(cli):
    ended = cli("run", "ixp1200", "--program", "l3fwd16", *QUICK)
    assert ended.status == 0, ended.err
    for words in ("Throughput", "Gbit/s", "Mpps", "Loss", "Latency", "p99", "Bottleneck", "Utilisation"):
        assert words in ended.out
    for words in ("DRAM time", "row hits", "Packet time", "simulated", "real"):
        assert words in ended.out
    assert not any(line != line.rstrip() for line in ended.out.splitlines())


def test_small_rates_keep_their_digits():
    assert rate(123.4567, BIT_RATES) == "123.457 Gbit/s"
    assert rate(0.463, PACKET_RATES) == "0.463 Mpps"
    assert rate(0.0, BIT_RATES) == "0.000 Gbit/s"
    assert rate(0.0002, BIT_RATES) == "0.200 Mbit/s"
    assert rate(1.5e-8, BIT_RATES) == "15.000 bit/s"
    assert rate(4e-9, PACKET_RATES) == "0.004 pps"
    assert rate(0.002, BIT_RATES, 0.0) == "0.000 to 2.000 Mbit/s"


def test_a_slow_run_shows_its_rate(cli):
    screen = cli("run", "example_smartnic", "--packets", 100, "--warmup", 10, "--set", "traffic.rate_gbps=0.00001").out
    assert re.search(r"Throughput +\d\.\d{3} kbit/s +\d\.\d{3} pps, offered \d\.\d{3} kbit/s", screen)
    assert re.search(r"95 %: \d+\.\d{3} to \d+\.\d{3} kbit/s", screen)


def test_a_run_in_which_no_packet_left_shows_no_latency(cli, tmp_path):
    path = tmp_path / "drop.toml"
    path.write_text('kind = "program"\ntitle = "All dropped"\nsource = "a test"\n[[step]]\nop = "drop"\n')
    words = ("run", "example_smartnic", "--program", path, "--packets", 100, "--warmup", 10)
    ended = cli(*words)
    assert ended.status == 0, ended.err
    assert re.search(r"Latency +no packet left the chip\n", ended.out)
    assert not re.search(r"p50 +\d", ended.out)
    assert json.loads(cli(*words, "--json").out)["summary"]["latency_ns"]["p50"] == 0


def test_json_is_one_object_and_repeats_byte_for_byte(cli):
    first = cli("run", "hasan2003_all_pf", *QUICK, "--seed", 7, "--json")
    second = cli("run", "hasan2003_all_pf", *QUICK, "--seed", 7, "--json")
    assert first.status == 0, first.err
    assert first.out == second.out
    assert first.err == ""
    plain = json.loads(first.out)
    assert plain["seed"] == 7
    assert plain["summary"]["packets_out"] >= 2000
    assert "wall_seconds" not in first.out
    other = cli("run", "hasan2003_all_pf", *QUICK, "--seed", 8, "--json")
    assert json.loads(other.out)["summary"] != plain["summary"]


def test_json_repeats_in_another_process_with_another_hash_seed(cli):
    here = cli("run", "hasan2003_ref_base", *QUICK, "--json")
    command = [sys.executable, "-m", "linecard", "run", "hasan2003_ref_base", *map(str, QUICK), "--json"]
    there = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": "77"}
    )
    assert there.stdout == here.out


def test_the_python_result_is_the_json(cli):
    ended = cli("run", "ixp1200", *QUICK, "--set", "dram.banks=2", "--json")
    result = linecard.run("ixp1200", packets=2000, warmup_packets=500, set={"dram.banks": 2})
    assert json.loads(ended.out) == json.loads(json.dumps(result.to_dict()))


def test_packets_are_those_that_leave_and_those_that_are_dropped_and_the_help_says_so(cli):
    much = {"traffic.rate_gbps": 150, "island.count": 1, "buffer.rx.bytes": 4096}
    found = linecard.run("example_smartnic", packets=500, warmup_packets=100, set=much).summary
    assert found.packets_dropped > 0
    assert found.packets_out + found.packets_dropped == 500
    told = " ".join(cli("run", "--help").out.replace("│", "").split())
    assert "Number of packets to measure: packets sent or dropped during the measurement" in told
    assert "packets that leave or are dropped before the statistics start" in told


def test_shares_are_shares():
    result = linecard.run("ixp1200", packets=2000, warmup_packets=500)
    dram = result.dram
    assert dram.data + dram.row_miss + dram.turnaround + dram.refresh + dram.idle == pytest.approx(1.0, abs=1e-6)
    assert sum(part.share for part in result.packet_time) == pytest.approx(1.0, abs=1e-6)
    assert all(0 <= use.utilization <= 1 for use in result.resources)
    assert result.summary.packets_dropped == sum(drop.packets for drop in result.drops)
    assert result.bottleneck.why
    assert result.metric("total", "throughput_gbps") == result.summary.throughput_gbps


def test_files_are_written_with_their_manifest(cli, tmp_path):
    path = tmp_path / "run.csv"
    ended = cli("run", "ixp1200", *QUICK, "-o", path, "--json")
    assert ended.status == 0
    run_id = json.loads(ended.out)["run_id"]
    assert path.read_text().splitlines()[1].startswith(run_id)
    assert json.loads((tmp_path / "run.csv.manifest.json").read_text())["run_id"] == run_id


def test_a_timeline_is_json_that_perfetto_opens(cli, tmp_path):
    path = tmp_path / "run.json"
    ended = cli("run", "ixp1200", "--packets", 200, "--warmup", 50, "--timeline", path)
    assert ended.status == 0, ended.err
    events = json.loads(path.read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    assert events
    assert all("ph" in event for event in events)


def test_a_timeline_that_begins_after_the_end_says_that_it_is_empty(cli, tmp_path):
    words = ("run", "example_smartnic", "--packets", 200, "--warmup", 50, "--timeline", tmp_path / "run.json")
    ended = cli(*words, "--timeline-from", 1e6, "--json")
    assert ended.status == 0
    (warning,) = [each for each in json.loads(ended.out)["warnings"] if "timeline" in each]
    assert (
        "the timeline is empty: it begins 1,000,000.000 us after the start of the measurement, which lasts " in warning
    )
    assert f"linecard: {warning}" in ended.err
    assert "is empty" not in cli(*words, "--timeline-from", 1).err


@pytest.mark.parametrize(("option", "value"), [("--timeline-from", 5), ("--timeline-for", 0)])
def test_a_window_without_a_timeline_is_refused(cli, option, value, wording):
    ended = cli("run", "example_smartnic", "--packets", 200, option, value)
    assert ended.status == 2
    wording(ended.err)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("run", "ixp1201"), 2, "ixp1200"),
        (("run", "ixp1200", "--set", "dram.bank=2"), 2, "`banks`"),
        (("run", "ixp1200", "--set", "dram.banks=lots"), 2, "memory.dram.banks: found `lots`"),
        (("run", "ixp1200", "--set", "dram.banks"), 2, "key.path=value"),
        (("run", "ixp1200", "--program", "l3fwd61"), 2, "l3fwd16"),
        (("run", "ixp1200", "--packets", "0"), 2, "expected 1 or more"),
        (("run", "ixp1200", "--packets", "-5"), 2, "found -5"),
        (("run", "ixp1200", "--seed", "99999999999999999999999"), 2, "seed"),
        (("run", "ixp1200", "--packets", "many"), 2, "--packets"),
        (("run",), 2, "CHIP"),
        (("run", "ixp1200", "--trace", "nowhere.pcap"), 3, "nowhere.pcap"),
        (("flows", "nowhere.pcap"), 3, "nowhere.pcap"),
        (("describe", "ixp1201"), 2, "ixp1200"),
        (("reproduce", "hasan2013"), 2, "hasan2003"),
        (("reproduce", "hasan2003", "--table", "99"), 2, "99"),
        (("reproduce", "hasan2003", "--table", "1", "--jobs", "0"), 2, "1 to 65,536"),
        (("compile",), 2, "compile"),
    ],
)
def test_what_the_user_got_wrong_is_said_without_a_traceback(cli, arguments, status, words):
    ended = cli(*arguments)
    assert ended.status == status, ended.err
    assert words in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""


def test_all_configuration_errors_come_at_once(cli):
    ended = cli("run", "ixp1200", "--set", "dram.bank=2", "--set", "clock.engine_mhz=fast")
    assert ended.status == 2
    assert "dram.bank" in ended.err
    assert "clock.engine_mhz" in ended.err


def test_a_damaged_capture_still_gives_a_result(cli, cut_capture):
    arguments = ("run", "ixp1200", "--trace", cut_capture, "--map-addresses", "--packets", 0, "--warmup", 0)
    ended = cli(*arguments, "--json")
    assert ended.status == 3, ended.err
    assert json.loads(ended.out)["summary"]["packets_out"] == 9
    assert "damaged" in ended.err
    assert cli(*arguments, "--strict").status == 3


def test_presets_and_descriptions(cli):
    found = json.loads(cli("presets", "--json").out)
    names = {each["name"] for each in found}
    assert {"ixp1200", "hasan2003_ref_base", "hasan2003_adapt_pf"} <= names
    assert "ixp1200" in cli("presets").out
    description = json.loads(cli("describe", "ixp1200", "--json").out)
    assert description["preset"] == "ixp1200"
    assert all(each["source"] for each in description["parameters"])
    changed = json.loads(cli("describe", "ixp1200", "--set", "dram.banks=2", "--json").out)
    banks = [each["value"] for each in changed["parameters"] if each["key"] == "memory.dram.banks"]
    assert banks == [2]
    assert "dram.banks" in cli("describe", "ixp1200").out
    assert linecard.describe("ixp1200")["clock.engine_mhz"].unit
    with pytest.raises(KeyError, match=r"dram\.banks"):
        linecard.describe("ixp1200")["memory.dram.bank"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_examples(cli, command):
    ended = cli(command, "--help")
    assert ended.status == 0
    assert "Examples" in ended.out
    assert f"linecard {command}" in ended.out
    assert "130 interrupted" in " ".join(ended.out.split())


def test_reproduce_a_table(cli, tmp_path):
    arguments = ("reproduce", "hasan2003", "--table", 1, "--quick", "--json")
    one = cli(*arguments, "--output", tmp_path / "one", "--jobs", 1)
    two = cli(*arguments, "--output", tmp_path / "two", "--jobs", 2)
    assert one.status == two.status == 0, one.err
    plain, again = json.loads(one.out), json.loads(two.out)
    assert plain.pop("seconds") >= 0
    again.pop("seconds")
    assert plain == again
    assert (plain["cells"], plain["calibrated_cells"], plain["order_pairs"]) == (2, 2, 2)
    assert (tmp_path / "one" / "report.html").exists()
    for name in ("comparison.csv", "measurements.csv", "manifest.json", "report.html"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_folder_that_cannot_be_written_is_said_before_the_run(cli, tmp_path):
    (tmp_path / "file").write_text("")
    ended = cli("reproduce", "hasan2003", "--table", 2, "--quick", "--json", "--output", tmp_path / "file" / "out")
    assert (ended.status, ended.out) == (2, "")
    assert "cannot write" in ended.err


def test_a_folder_that_cannot_be_written_in_the_end_loses_no_result(cli, tmp_path, monkeypatch):
    monkeypatch.setattr("linecard.files.check_outputs", lambda *paths, **more: None)
    (tmp_path / "file").write_text("")
    ended = cli("reproduce", "hasan2003", "--table", 2, "--quick", "--json", "--output", tmp_path / "file" / "out")
    assert ended.status == 2
    assert json.loads(ended.out)["study"] == "hasan2003"
    assert "cannot write" in ended.err


def test_reproduce_on_the_screen(cli, tmp_path):
    ended = cli("reproduce", "hasan2003", "--table", "figure5", "--quick", "--output", tmp_path)
    assert ended.status == 0, ended.err
    assert "Figure 5" in ended.out
    assert "report.html" in ended.err


def test_progress_and_interrupt_from_python():
    seen = []
    linecard.run(
        "ixp1200", packets=100_000, warmup_packets=100, progress=lambda done, total: seen.append((done, total))
    )
    assert all(done <= total == 100_100 for done, total in seen)

    class Enough(Exception):
        pass

    def stop(done, total):
        raise Enough

    with pytest.raises(Enough):
        linecard.run("ixp1200", packets=50_000_000, progress=stop)


def test_runs_in_threads_take_each_others_time():
    """The core releases the GIL: a Python thread makes progress while a simulation runs."""
    import threading

    counted = 0
    stop = threading.Event()

    def count():
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    linecard.run("ixp1200", packets=100_000, warmup_packets=100)
    stop.set()
    thread.join()
    assert counted > 20


def test_nothing_compiled_stays_unwrapped():
    from linecard import _core, petri

    files = [file for file in (ROOT / "python/linecard").glob("*/*.py") if "_programs" not in file.parts]
    files += (ROOT / "python/linecard").glob("*.py")
    source = "".join(file.read_text() for file in sorted(files))
    public = {"check_chip": "check", "chip_drawing": "draw", "chip_template": "new"}
    # Functions that are parts of the functions of Python.
    inner = {
        "applications",
        "core_deployments",
        "core_registers",
        "core_termination",
        "declared_keys",
        "lifts",
        "request_schemas",
        "traced_notes",
        "traced_report",
        "worked_seconds",
    }
    functions = {name for name in dir(_core) if not name.startswith("_") and not isinstance(getattr(_core, name), type)}
    # Only `make docs` reads `report_schemas`.
    for name in functions - {"report_schemas"}:
        assert f"_core.{name}(" in source, name
        wrapped = public.get(name, name.removeprefix("petri_"))
        assert name in inner or any(callable(getattr(module, wrapped, None)) for module in (linecard, petri)), name
    stub = (ROOT / "python/linecard/_core.pyi").read_text()
    assert functions == {
        line.split("(")[0].removeprefix("def ") for line in stub.splitlines() if line.startswith("def ")
    }
