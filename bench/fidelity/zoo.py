"""The models of the test zoo, one call of each, for the scripts beside this file."""

import argparse
import json
import os
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "test", "models"))
import specs  # noqa: E402
sys.path.insert(0, os.path.join(TREE, "bench", "speed"))
from workloads import import_torchvision  # noqa: E402

WARM_CALLS = 3


def calls(zoo, only):
    """(entry of zoo.json, its first call that raises nothing) of each model that is
    not asynchronous; of those in ONLY if it names some."""
    with open(os.path.join(zoo, "zoo.json")) as file:
        entries = json.load(file)
    for entry in entries:
        good = [call for call in entry["calls"] if not call["raises"]]
        if only and entry["name"] not in only:
            continue
        if good and "asynchronous" not in entry["properties"]:
            yield entry, good[0]


def warm_call(arguments):
    """In the attached process: a function that makes one more call of the model, on
    one thread, of which torchprof has recorded nothing yet."""
    import torch
    try:
        import_torchvision()  # the operators that some models need
    except ImportError:
        pass
    call = json.loads(arguments.inside)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    module = torch.jit.load(os.path.join(arguments.zoo, call["model"] + ".pt"))
    method = getattr(module, call["method"])
    for _ in range(WARM_CALLS):
        method(*specs.arguments(call["inputs"], arguments.zoo))
    values = specs.arguments(call["inputs"], arguments.zoo)
    torch.ops.torchprof.reset()
    return lambda: method(*values)


def attached(arguments, script, entry, call, record, *summary):
    """Runs SCRIPT --inside, attached, with TORCHPROF_RECORD=RECORD. Returns the JSON
    that it prints and the rows of the summary."""
    profile = os.path.join(arguments.work, record + ".tprof")
    if os.path.exists(profile):
        os.unlink(profile)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", script, arguments.zoo, arguments.work,
         "--inside", json.dumps(dict(call, model=entry["name"]))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
        env=dict(os.environ, TORCHPROF_FILE=profile, TORCHPROF_RECORD=record,
                 LD_PRELOAD=os.path.join(arguments.build, "lib",
                                         "libtorchprof_preload.so")))
    if done.returncode:
        cause = done.stderr.split("Error:")[-1].strip().split("\n")[0]
        raise RuntimeError(cause)
    report = subprocess.run(
        [os.path.join(arguments.build, "bin", "torchprof-report"), "summary",
         profile, "--format=json", "--limit=0", *summary],
        check=True, stdout=subprocess.PIPE, universal_newlines=True)
    return (json.loads(done.stdout.strip().split("\n")[-1]),
            json.loads(report.stdout)["rows"])


def main(doc, work, measure):
    """SCRIPT ZOO WORK --build BUILD [--only NAME...]: prints the JSON object that
    MEASURE gives for each model. WORK runs in the attached process."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("zoo")
    parser.add_argument("work")
    parser.add_argument("--build")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        return work(arguments)
    for entry, call in calls(arguments.zoo, arguments.only):
        try:
            row = measure(arguments, entry, call)
        except RuntimeError as error:
            row = {"model": entry["name"],
                   "absent": str(error).replace(arguments.zoo, "").split(". ")[0]}
        print(json.dumps(row), flush=True)
