"""Buffers of a link: bandwidth times delay, by the root of its flows."""

from __future__ import annotations

from linecard.explore.subject import NO_OPTION, Outcome, Progress, Request, Subject, measurements_of


def _run_buffer(request: Request, progress: Progress) -> Outcome:
    numbers = {"bytes": float(request.arguments["rate"]) * 0.2 / 8 / request.arguments.get("flows", 1) ** 0.5}
    return Outcome(numbers, measurements_of("link", numbers))


SUBJECT = Subject("buffer", "rate", {"rate": NO_OPTION, "flows": "--flows"}, {}, False, "linecard buffer", _run_buffer)
