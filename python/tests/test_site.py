"""Is the site of the documents built without a warning, and does it contain every page of the repository?"""

from __future__ import annotations

import subprocess
import sys

import pytest
from browser import BROWSER, DARK, LIGHT, needs_browser, seen_in_frames
from conftest import ROOT

import linecard

# The whole site, half a minute of Sphinx; `make docs` builds it with warnings as errors, too.
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for package in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(package, reason=f"NO {package.upper()}: the site was NOT built; pip install '.[docs]'")
    built = tmp_path_factory.mktemp("site")
    options = ("-q", "-W", "--keep-going", "-b", "html", "-c", ROOT / "docs")
    command = [sys.executable, "-m", "sphinx", *options, ROOT, built]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return built


def test_every_document_is_a_page(site):
    documents = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), *ROOT.glob("studies/*/README.md")]
    missing = [each for each in documents if not (site / each.relative_to(ROOT)).with_suffix(".html").is_file()]
    assert len(documents) > 30
    assert not missing
    assert "docs/index.html" in (site / "index.html").read_text()


def test_every_public_name_is_documented(site):
    pages = "".join(page.read_text() for page in (site / "docs" / "reference" / "python").glob("*.html"))
    missing = [name for name in linecard.__all__ if f'id="linecard.{name}"' not in pages and name != "__version__"]
    assert not missing


def test_pages_need_no_network(site):
    for page in site.rglob("*.html"):
        for part in ("<script src=", '<link rel="stylesheet"'):
            for found in page.read_text().split(part)[1:]:
                assert "://" not in found.split(">")[0], f"{page.name}: {found[:120]}"


def test_words_are_found_without_a_server(site):
    index = (site / "searchindex.js").read_text()
    assert index.startswith("Search.setIndex(")
    assert "bottleneck" in index


# One page of each kind: prose, screens, wide tables, pictures.
KINDS = ("README", "docs/index", "docs/tutorials/smartnic", "docs/reference/keys/chip", "docs/reference/metrics")
KINDS += ("docs/reference/commands", "docs/explanation/method", "docs/gallery/index", "docs/reference/python/chip")


@needs_browser
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_no_page_is_wider_than_a_phone(site, colours):
    pages = [site / f"{name}.html" for name in KINDS]
    beyond = "const page = document.documentElement; return page.scrollWidth - page.clientWidth;"
    assert seen_in_frames(pages, 390, beyond, *colours) == [0] * len(pages)


@needs_browser
def test_a_search_in_a_browser_finds_pages_without_a_server(site, tmp_path):
    options = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path}",
        "--virtual-time-budget=20000",
    )
    address = f"{(site / 'search.html').as_uri()}?q=bottleneck"
    command = [BROWSER, *options, "--dump-dom", address]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout
    assert "pages matching the search query" in shown
    assert 'href="docs/' in shown.partition("search-results")[2]
