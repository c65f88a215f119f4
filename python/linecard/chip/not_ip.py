"""Frames of a run that are not IP (ARP, LLDP and the like), by what became of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotIpFrames:
    """Frames that are not IP while statistics were on; what is left of those that came is still inside.

    ``not_ip`` of ``[program]`` says what becomes of them in programs that check headers or look addresses up. Those
    that it punts or drops are no loss, and are among neither the packets out nor the packets dropped.

    Attributes:
        packets_in: They arrived.
        forwarded: They left by a port.
        punted: They went to the host.
        dropped_by_choice: They were dropped because the chip's file says so.
        finished: An executed program, or a step ``finish``, ended them; they count as packets that left.
        lost: They were lost as packets of any kind are, for want of room or too fast for the wire.
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
    """How many came, and what became of them."""
    became = (
        ("forwarded", frames.forwarded),
        ("punted to the host", frames.punted),
        ("dropped by choice", frames.dropped_by_choice),
        ("ended by the program", frames.finished),
        ("lost", frames.lost),
    )
    return f"{frames.packets_in:,} frames", ", ".join(f"{count:,} {what}" for what, count in became if count)
