"""`--map NAME=FILE`: files that fill the maps of an XDP program."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def maps(given: Sequence[str]) -> dict[str, str]:
    """Parse strings of the form NAME=FILE into map names and their files."""
    from linecard.errors import ConfigError, ConfigProblem

    found: dict[str, str] = {}
    for each in given:
        name, equals, file = each.partition("=")
        if not (name and equals and file):
            message = f"found {each!r}, expected NAME=FILE, such as --map routes=routes.csv"
            raise ConfigError.of([ConfigProblem("--map", "", message)])
        found[name] = file
    return found
