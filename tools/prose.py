"""The check of texts: wording that `prose.toml` and the glossary avoid, and sentences that are too long.

`python -m tools.prose` checks every document that people write, and docstrings, help and messages of the package;
`make lint` runs it. It replaces Vale with a custom style: Vale's wheel downloads its program when it first runs, which
a clone without a network cannot do.
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
from tools.sentences import PACKAGE, Kind, Sentence, documents, of_markdown, of_snapshot, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

_STYLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
WORDS: int = _STYLE["words"]


class Rule(NamedTuple):
    """Wording that is avoided, its replacement, and the files and folders that may use it."""

    find: re.Pattern[str]
    say: str
    unless: re.Pattern[str] | None = None
    exempt: tuple[str, ...] = ()


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


def rules() -> list[Rule]:
    """The rules of style, and wording that terms of the glossary replace."""
    found = [
        Rule(_words(each["find"]), each["say"], _words(each["unless"]) if "unless" in each else None)
        for each in _STYLE["rule"]
    ]
    glossary = tomllib.loads((PACKAGE / "glossary.toml").read_text(encoding="utf-8"))
    for group in glossary["group"]:
        for each in group["term"]:
            exempt = tuple(_STYLE["exempt"].get(each["term"], ()))
            found += [Rule(_words(avoided), each["term"], exempt=exempt) for avoided in each.get("avoid", ())]
    return found


def problems(several: list[Sentence], known: list[Rule]) -> Iterator[str]:
    """The problems of sentences: where, what was found, and what to write."""
    for each in several:
        # Values make the message of a snapshot long; the source of the message is checked instead.
        if each.words > WORDS and each.file.suffix != ".ambr":
            yield f"{each}\n    {each.words} words, expected at most {WORDS}: make two sentences, or a list"
        name = str(each.file.relative_to(ROOT))
        for rule in known:
            found = rule.find.search(each.prose)
            if found and not name.startswith(rule.exempt) and not (rule.unless and rule.unless.search(each.prose)):
                yield f"{each}\n    found `{found[0]}`, expected: {rule.say}"


def of_package() -> list[Sentence]:
    """The sentences of docstrings, help, messages and their snapshots, without the files of `unchecked`."""
    skipped = tuple(each for several in _STYLE["unchecked"].values() for each in several)
    found = [*sentences(Kind.docstrings), *sentences(Kind.messages)]
    found += [each for file in sorted((ROOT / "python").rglob("*.ambr")) for each in of_snapshot(file)]
    return [each for each in found if not str(each.file.relative_to(ROOT)).startswith(skipped)]


def check(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="Documents; all, and the package, if left out.")
    ] = None,
) -> None:
    """Check the wording and the length of the sentences of documents, docstrings, help and messages."""
    known = rules()
    paths = [each.resolve() for each in files] if files else documents()
    several = [each for path in paths for each in of_markdown(path)] + ([] if files else of_package())
    found = list(problems(several, known))
    sys.stdout.write("".join(f"{each}\n" for each in found))
    if found:
        sys.stdout.write(f"{len(found)} problems; CONTRIBUTING.md has the style\n")
        sys.exit(1)


if __name__ == "__main__":
    command.run(check)
