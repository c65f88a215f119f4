"""Table columns that have a special role in views."""

from __future__ import annotations

# The numbers that a notebook and a screen prefer if a table is too wide.
FIRST_NUMBERS = (
    "throughput_gbps",
    "throughput_mpps",
    "loss_fraction",
    "latency_p50_ns",
    "latency_p99_ns",
    "bottleneck",
    "bandwidth_gbytes_s",
    "hit_rate_percent",
    "hit_rate",
    "throughput_mops",
    "packets_per_mcycle",
    "best_threads",
    "limit",
)
# Prefixes of the columns of objectives and limits.
OBJECTIVE, LIMIT = "objective: ", "limit: "
