"""A study of one table over programs, which tests modify."""

SMALL = """
id = "small"
title = "Small"
document = "Author 1900"
summary = "Programs."
[full]
seeds = [1]
packets = 10
warmup_packets = 1
[quick]
seeds = [1]
packets = 10
warmup_packets = 1
[columns.app]
preset = "ixp1200"
program = "{value}"
[measures.gbps]
component = "total"
metric = "throughput_gbps"
unit = "Gbit/s"
label = "Throughput"
[[tables]]
id = "1"
title = "Programs"
file = "one.csv"
cells = { gbps = "gbps" }
"""
