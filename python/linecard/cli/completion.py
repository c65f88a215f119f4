"""Shell completion of the names of presets and of glossary terms."""

from __future__ import annotations

import linecard


def chips(incomplete: str) -> list[tuple[str, str]]:
    """Chip names that begin with the typed text, with their titles."""
    return [(each.name, each.title) for each in linecard.presets("platforms") if each.name.startswith(incomplete)]


def presets(incomplete: str) -> list[tuple[str, str]]:
    """Preset names that begin with the typed text, with their titles."""
    return [(each.name, each.title) for each in linecard.presets() if each.name.startswith(incomplete)]


def kinds(incomplete: str) -> list[tuple[str, str]]:
    """Preset kinds that begin with the typed text, with their meanings."""
    from linecard.catalogue import KINDS

    return [(name, meaning) for name, meaning in KINDS.items() if name.startswith(incomplete)]


def terms(incomplete: str) -> list[tuple[str, str]]:
    """Glossary terms that begin with the typed text, with their meanings."""
    return [(each.term, each.meaning) for each in linecard.explain() if each.term.startswith(incomplete)]
