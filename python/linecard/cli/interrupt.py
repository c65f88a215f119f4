"""Ctrl-C that ends the process within a second, whatever it waits for.

Python hears of a signal between two of its own instructions. Work of the core looks at signals now and then; what
waits for the system (a pipe that nobody writes to, a device that is slow) does not. A thread of its own hears of the
signal at once and gives the main thread a second to hear of it, too; where that is not enough, it ends the process as
Ctrl-C does.
What was not yet finished is left behind then as after a kill: a temporary file, nothing under a final name.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from types import FrameType

# As long as Ctrl-C may take.
_SECONDS = 0.9
_INTERRUPTED = 130


def end_within_a_second() -> None:
    """Make SIGINT end this process soon; for the main thread of a command."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        # Somebody else looks after it, or it is to be ignored, as in a job in the background.
        return
    heard = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        heard.set()
        signal.default_int_handler(number, frame)

    ours, theirs = socket.socketpair()
    theirs.setblocking(False)

    def watch() -> None:
        while byte := ours.recv(1):
            if byte[0] == signal.SIGINT and not heard.wait(_SECONDS):
                sys.stderr.write("linecard: interrupted\n")
                sys.stderr.flush()
                os._exit(_INTERRUPTED)

    signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, handle)
    # The socket must live as long as the process: the signal writes to its number.
    end_within_a_second.keeps = theirs  # type: ignore[attr-defined]
    threading.Thread(target=watch, name="interrupt", daemon=True).start()
