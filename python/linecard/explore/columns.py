"""Columns of a table that mean something to whoever shows it."""

from __future__ import annotations

# What a notebook and a screen show of a table first, where there is no room for all.
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
# Columns in which objectives and limits come out.
OBJECTIVE, LIMIT = "objective: ", "limit: "
