"""Core and host above the engines: packets that are sent up, how many are reached, what each may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard import _core, _html
from linecard._arguments import plain as plain_arguments
from linecard._convert import convert
from linecard.errors import ConfigError, ConfigProblem
from linecard.records import plain
from linecard.request import U64_MAX, name_of, settings
from linecard.vrp.budget import PACKET_BYTES, parse_rate

if TYPE_CHECKING:
    from os import PathLike

    from linecard.request import Settings


@dataclass(frozen=True, slots=True, repr=False)
class HierarchyResult:
    """Packets that need more than the engines: who is reached, and what it can spend.

    Attributes:
        preset: The platform.
        rate_pps: Packets that come, a second.
        packet_bytes: Size of each.
        message_bytes: Bytes of a message to the host.
        messages_per_second: Messages that went up and came back.
        most_messages_per_second: The same if as many packets asked as the ports take.
        reach_percent: Messages by packets.
        host_cycles_per_message: Cycles that the host has for the work on a message.
        core_cycles_per_message: Cycles that the core has.
        dram_utilization: Share of the time for which the DRAM was busy.
        link_utilization: The same of the link to the host.
        core_utilization: Of the core.
        host_utilization: Of the host.
        engine_wait_ns: What an access of the engines waits for the DRAM.
        engine_wait_alone_ns: The same without core and host.
    """

    preset: str
    rate_pps: float
    packet_bytes: int
    message_bytes: int
    messages_per_second: float
    most_messages_per_second: float
    reach_percent: float
    host_cycles_per_message: float
    core_cycles_per_message: float
    dram_utilization: float
    link_utilization: float
    core_utilization: float
    host_utilization: float
    engine_wait_ns: float
    engine_wait_alone_ns: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        result: dict[str, Any] = plain(self)
        return result

    def facts(self) -> list[tuple[str, str]]:
        """The numbers in words, as the screen and the notebook show them."""
        waits = f"engines wait {self.engine_wait_ns:,.1f} ns, {self.engine_wait_alone_ns:,.1f} without core and host"
        most = f"{self.most_messages_per_second / 1e3:,.1f} kpps of {self.message_bytes} bytes there and back"
        return [
            ("Reach", f"{self.reach_percent:.1f} % of the packets, {self.messages_per_second / 1e3:,.1f} kpps"),
            ("At most", most),
            ("Host", f"{self.host_cycles_per_message:,.0f} cycles for each"),
            ("Core", f"{self.core_cycles_per_message:,.0f} cycles for each"),
            ("DRAM", waits),
        ]

    def busy(self) -> list[tuple[str, float]]:
        """How busy link, host, core and DRAM were, in shares of the time."""
        return [(name, getattr(self, f"{name}_utilization")) for name in ("link", "host", "core", "dram")]

    def _repr_html_(self) -> str:
        title = f"{self.preset}, {self.rate_pps / 1e3:,.4g} kpps of {self.packet_bytes} bytes"
        return _html.block(title, _html.facts(self.facts()), _html.bars("Busy", self.busy()))

    def __repr__(self) -> str:
        return f"<HierarchyResult {self.preset}: {self.reach_percent:.1f} % reach the host>"


@plain_arguments
def hierarchy(
    preset: str | PathLike[str] = "ixp1200_host",
    rate: str | float = "1.128Mpps",
    *,
    packet_bytes: int = PACKET_BYTES,
    message_bytes: int | None = None,
    one_in: int = 1,
    set: Settings | None = None,
    packets: int = 50_000,
    seed: int = 1,
) -> HierarchyResult:
    """Send packets of a line up to the core and across the link to the host, and see who is reached.

    Args:
        preset: A chip with a core and a host above its engines, with the names of ``ixp1200_host``.
        rate: Packets per second.
        packet_bytes: Bytes of a packet.
        message_bytes: Bytes of it that go up and come back; ``None`` for all.
        one_in: Of so many packets one asks to be sent up, on average.
        set: Changes to the preset.
        packets: Packets to simulate.
        seed: Seed of their arrivals, flows, and of which ask.

    Raises:
        ConfigError: Preset, change or request is wrong; every problem is listed.
    """
    problems = [
        ConfigProblem(name, "", f"found {value}, expected 1 to {most}")
        for name, value, most in (
            ("packet bytes", packet_bytes, 65_535),
            ("message bytes", packet_bytes if message_bytes is None else message_bytes, 65_535),
            ("one in", one_in, 2**63),
            ("packets", packets, 2**63),
        )
        if not 1 <= value <= most
    ]
    if not 0 <= seed <= U64_MAX:
        problems.append(ConfigProblem("seed", "", f"found {seed}, expected 0 to {U64_MAX}"))
    if problems:
        raise ConfigError.of(problems)
    found = _core.hierarchy(
        name_of("preset", preset),
        overrides=settings(set),
        rate_pps=parse_rate(rate),
        packet_bytes=packet_bytes,
        message_bytes=packet_bytes if message_bytes is None else message_bytes,
        one_in=one_in,
        packets=packets,
        seed=seed,
    )
    return convert(found, HierarchyResult)
