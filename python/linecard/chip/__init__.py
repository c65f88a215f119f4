"""Chips that are files: what their places do before anything runs, a block diagram, and a file to start from."""

from linecard.chip.check import ChipCheck, PlaceCheck, check
from linecard.chip.draw import draw
from linecard.chip.template import new

__all__ = ["ChipCheck", "PlaceCheck", "check", "draw", "new"]
