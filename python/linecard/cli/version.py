"""`linecard --version`: print the version, and the facts that a bug report must state."""

from __future__ import annotations

from linecard._core import __version__


def version_text() -> str:
    """Versions of Linecard and Python, the platform, and paths of package and compiled core, each on one line."""
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
