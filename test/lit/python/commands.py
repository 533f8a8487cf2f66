"""The commands that pip installs start the tool of their name, and not themselves
where they come first."""
# RUN: rm -rf %t && mkdir -p %t/bin && cp -r %source/python/torchprof_jit %t
# RUN: %python %s %t | FileCheck %s

import os
import subprocess
import sys

import torchprof_jit

home = sys.argv[1]
script = os.path.join(home, "bin", "torchprof-report")
with open(script, "w") as file:
    file.write("""#!%s
import sys
from torchprof_jit._commands import torchprof_report
if __name__ == '__main__':
    sys.exit(torchprof_report())
""" % sys.executable)
os.chmod(script, 0o755)


def run(**environment):
    done = subprocess.run([script, "--version"], timeout=60,
                          env={**os.environ, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True)
    print(done.stdout.splitlines()[0])


run()
# CHECK: torchprof-report 0.
run(TORCHPROF_HOME=home)
# CHECK-NEXT: torchprof-report 0.
search = os.path.dirname(script) + os.pathsep + os.environ["PATH"]
run(PYTHONPATH=home, PATH=search)
# CHECK-NEXT: torchprof-report 0.
run(PYTHONPATH=home, PATH=os.path.dirname(script))
# CHECK-NEXT: torchprof-report: error: torchprof-report not found beside the package or on PATH;

# So does the package.
os.environ["TORCHPROF_HOME"] = home
print(torchprof_jit.tool_path("torchprof-report") != script)
# CHECK-NEXT: True
