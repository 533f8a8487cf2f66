"""Writes a zoo's index with two entries that promise what is not true."""

import json
import sys

with open(sys.argv[1]) as file:
    entries = {entry["name"]: entry for entry in json.load(file)}
entries["if_else"]["calls"][0]["raises"] = True
# Calls that nobody makes: a hundred times more than the three runs of each.
call = entries["for_loop"]["calls"][0]
entries["for_loop"]["calls"] = [dict(call, expected=100)]
with open(sys.argv[2], "w") as file:
    json.dump([entries["if_else"], entries["for_loop"]], file)
