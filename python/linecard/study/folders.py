"""The folders of the shipped studies, and the document-specific Python modules in them.

A study folder may hold ``limits.py`` (evaluators of its scorecard lines, see :mod:`linecard.study.limits`) and
``runners/NAME.py`` (see :mod:`linecard.study.runners`). Linecard imports Python modules only from shipped studies. A
user's study folder contains only data; Linecard executes no code in it.
"""

from __future__ import annotations

from pathlib import Path


def study_folders() -> dict[str, Path]:
    """Folders of the shipped studies by name, beside the installed package or in the source tree."""
    place = Path(__file__).resolve().parents[1] / "_studies"
    return {file.parent.name: file.parent for file in sorted(place.glob("*/study.toml"))}


def module_of(study: str, name: str) -> str | None:
    """Name of the module ``name`` of a shipped study; ``None`` if its folder has no such module."""
    folder = study_folders().get(study)
    return None if folder is None or not (folder / f"{name}.py").is_file() else f"linecard._studies.{study}.{name}"


def own_runners() -> dict[str, str]:
    """Runner modules in the folders of shipped studies, by runner name."""
    return {
        file.stem: f"linecard._studies.{study}.runners.{file.stem}"
        for study, folder in study_folders().items()
        for file in sorted(folder.glob("runners/*.py"))
    }
