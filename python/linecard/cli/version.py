"""`linecard --version`: the version, and what a report of a fault has to say beside it."""

from __future__ import annotations

from linecard._core import __version__


def version_text() -> str:
    """The version, then Python, the platform and where the package and its compiled core are, a line each."""
    import platform
    from pathlib import Path

    from linecard import _core

    return "\n".join(
        (
            f"linecard {__version__}",
            f"Python {platform.python_version()} ({platform.python_implementation()})",
            f"platform {platform.platform()}",
            f"installed in {Path(__file__).resolve().parents[1]}",
            f"core {Path(_core.__file__).resolve()}",
        )
    )
