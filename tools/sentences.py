"""Draws random sentences of documents, of docstrings, or of help and messages, with a seed.

`python -m tools.sentences documents --count 20 --seed 1` prints twenty, each with its file and line. A reader who has
not seen these sentences marks the ones that are hard to read. `tools.prose` checks all of these sentences.
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

from linecard import _core, cli
from linecard._options import options
from tools import command
from tools.command import HEADER, ROOT
from tools.documents.commands import named_commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from markdown_it.token import Token

PACKAGE = ROOT / "python" / "linecard"
# The file in which the core declares options of requests, with their help.
REQUESTS = ROOT / "crates" / "chips" / "src" / "request.rs"
# A sentence ends before a capital, a digit, code or a quotation, but not after these abbreviations.
_END = re.compile(r"""(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!\bal\.)(?<!\bvs\.)["')\]]*\s+(?=["'(\[*]*[A-Z0-9\x00])""")
_CODE = re.compile(r"``.+?``|`[^`]+`", re.DOTALL)
_WORD = re.compile(r"\w")
# Parts of a docstring: paragraphs, and the items of its lists.
_PARTS = re.compile(r"\n\n|^(?:Args|Attributes|Returns|Raises|Example):\n|^ +[\w.*]+: |^- ", re.MULTILINE)
# A text for readers has several words; a text with these characters is SVG, HTML, CSS or a pattern.
_LONG_WORD = re.compile(r"\b[a-z]{2,}\b")
_LEAST_WORDS = 4
_MARKUP = re.compile(r"[<\\]|=\"|=>|:[a-z-]+;|\n *\n")

# In Rust: a comment, a character, a raw string, or a string.
_RUST = re.compile(
    r"""//[^\n]*|'(?:\\.|[^\\'\n])'|r(?P<hash>\#*)".*?"(?P=hash)|"(?P<text>(?:\\.|[^"\\])*)\"""",
    re.DOTALL,
)
_RUST_VALUE = re.compile(r"\{\{|\}\}|\{[^{}]*\}")
# These texts are for developers: a user never meets them.
_RUST_INTERNAL = re.compile(r"expect(?:_err)?\(|assert(?:_eq|_ne)?!|panic!|unreachable!|reason =|feature =")
_RUST_STATEMENT = re.compile(r"[;{}]\n")
_RUST_TESTS = re.compile(r"^#\[cfg\((?:all\()?test", re.MULTILINE)


class Sentence(NamedTuple):
    """A sentence, and where it begins."""

    file: Path
    line: int
    text: str

    @property
    def words(self) -> int:
        """The number of words; code counts as one word."""
        return sum(_WORD.search(word) is not None for word in _CODE.sub("code", self.text).split())

    @property
    def prose(self) -> str:
        """The sentence without its code."""
        return _CODE.sub("`…`", self.text)

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}: {self.text}"


class Kind(StrEnum):
    """The kind of text from which sentences are drawn."""

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
    """An inline token as text: code in backquotes, links by their text, no pictures."""
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
    """Documents that people write, without generated documents and without the details of studies."""
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
            # The docstring of a command is its help.
            doc = (ast.get_docstring(node) or "").partition("**Examples**")[0]
            for part in _PARTS.split(doc):
                if not part.lstrip().startswith((">>>", "linecard ", "|")):
                    for each in split(part):
                        yield Sentence(file, getattr(node, "lineno", 1), each)


def _of_literals(file: Path) -> Iterator[Sentence]:
    """Texts of several words in the code of a module, without markup; an interpolated value counts as code."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    inner: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inner.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            inner |= set(ast.walk(node)) - {node}
    for node in ast.walk(tree):
        if node in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (each.value if isinstance(each, ast.Constant) else "`…`" for each in node.values)
            text = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if len(_LONG_WORD.findall(text)) >= _LEAST_WORDS and not _MARKUP.search(text):
            for part in text.split(" · "):
                for each in split(part):
                    yield Sentence(file, node.lineno, each)


def _of_rust(file: Path) -> Iterator[Sentence]:
    """Texts of several words in a file in Rust, up to its tests; a formatted value counts as code."""
    source = file.read_text(encoding="utf-8")
    end = _RUST_TESTS.search(source)
    for found in _RUST.finditer(source, 0, end.start() if end else len(source)):
        text = found["text"]
        if text is None:
            continue
        statement = _RUST_STATEMENT.split(source[max(0, found.start() - 300) : found.start()])[-1]
        if _RUST_INTERNAL.search(statement):
            continue
        text = re.sub(r"\\\n\s*", "", text).replace('\\"', '"').replace("\\n", "\n")
        text = _RUST_VALUE.sub(lambda value: value[0][0] if value[0] in {"{{", "}}"} else "`…`", text)
        if len(_LONG_WORD.findall(text)) >= _LEAST_WORDS and not _MARKUP.search(text):
            line = source.count("\n", 0, found.start("text")) + 1
            for each in split(text):
                yield Sentence(file, line, each)


def _plain(text: str | None) -> str:
    return (text or "").removesuffix("; repeatable.").removesuffix(".")


def _of_help() -> Iterator[Sentence]:
    """The help of commands and of their options."""
    declared = {_plain(each.help) for name, _ in _core.request_schemas() for each in options(name)}
    root: Any = typer.main.get_command(cli.app)
    for name, each in named_commands(root.commands):
        file = Path(inspect.getsourcefile(inspect.unwrap(each.callback)) or "")
        texts = [(file, inspect.cleandoc(each.callback.__doc__ or "").partition("**Examples**")[0])]
        texts += [(REQUESTS if _plain(of.help) in declared else file, of.help or "") for of in each.params]
        for where, text in texts:
            for sentence in split(text):
                yield Sentence(where, 1, f"[{name}] {sentence}")


def _of_messages() -> Iterator[Sentence]:
    """Texts of errors, screens and help, as the source has them."""
    for file in sorted(PACKAGE.rglob("*.py")):
        yield from _of_literals(file)
    for file in sorted(ROOT.glob("crates/*/src/**/*.rs")):
        yield from _of_rust(file)
    yield from _of_help()


def of_snapshot(file: Path) -> Iterator[Sentence]:
    """The sentences of messages in a snapshot."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("  ") and _LONG_WORD.search(line):
            for each in split(line.strip().strip("'\"")):
                yield Sentence(file, number, each)


def sentences(kind: Kind) -> list[Sentence]:
    """Every sentence of a kind, in the order of the files; a sentence that several commands share occurs once."""
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
    """Draw sentences at random, so that a reader who has not seen them can judge them."""
    every = sentences(kind)
    sys.stdout.write(f"{count} of {len(every)} sentences of {kind}, seed {seed}\n")
    for number, each in enumerate(random.Random(seed).sample(every, min(count, len(every))), start=1):
        sys.stdout.write(f"{number:2} {each}\n")


if __name__ == "__main__":
    command.run(draw)
