"""What is to be copied into a shell can be, and a terminal obeys no name."""
# UNSUPPORTED: asan, tsan
# RUN: rm -rf %t && mkdir %t
# RUN: torchprof-opt --quiet --instrument %models/if_else.pt -o %t/model.pt
# RUN: cd %t && %python %s > out.txt
# RUN: FileCheck --strict-whitespace --match-full-lines --input-file=%t/out.txt %s

import shutil
import subprocess
import sys

HOSTILE = "e\x1b[31mr\ned.pt"
RUN = ["--input", "float[2,4]", "--input", "true", "--runs=1"]


def output(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT).stdout.decode()


# CHECK:next: torchprof-report summary 'mo del.tprof'
# CHECK-NEXT:next: torchprof-report summary ./-dash.tprof
# CHECK-NEXT:next: torchprof-report summary $'e\x1b[31mr\ned.tprof'
# CHECK-NEXT:e\x1b[31mr\ned.pt: 1 run
for name in ("mo del.pt", "-dash.pt", HOSTILE):
    shutil.copy("model.pt", name)
    first, command = output("torchprof-run", *RUN, "--", name).splitlines()
    print(command)
    output("bash", "-c", command[len("next: "):])
print(first.split(";")[0])
# CHECK-NEXT:e\x1b[31mr\ned.pt: 1 run of each in turns, nothing recorded
print(output("torchprof-run", "--compare", *RUN, HOSTILE).splitlines()[0])

# CHECK-NEXT:e\x1b[31mr\ned.pt: 6 sites, probes and manifest agree
print(output("torchprof-opt", "--check", HOSTILE), end="")
# CHECK-NEXT:s\x1b[31m.pt: 1 method restored
print(output("torchprof-opt", "--strip", HOSTILE, "-o", "s\x1b[31m.pt"), end="")
# CHECK-NEXT:i\x1b[31m.pt
print(output("torchprof-opt", "--instrument", "s\x1b[31m.pt", "-o",
             "i\x1b[31m.pt").split(":")[0])

# A process is told by its command, of which no character is cut in two: one of these
# would be, wherever the cut comes.
# CHECK-NEXT:profile: e\x1b-1.tprof, process {{[0-9]+: .*}} -c \n{{.*}}...
# CHECK-NEXT:page: e\x1b-1.html
# CHECK-NEXT:profile: e\x1b-2.tprof, process {{[0-9]+: .*}} -c \n{{.*}}...
# CHECK-NEXT:page: e\x1b-2.html
# CHECK-NEXT:whole
CODE = "\n{}%s\nimport torch; torch.jit.load('s\\x1b[31m.pt')(torch.ones(2, 4), True)" % (
    "é" * 40)
said = output("torchprof-record", "-o", "e\x1b.tprof", "--", sys.executable, "-c",
              "import subprocess, sys\nfor code in sys.argv[1:]:\n"
              "    subprocess.run([sys.executable, '-c', code], check=True)",
              CODE.format("#"), CODE.format("##"))
shown = [line for line in said.splitlines() if line.startswith(("profile", "page"))]
print(*shown, sep="\n")
assert r"\xc3" not in said, said
print("whole")
