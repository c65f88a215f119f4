"""What the documents must not say: wording that `prose.toml` and the glossary avoid, and sentences that are too long.

`python -m tools.prose` checks every document that people write; `make lint` runs it. It does what Vale would do with a
style of our own: Vale's wheel downloads its program when it first runs, which a clone without a network cannot.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from tools import command
from tools.command import ROOT
from tools.sentences import PACKAGE, Sentence, documents, of_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

_STYLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
WORDS: int = _STYLE["words"]


class Rule(NamedTuple):
    """Wording that is avoided, what to write, and the documents that may use it."""

    find: re.Pattern[str]
    say: str
    unless: re.Pattern[str] | None = None
    exempt: frozenset[str] = frozenset()


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


def rules() -> list[Rule]:
    """The rules of style, and the wording that terms of the glossary replace."""
    found = [
        Rule(_words(each["find"]), each["say"], _words(each["unless"]) if "unless" in each else None)
        for each in _STYLE["rule"]
    ]
    glossary = tomllib.loads((PACKAGE / "glossary.toml").read_text(encoding="utf-8"))
    for group in glossary["group"]:
        for each in group["term"]:
            exempt = frozenset(_STYLE["exempt"].get(each["term"], ()))
            found += [Rule(_words(avoided), each["term"], exempt=exempt) for avoided in each.get("avoid", ())]
    return found


def problems(several: list[Sentence], known: list[Rule]) -> Iterator[str]:
    """What is wrong with sentences: where, what was found, and what to write."""
    for each in several:
        if each.words > WORDS:
            yield f"{each}\n    {each.words} words, expected at most {WORDS}: make two sentences, or a list"
        name = str(each.file.relative_to(ROOT))
        for rule in known:
            found = rule.find.search(each.prose)
            if found and name not in rule.exempt and not (rule.unless and rule.unless.search(each.prose)):
                yield f"{each}\n    found `{found[0]}`, expected: {rule.say}"


def check(
    files: Annotated[list[Path] | None, typer.Argument(metavar="[FILE]...", help="Documents; all if left out.")] = None,
) -> None:
    """Check the wording and the length of the sentences of documents."""
    known = rules()
    paths = [each.resolve() for each in files] if files else documents()
    found = [text for path in paths for text in problems(list(of_markdown(path)), known)]
    sys.stdout.write("".join(f"{each}\n" for each in found))
    if found:
        sys.stdout.write(f"{len(found)} problems; CONTRIBUTING.md has the style\n")
        sys.exit(1)


if __name__ == "__main__":
    command.run(check)
