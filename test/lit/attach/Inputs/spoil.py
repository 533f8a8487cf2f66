"""Changes one element of what a process saw, and shows where the check finds it:
spoil.py FOLDER MODEL."""

import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__),
                                "../../../models"))
from observed import first_difference

path = os.path.join(sys.argv[1], sys.argv[2] + ".alone.seen")
seen, spoilt = torch.load(path), torch.load(path)
assert first_difference(seen, spoilt) is None
spoilt["runs"][0]["result"].view(-1)[0] += 1
print(first_difference(seen, spoilt))
