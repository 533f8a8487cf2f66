"""Makes a virtual environment with pip, and with the torch of this Python and
what that needs, or with --bare without.

  fresh.py [--bare] FOLDER

Debian's torch lies where every environment can see it. A wheel's is linked, file
by file, as it takes gigabytes.
"""

import os
import shutil
import subprocess
import sys
import sysconfig

import torch

bare = sys.argv[1] == "--bare"
folder = sys.argv[-1]
packages = os.path.dirname(os.path.dirname(torch.__file__))
debian = packages.startswith("/usr/lib")
sees_all = ["--system-site-packages"] if debian and not bare else []
# An environment is never made from another one.
base = os.path.join(sys.base_prefix, "bin", "python3")
subprocess.run([base, "-m", "venv", *sees_all, folder], check=True)
if not debian and not bare:
    into = sysconfig.get_path("purelib", vars={"base": folder})
    for name in os.listdir(packages):
        there = os.path.join(into, name)
        if name.startswith("pip"):
            continue
        if os.path.isdir(there):
            shutil.rmtree(there)
        here = os.path.join(packages, name)
        if os.path.isdir(here):
            shutil.copytree(here, there, symlinks=True, copy_function=os.link)
        else:
            shutil.copy(here, there)
