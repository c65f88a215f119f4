"""Ensures that Ctrl-C ends the process within a second, even during a blocking system call.

Python handles a signal only between two Python instructions. The core polls for signals, but cannot poll during a
blocking system call (a pipe without a writer, a slow device). A separate thread receives the Ctrl-C signal immediately,
and waits one second for the main thread to handle the signal. If the main thread does not handle the signal within one
second, the separate thread ends the process as Ctrl-C normally does.

If the process is killed, unfinished output remains in a temporary file and never gets the final name.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# The longest time that Ctrl-C may take.
_SECONDS = 0.9
_INTERRUPTED = 130


@contextmanager
def ends_within_a_second() -> Iterator[None]:
    """While the ``with`` block runs, SIGINT ends the process within a second.

    Use this context manager in the main thread of a command. After the ``with`` block, SIGINT has its previous handler
    again, because the program that called the command may continue.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        # The signal has another handler, or it is ignored, as in a background job.
        yield
        return
    heard = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        heard.set()
        signal.default_int_handler(number, frame)

    ours, theirs = socket.socketpair()
    theirs.setblocking(False)

    def watch() -> None:
        with ours:
            # The end of the caller's block closes the other side, and with it this loop.
            while byte := ours.recv(1):
                if byte[0] == signal.SIGINT and not heard.wait(_SECONDS):
                    sys.stderr.write("linecard: interrupted\n")
                    sys.stderr.flush()
                    os._exit(_INTERRUPTED)

    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, handle)
    threading.Thread(target=watch, name="interrupt", daemon=True).start()
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.set_wakeup_fd(before)
        theirs.close()
