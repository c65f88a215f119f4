"""Linecard: simulate programmable packet processors and compare designs.

>>> import linecard
>>> result = linecard.run("ixp1200", program="l3fwd16", packets=2000, warmup_packets=500)
>>> result.bottleneck.component != ""
True

The package has these functions:

- `run` simulates one design under one traffic load; `sweep` simulates a design space and returns one table;
- `flows` returns packet and flow statistics of a capture; `flow_mix` generates traffic with given flow statistics;
- `flowcache` returns hit rates of flow caches; `dram` simulates a DRAM part without a chip;
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
