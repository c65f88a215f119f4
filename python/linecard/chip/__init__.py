"""Chips: files of packet processors, their closed-form checks, and runs of them."""
