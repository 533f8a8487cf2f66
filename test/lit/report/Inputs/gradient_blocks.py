"""Prints a profile with books, as JSON, in which the convolution's blocks are its
gradient's: gradient_blocks.py BLOCKS.json
"""

import json
import sys

NODE, GRADIENT = 1, 5

with open(sys.argv[1]) as file:
    profile = json.load(file)
profile["dynamic_sites"] = [{"slot": GRADIENT, "parent": NODE, "kind": "backward",
                             "name": "ConvolutionBackward0"}]
for account in profile["books"]["accounts"]:
    if account["slot"] == NODE:
        account["slot"] = GRADIENT
print(json.dumps(profile))
