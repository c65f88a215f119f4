"""Statistics of flows: flow sizes, and the number of simultaneously active flows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from linecard.result import Result
from linecard.traffic.reports import TrafficViewReport
from linecard.view import Axis, Chart, Fact, Facts, Part, Series, Title, view


class TrafficView(Result, TrafficViewReport, frozen=True):
    """Flows from the viewpoint of a cache: after an idle time, the next packet with the same key starts a new flow."""

    TABLE: ClassVar[str] = "sizes"
    ASKED: ClassVar[tuple[str, ...]] = ("packets", "flows", "keys")

    def facts(self) -> list[Fact]:
        """The statistics as text."""
        return [
            Fact("Flows", f"{self.flows:,}", f"of {self.keys:,} keys"),
            Fact(
                "One packet", *_of_both(self.single_packet_flows_percent, self.packets_in_single_packet_flows_percent)
            ),
            Fact("Over 1,000", *_of_both(self.large_flows_percent, self.packets_in_large_flows_percent)),
            Fact(
                "Active at once",
                f"{self.mean_concurrent_flows:,.0f} on average",
                f"{self.most_concurrent_flows:,} at most",
            ),
        ]

    def __repr__(self) -> str:
        return f"<TrafficView: {self.flows:,} flows of {self.packets:,} packets>"


@dataclass(frozen=True, slots=True, repr=False)
class FlowMixTraffic:
    """Traffic generated from flow statistics; the packets are in time order.

    Attributes:
        digests: Flow digest of each packet, as a memory view of ``uint32``; different flows have different digests.
            NumPy can use the digests without a copy: ``numpy.asarray(mix.digests)``.
        times_ns: Arrival time of each packet in ns, as a memory view of ``uint64``.
        view: Flow statistics of the generated traffic, computed with the requested time-out.
    """

    digests: memoryview
    times_ns: memoryview
    view: TrafficView = field(compare=False)

    def __len__(self) -> int:
        return len(self.digests)

    def __repr__(self) -> str:
        return f"<FlowMixTraffic: {self.view.flows:,} flows of {len(self):,} packets>"


def _of_both(flows_percent: float, packets_percent: float) -> tuple[str, str]:
    return f"{flows_percent:.3g} % of the flows", f"{packets_percent:.3g} % of the packets"


def sizes_chart(result: TrafficView) -> Chart:
    """Chart of the cumulative percentages of flows and of their packets, by flow size (Girish 2008, Figure 5.3)."""
    flows = [(row.flow_packets, row.flows_cumulative_percent) for row in result.sizes]
    packets = [(row.flow_packets, row.packets_cumulative_percent) for row in result.sizes]
    return Chart(
        "Flows by size",
        Axis("flow size, packets", logarithmic=True),
        Axis("share, %", low=0, high=100),
        [Series("flows", flows), Series("packets in them", packets)],
    )


@view.register
def _(result: TrafficView) -> list[Part]:
    return [Title("Flows"), Facts(result.facts()), sizes_chart(result)]
