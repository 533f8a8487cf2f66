"""Prints a profile as JSON in which site 1 has a gradient: gradients_of.py IN NAME"""
import json
import sys

profile = json.load(open(sys.argv[1]))
profile["dynamic_sites"].append(
    {"slot": 10, "parent": 1, "kind": "backward", "name": sys.argv[2]})
profile["lanes"][0]["cells"].append({"slot": 10, "samples": [700000] * 3})
json.dump(profile, sys.stdout)
