"""The examples of the documentation run: every `$ linecard` command and every Python block of the README, guides,
explanations and the gallery. Tutorials, whose commands depend on each other, have tests of their own.
"""

from __future__ import annotations

import doctest
import re
import shlex
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from conftest import ROOT

import linecard

DOCS = ROOT / "docs"
PAGES = [
    *(ROOT / "README.md", DOCS / "index.md", DOCS / "gallery" / "index.md"),
    *sorted(DOCS.glob("guide/*.md")),
    *sorted(DOCS.glob("explanation/*.md")),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://)([^)#]+)(#[^)]*)?\)")


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text()) if kind == language]


# Whole studies, which take minutes: `make scorecard`, `make robustness` and `make correlation` run them.
WHOLE_STUDIES = {
    "linecard reproduce kumar2006",
    "linecard reproduce girish2008 --chapter 5",
    "python -m tools.scorecard",
    "python -m tools.scorecard spalink2000 --check",
    "python -m tools.scorecard --json",
    "python -m tools.robustness hasan2003 --quick",
    "python -m tools.robustness --quick --json",
    "python -m tools.correlation --json",
}


# Commands that take ten seconds of processor time or more: `make check-long` runs them.
LONG = ("linecard ndr ", "linecard why ", "linecard sweep example_smartnic --vary ", "linecard vrp budget ")


def commands() -> list[tuple[str, str]]:
    """Every command of a console block without its comment, and the part of its screen that the block shows."""
    found = set()
    for page in PAGES:
        for text in blocks(page, "console"):
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                line, _, shown = part.partition("\n")
                command = re.sub(r"\s+#\s.*", "", line)
                if not command.startswith(("make ", "tshark ")):
                    found.add((command, shown))
    return sorted(found)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the documentation mentions."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    # The net, the extension and the machine of queue managers from the guide.
    for page, name in (("petri", "model.toml"), ("vrp", "filter.toml"), ("queueing", "queues.toml")):
        (tmp_path / name).write_text(blocks(ROOT / "docs" / "guide" / f"{page}.md", "toml")[0])
    # The chips and sweeps of the pages, each with its name in the first line, and a chip that `linecard new` has
    # written.
    for page in ("guide/chips", "guide/chip_parts", "guide/explore", "explanation/concepts"):
        for text in blocks(DOCS / f"{page}.md", "toml"):
            (tmp_path / text.splitlines()[0].removeprefix("# ")).write_text(text)
    (tmp_path / "nic.toml").write_text((ROOT / "presets" / "platforms" / "example_smartnic.toml").read_text())
    (tmp_path / "my_xdp.c").write_text(blocks(ROOT / "docs" / "guide" / "executing.md", "c")[0])
    (tmp_path / "heavy.c").write_text(blocks(ROOT / "docs" / "guide" / "programs.md", "c")[0])
    for kind in ("c", "csv"):
        (tmp_path / f"quota.{kind}").write_text(blocks(ROOT / "docs" / "guide" / "xdp.md", kind)[0])
    monkeypatch.chdir(tmp_path)


def test_whole_studies_are_those_that_the_pages_name():
    assert {command for command, _ in commands()} >= WHOLE_STUDIES


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        pytest.param(*each, marks=pytest.mark.long if each[0].startswith(LONG) else ())
        for each in commands()
        if each[0] not in WHOLE_STUDIES
    ],
)
def test_commands_run_and_print_what_the_page_shows(cli, tool, command, shown):
    if ".c " in command:
        pytest.importorskip("ziglang")
    if " new " in command:
        for file in (Path("nic.toml"), Path("my_chip.toml")):
            file.unlink()
    if "--result run.json" in command:
        Path("run.json").write_text(cli("run", "example_smartnic", "--packets", "500", "--json").out)
    command, _, _ = command.partition(" > ")
    if "linecard results" in command:
        cli("sweep", "sweep.toml", "--store", "runs", "--packets", "100", "--repeat", "1")
    if command.startswith("python -m tools."):
        ended = tool(*shlex.split(command.removeprefix("python -m tools.")))
    else:
        ended = cli(*shlex.split(command)[1:])
    assert ended.status == 0, ended.err
    # A command that writes a file reports it on stderr, and prints no data.
    assert ended.out or "wrote" in ended.err
    printed = iter(ended.out.splitlines())
    for line in shown.splitlines():
        assert not line or line in printed, f"not printed, or not in this order: {line}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.stem)
def test_python_blocks_run(page, capsys):
    names: dict[str, object] = {}
    for text in blocks(page, "python"):
        exec(compile(text, page.name, "exec"), names)


def test_the_guide_to_python_names_every_function():
    named = set(re.findall(r"`(\w+)`", (DOCS / "guide" / "python.md").read_text()))
    public = {name: getattr(linecard, name) for name in dir(linecard) if name[0] != "_"}
    functions = {name for name, each in public.items() if callable(each) and not isinstance(each, type)}
    assert functions - named == set()


PACKAGE = Path(linecard.__file__).parent
LONG_EXAMPLES = {"linecard.explore.why"}
WITH_EXAMPLES = [
    ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for file in sorted(PACKAGE.rglob("*.py"))
    if ">>>" in file.read_text()
]


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.long if each in LONG_EXAMPLES else ()) for each in WITH_EXAMPLES]
)
def test_docstring_examples_run_and_print_what_they_show(name):
    assert doctest.testmod(import_module(name)).failed == 0


RANGE = re.compile(r"(?<![\w.^-])([\d.,]+(?:\^-?\d+)?) to ([\d.,]+(?:\^-?\d+)?)")


def ranges(text: str) -> list[tuple[float, float]]:
    """The bounds in `1 to 2^30` and `0.000001 to 1,000`."""

    def number(written: str) -> float:
        base, _, power = written.replace(",", "").partition("^")
        return float(base) ** int(power or 1)

    return [(number(low), number(high.rstrip(","))) for low, high in RANGE.findall(text)]


def rows(text: str) -> list[dict[str, str]]:
    """The rows of all tables of a text, by the names of their columns."""
    found: list[dict[str, str]] = []
    heads: list[str] | None = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else None
        if cells is None or heads is None:
            heads = cells
        elif not line.startswith("|--"):
            found.append(dict(zip(heads, cells, strict=False)))
    return found


def test_a_value_has_an_interval_as_the_reference_says(tmp_path):
    page = " ".join((DOCS / "reference" / "keys" / "chip.md").read_text().split())
    (written,) = re.findall(r"if sources state an interval, it is `(.*?)`", page)
    path = tmp_path / "chip.toml"
    path.write_text(
        'kind = "chip"\ntitle = "One value with an interval"\nextends = ["platforms/example_smartnic"]\n'
        f"[memory.shared]\nlatency_cycles = {written}\n"
    )
    assert linecard.describe(str(path))["shared.latency_cycles"].interval == (2, 8)


def test_ranges_of_the_tables_of_a_chip_are_those_of_the_reader():
    """The list of keys is generated from the reader, and another test compares the two."""
    read: dict[tuple[str, str], dict[str, set[tuple[float, float]]]] = {}
    for section in re.split(r"^## ", (DOCS / "reference" / "keys" / "chip.md").read_text(), flags=re.MULTILINE)[1:]:
        table = section.splitlines()[0].strip("`[]").replace(".NAME", "")
        for row in rows(section):
            kinds = read.setdefault((table, row["key"].strip("`")), {})
            for kind in re.findall(r"`(\w+)`", row.get("where", "")) or [""]:
                kinds.setdefault(kind, set()).update(ranges(row["allowed"]))
    tables_page = (DOCS / "reference" / "chip_tables.md").read_text()
    told, wrong = 0, []
    for section in re.split(r"^## ", tables_page, flags=re.MULTILINE)[1:]:
        title = section.splitlines()[0]
        only = re.findall(r"`(\w+)`", title.partition("of kind")[2].partition(" and ")[0])
        for row in rows(section):
            named = re.search(r"\[([\w.]+)\]", next(iter(row)))
            of = [row["table"]] if "table" in row else [named[1]] if named else re.findall(r"\[(\w[\w.]*)\]", title)
            tables = [each.strip().replace(".NAME", "") for part in of for each in part.split(",")] or ["memory"]
            tables += ["program.step"] if "steps" in title else []
            cell = next((text for head, text in row.items() if head.startswith("key")), "")
            names, given = re.findall(r"`([\w.]+)`", cell), ranges(row.get("range", ""))
            for number, name in enumerate(names if given else []):
                own = given[number : number + 1] if len(given) == len(names) else given
                inner, _, leaf = name.rpartition(".")
                allowed = {
                    each
                    for table in tables
                    for kind, several in read.get((f"{table}.{inner}".rstrip("."), leaf), {}).items()
                    if not only or kind in {"", *only} or table != "memory"
                    for each in several
                }
                if allowed:
                    told += 1
                    if not set(own) <= allowed:
                        wrong.append(f"{title}: `{name}`: found {own}, expected one of {allowed}")
    assert not wrong, "\n".join(wrong)
    assert told > 50


LINKED = [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("studies/*/README.md")]


@pytest.mark.parametrize("page", sorted(LINKED), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, section in LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), f"{page.name}: {target}"
        if section and target.endswith(".md"):
            assert section[1:] in sections(page.parent / target), f"{page.name}: {target}{section}"


@cache
def sections(page: Path) -> set[str]:
    """The names of the sections of a page, as code hosts and the site form them from titles."""
    titles = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text()), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", sorted(LINKED), ids=lambda page: str(page.relative_to(ROOT)))
def test_captures_that_commands_name_ship(page):
    """Or the key is the reader's own, `my_…`; `edge` and `core` are described links."""
    written = re.compile(r"--pcap-out \S+")
    for line in re.findall(r"^ *(?:\$ )?linecard .*$", written.sub("", page.read_text()), re.MULTILINE):
        for name in re.findall(r"[\w./-]+\.(?:pcapng|pcap|erf|tsh)\b[\w.]*", line):
            assert name.startswith("my_") or (ROOT / name).is_file(), f"{page.name}: {line.strip()}"
