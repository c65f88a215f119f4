"""Builds a sweep from command-line options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.errors import ConfigError, ConfigProblem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from linecard.explore.spec import Spec


# Arguments of runs that have an option.
_ARGUMENTS = ("program", "trace", "packets", "warmup_packets", "seed")


def asked_sweep(asked: Mapping[str, Any]) -> Spec:
    """Build a sweep from command-line options."""
    from linecard.explore.axes import read_option
    from linecard.explore.spec import make_sample
    from linecard.explore.sweep import draft_of

    draft = draft_of(**{name: asked[name] for name in ("target", "what", "repeat", "precision", "lengthen", "set")})
    for name in _ARGUMENTS:
        if asked[name] is not None:
            draft.fix(f"--{name.partition('_')[0]}", name, asked[name])
    first = len(draft.axes or ())
    for number, text in enumerate(asked["vary"] or ()):
        try:
            draft.add(read_option(text, first + number))
        except ConfigError as error:
            draft.catch(error)
    for text in asked["constraints"] or ():
        draft.require(text, "--where")
    for text in asked["columns"] or ():
        name, found, expression = text.partition("=")
        if not found or not name.strip().isidentifier():
            draft.note("--column", "", f"found {text!r}, expected NAME=EXPRESSION")
        else:
            draft.column(name.strip(), expression, "--column")
    kind, points = asked["sample"], asked["points"]
    if kind is not None or points is not None:
        draft.sample = make_sample(draft, "--sample", kind or "sobol", points, asked["sample_seed"])
    return draft.finish()


def read_shard(text: str | None) -> tuple[int, int] | None:
    """Parse I/N, which selects the I-th of N parts of a sweep."""
    if text is None:
        return None
    number, _, of = text.partition("/")
    try:
        return int(number), int(of)
    except ValueError:
        message = f"found {text!r}, expected I/N, such as 3/20"
        raise ConfigError.of([ConfigProblem("--shard", "", message)]) from None
