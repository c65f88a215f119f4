"""Models the traffic of an uncongested link as shot noise: simulated load in time windows, and the closed form."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, ClassVar

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.errors import ConfigError
from linecard.request import name_of, settings
from linecard.result import Result
from linecard.tables import Table
from linecard.traffic.reports import ShotNoiseReport
from linecard.view import BAR, Axis, Bar, Chart, Fact, Facts, Part, Series, Title, view
from linecard.view import Table as TablePart

if TYPE_CHECKING:
    from linecard.request import ProgressCallback, Settings

# The range of traffic.rate_gbps.
_LEAST_MBPS, _MOST_MBPS = 0.001, 1_000_000_000


class ShotNoiseResult(Result, ShotNoiseReport, frozen=True):
    """The load of shot-noise traffic in time windows."""

    ASKED: ClassVar[tuple[str, ...]] = ("seed", "window_ms", "mean_mbps")

    def table(self) -> Table:
        """A table of the load in each window."""
        return Table(("start_seconds", "rate_mbps"), self.windows())

    def windows(self) -> list[tuple[float, float]]:
        """The start in seconds and the load in Mbit/s of each window."""
        return [(number * self.window_ms / 1e3, rate) for number, rate in enumerate(self.rates_mbps)]


@plain
def shot_noise(
    chip: str | PathLike[str] = "ixp2400_core",
    *,
    rate_mbps: float,
    windows: int = 50,
    window_ms: float = 200.0,
    set: Settings | None = None,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> ShotNoiseResult:
    """Generate shot-noise traffic (Girish 2008, section 4.4.3) and measure its load in time windows.

    Flows arrive as a Poisson process, and each flow sends at a constant rate. Rates and durations of flows are
    log-uniformly distributed between the bounds ``shots.*`` in the chip's file. The key ``traffic.kind`` of the chip
    determines the frame sizes.

    Args:
        chip: A chip whose file contains the table ``[shots]``.
        rate_mbps: Mean load of all flows in Mbit/s.
        windows: Number of generated windows; at least 2.
        window_ms: Length of a window in milliseconds; Girish (2008) uses 200 ms, which is a typical round-trip time.
        set: Changes to parameters of the chip.
        seed: Seed of every random stream.
        progress: Function that is called with the number of completed windows and the total number.

    Raises:
        ConfigError: The chip, a change in ``set`` or a numeric argument is invalid.

    Example:
        >>> result = shot_noise(rate_mbps=100, windows=5, set={"traffic.kind": "Abilene"})
        >>> len(result.rates_mbps)
        5
    """
    if not _LEAST_MBPS <= rate_mbps <= _MOST_MBPS:
        message = f"found {rate_mbps:g} Mbit/s, expected {_LEAST_MBPS:g} to {_MOST_MBPS:,} Mbit/s"
        raise ConfigError.at("rate_mbps (--rate)", "", message)
    request = {
        "chip": name_of("chip", chip),
        "overrides": [*settings(set), f"traffic.rate_gbps={rate_mbps / 1e3!r}"],
        "seed": seed,
        "windows": windows,
        "window_ms": window_ms,
    }
    return convert(_core.shot_noise(request, progress=progress), ShotNoiseResult)


@view.register
def _(result: ShotNoiseResult) -> list[Part]:
    most = max(result.rates_mbps)
    return [
        Title("Load", f"Mbit/s in windows of {result.window_ms:g} ms"),
        Facts(
            (
                Fact("Mean", f"{result.mean_mbps:,.1f} Mbit/s", "", "strong"),
                Fact("Range", f"{min(result.rates_mbps):,.1f} to {most:,.1f} Mbit/s"),
                Fact(
                    "Variation",
                    f"{result.variation_percent:.2f} %",
                    f"closed form {result.expected_variation_percent:.2f} % (for a run much longer than its flows)",
                ),
                Fact("Flows", f"{result.active_flows:,.0f}", "active on average"),
            )
        ),
        Chart(
            "Load over time", Axis("time, s", low=0), Axis("load, Mbit/s", zero=True), [Series("", result.windows())]
        ),
        TablePart(
            "Windows",
            ("from, s", "Mbit/s", BAR),
            [(f"{start:.1f}", f"{rate:,.1f}", Bar(rate / most)) for start, rate in result.windows()],
        ),
    ]
