"""Does Ctrl-C end a call of the package within a second, whatever the core does at that time?"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager

import pytest

import linecard

SECONDS = 1.0


@contextmanager
def interrupted(when):
    """Send SIGINT to this process once `when()` is true; the call must then end within a second.

    A job in the background starts with SIGINT ignored, and would wait forever.
    """
    sent = []

    def send():
        while not when():
            time.sleep(0.01)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
        took = time.monotonic() - sent[0]
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert took < SECONDS, f"{took:.2f} s"


def settled_threads():
    """The threads of this process, after ending ones have had a second."""
    end = time.monotonic() + SECONDS
    while any(thread.name == "interrupt" for thread in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.01)
    return threading.enumerate()


def progress_of(seen):
    return lambda done, total: seen.append((done, total))


def test_a_run_is_interrupted():
    seen = []
    with interrupted(lambda: bool(seen)):
        linecard.run("ixp1200", packets=2_000_000_000, progress=progress_of(seen))


def test_a_sweep_is_interrupted():
    seen = []
    with interrupted(lambda: bool(seen)):
        linecard.sweep(
            "ixp1200", vary={"seed": [1, 2, 3, 4]}, packets=2_000_000_000, jobs=2, progress=progress_of(seen)
        )


def test_work_that_looks_at_nothing_is_left_to_itself(tmp_path):
    """A read from a pipe without a writer blocks in a system call, where the core polls for nothing.

    Each call has its own pipe: the remaining reader of the first call would announce the second one too early.
    """
    writers = []

    def is_read(pipe):
        try:
            writers.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return False
        return True

    first, second = tmp_path / "first", tmp_path / "second"
    os.mkfifo(first)
    os.mkfifo(second)
    with interrupted(lambda: is_read(first)):
        linecard.flows(first)
    with interrupted(lambda: is_read(second)):
        linecard.run("ixp1200", trace=second, packets=10)
    for writer in writers:
        os.close(writer)


def test_what_the_callback_raises_ends_the_run():
    def stop(done, total):
        raise LookupError("enough")

    started = time.monotonic()
    with pytest.raises(LookupError, match="enough"):
        linecard.run("ixp1200", packets=2_000_000_000, progress=stop)
    assert time.monotonic() - started < 5


def test_time_that_stands_still_is_refused_and_not_waited_for(tmp_path, wording):
    chip = tmp_path / "chip.toml"
    chip.write_text(
        'kind = "chip"\ntitle = "no time"\nsource = "a test"\n[clock]\ncore_mhz = 1000\n[cluster.core]\nengines = 1\n'
        'threads = 1\n[buffer.rx]\nbytes = "1 MiB"\n[inbox.work]\n[port.eth]\nrate_gbps = 0\n[[program.step]]\n'
        'op = "send"\n[traffic]\nkind = "fixed"\npacket_bytes = 125\narrivals = "saturated"\n'
    )
    with pytest.raises(linecard.RunError) as refused:
        linecard.run(chip, packets=100)
    wording(refused.value)
    assert linecard.check(chip).warnings[0].startswith("the run would never end")
    swept = linecard.sweep(chip, vary={"cluster.core.threads": [1, 2]}, packets=100)
    assert [row["status"] for row in swept.to_dict()["rows"]] == ["failed", "failed"]


def test_a_command_in_this_process_leaves_signals_as_it_found_them(cli):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert cli("--version").status == 0
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.set_wakeup_fd(-1) == -1
        assert "interrupt" not in [thread.name for thread in settled_threads()]
    finally:
        signal.signal(signal.SIGINT, before)
