"""What processes see of the models of the zoo, each in a way of its own: alone, attached,
as instrumented files. For the scripts check_attached.py and check_gradients.py."""

import argparse
import json
import os
import subprocess
import sys

import torch

from check_zoo import same


def parsed(doc, *more):
    """The arguments of a script, which MORE adds to; entries are the selected ones of
    the zoo's index."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("models", help="folder that make.py --all filled")
    parser.add_argument("work")
    parser.add_argument("--preload", required=True)
    parser.add_argument("--group", default="")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--part", metavar="K/N", default="1/1",
                        help="the K-th of N parts of the models")
    for name, options in more:
        parser.add_argument(name, **options)
    parser.add_argument("--behave", help=argparse.SUPPRESS)
    parser.add_argument("--instrumented", action="store_true",
                        help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    with open(os.path.join(arguments.models, "zoo.json")) as file:
        entries = json.load(file)
    entries = [entry for entry in entries
               if (not arguments.group or entry["group"] == arguments.group)
               and (not arguments.only or entry["name"] in arguments.only)]
    part, parts = map(int, arguments.part.split("/"))
    arguments.entries = [
        entry for entry in entries[part - 1::parts]
        if entry["calls"] and "custom-op" not in entry["properties"]]
    if arguments.behave and "TORCHPROF_FILE" in os.environ:
        torch.ops.load_library(os.path.join(os.path.dirname(arguments.preload),
                                            "libtorchprof_runtime.so"))
    return arguments


# --- in the processes -------------------------------------------------------


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(item)]
    if isinstance(value, dict):
        return tensors_in(list(value.values()))
    return []


def seen_path(arguments, entry, kind):
    return os.path.join(arguments.work, "%s.%s.seen" % (entry["name"], kind))


def profile_of(arguments, name, kind, grad):
    return os.path.join(arguments.work, "%s.%s%s.tprof" % (
        name, kind, ".grad" if grad else ""))


def snapshot(path):
    if os.path.exists(path):
        os.unlink(path)
    torch.ops.torchprof.snapshot(path)
    torch.ops.torchprof.reset()


# --- outside ----------------------------------------------------------------


def process(script, arguments, kind, *words, **environment):
    """Runs SCRIPT --behave KIND for the selected models. Prints what torchprof has to
    say of those that it is attached to."""
    command = [sys.executable, "-W", "ignore", os.path.abspath(script),
               arguments.models, arguments.work, "--behave", kind,
               "--preload", arguments.preload, *words, "--only",
               *[entry["name"] for entry in arguments.entries]]
    done = subprocess.run(command, env=dict(os.environ, **environment),
                          stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        sys.exit("%s: exit code %d\n%s" % (kind, done.returncode, done.stderr))
    if "LD_PRELOAD" in environment:
        for line in done.stderr.splitlines():
            if line.startswith("torchprof:"):
                print(line)


def first_difference(a, b, where=""):
    """Where two observations differ, or None."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if key not in a or key not in b:
                return "%s.%s" % (where, key)
            found = first_difference(a[key], b[key], "%s.%s" % (where, key))
            if found:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for index, (one, other) in enumerate(zip(a, b)):
            found = first_difference(one, other, "%s[%d]" % (where, index))
            if found:
                return found
        return None
    return None if same(a, b) else where


def without_plans(seen):
    """What an instrumented file has in common with the original: its plans have
    other names and places in the source."""
    return [{key: run[key] for key in run if key not in ("plan", "exception")}
            for run in seen["runs"]]


def all_seen(arguments, entry, kinds):
    """What each process saw of a model; None of one that did not run it."""
    paths = [seen_path(arguments, entry, kind) for kind in kinds]
    return [torch.load(path) if os.path.exists(path) else None for path in paths]


def differences(alone, attached, of_file):
    """Where what attached processes saw differs from what one alone did."""
    found = [first_difference(alone, attached)]
    if of_file:
        found.append(first_difference(without_plans(alone), without_plans(of_file),
                                      "file"))
    return [text for text in found if text]


def read_profile(path):
    """{model id: {site: (kind, name, module, flags, calls)}}"""
    done = subprocess.run(["torchprof-report", "convert", "--to=json", path],
                          stdout=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        return {}
    document = json.loads(done.stdout)
    models = {}
    for model in document["models"]:
        counts = {}
        for lane in document["lanes"]:
            for cell in lane["cells"]:
                index = cell["slot"] - model["first_slot"]
                counts[index] = counts.get(index, 0) + cell["count"]
        models[model["id"]] = {
            index: (site, counts.get(index, 0))
            for index, site in enumerate(model["sites"])}
    return models


def count(totals, key, number=1):
    totals[key] = totals.get(key, 0) + number


def compare_sites(arguments, entry, of_file, kind, grad, totals):
    """Differences of an attached process's counts from those of the process OF_FILE,
    which ran the instrumented file."""
    paths = [profile_of(arguments, entry["name"], part, grad)
             for part in (of_file, kind)]
    there = [os.path.exists(path) for path in paths]
    if not any(there) or "no-method" in entry["properties"]:
        return
    if not all(there):
        yield "no profile %s" % paths[there.index(False)]
        return
    file, attached = map(read_profile, paths)
    if not (file and attached):
        yield "%s cannot be read" % (paths[0] if not file else paths[1])
        return
    if not any(calls for sites in file.values() for _, calls in sites.values()):
        yield "no call is recorded in %s" % paths[0]
        return
    for model, sites in file.items():
        if not any(calls for _, calls in sites.values()):
            continue  # a model that ran before
        if model not in attached:
            yield "model %s of the file is not known when %s: %s" % (
                model, kind, ", ".join(map(str, attached)) or "none")
            continue
        for index, (site, calls) in sites.items():
            _, found = attached[model][index]
            count(totals, "sites")
            if found != calls:
                count(totals, "other counts")
                print("  %s %s: %d calls in the file, %d %s%s" % (
                    site["kind"], site["name"], calls, found, kind,
                    " with grad" if grad else ""))


def report(entry, seen, found):
    """Prints a model's line; whether there is a failure."""
    print("%s: %s" % (entry["name"], "FAILED: " + "; ".join(found) if found
                      else "%d runs" % len(seen["runs"])))
    return bool(found)


def report_totals(arguments, totals, failures):
    print("%d models, %d sites, %d with other counts, %d failures" % (
        len(arguments.entries), totals.get("sites", 0),
        totals.get("other counts", 0), failures))
