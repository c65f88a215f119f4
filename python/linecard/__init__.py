"""Linecard: simulate programmable packet processors and compare designs.

>>> import linecard
>>> result = linecard.run("ixp1200", app="l3fwd16", packets=2000, warmup_packets=500)
>>> result.bottleneck.component != ""
True

The functions: `run` (one design under one traffic), `flows` (what a capture holds), `flowcache` (hit rates of flow
caches), `flow_mix` (traffic to stated flow statistics), `dram` (a DRAM part alone), `presets` and `describe` (what
can be run, with units and sources), `program_trace` and `core` (a C packet function on a capture, and on cores with
every split of threads and cache), `xdp_run` (an XDP program on a capture), `xdp_rows` (what it comes to in rows of
several lanes), `schema` (what editors know of a file), `explain` (a term of the glossary), `sweep` (a table over a
space of any of these), `reproduce` (a published study beside its published numbers).
"""

from linecard._lazy import make_lazy

make_lazy(__name__, __file__)
