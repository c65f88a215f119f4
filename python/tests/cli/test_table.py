"""Tables of screens: what they omit, and when they become lists."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from linecard.cli import pieces


def drawn(part, width):
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(part)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def uses():
    table = pieces.lined(("part", "l"), ("", "l"), ("busy", "r"), ("why", "w"), ("unit", "l"))
    table.add_row("dram", pieces.bar(0.5, "red", 10), "50.0 %", "many banks are open")
    return table


def test_a_table_takes_what_it_needs():
    assert drawn(uses(), 80) == [
        "part                busy  why",
        "─" * 45,
        "dram  █████·····  50.0 %  many banks are open",
    ]


def test_text_gives_way_then_bars_then_the_table():
    assert drawn(uses(), 42)[2:] == ["dram  ████▌····  50.0 %  many banks are", " " * 25 + "open"]
    assert drawn(uses(), 34)[2:] == ["dram  50.0 %  many banks are open"]
    assert drawn(uses(), 24) == ["part", "dram", "  busy 50.0 %", "  why many banks are", "  open"]


def test_a_table_without_rows_is_its_header_or_nothing():
    assert drawn(pieces.grid("l", "r"), 40) == []
    assert drawn(pieces.lined(("a", "l"), ("b", "r")), 40) == ["a  b", "────"]


def test_sections_stand_apart_and_texts_are_no_markup():
    table = pieces.grid("l", "r")
    table.add_section(Text("first"))
    table.add_row("step[cycles]", "1")
    table.add_section()
    table.add_row("b", "22")
    assert drawn(table, 40) == ["first", "step[cycles]   1", "", "b             22"]


@pytest.mark.parametrize("width", [3, 20, 80])
def test_a_table_needs_no_room(width):
    table = pieces.lined(("name", "l"), ("count", "r"))
    table.add_row("a", "1")
    table.add_row("b")
    assert [word for line in drawn(table, width) for word in line.split() if word in ("a", "b")] == ["a", "b"]
