"""What the flows of a traffic are like: their sizes, and how many are active at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from linecard import _html
from linecard.records import plain
from linecard.tables import frame_of

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class FlowSizeRow:
    """Flows of one size: the two curves of Girish 2008, Figure 5.3, at one place.

    Attributes:
        flow_packets: Packets of a flow.
        flows: Flows with so many packets.
        flows_cumulative_percent: Flows with at most so many, of all flows.
        packets_cumulative_percent: Packets in flows with at most so many, of all packets.
    """

    flow_packets: int
    flows: int
    flows_cumulative_percent: float
    packets_cumulative_percent: float


@dataclass(frozen=True, slots=True, repr=False)
class TrafficView:
    """Flows as a cache meets them: one ends after a silence, and its key is then a new flow.

    Attributes:
        packets: Packets that belong to a flow.
        flows: Flows, those of one key that a silence separates counted apart.
        keys: Keys.
        single_packet_flows_percent: Flows with one packet, of all flows.
        packets_in_single_packet_flows_percent: Packets in them, of all packets.
        large_flows_percent: Flows with more than 1000 packets, of all flows.
        packets_in_large_flows_percent: Packets in them, of all packets.
        mean_concurrent_flows: Active flows, averaged over the packets.
        most_concurrent_flows: Most flows active at once.
        sizes: Flows by size, smallest first.
    """

    packets: int
    flows: int
    keys: int
    single_packet_flows_percent: float
    packets_in_single_packet_flows_percent: float
    large_flows_percent: float
    packets_in_large_flows_percent: float
    mean_concurrent_flows: float
    most_concurrent_flows: int
    sizes: tuple[FlowSizeRow, ...]

    def facts(self) -> list[tuple[str, str]]:
        """The view in words, as the screen and the notebook show it."""
        return [
            ("Flows", f"{self.flows:,} of {self.keys:,} keys"),
            ("One packet", _of_both(self.single_packet_flows_percent, self.packets_in_single_packet_flows_percent)),
            ("Over 1,000", _of_both(self.large_flows_percent, self.packets_in_large_flows_percent)),
            ("Active at once", f"{self.mean_concurrent_flows:,.0f} on average, {self.most_concurrent_flows:,} at most"),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        result: dict[str, Any] = plain(self)
        return result

    def to_frame(self) -> polars.DataFrame:
        """The rows of :attr:`sizes` as a polars data frame (extra ``frames``)."""
        return frame_of(FlowSizeRow, self.sizes)

    def __repr__(self) -> str:
        return f"<TrafficView: {self.flows:,} flows of {self.packets:,} packets>"

    def _repr_html_(self) -> str:
        return _html.block("Flows", _html.facts(self.facts()))


@dataclass(frozen=True, slots=True, repr=False)
class FlowMixTraffic:
    """Traffic made to stated flow statistics, in order of time.

    Attributes:
        digests: One digest per packet, a memory view of ``uint32``; every flow has its own. NumPy takes it without a
            copy: ``numpy.asarray(mix.digests)``.
        times_ns: When each packet comes, a memory view of ``uint64``.
        view: The statistics that came out, by the time-out that was asked for.
    """

    digests: memoryview
    times_ns: memoryview
    view: TrafficView = field(compare=False)

    def __len__(self) -> int:
        return len(self.digests)

    def __repr__(self) -> str:
        return f"<FlowMixTraffic: {self.view.flows:,} flows of {len(self):,} packets>"


def _of_both(flows_percent: float, packets_percent: float) -> str:
    return f"{flows_percent:.3g} % of the flows, {packets_percent:.3g} % of the packets"
