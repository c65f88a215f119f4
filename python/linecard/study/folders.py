"""The folders of the shipped studies, and the Python modules in them that are specific to their documents.

A folder may hold ``limits.py`` (evaluators of its lines, see :mod:`linecard.study.limits`) and ``runners/NAME.py`` (see
:mod:`linecard.study.runners`). They are imported from shipped studies only. The folder of a user is data, and no code
in it is executed.
"""

from __future__ import annotations

from pathlib import Path


def study_folders() -> dict[str, Path]:
    """Shipped studies by name: beside the installed package, or in the source tree."""
    place = Path(__file__).resolve().parents[1] / "_studies"
    return {file.parent.name: file.parent for file in sorted(place.glob("*/study.toml"))}


def module_of(study: str, name: str) -> str | None:
    """The module ``name`` of a shipped study; ``None`` if its folder has none."""
    folder = study_folders().get(study)
    return None if folder is None or not (folder / f"{name}.py").is_file() else f"linecard._studies.{study}.{name}"


def own_runners() -> dict[str, str]:
    """The runner modules in the folders of shipped studies, by runner name."""
    return {
        file.stem: f"linecard._studies.{study}.runners.{file.stem}"
        for study, folder in study_folders().items()
        for file in sorted(folder.glob("runners/*.py"))
    }
