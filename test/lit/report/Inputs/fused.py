"""Makes a profile in which LibTorch has fused three nodes after one run.

  fused.py PROFILE.json RESULT.json [--without-before]"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    profile = json.load(file)
first = {1: 10_000, 2: 20_000, 3: 70_000}  # ns, by slot
if sys.argv[3:]:
    first = {}
profile["dynamic_sites"] = [
    {"parent": 1, "kind": "member", "name": name}
    for name in ("1", "2", "3", "99", "-1", "none")]
cells = {slot: [ns] for slot, ns in first.items()}
cells[1] = cells.get(1, []) + [100_000] * 9
profile["lanes"] = [{"thread": 100, "name": "main", "cells": [
    {"slot": 0, "samples": [2_000_000]}] + [
        {"slot": slot, "samples": samples} for slot, samples in cells.items()]}]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(profile, file)
