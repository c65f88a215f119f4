"""What is modelled both as a chip and as a Petri net: `linecard run ipv4_forward --model np|petri`."""

from typing import Final

APPLICATION: Final = "ipv4_forward"
"""The program that both models run."""

PRESET: Final = "ixp2400"
"""The preset that says what they run it on."""
