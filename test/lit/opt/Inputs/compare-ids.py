"""compare-ids.py FORK-SERVER MODEL ARGUMENTS...

Each of ARGUMENTS is a model, with options before it if they are one word
("--nodes=all model.pt"). Prints for each whether its id is that of MODEL.
"""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../models"))
from forkserver import ForkServer  # noqa: E402


def model_id(argument):
    code, text = opt("--print-sites", "--format=json", *argument.split())
    assert code == 0, text
    return json.loads(text)["model_id"]


log = tempfile.NamedTemporaryFile()
opt = ForkServer("torchprof-opt", sys.argv[1], log.name)
first = model_id(sys.argv[2])
for argument in sys.argv[3:]:
    *options, path = argument.split()
    same = "same" if model_id(argument) == first else "another"
    print(" ".join(options + [os.path.basename(path)]) + ":", same)
opt.close()
