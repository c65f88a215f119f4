"""What all commands share: exit statuses and texts."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit status of every command."""

    OK = 0
    CHECK_FAILED = 1
    USAGE = 2
    CAPTURE = 3
    RUN = 4
    INTERRUPTED = 130


EPILOG = (
    "Exit status: 0 ok · 1 reproduce --check failed, vrp check refused or compare-models differ · "
    "2 wrong usage or configuration · 3 capture damaged (result still printed) or unusable · "
    "4 the run failed · 130 interrupted"
)

JSON_HELP = "Print one JSON object on stdout instead of the screen."
