"""A person at a terminal who knows only the page of commands."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from typing import Any

from conftest import ROOT, Ended

SECTIONS = dict(
    re.findall(
        r"^## linecard ([\w -]+)\n(.*?)(?=^## |\Z)",
        (ROOT / "docs" / "reference" / "commands.md").read_text(),
        re.MULTILINE | re.DOTALL,
    )
)


class Person:
    """Types commands from the page of commands, and reads what they print."""

    def __init__(self, cli: Callable[..., Ended]) -> None:
        self._cli = cli

    def types(self, line: str, status: int = 0) -> Ended:
        """Run a documented command, and expect its exit status; a traceback is never expected."""
        words = shlex.split(line)
        assert words[0] == "linecard"
        name = next((name for name in (" ".join(words[1:3]), words[1]) if name in SECTIONS), None)
        assert name, f"no page has the command: {line}"
        for word in words:
            option = word.partition("=")[0]
            if re.fullmatch(r"-\w|--[\w-]+", option):
                assert f"`{option}`" in SECTIONS[name], f"{name} has no option {option} on its page"
        ended = self._cli(*words[1:])
        assert ended.status == status, f"{line}: status {ended.status}\n{ended.err}"
        assert "Traceback" not in ended.err
        return ended

    def reads(self, line: str) -> Any:
        """The output of a command with --json."""
        return json.loads(self.types(f"{line} --json").out)

    def is_told(self, line: str, status: int = 2) -> str:
        """The complete message of a command that fails; stdout is empty."""
        ended = self.types(line, status)
        assert ended.out == ""
        return ended.err
