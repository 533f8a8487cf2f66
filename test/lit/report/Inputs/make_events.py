"""Adds loads and plans to a profile as JSON: make_events.py IN OUT"""
import json
import sys

profile = json.load(open(sys.argv[1]))
profile["loads"] = [
    {"name": "models/net.pt", "begin": 200000, "ticks": 700000, "thread": 100},
    {"begin": 900000, "ticks": 50000, "thread": 101},
]
profile["plans"] = [
    {"root": 0, "kind": "profiling", "begin": 1000000, "ticks": 4000000,
     "own_ticks": 50000, "thread": 100, "run": 1, "nodes": 9},
    {"root": 0, "kind": "optimized", "begin": 5000000, "ticks": 9000000,
     "own_ticks": 70000, "thread": 100, "run": 2, "nodes": 6, "groups": 1},
    {"root": 0, "first": 2, "kind": "profiling", "part": "fallback",
     "begin": 6000000, "ticks": 300000, "thread": 101, "run": 2, "depth": 11,
     "nodes": 3},
]
json.dump(profile, open(sys.argv[2], "w"))
