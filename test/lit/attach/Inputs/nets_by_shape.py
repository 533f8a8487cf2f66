"""The net memory of each operator is the sum of that of its shapes, in a profile with
both; at least one has met several. (That of a run which ends on another thread is not
known.)"""

import json
import subprocess
import sys


def rows(*options):
    return json.loads(subprocess.run(
        ["torchprof-report", "summary", sys.argv[1], "--limit=0", "--sort=order",
         "--columns=kind,name,module,key,calls,net_bytes,self_net_bytes",
         "--format=json", *options],
        check=True, stdout=subprocess.PIPE).stdout)["rows"]


def name_of(row):
    return row["kind"], row["name"], row["module"]


def operators(*options):
    return [row for row in rows(*options) if row["kind"].startswith("aten::")]


nodes = operators()
shapes = operators("--group-by=shape")
assert len(shapes) > len(nodes)
names = [name_of(node) for node in nodes]
several = 0
for node in nodes:
    # Names are not unique, so neither are the sums.
    of_name = [other for other in nodes if name_of(other) == name_of(node)]
    parts = [row for row in shapes if name_of(row) == name_of(node)]
    several += len(parts) > len(of_name)
    for column in ("net_bytes", "self_net_bytes"):
        sums = [sum(row[column] or 0 for row in some) for some in (parts, of_name)]
        assert sums[0] == sums[1], (node, column, sums)
    # What waits may have ended on another thread.
    assert node["net_bytes"] is None or \
        all(row["net_bytes"] is not None for row in parts), parts
assert several > 0
