"""Traffic of an uncongested link as shot noise: its load in windows, beside the closed form."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from linecard import _core, _html
from linecard._arguments import plain
from linecard._convert import convert
from linecard.request import name_of, settings

if TYPE_CHECKING:
    from os import PathLike

    from linecard.request import ProgressCallback, Settings


@dataclass(frozen=True, slots=True)
class ShotNoiseResult:
    """The load of shot noise in windows.

    Attributes:
        rates_mbps: Load of each window, Mbit/s.
        mean_mbps: Their mean.
        variation_percent: Their sample standard deviation by their mean.
        expected_variation_percent: The same by the closed form (Campbell's theorem, averaged over a window).
        active_flows: Flows under way on average, by the closed form.
        packets: Packets generated.
        seed: Seed of every random stream.
        window_ms: Length of a window.
    """

    rates_mbps: tuple[float, ...]
    mean_mbps: float
    variation_percent: float
    expected_variation_percent: float
    active_flows: float
    packets: int
    seed: int
    window_ms: float

    def facts(self) -> list[tuple[str, str]]:
        """The numbers in words, as the screen and the notebook show them."""
        return [
            ("Mean", f"{self.mean_mbps:,.1f} Mbit/s"),
            ("Range", f"{min(self.rates_mbps):,.1f} to {max(self.rates_mbps):,.1f} Mbit/s"),
            ("Variation", f"{self.variation_percent:.2f} %, closed form {self.expected_variation_percent:.2f} %"),
            ("Flows", f"{self.active_flows:,.0f} under way on average"),
        ]

    def _repr_html_(self) -> str:
        title = f"Load, Mbit/s in windows of {self.window_ms:g} ms"
        most = max(self.rates_mbps)
        windows = [
            (f"{number * self.window_ms / 1e3:.1f} s: {rate:,.1f}", rate / most)
            for number, rate in enumerate(self.rates_mbps)
        ]
        return _html.block(title, _html.facts(self.facts()), _html.bars("Of the largest", windows))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as ``shot-noise --json`` prints it."""
        return asdict(self)


@plain
def shot_noise(
    preset: str | PathLike[str] = "ixp2400_core",
    *,
    rate_mbps: float,
    windows: int = 50,
    window_ms: float = 200.0,
    set: Settings | None = None,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> ShotNoiseResult:
    """Generate shot noise (Girish 2008, section 4.4.3) and measure its load in windows.

    Flows arrive in a Poisson process and send at constant rates; rates and durations are log-uniform between the
    bounds ``shots.*`` of the preset, sizes are its ``traffic.kind``.

    Args:
        preset: A chip with the bounds of flows, ``[shots]``.
        rate_mbps: Mean load of all flows.
        windows: Windows to generate, at least 2.
        window_ms: Length of a window; the thesis takes 200 ms, a typical round-trip time.
        set: Changes to the preset.
        seed: Seed of every random stream.
        progress: Called with (windows done, windows in all).

    Raises:
        ConfigError: The preset, a value or a number is wrong.

    Example:
        >>> result = shot_noise(rate_mbps=100, windows=5, set={"traffic.kind": "Abilene"})
        >>> len(result.rates_mbps)
        5
    """
    overrides = [*settings(set), f"traffic.rate_gbps={rate_mbps / 1e3!r}"]
    report = _core.shot_noise(
        name_of("preset", preset),
        overrides=overrides,
        seed=seed,
        windows=windows,
        window_ms=window_ms,
        progress=progress,
    )
    return convert(report, ShotNoiseResult)
