"""--help begins with an example and fits a screen; --help-all has the rest."""
# RUN: %python %s %source/docs/runtime-options.md | FileCheck %s

import re
import subprocess
import sys

ROWS, COLUMNS = 45, 110


def output(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout


def check(words, hidden):
    """hidden: an option that only --help-all shows; None if there is none."""
    text = output(*words, "--help")
    lines = text.rstrip().split("\n")
    assert len(lines) <= ROWS, (words, len(lines))
    for line in lines:
        assert len(line) <= COLUMNS, (words, line)
    example = [i for i, line in enumerate(lines)
               if line.strip().startswith(("torchprof", "example:"))]
    options = [i for i, line in enumerate(lines) if line.strip().startswith("-")]
    assert example and example[0] < options[0], words
    assert "torchprof" in lines[example[0]]
    if hidden:
        everything = output(*words, "--help-all")
        assert hidden not in text and hidden in everything, (words, hidden)
        # LLVM's own, which would print nothing.
        assert "--print-options" not in everything, words
        assert "--print-all-options" not in everything, words
        for line in lines:
            option = line.strip().split(" ")[0].split("=")[0]
            if option.startswith("--"):
                assert option in everything, (words, option)
    print(" ".join(words), "fits")


# CHECK: torchprof fits
check(["torchprof"], None)
# CHECK: torchprof-opt fits
check(["torchprof-opt"], "--time-passes")
# CHECK: torchprof-record fits
check(["torchprof-record"], "--version")
# CHECK: torchprof-run fits
check(["torchprof-run"], "--load")
# CHECK: torchprof-report fits
check(["torchprof-report"], "--version")
# CHECK-COUNT-10: torchprof-report {{[a-z]+}} fits
for command in ("annotate", "check", "convert", "diff", "export", "merge",
                "runs", "summary", "top", "tree"):
    check(["torchprof-report", command],
          {"summary": "--stack-depth", "tree": "--width",
           "diff": "--unit"}.get(command))

# CHECK: torchprof-record names what can be measured
with open(sys.argv[1]) as page:
    allowed = re.search(r"^\| `TORCHPROF_RECORD` \|[^|]*\|[^|]*\| ([^|]*) \|",
                        page.read(), re.M).group(1)
shown = re.search(r"^ *--measure=<what>.*?(?=^ *--)",
                  output("torchprof-record", "--help"), re.M | re.S).group(0)
assert shown.split(": ")[1].split() == allowed.split(), (shown, allowed)
print("torchprof-record names what can be measured")

# CHECK-NEXT: torchprof knows which options have values
def values(tool):
    return set(re.findall(r"^ +--?([a-z-]+)[= ]<", output(tool, "--help-all"), re.M))


def error(*words):
    return subprocess.run(("torchprof", "record") + words, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True).stdout


of_commands, of_models = values("torchprof-record"), values("torchprof-run")
assert {"o", "mode"} <= of_commands and {"o", "load"} <= of_models
for option in of_commands | of_models:
    said = error("--" + option, "cat", "--quiet", "sh")
    assert "error: sh is no model" in said, (option, said)
for option in of_commands - of_models:
    said = error("nosuch.pt", "--" + option + "=1")
    assert "error: --" + option + " goes with a command" in said, (option, said)
print("torchprof knows which options have values")
