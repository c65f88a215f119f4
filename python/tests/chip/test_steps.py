"""Programs of steps built in Python: they equal the files of `presets/programs`, and runs accept them directly."""

from __future__ import annotations

import inspect
import keyword
import re
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

import linecard
from linecard import Program
from linecard.chip.steps import AccessKeys, OnceKeys, StepKeys

# Programs that leave out parts of another program have its steps.
SHIPPED = sorted(file for file in (ROOT / "presets" / "programs").glob("*.toml") if "[[step]]" in file.read_text())
READER = (ROOT / "crates/chips/src/listed/step.rs").read_text()
VERBS = READER[READER.index("const VERBS") : READER.index("const ACCESSES")]
OPS = re.findall(r'^ {4}\("(\w+)", Verb::', VERBS, re.MULTILINE)
# The cluster of each shipped list that is a stage of a chip.
STAGES = {"ixp2800_receive": "receive", "ixp2800_process": "process", "ixp2800_transmit": "transmit"}
# Lists that run only on a chip with the memories that they name.
CHIPS = {"vanilla_ip": "ixp1200_eval", "probe": "ixp1200_eval", "to_host": "ixp1200_host"}


def built(file: Path) -> Program:
    """The program of a file, built by the methods of its steps."""
    plain = tomllib.loads(file.read_text())
    program = Program(file.stem, plain["title"], plain["source"], plain.get("routes"))
    for step in plain["step"]:
        keys = {f"{key}_" if keyword.iskeyword(key) else key: value for key, value in step.items() if key != "op"}
        program = getattr(program, step.get("op", "compute"))(**keys)
    return program


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_a_shipped_program_built_in_python_runs_to_the_same_bytes(file, tmp_path):
    program = built(file)
    plain, again = (tomllib.loads(text) for text in (file.read_text(), program.to_toml()))
    assert [{"op": "compute", **step} for step in plain["step"]] == again["step"]
    counts = {"packets": 400, "warmup_packets": 100, "verdict": False}
    if file.stem in STAGES:
        key = f"cluster.{STAGES[file.stem]}.program"
        as_it_is = linecard.run("ixp2800", **counts)
        found = linecard.run("ixp2800", set={key: str(program.save(tmp_path / file.name))}, **counts)
        assert found.metrics == as_it_is.metrics
        return
    usual = "bluefield3_dpa" if file.stem.startswith("dpa_") else "example_smartnic"
    chip = CHIPS.get(file.stem, usual)
    as_it_is = linecard.run(chip, program=str(file), **counts).to_dict()
    found = linecard.run(chip, program=program, **counts).to_dict()
    for each in (as_it_is, found):
        # Ids follow from the bytes of the file, which include its comments and its order of keys.
        del each["run_id"]
        del each["request"]
    assert found == as_it_is


def test_every_op_has_a_method_and_every_method_an_op():
    methods = {
        name.removesuffix("_")
        for name, method in inspect.getmembers(Program, inspect.isfunction)
        if inspect.signature(method).return_annotation == "Program" and not name.startswith("_")
    }
    assert OPS
    assert methods == set(OPS)
    assert not hasattr(Program("x"), "reed")


def every_step(program: Program) -> Program:
    """All operations with all their keys."""
    some = {"name": "n", "cycles": 1, "share": 0.5, "times": 2, "unless_executed": True, "part": "p"}
    once = {"name": "n", "cycles": 1, "unless_executed": True, "part": ["p", "q"]}
    for each in ("packet", "cell", "first_cell", "later_cell"):
        program = program.compute(1, name="n", each=each, share=0.5, times=2, unless_executed=True)
    access = {**some, "each": "packet", "address": "flow", "within_bytes": 128, "posted": True}
    for op in ("read", "write", "add", "test_and_set", "swap", "ask", "continue_"):
        program = getattr(program, op)("local" if op != "ask" else "hash", 8, **access)
        program = getattr(program, op)("local" if op != "ask" else "hash", whole_packet=True, address="same")
    span = {"address": "flow", "within_bytes": 128}
    program = program.transfer("local", 70, each="cell", **span, **some).check(**some).extend(name="n", part="p")
    accesses = [{"op": "read", "at": "local", "times": 2}, {"op": "transfer", "at": "local", "bytes": 40, "part": "q"}]
    program = program.spread(accesses, each="cell", **some).look_up()
    program = program.lock(3, **once).read("local", address="any").unlock(3, **once).join(**some)
    return program.look_up("table", 4, **some).run(name="n", cycles=1)


def test_every_op_is_read_with_all_its_keys():
    program = every_step(Program("all"))
    ends = (
        program.send(1, class_=0, name="n", cycles=1, share=0.5),
        program.drop(cycles=1),
        program.finish(cycles=1),
        program.send(),
    )
    for ended in ends:
        linecard.run("example_smartnic", program=ended, packets=50, warmup_packets=10, verdict=False)
    used = {step.op for ended in ends for step in ended.steps}
    # Moves run in the shipped stages above; here they have all of their arguments.
    moves = Program("moves").move_in("packets", posted=True, cycles=1, times=1).move_out("packets", "later_cell")
    used |= {step.op for step in moves.put("out").steps}
    # A chip on which threads send block by block.
    blocks = Program("blocks").look_up().admit().enqueue(cycles=2).read("table", each="first_cell").transmit(cycles=3)
    linecard.run("ixp1200_eval", program=blocks, packets=50, warmup_packets=10, verdict=False)
    used |= {step.op for step in blocks.steps}
    # A chip on which threads hand packets over and continue.
    lent = (
        Program("lent").put("arrived", if_room=True, cycles=1, from_="rx").alone(from_="rx").read("table", from_="up")
    )
    linecard.run("ixp1200_host", program=lent, packets=50, warmup_packets=10, verdict=False)
    used |= {step.op for step in lent.put("back", goes_on=True).steps}
    assert used == set(OPS)
    said = tomllib.loads(moves.to_toml())["step"]
    assert said[0] == {"op": "move_in", "at": "packets", "each": "cell", "posted": True, "cycles": 1, "times": 1}
    assert said[1] == {"op": "move_out", "at": "packets", "each": "later_cell"}


def test_a_program_never_changes():
    first = Program("count").compute(44)
    second = first.read("flags", 4)
    assert (len(first.steps), len(second.steps)) == (1, 2)
    assert second == Program("count").compute(44).read("flags", 4)
    assert hash(second) == hash(Program("count").compute(44).read("flags", 4))
    with pytest.raises(AttributeError):
        first.name = "other"


def test_names_and_texts_are_quoted():
    title = 'a "title" \\ with\ttabs and ünïcode'
    program = Program("quoted", title, routes="my routes.txt").compute(1, name="a = 'b'")
    plain = tomllib.loads(program.to_toml())
    assert (plain["title"], plain["routes"]) == (title, "my routes.txt")
    assert plain["step"] == [{"op": "compute", "name": "a = 'b'", "cycles": 1}]


def test_ids_tell_programs_of_one_name_apart(tmp_path):
    counts = {"packets": 50, "warmup_packets": 10, "verdict": False}
    programs = [Program("same").compute(cycles).send() for cycles in (10, 20, 10)]
    ids = [linecard.run("example_smartnic", program=each, **counts).run_id for each in programs]
    assert ids[0] == ids[2] != ids[1]
    file = programs[0].save(tmp_path / "same.toml")
    assert linecard.run("example_smartnic", program=str(file), **counts).run_id == ids[0]
    own = [Program("p").compute(cycles).run().save(tmp_path / f"{cycles}.toml") for cycles in (1, 2)]
    executed = [
        linecard.run("example_smartnic", program="drop", set={"program.run": each}, **counts).run_id for each in own
    ]
    assert executed[0] != executed[1]


# ---- errors ----


def test_what_the_reader_refuses_names_the_program_and_its_line(wording):
    wrong = Program("wrong").read("loca").put("out", cycles=-1)
    with pytest.raises(linecard.ConfigError) as raised:
        linecard.run("example_smartnic", program=wrong, packets=10)
    text = str(raised.value)
    wording(text)
    assert "/" not in raised.value.problems[0].place
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.run("example_smartnic", program=Program("empty"), packets=10)
    wording(refused.value)


def test_other_errors_come_through_as_they_are(wording):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.run("example_smartnic", program=Program("fine").send(), set={"clock.core_hz2": 1}, packets=10)
    wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.run("example_smartnic", program="firewal", packets=10)
    wording(refused.value)


def test_a_key_that_a_step_does_not_have_is_refused_at_once(wording):
    with pytest.raises(TypeError) as refused:
        Program("x").read("table", size=4)
    wording(refused.value)
    with pytest.raises(TypeError, match="'share'"):
        Program("x").lock(1, share=0.5)
    with pytest.raises(TypeError, match="'each'"):
        Program("x").compute(1).run(each="cell")
    assert OnceKeys.__annotations__.keys() < StepKeys.__annotations__.keys() < AccessKeys.__annotations__.keys()


@pytest.mark.parametrize("name", ["", "a/b", "../x", ".x", "a b"])
def test_a_name_is_that_of_a_file(name, wording):
    with pytest.raises(linecard.ConfigError) as refused:
        Program(name)
    wording(refused.value)


def test_bytes_and_the_whole_packet_exclude_each_other(wording):
    with pytest.raises(linecard.ConfigError) as refused:
        Program("x").read("packets", 4, whole_packet=True)
    wording(refused.value)


TWO_STAGES = """kind = "chip"
title = "two stages"
source = "a test"
[clock]
core_mhz = 1000
[cluster.first]
engines = 2
threads = 4
takes = "work"
[cluster.second]
engines = 1
threads = 1
takes = "handed"
[[cluster.second.step]]
cycles = 10
[memory.s]
latency_cycles = 10
access_cycles = 1
[inbox.work]
[inbox.handed]
[buffer.rx]
bytes = "1 MiB"
[port.eth]
rate_gbps = 1
inbox = "work"
[bind]
packet = "s"
[traffic]
kind = "fixed"
packet_bytes = 64
rate_gbps = 0.5
arrivals = "constant"
[[program.step]]
op = "run"
"""
PUT = '[[program.step]]\nop = "put"\nto = "handed"\n'
BEHIND = {
    "a last put": PUT,
    "a put with room": PUT + "if_room = true\n",
    "a put that goes on": PUT + "goes_on = true\n[[program.step]]\ncycles = 500\n",
    "a lookup": '[[program.step]]\nop = "look_up"\n',
}


@pytest.mark.parametrize("behind", BEHIND)
def test_the_steps_behind_a_program_keep_to_its_decision(behind, tmp_path):
    chip = tmp_path / "chip.toml"
    chip.write_text(TWO_STAGES + BEHIND[behind])
    counts = {"packets": 200, "warmup_packets": 0, "verdict": False}
    wire = {name: linecard.run(chip, program=name, **counts).metric("eth", "wire_out") for name in ("drop", "tx")}
    # 84 bytes on the wire for every 64.
    assert wire == {"drop": 0, "tx": pytest.approx(0.5 * 84 / 64, rel=0.02)}
