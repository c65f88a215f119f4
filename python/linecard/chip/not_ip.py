"""Text about the frames of a run that are not IP (ARP, LLDP and others), by outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linecard.chip.reports import NotIpFrames


def words(frames: NotIpFrames) -> tuple[str, str]:
    """Describe the number of frames that are not IP, and their outcomes."""
    became = (
        ("forwarded", frames.forwarded),
        ("punted to the host", frames.punted),
        ("dropped by choice", frames.dropped_by_choice),
        ("ended by the program", frames.finished),
        ("lost", frames.lost),
    )
    return f"{frames.packets_in:,} frames", ", ".join(f"{count:,} {what}" for what, count in became if count)
