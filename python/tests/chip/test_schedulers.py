"""Schedulers in a chip's file: how they are read, and the message of each mistake."""

from __future__ import annotations

import pytest

import linecard

CHIP = """\
kind = "chip"
title = "The shipped example, with classes"
extends = ["platforms/example_smartnic"]
source = "a test"

[port.eth]
scheduler = ["strict", "deficit"]

[[port.eth.group]]
name = "urgent"

[[port.eth.group]]
name = "rest"

[[port.eth.class]]
name = "voice"
group = "urgent"
rate_gbps = 2
burst_bytes = 3000

[[port.eth.class]]
name = "video"
group = "rest"
quantum_bytes = 6000
"""
PROGRAM = 'kind = "program"\ntitle = "t"\nsource = "s"\nstep = [{ op = "send", class = "voice" }]\n'


@pytest.fixture
def problems(tmp_path):
    """The problems of a chip with these changes of its file, or of its program's."""

    def call(*changes: tuple[str, str]) -> list[str]:
        program, chip = tmp_path / "program.toml", tmp_path / "chip.toml"
        text, steps = CHIP, PROGRAM
        for old, new in changes:
            assert (text + steps).count(old) == 1, old
            text, steps = text.replace(old, new), steps.replace(old, new)
        program.write_text(steps)
        chip.write_text(f'{text}\n[program]\nrun = "{program}"\n')
        try:
            linecard.check(chip)
        except linecard.ConfigError as error:
            return [f"{each.key}: {each.message}" for each in error.problems]
        return []

    return call


def test_levels_groups_and_classes_are_read(problems):
    assert problems() == []
    deeper = ('scheduler = ["strict", "deficit"]', 'scheduler = ["strict", "round_robin", "deficit"]')
    inner = ('name = "rest"', 'name = "low"\n[[port.eth.group]]\nname = "rest"\ngroup = "low"')
    urgent = ('name = "urgent"', 'name = "high"\n[[port.eth.group]]\nname = "urgent"\ngroup = "high"')
    assert problems(deeper, inner, urgent) == []
    one = ('scheduler = ["strict", "deficit"]', 'scheduler = "deficit"\nclasses = 2\nquantum_bytes = [1500, 3000]')
    flat = CHIP.partition("[[port.eth.group]]")[2]
    assert problems(one, ("[[port.eth.group]]" + flat, "")) == [
        "program.step[0].class: found `voice`; expected a number from 0 to 255, or the name of a class"
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"deficit"]', '"deficitt"]', "port.eth.scheduler[1]: found `deficitt`; did you mean `deficit`?"),
        (
            'scheduler = ["strict", "deficit"]',
            "scheduler = []",
            'port.eth.scheduler: found 0 levels; expected 1 to 8, such as ["strict", "deficit"]',
        ),
        ('group = "urgent"', 'group = "urgnet"', "port.eth.class[0].group: found `urgnet`; did you mean `urgent`?"),
        ('group = "urgent"\n', "", "port.eth.class[0].group: missing: expected one of urgent, rest"),
        ('name = "voice"', 'name = "video"', "port.eth.class[1].name: found `video` twice; expected a unique name"),
        ('name = "video"', 'name = "7"', "port.eth.class[1].name: found `7`, a number; expected a name"),
        ('name = "video"\n', "", "port.eth.class[1].name: missing: expected text"),
        (
            "rate_gbps = 2\n",
            "",
            "port.eth.class[0].burst_bytes: has no effect: the class or group has no rate limit; add rate_gbps",
        ),
        ("rate_gbps = 2", "rate_gbps = 0", "port.eth.class[0].rate_gbps: found `0`; expected a number from 0.000001"),
        (
            '[[port.eth.group]]\nname = "rest"',
            'classes = 3\n[[port.eth.group]]\nname = "rest"',
            "port.eth.group[0].classes: no such key",
        ),
        (
            'scheduler = ["strict", "deficit"]',
            'scheduler = ["strict", "deficit"]\nclasses = 3',
            "port.eth.classes: found 3, but [[port.eth.class]] lists 2 classes; omit this key",
        ),
        (
            'scheduler = ["strict", "deficit"]',
            'scheduler = ["strict", "strict", "deficit"]',
            "port.eth.class[0].group: `urgent` is a group on level 1; expected a group on level 2",
        ),
        (
            'name = "rest"',
            'name = "rest"\ngroup = "urgent"',
            "port.eth.group[1].group: has no effect: groups can contain groups only if the scheduler has three levels",
        ),
        (
            'group = "rest"',
            'group = "urgent"',
            "port.eth.group: the group `rest` is empty; assign a class to the group",
        ),
        ('class = "voice"', 'class = "vioce"', "program.step[0].class: found `vioce`; did you mean `voice`?"),
        (
            "[port.eth]",
            "[port.eth]\nslots = 4",
            "port.eth.class: has no effect: a port with transmit slots has only one queue, from which output threads "
            "send all blocks",
        ),
    ],
)
def test_each_mistake_says_key_and_what_was_expected(problems, old, new, expected):
    found = problems((old, new))
    assert any(each.startswith(expected) for each in found), found


def test_a_rule_that_is_none_is_one_problem(problems):
    assert len(problems(('"deficit"]', '"deficitt"]'))) == 1
