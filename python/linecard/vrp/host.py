"""The packet rates and cycles per packet of a core and a host processor that process packets from the engines."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, ClassVar

from linecard import _core
from linecard._arguments import plain as plain_arguments
from linecard._convert import convert
from linecard.errors import ConfigError, ConfigProblem
from linecard.request import U64_MAX, name_of, settings
from linecard.result import Result
from linecard.tables import Table
from linecard.view import Fact, Facts, Part, Title, bars, view
from linecard.vrp.budget import PACKET_BYTES, of_rate, parse_rate
from linecard.vrp.reports import HierarchyReport

if TYPE_CHECKING:
    from linecard.request import Settings


class HierarchyResult(Result, HierarchyReport, frozen=True):
    """The packet rates of the core and of the host, and their cycles per packet."""

    ASKED: ClassVar[tuple[str, ...]] = ("chip", "rate_pps", "packet_bytes", "message_bytes")

    def table(self) -> Table:
        """A table with the columns ``measure`` and ``value``."""
        values = [(name, value) for name, value in self.to_dict().items() if isinstance(value, (int, float))]
        return Table(("measure", "value"), values)

    def __repr__(self) -> str:
        return f"<HierarchyResult {self.chip}: {self.reach_percent:.1f} % reach the host>"


@plain_arguments
def hierarchy(
    chip: str | PathLike[str] = "ixp1200_host",
    rate: str | float = "1.128Mpps",
    *,
    packet_bytes: int = PACKET_BYTES,
    message_bytes: int | None = None,
    one_in: int = 1,
    set: Settings | None = None,
    packets: int = 50_000,
    seed: int = 1,
) -> HierarchyResult:
    """Send received packets to the core and, over a link, to the host; measure the packet rates of the two processors.

    Args:
        chip: A chip whose engines, core and host have the same names as in ``ixp1200_host``.
        rate: Number of packets per second, such as ``1.128Mpps`` or ``700kpps``.
        packet_bytes: Size of each packet in bytes.
        message_bytes: Number of bytes of each packet that are sent to the host and back; by default, all bytes.
        one_in: On average, one in ``one_in`` packets goes to the host.
        set: New values for parameters of the chip.
        packets: Number of packets to simulate.
        seed: Seed of the random arrivals and flows, and of the random choice of packets for the host.

    Raises:
        ConfigError: The preset, a change or the request is invalid; the error lists every problem.
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
    ConfigError.check(problems)
    request = {
        "chip": name_of("chip", chip),
        "overrides": settings(set),
        "rate_pps": parse_rate(rate),
        "packet_bytes": packet_bytes,
        "message_bytes": packet_bytes if message_bytes is None else message_bytes,
        "one_in": one_in,
        "packets": packets,
        "seed": seed,
    }
    try:
        found = _core.hierarchy(request)
    except ConfigError as error:
        raise of_rate(error) from None
    return convert(found, HierarchyResult)


@view.register
def _(result: HierarchyResult) -> list[Part]:
    most = f"{result.most_messages_per_second / 1e3:,.1f} kpps"
    busy = [(name, getattr(result, f"{name}_utilization")) for name in ("link", "host", "core", "dram")]
    return [
        Title(f"{result.chip}, {result.rate_pps / 1e3:,.4g} kpps of {result.packet_bytes} bytes"),
        Facts(
            (
                Fact(
                    "Reach",
                    f"{result.reach_percent:.1f} % of the packets",
                    f"{result.messages_per_second / 1e3:,.1f} kpps",
                    "strong",
                ),
                Fact("At most", most, f"{result.message_bytes} bytes to the host and back"),
                Fact(
                    "Host",
                    f"{result.host_cycles_per_message:,.0f} idle cycles",
                    "for each message, to process its contents",
                ),
                Fact(
                    "Core",
                    f"{result.core_cycles_per_message:,.0f} idle cycles",
                    "for each message, to process its contents",
                ),
                Fact(
                    "DRAM",
                    f"engines wait {result.engine_wait_ns:,.1f} ns",
                    f"{result.engine_wait_alone_ns:,.1f} ns if the core and the host are idle",
                ),
            )
        ),
        bars("Utilisation", busy, "utilisation includes message transfers, but not the processing of message contents"),
    ]
