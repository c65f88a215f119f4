"""Packet programs that are executed: C on RISC-V, and XDP (eBPF). Lists of steps are in `linecard.chip.steps`."""
