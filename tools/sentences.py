"""Sentences that a reader meets: of documents, docstrings, and help and errors; drawn at random with a seed.

`python -m tools.sentences documents --count 20 --seed 1` prints twenty, each with its file and line. Somebody who has
not read them says which ones stop a reader. `tools.prose` checks the sentences of documents.
"""

from __future__ import annotations

import ast
import inspect
import random
import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from markdown_it import MarkdownIt

from linecard import cli
from tools import command
from tools.command import HEADER, ROOT
from tools.documents.commands import named_commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from markdown_it.token import Token

PACKAGE = ROOT / "python" / "linecard"
# A sentence ends before a capital, a figure, code or a quotation; not after these.
_END = re.compile(r"""(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!\bal\.)(?<!\bvs\.)["')\]]*\s+(?=["'(\[*]*[A-Z0-9\x00])""")
_CODE = re.compile(r"``.+?``|`[^`]+`", re.DOTALL)
_WORD = re.compile(r"\w")


class Sentence(NamedTuple):
    """A sentence, and where it begins."""

    file: Path
    line: int
    text: str

    @property
    def words(self) -> int:
        """How many words it has; code is one."""
        return sum(_WORD.search(word) is not None for word in _CODE.sub("code", self.text).split())

    @property
    def prose(self) -> str:
        """Its words without what is code."""
        return _CODE.sub("`…`", self.text)

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}: {self.text}"


class Kind(StrEnum):
    """Where sentences are drawn from."""

    documents = "documents"
    docstrings = "docstrings"
    messages = "messages"


def split(text: str) -> list[str]:
    """The sentences of a paragraph.

    >>> split("One has `a. B` in it. `two` follows, e.g. So.")
    ['One has `a. B` in it.', '`two` follows, e.g. So.']
    """
    held = _CODE.findall(text)
    masked = _CODE.sub("\0", " ".join(text.split()))
    pieces = iter(held)
    return [re.sub("\0", lambda _: " ".join(next(pieces).split()), each) for each in _END.split(masked) if each.strip()]


def _text(inline: Token) -> str:
    """An inline token as text: code in backquotes, links by what they show, no pictures."""
    shown = {"text": "{}", "code_inline": "`{}`", "softbreak": " ", "hardbreak": " "}
    return "".join(shown.get(each.type, "").format(each.content) for each in inline.children or ())


def of_markdown(file: Path) -> Iterator[Sentence]:
    """The sentences of a document outside of headings, tables and code."""
    inside = 0
    for token in MarkdownIt("commonmark").enable("table").parse(file.read_text(encoding="utf-8")):
        if token.type in {"table_open", "heading_open"}:
            inside += 1
        elif token.type in {"table_close", "heading_close"}:
            inside -= 1
        elif token.type == "inline" and not inside and token.map:
            for each in split(_text(token)):
                yield Sentence(file, token.map[0] + 1, each)


def documents() -> list[Path]:
    """Documents that people write: none that `make docs` or the site writes, and no details of studies."""
    several = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    several += sorted(ROOT.glob("studies/*/README.md"))
    several += [ROOT / "programs/README.md", ROOT / "examples/captures/README.md", ROOT / "rtl/queuing_cache/README.md"]
    several = [each for each in several if each.parent != ROOT / "docs" / "reference" / "python"]
    return [each for each in several if not each.read_text(encoding="utf-8").startswith(HEADER.rstrip())]


def _of_docstrings() -> Iterator[Sentence]:
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                continue
            if not isinstance(node, ast.Module) and node.name.startswith("_"):
                continue
            doc = ast.get_docstring(node) or ""
            for part in re.split(r"\n\n|^(?:Args|Attributes|Returns|Raises):\n|^ +\w+: ", doc, flags=re.MULTILINE):
                if not part.lstrip().startswith((">>>", "linecard ", "**")):
                    for each in split(part):
                        yield Sentence(file, getattr(node, "lineno", 1), each)


def _of_messages() -> Iterator[Sentence]:
    """Texts of errors, as the source has them, and of help."""
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                for argument in node.exc.args:
                    if isinstance(argument, (ast.JoinedStr, ast.Constant)):
                        yield Sentence(file, node.lineno, ast.unparse(argument).strip("f'\""))
    root: Any = typer.main.get_command(cli.app)
    for name, each in named_commands(root.commands):
        file = ROOT / "docs" / "reference" / "commands.md"
        helped = [parameter.help or "" for parameter in each.params]
        for text in (inspect.cleandoc(each.callback.__doc__ or "").partition("**Examples**")[0], *helped):
            for sentence in split(text):
                yield Sentence(file, 1, f"[{name}] {sentence}")


def sentences(kind: Kind) -> list[Sentence]:
    """Every sentence of a kind, in the order of the files; what many commands share, once."""
    if kind is Kind.documents:
        found: Iterable[Sentence] = (each for file in documents() for each in of_markdown(file))
    else:
        found = _of_docstrings() if kind is Kind.docstrings else _of_messages()
    return list({each.text.rpartition("] ")[2]: each for each in found if each.words > 1}.values())


def draw(
    kind: Annotated[Kind, typer.Argument(help="Where to draw from.")] = Kind.documents,
    count: Annotated[int, typer.Option("--count", min=1, metavar="N", help="Sentences to draw.")] = 20,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the draw.")] = 1,
) -> None:
    """Draw sentences at random, so that somebody who has not read them can judge them."""
    every = sentences(kind)
    sys.stdout.write(f"{count} of {len(every)} sentences of {kind}, seed {seed}\n")
    for number, each in enumerate(random.Random(seed).sample(every, min(count, len(every))), start=1):
        sys.stdout.write(f"{number:2} {each}\n")


if __name__ == "__main__":
    command.run(draw)
