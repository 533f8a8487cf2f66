"""Prints whether self times add up."""

import sys

sys.path.insert(0, sys.argv[1])
import coverage


def document(*self_ns, **footer):
    return {"rows": [{"self_ns": ns} for ns in self_ns],
            "footer": dict(footer, total_ns=1000.0)}


print(coverage.adds_up(document(400.0, 500.0, 100.1)))
print(coverage.adds_up(document(400.0, 500.0, 150.0, excess_ns=-50.0)))
print(coverage.adds_up(document(400.0, 500.0)))
