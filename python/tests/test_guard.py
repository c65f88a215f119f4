"""Does a defect of the compiled core reach a user as an ordinary error, with instructions for a report?"""

from __future__ import annotations

import builtins

import pytest

import linecard
from linecard import _core
from linecard._guard import guarded


class Panic(BaseException):
    """A panic of Rust as it appears in Python: not an ``Exception``."""


def test_every_function_of_the_core_is_guarded():
    functions = [value for name, value in vars(_core).items() if callable(value) and not isinstance(value, type)]
    assert len(functions) > 25
    assert all(hasattr(function, "__wrapped__") for function in functions)
    assert all(isinstance(function.__wrapped__, type(builtins.len)) for function in functions)


def test_a_panic_is_an_error_that_says_what_to_report(monkeypatch, cli, wording):
    def run(preset, *, seed, overrides, trace, words):
        raise Panic("roles were bound")

    guard = guarded(run, Panic, lambda: "actions.rs:378:13")
    with pytest.raises(linecard.InternalError) as caught:
        guard("nic.toml", seed=7, overrides=[], trace=None, words="x" * 1000)
    text = str(caught.value)
    assert text.startswith("internal error: roles were bound (at actions.rs:378:13); report it")
    assert text.endswith("run('nic.toml', seed=7, words='" + "x" * 299 + "…)")
    assert isinstance(caught.value, linecard.LinecardError)
    # On the command line, the error is one line and a status, not the text of a panic.
    monkeypatch.setattr(_core, "describe", guarded(run, Panic, lambda: "here"))
    monkeypatch.setattr(_core, "run", lambda preset, **_: guard(preset, seed=1, overrides=[], trace=None, words=""))
    ended = cli("run", "ixp1200")
    assert (ended.status, ended.err.count("\n")) == (4, 1)
    wording(ended.err)


@pytest.mark.skipif(not hasattr(_core, "_defect"), reason="the extension is of a profile without checks")
def test_a_panic_on_a_thread_of_the_core_is_an_error_too(capfd, wording):
    with pytest.raises(linecard.InternalError) as refused:
        _core._defect("no ring")
    wording(refused.value)
    # The panic hook prints nothing.
    assert capfd.readouterr() == ("", "")


def test_what_is_no_panic_passes_through():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guarded(interrupted, Panic, lambda: "")()
