"""Linecard: simulate programmable packet processors and compare designs.

>>> import linecard
>>> result = linecard.run("ixp1200", program="l3fwd16", packets=2000, warmup_packets=500)
>>> result.bottleneck.component != ""
True

The most important functions are:

- `run` simulates one design under one traffic load; `check` checks a chip file without a simulation;
- `sweep` simulates a design space and returns one table; `optimize` finds the best designs of a space;
- `why` finds the bottleneck of a chip; `ndr` finds no-drop rates; `compare` compares two designs, runs or sweeps;
- `flows` returns packet and flow statistics of a capture; `flow_mix` generates traffic with given flow statistics;
- `flowcache` returns hit rates of flow caches; `dram` simulates a DRAM part without a chip;
- `queueing_run` compares queue managers; `queueing_design` finds the smallest queuing cache for a throughput;
- `vrp_budget`, `vrp_check` and `hierarchy` measure the work that a chip can do in addition to forwarding;
- `petri.explore`, `petri.solve` and `petri.simulate` analyse Petri nets;
- `presets` lists the shipped presets; `describe` shows one preset with units and sources;
- `program_trace` executes C packet functions on a capture; `core` compares all ways to divide a core's area between
  threads and cache;
- `xdp_run` executes an XDP program on a capture; `xdp_rows` groups an XDP program's instructions into rows, one row per
  cycle;
- `schema` returns the JSON Schema of a file type; `explain` defines a glossary term;
- `reproduce` returns the simulated and the published numbers of a study side by side.
"""

from linecard._lazy import make_lazy

make_lazy(__name__, __file__)
del make_lazy
