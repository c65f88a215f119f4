"""The site: the Markdown of this repository as it is, and pages of the Python API from its docstrings.

`make site` builds it without a network. The source folder is the top of the repository, so that links between documents
are the same here and on a code host.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pygments.lexers.special import TextLexer

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from python_pages import write_pages  # noqa: E402

import linecard  # noqa: E402

project = "Linecard"
author = "The Linecard developers"
release = version = linecard.__version__
project_copyright = author

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = [
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "docs/*/**.md"),
    *("studies/*/*.md", "programs/README.md", "examples/captures/README.md", "rtl/queuing_cache/README.md"),
]
# Folders that hold no documents, and much else.
exclude_patterns = [".*", "target", "results", "crates", "python", "tools", "fuzz", "presets", "bench"]

myst_heading_anchors = 4
# Two hyphens before an option are two hyphens.
smartquotes = False
# Single backquotes are code in docstrings, as they are in Markdown.
default_role = "code"

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False}
autodoc_preserve_defaults = True
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"Linecard {release}"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_extra_path = ["site/index.html"]
html_copy_source = False
html_show_sphinx = False

write_pages(ROOT / "docs" / "reference" / "python")


def add_report(_app: Sphinx, what: str, _name: str, shape: object, _options: object, lines: list[str]) -> None:
    """A result has the attributes of the report that it is made of."""
    for base in getattr(shape, "__mro__", ())[1:] if what == "class" else ():
        rows = inspect.cleandoc(base.__doc__ or "").partition("Attributes:\n")[2].splitlines()
        if base.__module__.endswith("reports") and rows:
            if "Attributes:" not in lines:
                lines += ["", "Attributes:"]
            lines[lines.index("Attributes:") + 1 : lines.index("Attributes:") + 1] = rows


def setup(app: Sphinx) -> None:
    """Tables as CSV, which Pygments has no colours for; results with all their attributes."""
    app.add_lexer("csv", TextLexer)
    app.connect("autodoc-process-docstring", add_report, priority=100)
