"""`linecard hello`: a recipe."""

from __future__ import annotations


def hello() -> None:
    """Say hello."""
    from linecard.cli import pieces, stdout

    stdout.show(pieces.heading("Hello", "from a recipe"))
