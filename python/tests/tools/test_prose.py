"""Does the check of documents find what it should, and nothing in code and tables?"""

from __future__ import annotations

import pytest

from tools import prose, sentences
from tools.command import ROOT
from tools.sentences import Kind, of_markdown


@pytest.fixture
def found(tmp_path, monkeypatch):
    """The problems of a document with this text."""
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    monkeypatch.setattr(sentences, "ROOT", tmp_path)

    def check(text: str) -> list[str]:
        page = tmp_path / "page.md"
        page.write_text(text)
        return list(prose.problems(list(of_markdown(page)), prose.rules()))

    return check


def test_a_paragraph_is_split_at_the_ends_of_sentences():
    several = ["One has `a. B` in it, e.g. this.", "`two` follows et al. So it ends at 1.5 Gbit/s."]
    assert sentences.split(" ".join(several)) == several


def test_a_sentence_has_at_most_25_words_of_which_code_is_one(found):
    assert not found("`a b c d e f g h i j k l` " + "word " * 23 + "end.\n")
    (problem,) = found("# A heading\n\n" + "word " * 25 + "end.\n")
    assert problem.startswith("page.md:3: ")
    assert "26 words, expected at most 25" in problem


@pytest.mark.parametrize("text", ["It is told.", "Nobody knows.", "With it, more leaves.", "The place is full."])
def test_avoided_wording_is_found_in_prose_alone(found, text):
    assert len(found(f"{text}\n")) == 1
    assert not found(f"`{text}`\n\n```text\n{text}\n```\n\n| {text} |\n|---|\n| {text} |\n")


def test_in_place_of_is_english(found):
    assert not found("It takes the value in place of another.\n")


@pytest.mark.parametrize("kind", Kind)
def test_a_draw_has_a_seed(kind, capsys):
    sentences.draw(kind, count=5, seed=7)
    first = capsys.readouterr().out
    sentences.draw(kind, count=5, seed=7)
    assert capsys.readouterr().out == first
    assert len(first.splitlines()) == 6
    assert str(ROOT) not in first
