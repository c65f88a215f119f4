"""Stores finished steps in a file, from which a stopped run continues.

The steps are valid until the compiled core, the package, these tools or the study's folder change.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import linecard
from linecard.explore.content import code_version
from linecard.files import make_folder, write_text
from linecard.tables import json_text
from tools.robustness.result import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

CODE = (Path(linecard.__file__).parent, Path(__file__).resolve().parents[1])


class Kept:
    """The finished steps of one study, by name.

    Args:
        file: The file of the steps; ``None`` keeps them until the process ends.
        study: The study's folder.
        quick: Whether the steps belong to the quick study.
    """

    def __init__(self, file: Path | None = None, study: Path | None = None, *, quick: bool = False) -> None:
        self.file = file
        self.steps: dict[str, Outcome] = {}
        self._inputs = "" if study is None else f"{_code()} {_hash(_files(study))} {quick}"
        if file is None or not file.is_file():
            return
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            if data["inputs"] == self._inputs:
                self.steps = {name: Outcome.from_dict(each) for name, each in data["steps"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            # A damaged file is ignored: its steps are run again.
            self.steps = {}

    def put(self, name: str, outcome: Outcome) -> None:
        """Store a step."""
        self.steps[name] = outcome
        if self.file is not None:
            make_folder(self.file.parent)
            steps = {name: each.to_dict() for name, each in self.steps.items()}
            write_text(self.file, json_text({"inputs": self._inputs, "steps": steps}))

    def forget(self) -> None:
        """Remove the file, after the whole result has been written."""
        if self.file is not None:
            self.file.unlink(missing_ok=True)


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts)


def _hash(files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for file in files:
        found.update(f"{file.name} ".encode() + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


@lru_cache(maxsize=1)
def _code() -> str:
    return f"{code_version()} {_hash(sorted(file for folder in CODE for file in folder.rglob('*.py')))}"
