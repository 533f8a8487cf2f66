"""Writes a profile with two nodes for the tests of diff.

Usage: make_diff.py OUT SCALE NOISE SEED [KIND]: 200 runs; the first node takes
100 us * SCALE, the second 50 us; each time varies by a relative NOISE. KIND
replaces the second node's kind.
"""

import json
import random
import sys

out, scale, noise, seed = sys.argv[1], *map(float, sys.argv[2:5])
kind = sys.argv[5] if len(sys.argv) > 5 else "aten::relu"
rng = random.Random(seed)


def times(mean):
    return [max(1, round(rng.gauss(mean, noise * mean))) for _ in range(200)]


first, second = times(100e3 * scale), times(50e3)
document = {
    "process": {"clock": "injected"},
    "models": [
        {
            "id": 3,
            "sites": [
                {"kind": "method", "name": "forward", "flags": ["root"]},
                {"parent": 0, "kind": "aten::mm", "name": "a"},
                {"parent": 0, "kind": kind, "name": "b"},
            ],
        }
    ],
    "lanes": [
        {
            "cells": [
                {"slot": 0, "samples": [a + b for a, b in zip(first, second)]},
                {"slot": 1, "samples": first},
                {"slot": 2, "samples": second},
            ]
        }
    ],
}
with open(out, "w") as file:
    json.dump(document, file)
