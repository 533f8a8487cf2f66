"""Runs PyTorch's own tests without torchprof and attached, and compares.

Both run side by side, each in a process that is started again behind a case
that crashed. A case that differs is run twice more, alone: it is a difference
if it differs then too. Ends with 1 if there is a difference that no line of the
file of known ones names.
"""

import argparse
import collections
import concurrent.futures
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

#: What is recorded: all that needs no device.
RECORD = "blocks,cpu,labels,memory,ops,shapes"

#: How often a module's process may be started.
MOST_STARTS = 200


class Side:
    """One way to run the cases."""

    def __init__(self, arguments, name, environment):
        self.arguments = arguments
        self.name = name
        self.environment = environment
        self.work = os.path.join(arguments.work, name)
        os.makedirs(self.work, exist_ok=True)

    def run(self, module, log, *cases):
        """The outcomes of a module's cases by their names."""
        path = os.path.join(self.work, log)
        if os.path.exists(path):
            os.remove(path)
        found = {}
        for start in range(MOST_STARTS):
            environment = dict(os.environ, PYTHONHASHSEED="0",
                               PYTHONPATH=self.arguments.path)
            environment.update(
                (key, value % {"file": "%s.%d" % (path, start)})
                for key, value in self.environment.items())
            with open(path + ".txt", "a") as text:
                ended = subprocess.run(
                    [self.arguments.python, os.path.join(HERE, "cases.py"),
                     module, path, *cases], cwd=self.arguments.tests,
                    env=environment, stdin=subprocess.DEVNULL, stdout=text,
                    stderr=text)
            before, found = found, outcomes(path)
            if ended.returncode == 0:
                return found
            if len(found) == len(before):
                break
        sys.exit("%s: %s does not run; see %s.txt" % (self.name, module, path))


def outcomes(path):
    found = {}
    if not os.path.exists(path):
        return found
    with open(path) as lines:
        for line in lines:
            word, case, *outcome = line.split()
            found[case] = " ".join(outcome) if word == "end" else "crashed"
    return found


def known_differences(path):
    known = {}
    with open(path) as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                case, reason = line.split(None, 1)
                known[case] = reason.strip()
    return known


def compare(module, plain, attached):
    """The cases that differ, with both outcomes, and how many there are."""
    with concurrent.futures.ThreadPoolExecutor() as threads:
        runs = [threads.submit(side.run, module, module + ".log")
                for side in (plain, attached)]
        without, with_us = [run.result() for run in runs]
    counts = collections.Counter(without.values())
    with open(os.path.join(plain.work, module + ".log.txt")) as text:
        print(*sorted({line for line in text if " is left out" in line}),
              sep="", end="")
    print("%s: %d cases without torchprof (%s)" % (
        module, len(without),
        ", ".join("%d %s" % (n, what) for what, n in counts.most_common())),
          flush=True)
    differences = {}
    for case in sorted(set(without) | set(with_us)):
        if without.get(case) == with_us.get(case):
            continue
        for attempt in range(2):
            alone = [side.run(module, "alone.log", case).get(case)
                     for side in (plain, attached)]
            if alone[0] == alone[1]:
                break
        else:
            differences[case] = alone
    return differences, len(without)


def check_profiles(arguments, work):
    """Every profile of the run can be read; the names of those that cannot."""
    bad = []
    for path in sorted(glob.glob(os.path.join(work, "*.tprof"))):
        ended = subprocess.run([arguments.report, "check", path],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if ended.returncode not in (0, 1):
            print(ended.stdout.decode(errors="replace"))
            bad.append(path)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tests", required=True, help="PyTorch's test/")
    parser.add_argument("--work", required=True)
    parser.add_argument("--python", required=True, help="that has torch")
    parser.add_argument("--path", default="", help="PYTHONPATH")
    parser.add_argument("--preload", required=True)
    parser.add_argument("--report", required=True, help="torchprof-report")
    parser.add_argument("--known", required=True,
                        help="lines of a case and why it differs")
    parser.add_argument("modules", nargs="+")
    arguments = parser.parse_args()
    plain = Side(arguments, "plain", {})
    attached = Side(arguments, "attached", {
        "LD_PRELOAD": arguments.preload, "TORCHPROF_FILE": "%(file)s.tprof",
        "TORCHPROF_RECORD": RECORD})
    known = known_differences(arguments.known)
    total = 0
    differences = {}
    for module in arguments.modules:
        found, count = compare(module, plain, attached)
        differences.update(found)
        total += count
    status = 0
    for case, (without, with_us) in differences.items():
        reason = known.get(case)
        print("%s: %s without torchprof, %s attached%s" % (
            case, without, with_us, ": " + reason if reason else ""))
        status |= reason is None
    for case in known:
        if case.split(".")[0] in arguments.modules and case not in differences:
            print("note: %s is known to differ, and does not here" % case)
    for path in check_profiles(arguments, attached.work):
        print("%s cannot be read" % path)
        status = 1
    print("%d cases, %d differ, %d of them for a known reason" % (
        total, len(differences), sum(case in known for case in differences)))
    return status


if __name__ == "__main__":
    sys.exit(main())
