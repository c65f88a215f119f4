"""`linecard petri step`: fire transitions one by one."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli.petri.options import Net, Set

# Firings that are requested at once while a user steps.
_CHUNK = 1000
# The most firings of one command: they take hours, so that a larger number is a mistake.
_MOST_FIRINGS = 1_000_000_000
# Characters of a number that a message repeats, so that it stays on one line.
_MOST_SHOWN = 40


def step(
    net: Net,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the run.")] = 1,
    overrides: Set = None,
) -> None:
    """Step through a run of a Petri net, with commands from the keyboard or from a pipe.

    An empty line or `n` fires one transition, a number N fires N transitions, and `t TIME` simulates until TIME. `m`
    shows the marking, and `q` quits.

    **Examples**

        linecard petri step model.toml

        yes "" | head -5 | linecard petri step model.toml
    """
    import sys

    from linecard import petri

    parts = petri.parts(net, overrides=overrides or ())
    tokens = tuple(place.tokens for place in parts.places)
    run: list[petri.Firing] = []
    done, now = 0, 0.0

    def marking() -> str:
        held = (f"{place.name} {count}" for place, count in zip(parts.places, tokens, strict=True) if count)
        return ", ".join(held) or "no tokens"

    def upcoming() -> petri.Firing | None:
        nonlocal run
        if not run:
            run = petri.firings(net, _CHUNK, first=done, seed=seed, overrides=overrides or ())
        return run[0] if run else None

    def fire() -> bool:
        nonlocal done, now, tokens
        firing = upcoming()
        if firing is None:
            typer.echo("no transition is enabled")
            return False
        run.pop(0)
        changes = [
            f"{place.name} {before} → {after}"
            for place, before, after in zip(parts.places, tokens, firing.tokens, strict=True)
            if before != after
        ]
        done, now, tokens = done + 1, firing.time, firing.tokens
        binding = "" if firing.binding == "no variables" else f" ({firing.binding})"
        name = parts.transitions[firing.transition].name
        typer.echo(f"{done:6}  {now:12.6g}  {name}{binding}: {', '.join(changes) or 'no change'}")
        return True

    shows_prompt = sys.stdin.isatty()
    typer.echo(f"{parts.net or net.name}: {marking()}")
    while True:
        if shows_prompt:
            typer.echo("> ", nl=False)
        line = sys.stdin.readline()
        word = line.strip()
        if not line or word == "q":
            return
        if word in {"", "n"}:
            fire()
        elif (wrong := _wrong_number(word)) is not None:
            typer.echo(wrong)
        elif word.isdecimal():
            for _ in range(int(float(word))):
                if not fire():
                    break
        elif word == "m":
            typer.echo(f"at {now:g}: {marking()}")
        elif word.startswith("t ") and _is_number(word[2:]):
            while (following := upcoming()) is not None and following.time <= float(word[2:]):
                fire()
        else:
            typer.echo("expected n, t TIME, m, q, or a number of firings")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _wrong_number(word: str) -> str | None:
    """Return what is wrong with the time or the number of firings of a command."""
    text = word.removeprefix("t ").strip()
    if not _is_number(text):
        return None
    # A float also for a number of firings: Python does not convert thousands of digits to a whole number.
    number = float(text)
    if text != word:
        expected, valid = "a finite time of at least 0", 0 <= number < float("inf")
    else:
        expected = f"a whole number of firings from 0 to {_MOST_FIRINGS}"
        valid = text.isdecimal() and number <= _MOST_FIRINGS
    shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
    return None if valid else f"found {shown}, expected {expected}"
