"""What a shell offers for arguments that name a preset."""

from __future__ import annotations

import linecard


def chips(incomplete: str) -> list[tuple[str, str]]:
    """Names of chips that begin so, with what they are."""
    return [(each.name, each.title) for each in linecard.presets("platforms") if each.name.startswith(incomplete)]


def presets(incomplete: str) -> list[tuple[str, str]]:
    """Names of presets that begin so, with what they are."""
    return [(each.name, each.title) for each in linecard.presets() if each.name.startswith(incomplete)]


def kinds(incomplete: str) -> list[tuple[str, str]]:
    """Kinds of presets that begin so, with what they are."""
    from linecard.catalogue import KINDS

    return [(name, meaning) for name, meaning in KINDS.items() if name.startswith(incomplete)]


def terms(incomplete: str) -> list[tuple[str, str]]:
    """Terms of the glossary that begin so, with what they mean."""
    return [(each.term, each.meaning) for each in linecard.explain() if each.term.startswith(incomplete)]
