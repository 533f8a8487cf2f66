"""Checks of profiles of one model that the method which calls all others has taken
all of the time that the footer knows."""

import json
import subprocess
import sys

for path in sys.argv[1:]:
    document = json.loads(subprocess.run(
        ["torchprof-report", "summary", path, "--format=json", "--limit=0"],
        check=True, stdout=subprocess.PIPE).stdout)
    methods = [row["total_ns"] for row in document["rows"]
               if row["kind"] == "method"]
    assert len(methods) > 1, methods
    total = document["footer"]["total_ns"]
    assert abs(max(methods) - total) < 1, (methods, total)
    print("the longest method is the total")
