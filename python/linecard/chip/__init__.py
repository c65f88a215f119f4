"""Chips: files of a packet processor, what their places do before anything runs, and runs of them."""
