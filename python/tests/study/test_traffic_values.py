"""`studies/mudigonda2007/traffic_values.py`: do its changes reach the links, and does the generator accept them?"""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import linecard

STUDY = Path(__file__).resolve().parents[3] / "studies" / "mudigonda2007"
SCRIPT = runpy.run_path(str(STUDY / "traffic_values.py"), run_name="traffic_values")


@pytest.mark.parametrize("link", ["edge", "core"])
def test_each_change_gives_other_packets(link: str, tmp_path: Path) -> None:
    """A value that was not found, or that nothing reads, would leave the link unchanged."""
    text = (SCRIPT["TRAFFIC"] / f"{link}.toml").read_text()
    file = tmp_path / f"{link}.toml"

    def packets(of: str) -> object:
        file.write_text(of)
        return linecard.program_trace("classify", file, packets=2_000).to_dict()

    as_it_is = packets(text)
    for key, value in SCRIPT["VALUES"][link]:
        assert packets(SCRIPT["changed"](text, key, value)) != as_it_is, (key, value)
