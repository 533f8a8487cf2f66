"""Checks folded stacks against their grammar, strictly, and their sum."""

import re
import sys

# FRAME(;FRAME)* POSITIVE, each stack once.
LINE = re.compile(r"[^ ;\t\r\n]+(?:;[^ ;\t\r\n]+)* [1-9][0-9]*\n")

total = 0
seen = set()
with open(sys.argv[1], newline="") as file:
    for line in file:
        assert LINE.fullmatch(line), line
        stack, weight = line.split(" ")
        assert stack not in seen, stack
        seen.add(stack)
        total += int(weight)
assert total == int(sys.argv[2]), total
