"""Packet programs that are executed: C on RISC-V, and XDP (eBPF). Lists of steps are `linecard.chip.steps`."""
