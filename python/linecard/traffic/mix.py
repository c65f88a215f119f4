"""Generation of traffic from flow statistics: `flow_mix`."""

from __future__ import annotations

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.errors import ConfigError, ConfigProblem
from linecard.request import TIME_OUT_MAX_SECONDS, U64_MAX
from linecard.traffic.flow_view import FlowMixTraffic, TrafficView


@plain
def flow_mix(
    packets: int,
    *,
    single_flows_percent: float,
    packets_in_single_flows_percent: float,
    large_flows_percent: float,
    packets_in_large_flows_percent: float,
    concurrent_flows: float,
    largest_flow_packets: int = 40_000,
    time_out_seconds: float = 1.0,
    rate_pps: float = 20_000.0,
    seed: int = 1,
) -> FlowMixTraffic:
    """Generate traffic from flow statistics, for caches and other models that depend on flows.

    The traffic has the requested fractions of flows with one packet and of large flows with more than 1000 packets. All
    other flows have 2 to 1000 packets. Flow sizes follow bounded Pareto distributions. The gaps between packets of a
    flow have a log-normal distribution, whose parameters differ from flow to flow. A common factor scales all gaps so
    that the time average of the number of active flows equals the requested number. The mean number of active flows in
    ``view`` differs from the requested number by a few percent. The mean in ``view`` is an average over packets, not
    over time, and fewer flows are active at the beginning and at the end. Every gap between packets of a flow is
    shorter than the time-out.

    Args:
        packets: Total number of packets.
        single_flows_percent: Percentage of flows that have one packet.
        packets_in_single_flows_percent: Percentage of packets that belong to flows with one packet. The total number of
            flows follows from ``single_flows_percent`` and ``packets_in_single_flows_percent``.
        large_flows_percent: Percentage of flows that have more than 1000 packets.
        packets_in_large_flows_percent: Percentage of packets that belong to flows with more than 1000 packets.
        concurrent_flows: Mean number of active flows; a flow is active until its idle time reaches the time-out.
        largest_flow_packets: Maximum number of packets in a flow.
        time_out_seconds: Idle time after which a flow ends (1 second in Girish 2008, section 5.3.1).
        rate_pps: Number of packets per second.
        seed: Seed of the traffic; the same seed generates identical traffic.

    Raises:
        ConfigError: No traffic can have the requested statistics; the error names an argument that is out of range, and
            a valid value.

    Example:
        >>> import linecard
        >>> mix = linecard.flow_mix(200_000, single_flows_percent=58, packets_in_single_flows_percent=5.5,
        ...     large_flows_percent=0.15, packets_in_large_flows_percent=50, concurrent_flows=4000)
        >>> linecard.flowcache(mix.digests, 1024, policy=["lru", "sp"]).best[0].policy
        'SP'
    """
    ranges = [
        ("packets", packets, U64_MAX),
        ("largest flow", largest_flow_packets, U64_MAX),
        ("seed", seed, U64_MAX),
        ("time-out", time_out_seconds, TIME_OUT_MAX_SECONDS),
    ]
    problems = [
        ConfigProblem(name, "", f"found {value!r}, expected 0 to {most}")
        for name, value, most in ranges
        if not 0 <= value <= most
    ]
    ConfigError.check(problems)
    mix = {
        "packets": packets,
        "single_flows_percent": single_flows_percent,
        "packets_in_single_flows_percent": packets_in_single_flows_percent,
        "large_flows_percent": large_flows_percent,
        "packets_in_large_flows_percent": packets_in_large_flows_percent,
        "largest_flow_packets": largest_flow_packets,
        "concurrent_flows": concurrent_flows,
        "time_out_ns": round(time_out_seconds * 1e9),
        "rate_pps": rate_pps,
        "seed": seed,
    }
    plain = _core.flow_mix(mix)
    digests, times = memoryview(plain["digests"]).cast("I"), memoryview(plain["times_ns"]).cast("Q")
    return FlowMixTraffic(digests, times, convert(plain["view"], TrafficView))
