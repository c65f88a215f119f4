"""A real browser without a window, for the behaviour of pages: Chromium, if it is installed (by `make test-web`)."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
# If the variable is set, a missing browser is a failure.
needs_browser = pytest.mark.skipif(
    BROWSER is None and not os.environ.get("LINECARD_NEED_BROWSER"),
    reason="NO CHROMIUM: what the pages do was NOT tested; `make test-web` installs it and does",
)
DARK, LIGHT = ("--blink-settings=preferredColorScheme=0",), ("--blink-settings=preferredColorScheme=1",)


def _dumped(file: Path, options: tuple[str, ...]) -> str:
    assert BROWSER is not None, "no Chromium: install it with the system's packages"
    ended = subprocess.run(
        [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,1000"),
            *("--allow-file-access-from-files", f"--user-data-dir={file.parent / 'profile'}"),
            *(*options, "--dump-dom", file.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "data-error" not in ended.stdout, re.findall(r'data-error="[^"]*"', ended.stdout)
    found = re.search(r'data-found="([^"]*)"', ended.stdout)
    assert found, ended.stderr[-500:]
    return html.unescape(found[1])


def done_in_browser(file: Path, script: str, *options: str) -> Any:
    """Return the result of a script that acts on a page; an error in it fails."""
    acted = file.with_name("acted.html")
    watch = "<script>window.onerror = (text) => { document.body.dataset.error = text; };</script>"
    act = f"<script>document.body.dataset.found = JSON.stringify((() => {{ {script} }})());</script>"
    text = file.read_text(encoding="utf-8")
    acted.write_text(text.replace("<body>", "<body>" + watch).replace("</body>", act + "</body>"), encoding="utf-8")
    return json.loads(_dumped(acted, options))


def seen_in_frames(files: list[Path], width: int, script: str, *options: str) -> list[Any]:
    """Return the results of a script for several pages, each in a frame of some width; its argument is the window."""
    frames = "".join(
        f'<iframe src="{each.as_uri()}" style="width:{width}px;height:800px;border:0"></iframe>' for each in files
    )
    act = (
        "window.onload = () => { const found = []; for (const frame of document.querySelectorAll('iframe')) "
        f"found.push(((window, document) => {{ {script} }})(frame.contentWindow, frame.contentDocument)); "
        "document.body.dataset.found = JSON.stringify(found); };"
    )
    folder = files[0].parent
    wrapper = folder / "frames.html"
    watch = "window.onerror = (text) => { document.body.dataset.error = text; };"
    wrapper.write_text(f"<!doctype html><body><script>{watch}{act}</script>{frames}</body>", encoding="utf-8")
    found: list[Any] = json.loads(_dumped(wrapper, options))
    return found
