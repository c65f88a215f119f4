"""Frames of a run that are not IP (ARP, LLDP and others), by outcome."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotIpFrames:
    """Frames that are not IP while statistics were on; the remainder is still inside.

    ``not_ip`` of ``[program]`` sets their treatment by programs that check headers or look up addresses. Frames that it
    punts or drops are no loss: they count neither as packets out nor as packets dropped.

    Attributes:
        packets_in: They arrived.
        forwarded: They left by a port.
        punted: They went to the host.
        dropped_by_choice: They were dropped by choice of the chip's file.
        finished: An executed program, or a step ``finish``, ended them; they count as packets that left.
        lost: They were lost like other packets: a full buffer or queue, or arrival above line rate.
    """

    packets_in: int
    forwarded: int
    punted: int
    dropped_by_choice: int
    finished: int
    lost: int

    @property
    def set_aside(self) -> int:
        """Frames that ended by choice, of which none is lost."""
        return self.punted + self.dropped_by_choice


def words(frames: NotIpFrames) -> tuple[str, str]:
    """The number of frames, and their outcomes."""
    became = (
        ("forwarded", frames.forwarded),
        ("punted to the host", frames.punted),
        ("dropped by choice", frames.dropped_by_choice),
        ("ended by the program", frames.finished),
        ("lost", frames.lost),
    )
    return f"{frames.packets_in:,} frames", ", ".join(f"{count:,} {what}" for what, count in became if count)
