"""The page of the Python package has every name that the package shows."""
# RUN: %python %s %source/docs/python.md | FileCheck %s
# CHECK: the page has all names

import re
import sys

import torchprof_jit

with open(sys.argv[1], encoding="utf-8") as page:
    text = page.read()
missing = [name for name in torchprof_jit.__all__
           if not re.search(r"(`|torchprof_jit\.)%s\b" % name, text)]
print("not on the page:" if missing else "the page has all names", *missing)
