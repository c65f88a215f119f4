"""How much buffer a router's output link needs, by the two rules of Girish 2008, section 4.2.

For links that TCP keeps full. A buffer below these drains while senders wait, and the link idles for a while; nothing
is said of links that are not the bottleneck, of short flows, or of anything but additive increase and multiplicative
decrease by one half.
"""

from __future__ import annotations

import math

from linecard._arguments import plain
from linecard.errors import ConfigError, ConfigProblem


@plain
def buffer_bytes(rate_bps: float, round_trip_s: float, flows: int = 1) -> float:
    """Buffer that keeps a link full.

    One flow, or flows that back off together, need the product of bandwidth and round-trip time (equation 4.4, the rule
    of Villamizar and Song, 1994). ``n`` long flows that back off independently of each other need that by the root of
    ``n`` for a utilisation of about 99 % (equation 4.7: Appenzeller, Keslassy and McKeown, SIGCOMM 2004): the sum of
    their windows is Gaussian, and its deviation grows by the root of their number while their share falls by it.

    Args:
        rate_bps: Rate of the link, bit/s.
        round_trip_s: Mean round-trip time of the flows, seconds.
        flows: Long flows that are not synchronised; 1 for one flow, or for synchronised ones.

    Returns:
        Bytes.

    Raises:
        ConfigError: A number is not above zero; every such number is listed.

    Example:
        >>> round(buffer_bytes(8.1e9, 0.2))
        202500000
        >>> round(buffer_bytes(8.1e9, 0.2, flows=40_000))
        1012500
    """
    numbers = {"rate_bps": rate_bps, "round_trip_s": round_trip_s, "flows": float(flows)}
    problems = [
        ConfigProblem("buffer size", name, f"found {value:g}, expected a number above 0")
        for name, value in numbers.items()
        if not (value > 0 and math.isfinite(value))
    ]
    if problems:
        raise ConfigError.of(problems)
    product = rate_bps * round_trip_s / 8
    if not math.isfinite(product):
        found = f"{rate_bps:g} bit/s times {round_trip_s:g} s is beyond all counting"
        raise ConfigError.of(
            [ConfigProblem("buffer size", "round_trip_s", f"{found}; expected a finite number of bytes")]
        )
    return product / math.sqrt(flows)
