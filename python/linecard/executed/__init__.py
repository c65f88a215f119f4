"""Packet programs that Linecard executes: C on RISC-V, and XDP (eBPF).

The module `linecard.chip.steps` contains lists of steps.
"""
