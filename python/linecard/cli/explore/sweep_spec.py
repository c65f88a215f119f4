"""The sweep that options ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.errors import ConfigError, ConfigProblem

if TYPE_CHECKING:
    from linecard.explore.spec import Spec


def asked_sweep(
    target: str,
    vary: list[str] | tuple[str, ...],
    what: str | None,
    changes: list[str] | tuple[str, ...],
    named: dict[str, Any],
    where: list[str] | tuple[str, ...],
    columns: list[str] | tuple[str, ...],
    repeat: int | None,
    sure: tuple[float | None, bool | None],
    sample: tuple[str | None, int | None, int],
) -> Spec:
    """The sweep that options ask for; ``sure`` is the precision, and whether runs are lengthened."""
    from linecard.explore.axes import plain_value, read_option
    from linecard.explore.spec import make_sample
    from linecard.explore.sweep import draft_of

    draft = draft_of(target, what=what, repeat=repeat, precision=sure[0], lengthen=sure[1])
    for text in changes:
        key, found, value = text.partition("=")
        if not found or not key.strip():
            draft.note("--set", "", f"found {text!r}, expected KEY=VALUE, such as packets=5000")
        else:
            draft.fix("--set", key.strip(), plain_value(value))
    for name, value in named.items():
        if value is not None:
            draft.fix(f"--{name.partition('_')[0]}", name, value)
    first = len(draft.axes or ())
    for number, text in enumerate(vary):
        try:
            draft.add(read_option(text, first + number))
        except ConfigError as error:
            draft.catch(error)
    for text in where:
        draft.require(text, "--where")
    for text in columns:
        name, found, expression = text.partition("=")
        if not found or not name.strip().isidentifier():
            draft.note("--column", "", f"found {text!r}, expected NAME=EXPRESSION")
        else:
            draft.column(name.strip(), expression, "--column")
    kind, points, seed = sample
    if kind is not None or points is not None:
        draft.sample = make_sample(draft, "--sample", kind or "sobol", points, seed)
    return draft.finish()


def read_shard(text: str | None) -> tuple[int, int] | None:
    """The part of a sweep that I/N names."""
    if text is None:
        return None
    number, _, of = text.partition("/")
    try:
        return int(number), int(of)
    except ValueError:
        message = f"found {text!r}, expected I/N, such as 3/20"
        raise ConfigError.of([ConfigProblem("--shard", "", message)]) from None
