"""compare-ids.py MODEL ARGUMENTS...

Each of ARGUMENTS is a model, with options before it if they are one word
("--nodes=all model.pt"). Prints for each whether its id is that of MODEL.
"""

import json
import os
import subprocess
import sys


def model_id(argument):
    command = ["torchprof-opt", "--print-sites", "--format=json"]
    done = subprocess.run(command + argument.split(), check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)["model_id"]


first = model_id(sys.argv[1])
for argument in sys.argv[2:]:
    *options, path = argument.split()
    same = "same" if model_id(argument) == first else "another"
    print(" ".join(options + [os.path.basename(path)]) + ":", same)
