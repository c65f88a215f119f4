"""Queue managers from Python and the command line: results, errors, captures, designs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from conftest import ROOT
from typer.testing import CliRunner

import linecard
from linecard._studies.kumar2006.runners import queueing as runner
from linecard.cli import app
from linecard.queueing.run import MANAGERS
from linecard.study.plan import RunSpec

CAPTURE = ROOT / "examples/captures/edge-mix.pcap.gz"


def small(workload="SD16_90", managers=MANAGERS, set=None, **options):
    return linecard.queueing_run(workload, managers, set, operations=8000, warmup=1000, **options)


def test_a_run_tells_what_was_simulated_and_what_the_model_says():
    result = small()
    assert [row.manager for row in result.rows] == list(MANAGERS)
    assert all(row.operations == 8000 for row in result.rows)
    # Table 5, plus the 5 ns of instructions of the queuing cache.
    qc, nc = result.row("qc"), result.row("nc")
    assert (qc.enqueue_hit_ns, qc.dequeue_miss_ns) == (85.0, 125.0)
    assert (nc.enqueue_hit_ns, nc.dequeue_hit_ns) == (170.0, 250.0)
    assert result.ratio("qc", "nc") == qc.throughput_mops / nc.throughput_mops
    for row in result.rows:
        expected = (row.model_mops / row.throughput_mops - 1) * 100
        assert row.model_difference_percent == pytest.approx(expected)
    gaps = result.gaps
    assert gaps.below_loss + gaps.between + gaps.above_gain == pytest.approx(1)
    assert sum(row.share for row in gaps.rows) == pytest.approx(1)
    with pytest.raises(KeyError, match="qarray"):
        result.row("qarray")


def test_the_same_request_gives_the_same_bytes_and_seeds_differ():
    assert small().to_dict() == small().to_dict()
    assert small(seed=2).to_dict() != small().to_dict()
    assert repr(small()).startswith("<QueueingResult SD16_90: qc ")
    assert "M ops/s" in small()._repr_html_()


def test_entries_have_no_effect_on_the_q_array():
    """Its gain threshold is that of 16 entries, whatever the setting, which is refused unless it reaches a manager."""
    alone = small(managers="qarray", set="threads=8").gaps
    assert alone == small(managers="qarray,qc", set={"threads": 8, "entries": 16}).gaps
    assert alone != small(managers="qarray,qc", set={"threads": 8, "entries": 64}).gaps
    with pytest.raises(linecard.ConfigError, match="entries: has no effect on qarray"):
        small(managers="qarray", set={"threads": 8, "entries": 64})


def test_settings_reach_the_machine():
    few = small(set={"threads": 4}).row("qc").throughput_mops
    assert few < small(set="threads=8").row("qc").throughput_mops
    described = {setting.key: setting for setting in linecard.queueing_settings({"threads": 4})}
    assert described["threads"].value == "4"
    assert all(setting.meaning and setting.source for setting in described.values())


def test_a_file_says_what_differs_from_the_machine_of_the_document(tmp_path, wording):
    mine = tmp_path / "mine.toml"
    head = 'title = "Mine"\nkind = "queueing"\nextends = ["queueing/kumar2006"]\nsource = "measured"\n'
    mine.write_text(f'{head}memory_ns = "0.08 us"\nentries = 4\n')
    asked = {"memory_ns": 80, "entries": 4}
    found = small(machine=mine)
    assert found.rows == small(set=asked).rows != small().rows
    assert (found.machine, small().machine) == (str(mine), "kumar2006")
    described = {setting.key: setting for setting in linecard.queueing_settings({"threads": 4}, machine=mine)}
    assert [described[key].source for key in ("memory_ns", "threads")] == ["measured", "given with --set"]
    assert {"key": "entries", "value": "4"}.items() <= next(
        each for each in found.manifest()["all_settings"] if each["key"] == "entries"
    ).items()
    assert [change.key for change in linecard.describe(mine).changes] == ["memory_ns", "entries"]
    call = CliRunner().invoke
    run = ["queueing", "run", "--workload", "R", "--operations", "2000", "--manager", "qc", "--machine", str(mine)]
    assert "defaults of the machine" in call(app, run).stdout
    design = ["queueing", "design", "--workload", "R", "--target-mops", "10", "--operations", "1000", "--json"]
    assert json.loads(call(app, [*design, "--machine", str(mine)]).stdout)["machine"] == str(mine)
    mine.write_text(f"{head}entrys = 4\nways = 0\n")
    with pytest.raises(linecard.ConfigError) as caught:
        small(managers="xx", machine=mine)
    assert [problem.place for problem in caught.value.problems] == [f"{mine}:5", f"{mine}:6", "manager"]
    with pytest.raises(linecard.ConfigError) as refused:
        small(machine="dram/ddr4_2400")
    wording(refused.value)


def test_a_capture_is_mapped_to_queues(tmp_path):
    result = linecard.queueing_run(CAPTURE, "qc", trace=True, warmup=500)
    assert result.packets > 1000
    assert result.format == "pcap"
    # Each packet is enqueued and dequeued.
    assert result.rows[0].operations == result.packets * 2
    csv = tmp_path / "queues.csv"
    manifest = json.loads(result.save(csv).with_name(f"{csv.name}.manifest.json").read_text())
    assert csv.read_text().startswith("manager,operations,throughput_mops")
    assert len(manifest["input_hash"]) == 64
    assert {setting["key"] for setting in manifest["all_settings"]} >= {"threads", "memory_port_ns"}


@pytest.mark.parametrize(
    ("workload", "managers", "set", "said"),
    [
        ("SD16_90", "qc,xx", None, 'unknown name "xx"; known: '),
        ("Q", "qc", None, 'unknown name "Q"; known: R'),
        ("L0.9", "qc", None, "k is above 1"),
        ("R", "qc", "threads=0", "expected a whole number from 1"),
        ("R", "qc", "engines=0", "expected a whole number from 1"),
        ("R", "qc", "queues=65537", "from 1 to 65536"),
        ("R", "qc", "thread=3", "did you mean `threads`?"),
        ("R", "qc", ["threads=3", "threads=4"], "set twice"),
        ("R", "qarray", None, "at most 8"),
        ("SD16_90", "qc", "queues=8", "at least 17"),
        ("R", "", None, "expected at least one"),
    ],
)
def test_what_cannot_be_run_is_refused(workload, managers, set, said):
    with pytest.raises(linecard.ConfigError, match=said.replace("?", r"\?")):
        small(workload, managers, set)


def test_every_problem_is_listed_at_once():
    with pytest.raises(linecard.ConfigError) as caught:
        small("R", "qc,xx", ["threads=0", "burst=x"])
    assert len(caught.value.problems) == 3


def test_captures_that_hold_no_ip_are_refused(tmp_path, wording):
    empty = tmp_path / "empty.pcap"
    header = bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000")
    empty.write_bytes(header + bytes(8) + b"\x0e\0\0\0\x0e\0\0\0" + bytes(14))
    with pytest.raises(linecard.TrafficError) as refused:
        linecard.queueing_run(empty, trace=True)
    wording(refused.value)
    with pytest.raises(linecard.TrafficError):
        linecard.queueing_run(tmp_path / "missing.pcap", trace=True)


def test_the_smallest_design_is_one_of_those_that_reach_the_target(wording):
    result = linecard.queueing_design("SD16_90", 60, operations=4000, warmup=1000)
    reaching = [design for design in result.designs if design.threads is not None]
    assert result.smallest in reaching
    assert result.smallest.product == min(design.product for design in reaching)
    assert result.smallest.throughput_mops >= 60
    assert linecard.queueing_design("SD1_100", 60, operations=2000, warmup=500).smallest is None
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.queueing_design("R", 60, {"threads": 4})
    wording(refused.value)
    with pytest.raises(linecard.ConfigError, match="above 0"):
        linecard.queueing_design("R", 0)


def test_frames():
    pytest.importorskip("polars")
    assert small().to_frame().shape[0] == len(MANAGERS)
    design = linecard.queueing_design("SD16_90", 60, operations=2000, warmup=500)
    assert design.to_frame().columns == ["entries", "engines", "threads", "throughput_mops", "product"]


def test_commands():
    call = CliRunner().invoke
    run = call(app, ["queueing", "run", "--workload", "SD1_100", "--operations", "5000", "--json"])
    assert run.exit_code == 0, run.output
    assert [row["manager"] for row in json.loads(run.stdout)["rows"]] == list(MANAGERS)
    design = ["queueing", "design", "--workload", "SD16_90", "--target-mops", "60", "--operations", "2000"]
    assert "engines" in call(app, design).stdout
    assert json.loads(call(app, [*design, "--json"]).stdout)["smallest"]["entries"] > 0
    assert "memory_port_ns" in call(app, ["queueing", "settings"]).stdout
    screen = call(app, ["queueing", "run", "--trace", str(CAPTURE)]).stdout
    assert "Managers" in screen
    assert "edge-mix" in screen


def test_memory_ports_that_take_no_time_have_no_limit():
    found = linecard.queueing_run("SD1_100", operations=2000, warmup=500, set={"memory_port_ns": 0})
    assert [row.memory_limit_mops for row in found.rows] == [None] * len(MANAGERS)
    assert min(row.model_mops for row in found.rows) > 0


def test_a_wrong_option_ends_with_status_2():
    command = [sys.executable, "-m", "linecard", "queueing", "run", "--workload", "R", "--set", "threads=0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "threads" in done.stderr
    both = [*command[:5], "--workload", "R", "--trace", "x.pcap"]
    assert "expected one of them" in subprocess.run(both, capture_output=True, text=True, check=False).stderr


def spec(preset="", program="R", overrides=(), trace=""):
    return RunSpec(
        runner="queueing",
        preset=preset,
        program=program,
        trace=trace,
        map_addresses=False,
        overrides=tuple(overrides),
        seed=1,
        packets=4000,
        warmup_packets=1000,
    )


def test_the_runner_answers_the_document_s_questions(wording):
    def ask(*arguments, **more):
        return runner.run(spec(*arguments, **more), lambda done, total: None)

    point = ask(program="SD1_100")
    # Whole operations on the one queue: 178 and 250 ns in nc, 80 in qc.
    assert point.metric("qc", "ratio_to_nc") == pytest.approx(214 / 80, rel=0.01)
    latency = ask("latency", overrides=["manager=dc"])
    assert latency.metric("chosen", "dequeue_miss_ns") == 210
    threads = ask("threads", program="SD1_100", overrides=["manager=qc"])
    # Two threads keep the one queue busy; a third hides the time between them.
    assert threads.metric("chosen", "threads_to_peak") <= 3
    change = ask("change", program="SD1_100", overrides=["manager=qc", "vary.memory_ns=80"])
    assert change.metric("chosen", "relative_percent") == pytest.approx(80 / 120 * 100, abs=0.5)
    with pytest.raises(linecard.ConfigError) as refused:
        ask(overrides=["thread=1"])
    wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        ask("size")
    wording(refused.value)


def test_the_runner_reads_synthesis_results(tmp_path):
    table = tmp_path / "gates.csv"
    table.write_text("block,flip_flops,nand2_equivalents\ncache array,1024,4000\n")
    run = runner.run(spec(trace=str(table), overrides=["block=cache array"]), lambda done, total: None)
    assert run.metric("chosen", "flip_flops") == 1024
    with pytest.raises(linecard.ConfigError, match="make rtl"):
        runner.run(spec(trace=str(tmp_path / "none.csv"), overrides=["block=x"]), lambda done, total: None)
