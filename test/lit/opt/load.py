# --load takes a library with the operators that a model needs, here
# torchvision's, which is there for LibTorch 1.13 only.

# REQUIRES: torch-1.13
# RUN: %model-python -W ignore %s %models/ssdlite320_mobilenet_v3_large.pt %t.pt | FileCheck %s
# CHECK: {{[0-9]+}} sites in 3 methods

import subprocess
import sys

import torchvision.extension

library = torchvision.extension._get_extension_path("_C")
model, output = sys.argv[1:]
command = ["torchprof-opt", "--instrument", "--load=" + library, model]
command += ["-o", output]
sys.exit(subprocess.run(command).returncode)
