"""Adds gradients of nodes to a profile as JSON: make_gradients.py IN OUT"""
import json
import sys

profile = json.load(open(sys.argv[1]))
profile["dynamic_sites"] += [
    {"slot": 9, "parent": 1, "kind": "backward", "name": "aten::conv2d"},
    {"slot": 10, "parent": 2, "kind": "backward", "name": "aten::relu"},
    {"slot": 11, "parent": 0, "kind": "backward", "name": "aten::neg"},
]
profile["lanes"][0]["cells"] += [
    {"slot": 9, "samples": [1900000, 1500000]},
    {"slot": 10, "samples": [90000, 70000]},
    {"slot": 11, "samples": [20000]},
]
json.dump(profile, open(sys.argv[2], "w"))
