#!/usr/bin/env python3
"""Writes routes.txt: a route table with the shape of a backbone table of 2008, generated from a seed.

    python programs/control/make_routes.py > programs/control/routes.txt

Shape: allocations lie in 90 blocks of /8; about half of the prefixes are more-specifics inside an allocation, most of
them /24; lengths have the distribution of tables of 2008 (half /24, a peak at /16, the rest mostly /19 to
/23, one in a hundred beyond /24 or below /13). An origin announces all of its prefixes through one of 30 peers. There
is no default route.
"""

import random

PREFIXES = 20_000
PEERS = 30
# Weights of prefix lengths, for allocations and for the prefixes announced inside them.
ALLOCATIONS = {10: 1, 11: 2, 12: 5, 13: 10, 14: 19, 15: 37, 16: 370, 17: 130, 18: 200, 19: 360}
ALLOCATIONS |= {20: 400, 21: 250, 22: 300, 23: 250, 24: 1600}
SPECIFICS = {17: 30, 18: 60, 19: 160, 20: 280, 21: 380, 22: 500, 23: 580, 24: 3300}
SPECIFICS |= {25: 15, 26: 15, 28: 10, 30: 15, 32: 15}


def draw(rng: random.Random, weights: dict[int, int]) -> int:
    """A random key by weight; uses only random(), which is the same in every version of Python."""
    at = rng.random() * sum(weights.values())
    for value, weight in weights.items():
        at -= weight
        if at < 0:
            return value
    return value


def main() -> None:
    """Writes the table to standard output."""
    rng = random.Random(2008)
    blocks = sorted({int(1 + rng.random() * 222) for _ in range(115)} - {10, 127})[:90]
    routes: dict[tuple[int, int], int] = {}
    allocations: list[tuple[int, int, int]] = []
    while len(routes) < PREFIXES:
        if rng.random() < 0.45 or not allocations:
            length = draw(rng, ALLOCATIONS)
            first = blocks[int(rng.random() * len(blocks))] << 24 | int(rng.random() * 2**24)
            hop = 1 + int(rng.random() ** 2 * PEERS)
            allocations.append((first >> (32 - length) << (32 - length), length, hop))
        else:
            above, shortest, hop = allocations[int(rng.random() * len(allocations))]
            length = draw(rng, SPECIFICS)
            if length <= shortest:
                continue
            first = above | int(rng.random() * 2 ** (32 - shortest))
        routes[first >> (32 - length) << (32 - length), length] = hop
    print("# A made-up route table of 2008's shape: prefix, next hop. Written by make_routes.py.")
    for (prefix, length), hop in sorted(routes.items()):
        print(f"{'.'.join(str(prefix >> shift & 255) for shift in (24, 16, 8, 0))}/{length} {hop}")


if __name__ == "__main__":
    main()
