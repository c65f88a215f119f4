"""The folders of the shipped studies, and the Python modules in these folders.

The folder of a shipped study may contain ``limits.py``, which evaluates scorecard lines (see
:mod:`linecard.study.limits`). The folder of a shipped study may also contain runners in files ``runners/NAME.py`` (see
:mod:`linecard.study.runners`). Linecard imports Python modules only from shipped studies. The study folder of a user
contains only data; Linecard executes no code from this folder.
"""

from __future__ import annotations

from pathlib import Path


def study_folders() -> dict[str, Path]:
    """Find the folders of the shipped studies in the package or in the source tree, keyed by study name."""
    place = Path(__file__).resolve().parents[1] / "_studies"
    return {file.parent.name: file.parent for file in sorted(place.glob("*/study.toml"))}


def module_of(study: str, name: str) -> str | None:
    """The import name of the module ``name`` of a shipped study; ``None`` if the study has no such module."""
    folder = study_folders().get(study)
    return None if folder is None or not (folder / f"{name}.py").is_file() else f"linecard._studies.{study}.{name}"


def own_runners() -> dict[str, str]:
    """The import names of the runner modules in the folders of shipped studies, keyed by runner name."""
    return {
        file.stem: f"linecard._studies.{study}.runners.{file.stem}"
        for study, folder in study_folders().items()
        for file in sorted(folder.glob("runners/*.py"))
    }
