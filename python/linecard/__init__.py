"""Linecard: simulate programmable packet processors and compare designs.

>>> import linecard
>>> result = linecard.run("ixp1200", program="l3fwd16", packets=2000, warmup_packets=500)
>>> result.bottleneck.component != ""
True

Functions of the package:

- `run`: one design under one kind of traffic; `sweep`: a design space, as one table;
- `flows`: packets and flows of a capture; `flow_mix`: traffic with stated flow statistics;
- `flowcache`: hit rates of flow caches; `dram`: a DRAM part alone;
- `presets` and `describe`: shipped presets, with units and sources;
- `program_trace` and `core`: a C packet function on a capture, and on cores with every split of threads and cache;
- `xdp_run` and `xdp_rows`: an XDP program on a capture, and its schedule into rows of several instructions;
- `schema`: the JSON Schema of a kind of file; `explain`: a term of the glossary;
- `reproduce`: the simulated numbers of a published study beside the published numbers.
"""

from linecard._lazy import make_lazy

make_lazy(__name__, __file__)
