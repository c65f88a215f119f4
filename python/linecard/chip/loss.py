"""The loss of a chip as text, and the packets that accumulate inside the chip."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linecard.chip.reports import Summary

# Packets inside do not affect the stated loss up to this share of the arrived packets.
_FEW = 0.01


def loss_words(summary: Summary) -> tuple[str, str]:
    """The loss as text, and the packets to which it refers; the text is “none” only if every packet has left."""
    gone = summary.packets_out + summary.packets_dropped
    stayed = summary.packets_in - gone - (summary.not_ip.set_aside if summary.not_ip is not None else 0)
    of_all = f"{summary.packets_dropped:,} of {gone:,} packets that left or were dropped"
    piles_up = stayed > _FEW * summary.packets_in
    loss = f"{100 * summary.loss_fraction:.3f} %" if summary.packets_dropped else "none yet" if piles_up else "none"
    if piles_up:
        share = f"{100 * stayed / summary.packets_in:.1f} %"
        of_all += f"; {stayed:,} more of the {summary.packets_in:,} arrived packets ({share}) are still inside"
        of_all += "" if summary.steady else ": not steady"
    return loss, of_all
