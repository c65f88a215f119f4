"""Pages of the Python API: one for each package of `linecard`, with what `import linecard` offers of it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import linecard
from linecard import files

if TYPE_CHECKING:
    from pathlib import Path

# Packages in the order of the pages, and what each is about.
TITLES = {
    "chip": "Designs",
    "explore": "Find the best design",
    "executed": "Programs",
    "core": "Cores",
    "traffic": "Traffic",
    "flowcache": "Flow caches",
    "dram": "DRAM",
    "queueing": "Queues",
    "vrp": "Extensions at line rate",
    "petri": "Petri nets",
    "study": "Studies",
    "errors": "Errors",
    "": "Presets and records",
}


def write_pages(folder: Path) -> None:
    """Write a page for each package, and the list of them."""
    folder.mkdir(exist_ok=True)
    names: dict[str, list[str]] = {title: [] for title in TITLES}
    for name in linecard.__all__:
        if name != "__version__":
            package = getattr(linecard, name).__module__.removeprefix("linecard.").partition(".")[0]
            names[package if package in TITLES else ""].append(name)
    pages = {package or "records": _page(TITLES[package], found) for package, found in names.items()}
    pages["index"] = _index(list(pages))
    for page, text in pages.items():
        path = folder / f"{page}.md"
        # A page that is as it was is not read again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            files.write_text(path, text)


def _index(pages: list[str]) -> str:
    doc = inspect.getdoc(linecard) or ""
    title = doc.partition("\n")[0]
    return "\n".join(
        (
            "# Python\n",
            f"`import linecard`: {title[0].lower()}{title[1:]}",
            "What it offers, by subject; [the guide](../../guide/python.md) shows it at work.\n",
            "```{toctree}\n:maxdepth: 2\n",
            *pages,
            "```\n",
        )
    )


def _page(title: str, names: list[str]) -> str:
    functions = [name for name in names if not inspect.isclass(getattr(linecard, name))]
    classes = [name for name in names if inspect.isclass(getattr(linecard, name))]
    text = [f"# {title}\n"]
    for heading, kind, found in (("Functions", "function", functions), ("Results", "class", classes)):
        if found:
            text += [f"## {heading}\n", "```{eval-rst}"]
            text += [f".. auto{kind}:: linecard.{name}\n" for name in found]
            text += ["```\n"]
    return "\n".join(text)
