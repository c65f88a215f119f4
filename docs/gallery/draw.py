"""Draw the gallery again (`make gallery`): run the commands of its page, keep the pictures that the page shows.

The picture of a report is taken by Chromium, and kept as it is where there is none.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# The picture of a page: how large the window is.
REPORT, WINDOW = ("run.html", "report.png"), "1280,800"


def main() -> None:
    """Run everything, then take over what the page shows."""
    text = (HERE / "index.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ linecard (.*)$", text, re.MULTILINE)
    pictures = re.findall(r"^!\[[^]]+\]\(([^)]+)\)$", text, re.MULTILINE)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "examples").symlink_to(ROOT / "examples")
        for command in commands:
            print(command, flush=True)
            subprocess.run(
                f"{sys.executable} -m linecard {command}", shell=True, cwd=folder, check=True, stdout=subprocess.DEVNULL
            )
        _photograph(folder)
        for picture in pictures:
            if (folder / picture).is_file():
                (HERE / picture).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / picture, HERE / picture)


def _photograph(folder: Path) -> None:
    page, picture = REPORT
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print(f"no Chromium: {picture} stays as it is")
        return
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={WINDOW}")
    options += ("--blink-settings=preferredColorScheme=1", f"--user-data-dir={folder / 'profile'}")
    command = [browser, *options, f"--screenshot={folder / picture}", (folder / page).as_uri()]
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
