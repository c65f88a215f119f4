"""Packet programs that Linecard executes: C on RISC-V, and XDP (eBPF).

The module `linecard.chip.steps` contains the classes of programs that are lists of steps.
"""
