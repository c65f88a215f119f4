"""The glossary: its explanations of terms, and the links of pages to it."""

from __future__ import annotations

import json
import re

import pytest

import linecard
from linecard.glossary import by_name, glossary, term_in
from linecard.report.page import notebook, page
from linecard.view import Facts, Table, Title, text


def test_one_name_is_one_term_and_one_term_one_sentence_or_two():
    names = [name.lower() for each in glossary() for name in (each.term, *each.names)]
    assert len(set(names)) == len(names) == len(by_name())
    for each in glossary():
        assert each.meaning.endswith("."), each.term
        for sentence in re.split(r"(?<=[.;:]) ", each.meaning):
            assert len(sentence.split()) <= 25, each.term


@pytest.mark.parametrize(("asked", "term"), [("NDR", "no-drop rate"), ("Row  Hits", "row hit"), ("banks", "bank")])
def test_a_term_is_found_by_each_of_its_names(asked, term):
    assert [each.term for each in linecard.explain(asked)] == [term]


def test_a_term_is_explained_on_the_screen_and_as_json(cli):
    shown = cli("explain", "row hit").out
    assert "row hit" in shown
    assert "column command" in shown
    (found,) = json.loads(cli("explain", "row hit", "--json").out)
    assert found["term"] == "row hit"
    assert len(json.loads(cli("explain", "--json").out)) == len(glossary())


def test_the_nearest_terms_are_named(cli):
    ended = cli("explain", "row hitt")
    assert (ended.status, ended.out) == (2, "")
    assert "did you mean `row hit`" in ended.err
    assert "linecard explain lists all terms" in cli("explain", "zzz").err


@pytest.mark.parametrize(
    ("row", "term"),
    [("Throughput", "throughput"), ("threads of input", "hardware thread"), ("in output queue", "output queue")],
)
def test_the_name_of_a_row_has_a_term(row, term):
    found = term_in(row)
    assert found is not None
    assert found.term == term


def test_no_term_is_found_within_a_word_or_a_key():
    assert term_in("reclassify") is None
    assert term_in("core.engines") is None


@pytest.mark.parametrize("made", [page, notebook])
def test_every_link_of_a_page_leads_to_a_meaning_on_it(made):
    parts = [Title("t"), Facts([("Latency", "5 ns")]), Table("Rows", (text("name"), "n"), [("row hits", 1), ("x", 2)])]
    shown = made(parts)
    links = set(re.findall(r'href="#(term-[^"]+)"', shown))
    assert links == {"term-latency", "term-row-hit"}
    assert all(shown.count(f'id="{each}"') == 1 for each in links)
